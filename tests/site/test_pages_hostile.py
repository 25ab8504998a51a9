"""Whatever stands in data/ reaches a page as text: it cannot become markup, a template, a link or a fragment."""

from __future__ import annotations

import dataclasses
import json
from types import MappingProxyType
from typing import Any

import pytest
from pydantic import BaseModel

from generator.catalog import Catalog
from generator.catalog.fields import Text
from generator.catalog.measurements import MeasuredRun
from generator.site.page import LANGUAGES
from generator.site.pages import render_pages
from generator.site.pages_env import fill, heading, markdown_text
from tests.site.html_tree import parse
from tests.site.pages_support import heading_ids, site_catalog, site_pages, site_reports, to_html

HOSTILE = (
    '<script>alert(1)</script> "><img src=x onerror=alert(1)> {{ 7919 * 6971 }} {% raw %} [x](javascript:alert(1)) '
    "![y](z) **bold** `code` TFFRAGMENT:lead:END &lt; { #stolen } <!-- \\ _a_ #"
)
FREE_TEXT = frozenset(
    {"name", "vendor", "publisher", "title", "chip_architecture", "memory_type", "pcie", "as_printed", "where"}
    | {"revision", "licence", "aliases", "misnomers", "hugging_face", "unit"}
)
"""Fields in which any line may stand."""


def poisoned(value: Any, name: str = "") -> Any:
    """The same record with hostile text added wherever a text may stand."""
    if isinstance(value, Text):
        return Text(ru=f"{value.ru} {HOSTILE}", en=f"{value.en} {HOSTILE}")
    if isinstance(value, BaseModel):
        parts = {
            field: poisoned(getattr(value, field), _role(value, field, name)) for field in type(value).model_fields
        }
        return value.model_copy(update=parts)
    if isinstance(value, tuple):
        return tuple(poisoned(item, name) for item in value)
    if isinstance(value, dict):
        return {key: poisoned(item, name) for key, item in value.items()}
    return f"{HOSTILE} {value}"[:300].rstrip() if isinstance(value, str) and name in FREE_TEXT else value


def _role(record: BaseModel, field: str, name: str) -> str:
    """The value of a cited fact plays the role of the fact's own field."""
    return name if field == "value" and "kind" in type(record).model_fields else field


def _poisoned_run(run: MeasuredRun) -> MeasuredRun:
    """A measured run whose source prints hostile text, on a card of the catalogue all the same."""
    words = {
        name: f"{getattr(run.published, name) or ''} {HOSTILE}"[:300].strip() for name in ("where", "model", "note")
    }
    changed = [each.model_copy(update=words) for each in (run.published, run.settings)]
    defaults = {name: each.model_copy(update={"where": HOSTILE}) for name, each in run.defaults.items()}
    return dataclasses.replace(run, published=changed[0], settings=changed[1], defaults=defaults)


def poisoned_catalog() -> Catalog:
    catalog = site_catalog()
    kinds = (
        "models", "gpus", "rigs", "methods", "sources", "stack", "choices", "environments", "libraries", "known_misses",
        "measured_shapes", "link_exceptions",
    )  # fmt: skip
    changed: dict[str, Any] = {
        kind: MappingProxyType({key: poisoned(record) for key, record in getattr(catalog, kind).items()})
        for kind in kinds
    }
    changed |= {name: poisoned(getattr(catalog, name)) for name in ("policy", "constants", "absent")}
    changed["measurements"] = tuple(_poisoned_run(run) for run in catalog.measurements)
    result = dataclasses.replace(catalog, **changed)
    first = next(iter(result.models.values()))
    assert HOSTILE in first.name
    return result


@pytest.mark.parametrize("language", LANGUAGES)
def test_hostile_data_comes_out_as_text(language) -> None:
    pages = render_pages(poisoned_catalog(), site_reports(), language)
    usual = site_pages(language)
    for page in pages:
        assert heading_ids(page) == heading_ids(usual[page.path])
        tree = parse(to_html(page))
        scripts = [element for element in tree.elements() if element.tag == "script"]
        assert all(script.attributes["type"] == "application/json" for script in scripts), page.path
        assert all(json.loads("".join(map(str, script.children))) for script in scripts), page.path
        tags = {element.tag for element in tree.elements()}
        assert not tags & {"img", "iframe", "style"}, page.path
        for element in tree.elements():
            assert not any(attribute.startswith("on") for attribute in element.attributes)
            assert "javascript:" not in element.attributes.get("href", "")
            href = element.attributes.get("href", "")
            assert href.startswith("https:") or ":" not in href.partition("/")[0], (page.path, href)
        assert "{{" not in page.markdown
        assert "55203349" not in to_html(page)
        assert page.markdown.count("TFFRAGMENT:") == len(page.fragments), page.path
        assert all("TFFRAGMENT:" not in html for html in page.fragments.values())


def test_hostile_data_is_still_shown() -> None:
    pages = {page.path: page for page in render_pages(poisoned_catalog(), site_reports(), "en")}
    shown = " ".join(parse(to_html(pages["models/qwen3-8b/"])).text.split())
    assert " ".join(HOSTILE.split()) in shown


def test_markdown_text_has_no_meaning_in_markdown() -> None:
    import markdown

    html = markdown.markdown(str(heading(2, "place", HOSTILE)), extensions=["attr_list", "toc"])
    tree = parse(html)
    assert [element.tag for element in tree.elements()] == ["#root", "h2"]
    assert tree.text.strip() == " ".join(HOSTILE.split())
    assert 'id="place"' in html


def test_markdown_text_keeps_ordinary_words() -> None:
    assert markdown_text("Полный файнтюнинг: 7–8B, 80 %") == "Полный файнтюнинг&#58; 7–8B, 80 %"


def test_placeholders_of_data_are_filled_once() -> None:
    assert fill("{a} & {b} {c}", {"a": "{b}", "b": "<1>"}) == "{b} &amp; &lt;1&gt; {c}"
