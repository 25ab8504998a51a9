"""The build as a whole: the same twice, all or nothing, no dead link, both languages alike."""

from __future__ import annotations

import filecmp
import os
import re
import shutil
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from lxml import html

from generator.errors import BuildError, CatalogErrors
from generator.site import build as building
from generator.site import mkdocs_ready
from generator.site.build import build
from tests.support import tiny_catalog

pytestmark = pytest.mark.slow

FIRST_VIEW_BYTES = 300_000


def files(directory: Path) -> dict[str, Path]:
    return {path.relative_to(directory).as_posix(): path for path in directory.rglob("*") if path.is_file()}


@pytest.fixture
def tiny_data(tmp_path):
    """The small catalogue of tests/support.py, for what is true of every build."""
    return tiny_catalog(tmp_path / "tiny")


@pytest.fixture(scope="module")
def trees(site_dir):
    """Every page of the site, parsed."""
    return {
        name: html.document_fromstring(path.read_bytes())
        for name, path in sorted(files(site_dir).items())
        if name.endswith(".html")
    }


def test_two_builds_are_the_same_to_the_byte(site_dir, reduced_data, tmp_path):
    again = build(reduced_data, tmp_path / "again", work_dir=tmp_path / "work").site_dir
    first, second = files(site_dir), files(again)
    assert first.keys() == second.keys()
    assert [name for name in first if not filecmp.cmp(first[name], second[name], shallow=False)] == []


def test_nothing_names_this_machine(site_dir, repo_root, shared_dir):
    for name, path in files(site_dir).items():
        if path.suffix in (".html", ".json", ".xml", ".txt", ".css", ".js"):
            text = path.read_text(encoding="utf-8")
            assert str(repo_root) not in text, name
            assert str(shared_dir) not in text, name


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("rigs/4x-rtx-6000-ada.yml", "count: 4", "count: 4\ncount: 5"),
        ("rigs/4x-rtx-6000-ada.yml", "count: 4", "count: -4"),
        ("rigs/4x-rtx-6000-ada.yml", "count: 4", "counts: 4"),
        ("policy.yml", "workload:", "workload: ["),
    ],
)
def test_broken_data_leaves_the_old_site(tmp_path, reduced_data, file, old, new):
    data = tmp_path / "data"
    shutil.copytree(reduced_data, data)
    text = (data / file).read_text(encoding="utf-8")
    assert old in text
    (data / file).write_text(text.replace(old, new, 1), encoding="utf-8")
    site = old_site(tmp_path)
    with pytest.raises(CatalogErrors):
        build(data, site, work_dir=tmp_path / "work")
    assert_old(site, tmp_path)


def old_site(tmp_path: Path) -> Path:
    site = tmp_path / "site"
    site.mkdir()
    (site / "index.html").write_text("old", encoding="utf-8")
    (site / "build.json").write_text("{}", encoding="utf-8")
    return site


def assert_old(site: Path, tmp_path: Path) -> None:
    assert {name: path.read_text(encoding="utf-8") for name, path in files(site).items()} == {
        "index.html": "old",
        "build.json": "{}",
    }
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("site-")] == []


def test_a_failing_mkdocs_is_an_error_with_its_words(tmp_path, tiny_data, monkeypatch):
    site = old_site(tmp_path)
    broken = tmp_path / "mkdocs.yml"
    broken.write_text("site_name: x\nnonsense: [1\n", encoding="utf-8")
    monkeypatch.setattr(mkdocs_ready, "CONFIGURATIONS", {"ru": str(broken), "en": str(broken)})
    with pytest.raises(BuildError, match="MkDocs"):
        build(tiny_data, site, work_dir=tmp_path / "work", languages=["en"])
    assert_old(site, tmp_path)


def test_a_failing_search_leaves_the_old_site(tmp_path, tiny_data, monkeypatch):
    site = old_site(tmp_path)

    def fail(*_: object) -> None:
        raise BuildError("no index")

    monkeypatch.setattr(building.search, "index", fail)
    with pytest.raises(BuildError, match="no index"):
        build(tiny_data, site, work_dir=tmp_path / "work", languages=["en"])
    assert_old(site, tmp_path)


def test_an_interruption_leaves_the_old_site(tmp_path, tiny_data, monkeypatch):
    site = old_site(tmp_path)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(building.styles, "trim", interrupt)
    with pytest.raises(KeyboardInterrupt):
        build(tiny_data, site, work_dir=tmp_path / "work", languages=["en"])
    assert_old(site, tmp_path)


def test_a_place_that_cannot_be_written_is_a_build_error(tmp_path):
    (tmp_path / "work").write_text("a file", encoding="utf-8")
    with pytest.raises(BuildError, match="work"):
        build(site_dir=tmp_path / "site", work_dir=tmp_path / "work")


