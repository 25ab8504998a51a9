"""Generated pages for tests: those of the reduced data, rendered once, turned to HTML the way the hook does it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import markdown

from generator.catalog import Catalog, load_catalog
from generator.site.page import FRAGMENT_TOKEN, Language, Page
from generator.site.pages import render_pages
from generator.verdict import judge_rig
from generator.verdict.results import RigReport
from tests.reduced import reduced_catalog

HEADING = re.compile(r"^(#+) (.*) \{ #(\S+) \}$", re.MULTILINE)


@cache
def whole_catalog() -> Catalog:
    """All of data/."""
    return load_catalog()


def site_catalog() -> Catalog:
    """What the tests' site shows: the reduced data."""
    return reduced_catalog()


@cache
def site_reports() -> Mapping[str, RigReport]:
    catalog = site_catalog()
    return {rig: judge_rig(catalog, rig) for rig in catalog.rigs}


@cache
def site_pages(language: Language) -> Mapping[str, Page]:
    return {page.path: page for page in render_pages(site_catalog(), site_reports(), language)}


def heading_ids(page: Page) -> list[str]:
    """Explicit ids of the page's headings, in their order."""
    return [match[3] for match in HEADING.finditer(page.markdown)]


def to_html(page: Page) -> str:
    """The page's body as a browser gets it: Markdown made HTML, fragments put in place in one pass."""
    settings: dict[str, Any] = {"extensions": ["attr_list", "md_in_html", "tables", "toc"]}
    html = markdown.markdown(page.markdown, **settings)
    return FRAGMENT_TOKEN.sub(lambda match: page.fragments[match["id"]], html)
