"""On the pages, not in the YAML: every value of a record names its source, or says that it is assumed and why."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from generator.site.page import LANGUAGES, Language
from tests.site.html_tree import Element, parse
from tests.site.pages_support import site_catalog, site_pages

LEAST_WORDS = 2
"""Words of a reason at least."""


def rows(language: Language, *sections: str) -> Iterator[tuple[str, Element]]:
    """Page and row of every value that a page of these sections shows."""
    for path, page in site_pages(language).items():
        if path.split("/")[0] in sections:
            for html in page.fragments.values():
                yield from ((path, row) for row in parse(html).elements() if is_value(row))


def is_value(row: Element) -> bool:
    return row.tag == "tr" and row.attributes.get("id", "").startswith(("fact-", "constant-"))


def sources_of(row: Element) -> list[str]:
    """Addresses of the sources that a row links to."""
    links = (each.attributes.get("href", "") for each in row.elements() if each.tag == "a")
    return [link for link in links if "sources/" in link]


def kind_of(row: Element) -> str:
    marked = [name for each in row.elements() for name in each.classes if name.startswith("tf-kind--")]
    assert len(marked) == 1, row.attributes["id"]
    return marked[0].removeprefix("tf-kind--")


def reason_of(row: Element) -> str:
    """What the last cell says besides its links, quotations and places."""
    cell = [each for each in row.children if isinstance(each, Element) and each.tag == "td"][-1]
    beside = ("a", "q", "span")
    said = (text for text, owner in cell.texts() if not any(each.tag in beside for each in owner.ancestors()))
    return " ".join(" ".join(said).split())


def wanting(row: Element) -> bool:
    """Whether a row shows a value and neither a source nor, for one that nobody printed, the reason."""
    kind, sources, reason = kind_of(row), sources_of(row), len(reason_of(row).split()) >= LEAST_WORDS
    if kind in ("stated", "measured"):
        return not sources
    return not reason if kind == "assumed" else not (sources or reason)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_value_without_a_source_or_the_reason_why_it_is_assumed(language: Language) -> None:
    found = list(rows(language, "models", "gpus", "rigs", "methodology"))
    catalog = site_catalog()
    shown = {path for path, _ in found}
    assert {f"models/{each}/" for each in catalog.models} <= shown
    assert {f"gpus/{each}/" for each in catalog.gpus} <= shown
    assert {f"rigs/{each}/" for each in catalog.rigs} <= shown
    assert [(path, row.attributes["id"]) for path, row in found if wanting(row)] == []
    kinds = {kind_of(row) for _, row in found}
    assert kinds == {"stated", "computed", "measured", "assumed"}


@pytest.mark.parametrize(
    ("cells", "is_wanting"),
    [
        ('<td><span class="tf-kind tf-kind--stated">x</span></td><td><a href="../../sources/a/">a</a></td>', False),
        ('<td><span class="tf-kind tf-kind--stated">x</span></td><td><div>It is so.</div></td>', True),
        ('<td><span class="tf-kind tf-kind--assumed">x</span></td><td><a href="../../sources/a/">a</a></td>', True),
        ('<td><span class="tf-kind tf-kind--assumed">x</span></td><td><div>It is so.</div></td>', False),
        ('<td><span class="tf-kind tf-kind--computed">x</span></td><td><div>From two.</div></td>', False),
        ('<td><span class="tf-kind tf-kind--computed">x</span></td><td></td>', True),
    ],
)
def test_a_row_without_either_would_be_noticed(cells: str, is_wanting: bool) -> None:
    row = next(each for each in parse(f'<tr id="fact-x">{cells}</tr>').elements() if each.tag == "tr")
    assert wanting(row) is is_wanting


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_value_of_the_policy_says_why(language: Language) -> None:
    """They are judgements: the methodology gives each its reason."""
    html = "".join(site_pages(language)["methodology/"].fragments.values())
    shown = {
        row.attributes["id"]: row for row in parse(html).elements() if row.attributes.get("id", "")[:7] == "policy-"
    }
    decided = {
        f"policy-{name.replace('_', '-')}"
        for name, value in site_catalog().policy
        if hasattr(value, "reason") and hasattr(value, "value")
    }
    assert decided <= set(shown)
    assert [name for name, row in shown.items() if len(reason_of(row).split()) < LEAST_WORDS] == []
