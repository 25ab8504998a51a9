"""Addresses that moved lead to where the page is now, in both languages."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import html

from generator.errors import BuildError
from generator.site.assemble import write_redirects
from generator.site.urls import site_url

PAGES = {"ru": {"models/new/": "Новая <модель>"}, "en": {"models/new/": "New <model>"}}


@pytest.mark.parametrize(("language", "prefix", "title"), [("ru", "", "Новая <модель>"), ("en", "en/", "New <model>")])
def test_an_old_address_leads_to_the_new_one(tmp_path: Path, language: str, prefix: str, title: str) -> None:
    write_redirects(tmp_path, {"models/old/": "models/new/"}, PAGES)
    page = html.document_fromstring((tmp_path / prefix / "models" / "old" / "index.html").read_bytes())
    assert page.get("lang") == language
    assert page.xpath("//meta[@http-equiv='refresh']/@content") == ["0; url=../../models/new/"]
    assert page.xpath("//link[@rel='canonical']/@href") == [f"{site_url()}{prefix}models/new/"]
    [link] = page.xpath("//a")
    assert (link.get("href"), link.text) == ("../../models/new/", title)


@pytest.mark.parametrize(
    ("moved", "message"),
    [
        ({"models/old/": "models/gone/"}, "`models/gone/`, which is none"),
        ({"models/new/": "models/new/"}, "a page itse"),
    ],
)
def test_an_address_that_leads_nowhere(tmp_path: Path, moved: dict[str, str], message: str) -> None:
    with pytest.raises(BuildError, match=message):
        write_redirects(tmp_path, moved, PAGES)
