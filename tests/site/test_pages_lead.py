"""On every kind of page, in both languages, a number leads to where it comes from, or counts what the page lists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import pytest

from generator.site.page import LANGUAGES, Language, Page
from tests.site.html_tree import Element, parse
from tests.site.pages_support import site_catalog, site_pages, to_html
from tests.site.test_pages_numbers import NUMBER, names

ORIGINS = re.compile(r"sources/|methodology/|accuracy/|#(?:fact|constant|policy)-|/v/|models/[^/]+/#")
"""What an address holds that leads to a source, a formula, a constant, a measured run or a worked-out verdict."""
TERM = re.compile(r"\b\d+-(?:bit|битн)")
"""Formats that are called by a number."""
NAMES = frozenset({"h1", "h2", "h3", "h4", "th", "pre", "code", "kbd", "samp", "option", "label", "button", "template"})
"""Headings and heads of rows name things; code is to be copied; options and labels are what the reader sets."""
BLOCKS = frozenset({"tr", "li", "p", "dl", "figure", "summary"})
SECTIONS = frozenset({"h2", "h3"})
WITHOUT: Mapping[str, str] = {
    "accuracy": "statistics of the measured runs, each of which stands on a page that it links to",
    "changes": "counts and days of verdicts that changed, each listed below its heading",
    "contribute": "says how to contribute",
    "methodology": "is where numbers lead to; the values that it decides on are rows with their reasons",
    "quality": "counts of what is in data/, over lists of the entries counted",
    "sources": "counts sources",
    "sources/*": "is where values lead to",
    "terms": "explains words",
}
"""Kinds of pages whose numbers lead nowhere else, and why."""
COUNTED = re.compile(
    r"^\s*[(~≈]?[\d\s., ]+\s*(?:rows?|recipes?|models?|cards?|rigs?|строк\w*|рецепт\w*|модел\w*|карт\w*|машин\w*)\b"
)
"""How many entries a list has, at the beginning of a text."""
KINDS = {
    "", "rigs", "rigs/*", "models", "models/*", "gpus", "gpus/*", "methods", "methods/*", "calculator", "stacks",
    "accuracy/*",
}  # fmt: skip
"""Kinds of pages that do show values. A new kind belongs here or in WITHOUT."""


def known_names() -> list[str]:
    """Names and aliases that hold numbers, the longest first."""
    catalog = site_catalog()
    records = (*catalog.models.values(), *catalog.gpus.values(), *catalog.rigs.values())
    called = {alias for each in records for alias in each.aliases}
    called |= {name for gpu in catalog.gpus.values() for name in gpu.misnomers}
    return sorted({*names(), *called}, key=len, reverse=True)


def kind_of(path: str) -> str:
    first, _, rest = path.strip("/").partition("/")
    return f"{first}/*" if rest else first


def tree_in_sections(root: Element) -> Iterator[tuple[int, Element]]:
    """Every element with the number of the section that it stands in: a section begins with each h2 or h3."""
    section = 0
    for element in root.elements():
        section += element.tag in SECTIONS
        yield section, element


def leads(element: Element) -> bool:
    return element.tag == "a" and ORIGINS.search(element.attributes.get("href", "")) is not None


def unexplained(root: Element, known: list[str]) -> list[str]:
    """Texts with numbers that neither link themselves, nor stand in a block with a link or in a section with an
    origin."""
    places = {id(element): section for section, element in tree_in_sections(root)}
    explained = {section for section, element in tree_in_sections(root) if leads(element)}
    if any(element.attributes.get("id", "").startswith("fact-") for element in root.elements()):
        explained.add(0)  # the lead of a record's page repeats its facts
    found = []
    for text, owner in root.texts():
        rest = text
        for name in known:
            rest = rest.replace(name, "") if name in rest else rest
        if not NUMBER.search(TERM.sub("", rest)) or COUNTED.match(rest):
            continue
        around = list(owner.ancestors())
        if any(node.tag in NAMES or node.tag == "a" for node in around):
            continue
        block = next((node for node in around if node.tag in BLOCKS), owner)
        marked = any(name.startswith("tf-kind--") for node in block.elements() for name in node.classes)
        if marked or any(node.tag == "a" for node in block.elements()) or places[id(owner)] in explained:
            continue
        found.append(" ".join(text.split()))
    return found


def pages_of(language: Language) -> Iterator[tuple[str, Page]]:
    for path, page in site_pages(language).items():
        if kind_of(path) not in WITHOUT:
            yield path, page


def test_every_kind_of_page_is_known() -> None:
    shown = {kind_of(path) for path in site_pages("en")}
    assert shown - set(WITHOUT) == KINDS


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_number_without_a_way_to_its_origin(language: Language) -> None:
    known = known_names()
    bare = [(path, text) for path, page in pages_of(language) for text in unexplained(parse(to_html(page)), known)]
    assert bare == []


@pytest.mark.parametrize(
    ("html", "bare"),
    [
        ("<h2>A</h2><p>It has 48 GB.</p>", ["It has 48 GB."]),
        ('<h2>A</h2><p>It has 48 GB.</p><h2>B</h2><p><a href="../sources/x/">x</a></p>', ["It has 48 GB."]),
        ('<h2>A</h2><p>It has 48 GB.</p><p><a href="../sources/x/">x</a></p>', []),
        ('<h2>A</h2><p>It has 48 GB, <a href="../gpus/x/">card</a>.</p>', []),
        ("<table><tr><td>48 GB</td></tr></table>", ["48 GB"]),
        ('<table><tr><td>48 GB</td><td><span class="tf-kind tf-kind--assumed">x</span></td></tr></table>', []),
        ("<p>51 rows</p>", []),
        ("<p>51 rows of 48 GB</p>", []),
    ],
)
def test_a_number_without_would_be_noticed(html: str, bare: list[str]) -> None:
    assert unexplained(parse(html), []) == bare
