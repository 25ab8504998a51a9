"""Search: what people type finds what they mean, in a real browser; the names beside the index."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from generator.site import search
from generator.site.search import DIRECTORY, LOOKALIKES, NAMES, carry_over, names, squeezed
from tests.site.pages_support import site_catalog

SCRIPT = Path(__file__).resolve().parents[2] / "docs" / "assets" / "js" / "search.js"
LATIN_X, CYRILLIC_X = "4x4090", "4\u04454090"
SEVENTY_CYRILLIC = "\u0434\u043e\u043e\u0431\u0443\u0447\u0435\u043d\u0438\u0435 70\u0412"


def test_names_are_compared_without_what_hands_get_wrong() -> None:
    assert squeezed(CYRILLIC_X) == squeezed("4 × 4090") == squeezed(LATIN_X) == "4x4090"
    assert squeezed("Qwen/Qwen3-14B") == "qwenqwen314b"
    assert squeezed("70\u0412") == squeezed("70B")


@pytest.mark.parametrize("links", [True, False])
def test_the_index_of_the_last_site_is_taken_along(tmp_path: Path, monkeypatch, links: bool) -> None:
    def refused(source: str, target: str) -> None:
        raise PermissionError(source, target)

    old, new = tmp_path / "old", tmp_path / "new"
    (old / DIRECTORY / "fragment").mkdir(parents=True)
    new.mkdir()
    (old / DIRECTORY / "fragment" / "a").write_bytes(b"index")
    (old / DIRECTORY / NAMES.format("ru")).write_bytes(b"names")
    if not links:
        monkeypatch.setattr(search.os, "link", refused)
    carry_over(old, new)
    taken = new / DIRECTORY / "fragment" / "a"
    assert taken.read_bytes() == b"index"
    assert taken.samefile(old / DIRECTORY / "fragment" / "a") is links
    assert not (new / DIRECTORY / NAMES.format("ru")).exists()


def test_the_script_compares_the_same_way() -> None:
    found = re.search(
        r'LOOKALIKES = new Map\(\[\.\.\."([^"]+)"\]\.map\(\(char, i\) => \[char, "([a-z]+)"', SCRIPT.read_text("utf-8")
    )
    assert found is not None
    cyrillic = found[1].encode("ascii").decode("unicode_escape")
    assert str.maketrans(cyrillic, found[2]) == LOOKALIKES


@pytest.mark.parametrize("language", ["ru", "en"])
def test_every_name_leads_to_its_page(language) -> None:
    catalog, found = site_catalog(), names(site_catalog(), language)
    for id_, gpu in catalog.gpus.items():
        assert found[squeezed(gpu.name)][:2] == [gpu.name, f"gpus/{id_}/"]
        for misnomer in gpu.misnomers:
            assert found[squeezed(misnomer)][1:] == [f"gpus/{id_}/", "meant"] or squeezed(misnomer) in map(
                squeezed, (alias for other in catalog.gpus.values() for alias in other.aliases)
            )
    for id_, model in catalog.models.items():
        assert found[squeezed(id_)][1] == f"models/{id_}/"
        assert all(squeezed(name) in found for name in (*model.aliases, *model.hugging_face))


@pytest.mark.browser
@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "query", "path", "among"),
    [
        ("", "qwen 14", "models/qwen3-14b/", 3),
        ("en/", "qwen 14", "models/qwen3-14b/", 3),
        ("", CYRILLIC_X, "gpus/rtx-4090/", 1),
        ("en/", LATIN_X, "gpus/rtx-4090/", 1),
        ("", SEVENTY_CYRILLIC, "models/llama-3.3-70b/", 6),
        ("en/", "fine-tuning 70B", "models/llama-3.3-70b/", 6),
        ("", "Qwen/Qwen3-14B", "models/qwen3-14b/", 1),
        ("", "RTX A6000 Ada", "gpus/rtx-6000-ada/", 1),
    ],
)
def test_what_people_type_finds_what_they_mean(open_page, language, query, path, among) -> None:
    watcher = open_page(language)
    page = watcher.page
    page.locator("[data-tf-search]").click()
    page.locator("#tf-search-input").fill(query)
    page.locator("#tf-search-results a").first.wait_for()
    page.wait_for_function("!document.querySelector('#tf-search-status').textContent.endsWith('…')")
    links = page.locator("#tf-search-results a:has(strong)").evaluate_all(
        "all => all.map(link => new URL(link.href).pathname)"
    )
    assert f"/{language}{path}" in [link.partition("#")[0] for link in links[:among]]
    assert len(links) == len(set(links))
    if query == "RTX A6000 Ada":
        assert "RTX 6000 Ada" in page.locator("#tf-search-status").inner_text().replace(query, "")
    assert watcher.problems == []
