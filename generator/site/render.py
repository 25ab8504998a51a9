"""The first half of a build: `build/docs/<language>`, everything that MkDocs reads, from data/ and docs/.

Hand-written pages (docs/<language>/**.md), generated pages and assets are put together. Beside them lie two files for
the hooks: `build/fragments/<language>.json`, the finished HTML by page and id, and `build/shell/<language>.json`, what
the frame around the pages needs to know. Nothing is touched that has not changed.
"""

from __future__ import annotations

import gc
import json
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from pathlib import Path
from types import MappingProxyType
from typing import Any

import yaml

from generator.catalog import Catalog
from generator.errors import BuildError
from generator.site.browser.bundle import scripts
from generator.site.messages import Messages
from generator.site.page import LANGUAGES, SECTIONS, Language, Page
from generator.site.pages import render_pages
from generator.site.side_by_side import side_by_side, workers
from generator.site.urls import ordered
from generator.verdict import RigReport, judge_rig
from generator.views.api import generator_version

ROOT = Path(__file__).resolve().parents[2]
"""Root of the checkout."""

DUMPER: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)

HANDWRITTEN_KEYS = frozenset({"title", "description", "section", "navigation_title", "edit_path", "search", "hide"})


@dataclass(frozen=True, slots=True)
class Document:
    """One Markdown file for MkDocs, with its front matter apart."""

    path: str
    """As `Page.path`."""
    section: str
    title: str
    navigation_title: str | None
    meta: Mapping[str, Any]
    markdown: str
    handwritten: bool
    fragments: Mapping[str, str]

    @property
    def file(self) -> str:
        """Path of the file below docs_dir."""
        return f"{self.path}index.md"

    @property
    def text(self) -> str:
        """The file: front matter and Markdown."""
        head = yaml.dump(dict(self.meta), Dumper=DUMPER, allow_unicode=True, sort_keys=True, width=10_000)
        return f"---\n{head}---\n\n{self.markdown.strip()}\n"


def generated(page: Page) -> Document:
    """A generated page as a file; macros stay off, so that text from data/ never runs as a template."""
    meta: dict[str, Any] = {
        "title": page.title,
        "description": page.description,
        "section": page.section,
        "tf_path": page.path,
        "render_macros": False,
        "searchable": page.search,
    }
    if page.scripts:
        meta["scripts"] = list(page.scripts)
    if page.styles:
        meta["styles"] = list(page.styles)
    if page.edit_path:
        meta["edit_path"] = page.edit_path
    return Document(
        path=page.path,
        section=page.section,
        title=page.title,
        navigation_title=page.navigation_title,
        meta=meta,
        markdown=page.markdown,
        handwritten=False,
        fragments=page.fragments,
    )


def handwritten(file: Path, docs_dir: Path) -> Document:
    """A hand-written page: its front matter must give title, description and section; raises BuildError."""
    place = file.relative_to(docs_dir.parents[1]).as_posix()
    text = file.read_text(encoding="utf-8")
    head, closing, body = text.removeprefix("---\n").partition("\n---\n")
    if not text.startswith("---\n") or not closing:
        raise BuildError(f"{place}:1:1: expected front matter between two lines of ---, found none")
    try:
        meta = yaml.safe_load(head)
    except yaml.YAMLError as error:
        raise BuildError(f"{place}: front matter: {error}") from error
    if not isinstance(meta, dict):
        raise BuildError(f"{place}:2:1: expected front matter of keys and values, found {type(meta).__name__}")
    missing = {"title", "description", "section"} - meta.keys()
    unknown = meta.keys() - HANDWRITTEN_KEYS
    if missing or unknown or meta["section"] not in SECTIONS:
        raise BuildError(
            f"{place}: front matter: missing {sorted(missing)}, unknown {sorted(unknown)}, "
            f"section {meta.get('section')!r} (one of {', '.join(SECTIONS)})"
        )
    relative = file.relative_to(docs_dir).with_suffix("").as_posix()
    path = "" if relative == "index" else f"{relative.removesuffix('/index')}/"
    return Document(
        path=path,
        section=str(meta["section"]),
        title=str(meta["title"]),
        navigation_title=meta.get("navigation_title"),
        meta={
            **{key: value for key, value in meta.items() if key not in ("navigation_title", "search")},
            "tf_path": path,
            "render_macros": True,
            "searchable": meta.get("search", True),
            "edit_path": meta.get("edit_path", place),
        },
        markdown=body,
        handwritten=True,
        fragments={},
    )


def collect(pages: Iterable[Page], docs_dir: Path) -> list[Document]:
    """Generated and hand-written pages of a language together; raises BuildError where two have one path."""
    documents = [generated(page) for page in pages]
    documents += [handwritten(file, docs_dir) for file in sorted(docs_dir.rglob("*.md"))]
    seen: set[str] = set()
    for document in documents:
        if document.path in seen:
            raise BuildError(f"two pages at {document.path or 'the root'!r}: {document.title!r} is the second")
        seen.add(document.path)
    return documents


def navigation(documents: Sequence[Document], messages: Messages) -> list[Any]:
    """MkDocs' `nav`: the home page, then a tab for each section that has pages, its own page first."""
    items: list[Any] = []
    for section in SECTIONS:
        named = [document for document in documents if document.section == section and document.navigation_title]
        index = next((d for d in documents if d.path == ("" if section == "home" else f"{section}/")), None)
        inner: list[Any] = [{str(d.navigation_title): d.file} for d in named if d is not index]
        title = messages(f"shell.section.{section}")
        if index is not None and (section == "home" or not inner):
            items.append({title: index.file})
        elif index is not None or inner:
            items.append({title: [*([index.file] if index else []), *inner]})
    return items