def test_one_language_alone_has_a_way_in(tmp_path, tiny_data, monkeypatch):
    monkeypatch.setenv("TRAINFIT_SITE_URL", "https://example.org/name/")
    site = build(tiny_data, tmp_path / "site", work_dir=tmp_path / "work", languages=["en"]).site_dir
    assert "url=en/" in (site / "index.html").read_text(encoding="utf-8")
    page = html.document_fromstring((site / "en" / "models" / "index.html").read_bytes())
    assert page.xpath("//link[@rel='canonical']/@href") == ["https://example.org/name/en/models/"]
    assert page.xpath("//a[@data-tf-language]") == []
    missing = html.document_fromstring((site / "en" / "404.html").read_bytes())
    assert "/name/en/" in missing.xpath("//article//a/@href")
    assert all(link.startswith("/name/en/") for link in missing.xpath("//link[@rel='stylesheet']/@href"))


def test_every_link_leads_somewhere(site_dir, trees):
    ids = {name: {node.get("id") for node in tree.iter() if node.get("id")} for name, tree in trees.items()}
    dead = []
    for name, tree in trees.items():
        for node in tree.iter("a", "link", "script", "img", "use", "iframe"):
            target = node.get("href") or node.get("src")
            if not target or urlsplit(target).scheme or name.endswith("404.html"):
                continue
            assert not target.startswith("/"), f"{name}: {target} works at the root of a host only"
            parts = urlsplit(target)
            file = (site_dir / name).parent / unquote(parts.path) if parts.path else site_dir / name
            file = Path(os.path.normpath(file / "index.html" if file.is_dir() else file))
            found = file.is_file() and site_dir in file.parents
            if found and parts.fragment and file.suffix == ".html":
                found = unquote(parts.fragment) in ids[file.relative_to(site_dir).as_posix()]
            if not found:
                dead.append(f"{name}: {target}")
    assert dead == []


def test_no_id_stands_twice(trees):
    for name, tree in trees.items():
        ids = [node.get("id") for node in tree.iter() if node.get("id")]
        assert sorted(ids) == sorted(set(ids)), name


def test_both_languages_have_the_same_pages_and_headings(trees):
    def headings(tree):
        return [(node.tag, node.get("id")) for node in tree.iter("h1", "h2", "h3", "h4") if node.get("id")]

    russian = {name: headings(tree) for name, tree in trees.items() if not name.startswith("en/")}
    english = {name.removeprefix("en/"): headings(tree) for name, tree in trees.items() if name.startswith("en/")}
    assert russian == english


def test_every_page_says_what_it_is(trees):
    for name, tree in trees.items():
        if name.endswith("404.html"):
            continue
        language = "en" if name.startswith("en/") else "ru"
        assert tree.get("lang") == language, name
        assert len(tree.xpath("//h1")) == 1, name
        if name.endswith("/embed/index.html"):
            assert tree.xpath("//link[@rel='canonical']/@href")[0].endswith(name.removesuffix("embed/index.html")), name
            assert tree.xpath("//meta[@name='robots']/@content") == ["noindex"], name
            continue
        assert tree.xpath("//meta[@name='description']/@content")[0].strip(), name
        assert tree.xpath("//meta[@property='og:title']/@content")[0].strip(), name
        assert tree.xpath("//link[@rel='canonical']/@href")[0].startswith("http"), name
        assert tree.xpath("//link[@rel='alternate']/@hreflang") == ["ru", "en", "x-default"], name
        assert not re.search(r"TFFRAGMENT|\{\{|\{%", tree.text_content()), name


def test_no_page_asks_another_host(site_dir, trees):
    for name, tree in trees.items():
        for node in tree.xpath("//script[@src] | //img | //iframe | //link[@rel='stylesheet' or @rel='preload']"):
            assert not urlsplit(node.get("src") or node.get("href")).netloc, name
    for name, path in files(site_dir).items():
        if name.endswith(".css"):
            assert not re.search(r"url\(\s*['\"]?(https?:)?//", path.read_text(encoding="utf-8")), name


def test_the_first_view_is_light(site_dir, trees):
    for name in ("index.html", "models/qwen3-14b/index.html"):
        wanted = {node.get("src") or node.get("href") for node in trees[name].xpath(
            "//script[@src] | //link[@rel='stylesheet' or @rel='preload' or @rel='icon']"
        )}  # fmt: skip
        total = sum((site_dir / name).parent.joinpath(target).stat().st_size for target in wanted)
        total += (site_dir / name).stat().st_size
        assert total < FIRST_VIEW_BYTES, (name, total)


def test_the_sitemap_names_every_page_in_both_languages(site_dir, paths):
    text = (site_dir / "sitemap.xml").read_text(encoding="utf-8")
    assert text.count("<loc>") == 2 * len(paths)
    assert text.count('hreflang="en"') == text.count('hreflang="ru"') == 2 * len(paths)
    assert (site_dir / "robots.txt").read_text(encoding="utf-8").endswith("sitemap.xml\n")
    assert (site_dir / ".nojekyll").exists()
    assert not list(site_dir.rglob("*.gz"))
