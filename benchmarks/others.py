"""The same pages by other generators, for a sense of scale: Hugo, and Zensical where it is installed.

Hugo renders the Markdown of both languages twice: with a navigation of all pages in each page, as documentation
themes have it, and with none. What our hooks do afterwards is not done by either.
"""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

from generator.errors import BuildError
from generator.site.page import LANGUAGES

PAGE = """<!doctype html><html lang="{{ .Site.Language.Lang }}"><head><meta charset="utf-8">
<title>{{ .Title }}</title></head><body>%s<main>{{ .Content }}</main></body></html>
"""
NAVIGATION = (
    '<nav><ul>{{ range .Site.Pages }}<li><a href="{{ .RelPermalink }}">{{ .Title }}</a></li>{{ end }}</ul></nav>'
)
HUGO = {
    "hugo": ("Hugo, a minimal page", PAGE % ""),
    "hugo-navigation": ("Hugo, every page listed in every page", PAGE % NAVIGATION),
}
ZENSICAL = "site_name: x\ndocs_dir: {docs}\nsite_dir: {site}\n"


def others(rendered: Path, folder: Path) -> Iterator[tuple[str, str, float | None]]:
    """Name, what, and seconds of each, from the Markdown that `render` wrote; no seconds where it is not installed."""
    for name, (what, layout) in HUGO.items():
        yield name, what, _hugo(rendered, folder / name, layout) if shutil.which("hugo") else None
    what = "Zensical, both languages one after the other, without a cache"
    yield "zensical", what, _zensical(rendered, folder / "zensical") if shutil.which("zensical") else None


def _hugo(rendered: Path, folder: Path, layout: str) -> float:
    for name in ("list.html", "single.html"):
        target = folder / "layouts" / "_default" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(layout, encoding="utf-8")
    for language in LANGUAGES:
        for page in (rendered / "docs" / language).rglob("*.md"):
            place = page.relative_to(rendered / "docs").parent
            target = folder / "content" / place / "_index.md"  # as index.md it would swallow the pages below it
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(page, target)
    (folder / "config.toml").write_text('baseURL = "http://127.0.0.1/"\ndisableKinds = ["taxonomy", "term"]\n')
    seconds, pages = _timed(["hugo", "--quiet", "--source", str(folder)]), len([*(folder / "content").rglob("*.md")])
    written = len([*(folder / "public").rglob("index.html")])
    if written < pages:
        raise BuildError(f"expected Hugo to write {pages} pages, found {written}")
    return seconds


def _zensical(rendered: Path, folder: Path) -> float:
    total = 0.0
    for language in LANGUAGES:
        place = folder / language
        shutil.copytree(rendered / "docs" / language, place / "docs")
        (place / "mkdocs.yml").write_text(ZENSICAL.format(docs="docs", site="site"), encoding="utf-8")
        total += _timed(["zensical", "build", "--clean"], place)
    return total


def _timed(command: list[str], folder: Path | None = None) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, cwd=folder, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began
