"""`trainfit sources`: the numbers, and a look at every source of a small catalogue on a local server."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from generator import cli
from generator.catalog import Catalog, load_catalog
from generator.catalog.fields import Cited
from generator.commands import sources as module
from generator.errors import CatalogErrors
from generator.views.quality import quality, values_of
from tests.support import edit, tiny_catalog, write
from tests.web_stand_in import Web, page, redirect, web

HOSTS = ("huggingface.co", "www.nvidia.com", "arxiv.org")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    data = tiny_catalog(tmp_path)
    write(data, "link-exceptions.yml", "hosts: {}\n")
    return data


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Iterator[Web]:
    with web() as server:
        monkeypatch.setattr(module, "ROUTES", server.routes(*HOSTS))
        server.replies["huggingface.co/Qwen/Qwen3-0.6B"] = page("apache-2.0, 0.6B parameters")
        server.replies["www.nvidia.com/en-us/design-visualization/rtx-6000/"] = page(
            "<td>48GB GDDR6 with ECC<td>960 GB/s<td>300 W"
        )
        server.replies["arxiv.org/abs/1910.02054"] = page("ZeRO")
        yield server


def run(data: Path, *arguments: str) -> int:
    return cli.main(["--data-dir", str(data), "sources", "--distance", "0.001", *arguments])


def test_all_is_well(data: Path, here: Web, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(data, "--check") == 0
    assert capsys.readouterr().out == "3 same\n"
    assert run(data, "--check", "--format", "markdown") == 0
    assert capsys.readouterr().out == "", "no issue without a finding"
    assert len(here.asked) == 12


def test_what_is_wrong_is_said_in_every_form(
    data: Path, here: Web, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRAINFIT_SITE_URL", "https://example.org/")
    here.replies["huggingface.co/Qwen/Qwen3-0.6B"] = page("`apache-2.0` | @all", status=410)
    here.replies["www.nvidia.com/en-us/design-visualization/rtx-6000/"] = page("48GB GDDR6 with ECC, 960 GB/s, 250 W")
    here.replies["arxiv.org/abs/1910.02054"] = redirect("https://arxiv.org/abs/1910.02054v3", 301)
    here.replies["arxiv.org/abs/1910.02054v3"] = page("ZeRO")
    assert run(data, "--check") == 0
    assert capsys.readouterr().out == (
        "gone: qwen3-0.6b-card: https://huggingface.co/Qwen/Qwen3-0.6B (status 410)\n"
        "changed: rtx-6000-ada-datasheet: https://www.nvidia.com/en-us/design-visualization/rtx-6000/\n"
        "    not found: 300 W\n"
        "moved: zero: https://arxiv.org/abs/1910.02054v3\n"
        "1 moved, 1 changed, 1 gone\n"
    )
    out = tmp_path / "sources.json"
    assert run(data, "--check", "--format", "json", "--out", str(out)) == 0
    found = {each["source"]: each for each in json.loads(out.read_text(encoding="utf-8"))}
    assert found["rtx-6000-ada-datasheet"]["missing"] == ["300 W"]
    assert found["zero"]["url"] == "https://arxiv.org/abs/1910.02054v3"
    capsys.readouterr()
    assert run(data, "--check", "--format", "markdown", "--only", "qwen3-0.6b-card") == 0
    assert capsys.readouterr().out == (
        "## gone: 1\n\n- [ ] [qwen3-0.6b-card](https://example.org/en/sources/qwen3-0.6b-card/): "
        "`https://huggingface.co/Qwen/Qwen3-0.6B` (`status 410`)\n\n"
    )
    monkeypatch.delenv("TRAINFIT_SITE_URL")
    assert run(data, "--check", "--format", "markdown", "--only", "qwen3-0.6b-card") == 0
    assert "\n- [ ] qwen3-0.6b-card: `https://huggingface.co/" in capsys.readouterr().out


def test_exceptions_are_left_alone_and_say_why(data: Path, here: Web, capsys: pytest.CaptureFixture[str]) -> None:
    reason = "reason: {ru: Закрыто., en: It is closed.}"
    write(
        data, "link-exceptions.yml", f"hosts:\n  arxiv.org: {{{reason}}}\nsources:\n  qwen3-0.6b-card: {{{reason}}}\n"
    )
    assert run(data, "--check", "--format", "json") == 0
    found = {each["source"]: each for each in json.loads(capsys.readouterr().out)}
    for source in ("zero", "qwen3-0.6b-card"):
        assert (found[source]["finding"], found[source]["detail"]) == ("skipped", "It is closed.")
    assert {name.partition("/")[0] for name in here.asked} == {"www.nvidia.com"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("hosts: {arxiv.com: {reason: {ru: Х., en: X.}}}",
         "1:9: hosts.arxiv.com: expected the server of a source, found `arxiv.com` (did you mean `arxiv.org`?)"),
        ("sources: {zera: {reason: {ru: Х., en: X.}}}",
         "1:11: sources.zera: expected the id of a source, found `zera` (did you mean `zero`?)"),
        ("hosts: {arxiv.org: {}}", "1:9: hosts.arxiv.org.reason: expected texts `ru` and `en`, found nothing"),
    ],
)  # fmt: skip
def test_an_exception_is_for_something_that_exists_and_has_a_reason(data: Path, text: str, expected: str) -> None:
    write(data, "link-exceptions.yml", text + "\n")
    with pytest.raises(CatalogErrors) as caught:
        load_catalog(data)
    assert [str(error) for error in caught.value.errors] == [f"data/link-exceptions.yml:{expected}"]


def test_an_unknown_source_is_said(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(data, "--check", "--only", "nobody") == 1
    assert "unknown source `nobody`" in capsys.readouterr().err


def test_the_numbers_of_a_small_catalogue(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edit(data, "sources/zero.yml", "read: 2026-12-01\naccess: page", "access: unread")
    assert run(data, "--format", "json") == 0
    found = json.loads(capsys.readouterr().out)
    counts = found["counts"]
    assert {name: counts[name] for name in ("models", "gpus", "rigs", "methods", "sources", "measurements")} == {
        "models": 1, "gpus": 1, "rigs": 1, "methods": 4, "sources": 3, "measurements": 0,
    }  # fmt: skip
    assert sum(found["values_by_kind"].values()) == sum(found["values_by_backing"].values()) == counts["values"]
    assert sum(found["sources_by_access"].values()) == counts["sources"]
    assert found["sources_unread"] == ["zero"]
    assert found["read"] == {"first read": "2026-11-30", "median": "2026-11-30", "last read": "2026-12-01"}
    assert {each["field"] for each in found["left_out"]} == {
        "gated", "context_tokens", "compute_capability", "released", "launch_price_usd",
    }  # fmt: skip
    assert run(data) == 0
    text = capsys.readouterr().out
    assert re.search(rf"(?m)^values +{counts['values']}$", text)
    assert re.search(r"(?m)^  unread +1 +33\.3%$", text)


def test_every_cited_value_of_the_catalogue_is_counted(catalog: Catalog) -> None:
    def cited(value: object) -> int:
        if isinstance(value, Cited):
            return 1
        if hasattr(type(value), "model_fields"):
            return sum(cited(getattr(value, name)) for name in type(value).model_fields)
        if isinstance(value, dict | tuple):
            return sum(map(cited, value.values() if isinstance(value, dict) else value))
        return 0

    records = [*catalog.models.values(), *catalog.gpus.values(), *catalog.rigs.values()]
    listed = [value for value in values_of(catalog) if value.record_kind in ("model", "gpu", "rig")]
    assert len(listed) == sum(map(cited, records))
    found = quality(catalog)
    assert found.share(found.counts["values"], "values") == 1
    assert found.by_access["unread"] == len(found.unread)