def _write(path: Path, text: str) -> None:
    data = text.encode("utf-8")
    if not path.is_file() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _copy(source: Path, target: Path) -> None:
    if not target.is_file() or target.read_bytes() != source.read_bytes():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)


def _remove_others(directory: Path, kept: set[str]) -> None:
    for path in sorted(directory.rglob("*"), reverse=True):
        if path.is_dir():
            if not any(path.iterdir()):
                path.rmdir()
        elif path.relative_to(directory).as_posix() not in kept:
            path.unlink()


def write_language(
    documents: Sequence[Document],
    language: Language,
    facts: Mapping[str, Any],
    work_dir: Path,
    source_dir: Path,
    made: Mapping[str, str] = MappingProxyType({}),
) -> None:
    """Writes one language's docs_dir and the two files for its hooks; removes what no longer belongs there.

    `made` are further files by their path in docs_dir: scripts that the build makes.
    """
    target = work_dir / "docs" / language
    files = {document.file: document for document in documents}
    for name, text in {**{name: document.text for name, document in files.items()}, **made}.items():
        _write(target / name, text)
    others = {
        path.relative_to(base).as_posix(): path
        for base in (source_dir / "docs" / language, source_dir / "docs")
        for path in sorted(base.rglob("*"))
        if path.is_file()
        and path.suffix != ".md"
        and (base.name == language or path.parts[len(base.parts)] == "assets")
    }
    for name, path in others.items():
        _copy(path, target / name)
    _remove_others(target, files.keys() | made.keys() | others.keys())
    messages = Messages(language)
    shell = {
        **facts,
        "language": language,
        "navigation": navigation(documents, messages),
        "sections": {
            d.section: d.path for d in documents if d.path == ("" if d.section == "home" else f"{d.section}/")
        },
    }
    fragments = {document.path: dict(document.fragments) for document in documents}
    for kind, content in (("shell", shell), ("fragments", fragments)):
        _write(
            work_dir / kind / f"{language}.json",
            json.dumps(content, ensure_ascii=False, indent=1, sort_keys=True) + "\n",
        )


def facts_of(catalog: Catalog, languages: Sequence[Language]) -> dict[str, Any]:
    """What the frame and the macros of hand-written pages may show, as plain JSON."""
    return {
        "languages": list(languages),
        "data_date": catalog.data_date.isoformat(),
        "generator_version": generator_version(),
        "policy": catalog.policy.model_dump(mode="json"),
        "constants": catalog.constants.model_dump(mode="json")["constants"],
        "counts": {kind: len(getattr(catalog, kind)) for kind in ("models", "gpus", "rigs", "methods", "sources")},
    }


def judge_rigs(catalog: Catalog) -> dict[str, RigReport]:
    """The reports of all rigs, by id.

    Without looking for garbage meanwhile: the millions of records that are made stay, and the search takes a third of
    the time.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        return {rig: judge_rig(catalog, rig) for rig in catalog.rigs}
    finally:
        if collecting:
            gc.enable()


def in_parts(
    catalog: Catalog, reports: Mapping[str, RigReport], languages: Sequence[Language], parts: int
) -> dict[Language, list[Page]]:
    """The generated pages of each language, made in `parts` processes for each."""
    made = side_by_side(
        {
            (language, part): partial(render_pages, catalog, reports, language, (part, parts))
            for language in languages
            for part in range(parts)
        }
    )
    pages: dict[Language, list[Page]] = {}
    for language in languages:
        shares = [made[language, part] for part in range(parts)]
        pages[language] = [page for row in zip_longest(*shares) for page in row if page is not None]
    return pages


def render(
    catalog: Catalog,
    work_dir: Path = ROOT / "build",
    languages: Sequence[str] = LANGUAGES,
    source_dir: Path = ROOT,
    reports: Mapping[str, RigReport] | None = None,
) -> dict[Language, list[Document]]:
    """Computes all verdicts, unless `reports` has them, and writes each language's files for MkDocs into `work_dir`.

    Returns the pages. Raises BuildError where the pages contradict each other or a hand-written one is malformed.
    """
    reports = judge_rigs(catalog) if reports is None else reports
    chosen = ordered(languages)
    facts = facts_of(catalog, chosen)
    made = scripts(catalog)

    def write(language: Language, pages: Sequence[Page] | None = None) -> list[Document]:
        pages = render_pages(catalog, reports, language) if pages is None else pages
        documents = collect(pages, source_dir / "docs" / language)
        write_language(documents, language, facts, work_dir, source_dir, made)
        return documents

    if (parts := workers(len(chosen))) > 1:
        pages = in_parts(catalog, reports, chosen, parts)
        documents = {language: write(language, pages[language]) for language in chosen}
    else:
        documents = side_by_side({language: partial(write, language) for language in chosen})
    paths = {language: {document.path for document in documents[language]} for language in chosen}
    if len(chosen) > 1 and paths["ru"] != paths["en"]:
        raise BuildError(f"pages in one language only: {', '.join(sorted(paths['ru'] ^ paths['en']))}")
    return documents
