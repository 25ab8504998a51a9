"""On the home page every number leads to its source in one click."""

from __future__ import annotations

import re

import pytest

from generator.site.page import LANGUAGES
from tests.site.html_tree import Element, parse
from tests.site.pages_support import site_catalog, site_pages

NUMBER = re.compile(r"(?<![A-Za-zА-Яа-яЁё\d.,-])\d")
"""A digit that begins a number: those of names such as FSDP2, bf16 and ZeRO-3 follow a letter or a hyphen."""
LABELS = frozenset({"th", "blockquote"})
"""Heads of rows and columns name things; the question is quoted as it was asked."""
BLOCKS = ("p", "li", "td", "dd", "caption", "div", "section")


def names() -> list[str]:
    """Names that hold numbers: of models, cards and recipes."""
    catalog = site_catalog()
    recipes = [recipe.name for method in catalog.methods.values() for recipe in method.ladder]
    found = [model.name for model in catalog.models.values()] + [gpu.name for gpu in catalog.gpus.values()]
    found += [name.in_language(language) for name in recipes for language in LANGUAGES]
    return sorted(found, key=len, reverse=True)


def leads_somewhere(element: Element) -> bool:
    """Whether a text in this element is a link, or stands in a block that names its source."""
    around = list(element.ancestors())
    if any(node.tag == "a" or node.tag in LABELS for node in around):
        return True
    block = next((node for node in around if node.tag in BLOCKS), element)
    return any("tf-cite" in node.classes for node in block.elements())


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_number_on_the_home_page_leads_to_its_source(language) -> None:
    known = names()
    unlinked = []
    for fragment, html in site_pages(language)[""].fragments.items():
        for text, element in parse(html).texts():
            rest = text
            for name in known:
                rest = rest.replace(name, "")
            if NUMBER.search(rest) and not leads_somewhere(element):
                unlinked.append((fragment, " ".join(text.split())))
    assert not unlinked


def test_a_number_without_a_link_would_be_noticed() -> None:
    bare, cited = (
        next(element for element in parse(html).elements() if element.tag == "p")
        for html in ("<p>48 GB</p>", '<p>48 GB <a class="tf-cite" href="#">x</a></p>')
    )
    assert not leads_somewhere(bare)
    assert leads_somewhere(cited)


@pytest.mark.parametrize("language", LANGUAGES)
def test_sources_of_the_family_table_lead_outside(language) -> None:
    rows = [e for e in parse(site_pages(language)[""].fragments["families"]).elements() if e.tag == "tr"][1:]
    assert rows
    for row in rows:
        cells = [e for e in row.elements() if e.tag == "td"]
        links = [e.attributes["href"] for e in cells[-1].elements() if e.tag == "a"]
        assert links
        assert all(link.startswith("https://") for link in links)
