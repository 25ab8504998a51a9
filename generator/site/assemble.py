"""The second half of a build, after MkDocs: one directory out of two languages."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from generator.errors import BuildError
from generator.site.page import Language, relative_link
from generator.site.swap import MARKER
from generator.site.urls import PREFIXES, page_url, site_url

UNUSED = (
    "assets/javascripts",  # the theme's scripts: ours are docs/assets/js
    "assets/stylesheets/*.map",
    "assets/stylesheets/palette.*",  # the colours are docs/assets/css/base.css
    "assets/images/favicon.png",
    "assets/_mkdocstrings.css",
    "sitemap.xml.gz",
    "search",
)
"""Files that MkDocs and the theme write and no page asks for."""

REDIRECT = (
    '<!doctype html>\n<html lang="{language}"><head><meta charset="utf-8"><title>{title}</title>'
    '<meta http-equiv="refresh" content="0; url={target}"><link rel="canonical" href="{canonical}"></head>'
    '<body><a href="{target}">{title}</a></body></html>\n'
)


def prune(site_dir: Path) -> None:
    """Removes what no page asks for."""
    for pattern in UNUSED:
        for path in site_dir.glob(pattern):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def join(built: Mapping[Language, Path], target: Path) -> None:
    """Moves each language's site to its place below `target`, which must not exist."""
    target.mkdir(parents=True)
    for language, directory in built.items():
        prune(directory)
        place = target / PREFIXES[language]
        place.mkdir(exist_ok=True)
        for path in sorted(directory.iterdir()):
            shutil.move(path, place / path.name)


def merge(source: Path, target: Path) -> None:
    """Moves everything in `source` to the same place below `target`; folders that both have are joined."""
    for path in sorted(source.iterdir()):
        place = target / path.name
        if place.is_dir():
            merge(path, place)
        else:
            path.rename(place)
    source.rmdir()


def sitemap(paths: Sequence[str], languages: Sequence[Language]) -> str:
    """sitemap.xml: every page in every language, each naming its twins."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:xhtml="http://www.w3.org/1999/xhtml">',
    ]
    for path in sorted(paths):
        links = "".join(
            f'<xhtml:link rel="alternate" hreflang="{other}" href={quoteattr(page_url(path, other))}/>'
            for other in languages
        )
        lines += [f"<url><loc>{escape(page_url(path, language))}</loc>{links}</url>" for language in languages]
    return "\n".join([*lines, "</urlset>", ""])


def redirect(language: Language, title: str, target: str, canonical: str) -> str:
    """A page that leads to the relative address `target` and names the absolute one."""
    shown = {"title": title, "target": target, "canonical": canonical}
    return REDIRECT.format(language=language, **{name: escape(text, {'"': "&quot;"}) for name, text in shown.items()})


def write_redirects(
    target: Path,
    permalinks: Mapping[str, str],
    pages: Mapping[Language, Mapping[str, str]],
) -> None:
    """Writes a page for every address that moved; `pages` gives the title of each page by language and path.

    Raises BuildError for an address that leads to no page, or that a page has.
    """
    for language, titles in pages.items():
        for old, new in permalinks.items():
            if new not in titles:
                raise BuildError(f"data/permalinks.yml: expected the address of a page, found `{new}`, which is none")
            if old in titles:
                raise BuildError(f"data/permalinks.yml: expected an old address, found `{old}`, which is a page itself")
            file = target / PREFIXES[language] / old / "index.html"
            file.parent.mkdir(parents=True, exist_ok=True)
            page = redirect(language, titles[new], relative_link(old, new), page_url(new, language))
            file.write_text(page, encoding="utf-8")


def finish(
    target: Path, paths: Sequence[str], languages: Sequence[Language], facts: Mapping[str, Any], title: str
) -> None:
    """Writes what belongs to the site as a whole: sitemap, robots, the marker, a way in where Russian is left out."""
    for prefix in PREFIXES.values():
        (target / prefix / "sitemap.xml").unlink(missing_ok=True)
    (target / "sitemap.xml").write_text(sitemap(paths, languages), encoding="utf-8")
    (target / "robots.txt").write_text(f"User-agent: *\nAllow: /\nSitemap: {site_url()}sitemap.xml\n", encoding="utf-8")
    (target / ".nojekyll").touch()
    if not (target / "index.html").exists():
        page = redirect(languages[0], title, PREFIXES[languages[0]], page_url("", languages[0]))
        (target / "index.html").write_text(page, encoding="utf-8")
    marker = {key: facts[key] for key in ("data_date", "generator_version", "languages")}
    (target / MARKER).write_text(json.dumps(marker, indent=1, sort_keys=True) + "\n", encoding="utf-8")
