"""Sources with every place that uses them, and the counts that the provenance paragraph states."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import get_args
from urllib.parse import urlsplit

from generator.catalog import Catalog, Usage
from generator.catalog.records import Source, SourceType

SOURCE_TYPES: tuple[SourceType, ...] = get_args(SourceType)
"""Order in which the kinds of source are listed."""
SHARED_HOSTS = {
    "github.com": ("GitHub", re.compile(r"/[^/]+/([^/]+)")),
    "arxiv.org": ("arXiv", re.compile(r"/(?:abs|pdf|html)/([\w.]+?)(?:v\d+)?(?:\.pdf)?/?$")),
    "huggingface.co": ("Hugging Face", re.compile(r"/docs/([^/]+)")),
}
"""Hosts that say little: how they are named instead, and what of the path tells their documents apart."""
CARDS_HOST = "huggingface.co"
CARD = re.compile(r"https://huggingface\.co/(?:(?:datasets|spaces)/)?[^/]+/([^/?#]+)")
REPOSITORY_PARTS = 2


@dataclass(frozen=True, slots=True)
class SourceView:
    """One source and what rests on it."""

    source_id: str
    source: Source
    usages: tuple[Usage, ...]
    """In the order of the catalogue."""

    @property
    def host(self) -> str:
        """Where it is published, as a reader recognises it: `arxiv.org`, or a package's registry and name."""
        return source_host(self.source)

    @property
    def anchor(self) -> str:
        """Its ASCII id inside a page that lists sources."""
        return f"source-{self.source_id.replace('.', '-')}"


def source_host(source: Source) -> str:
    """Host of the address without `www.`, or `PyPI: trl` for a package."""
    if source.url is not None:
        return (urlsplit(source.url).hostname or source.url).removeprefix("www.")
    if source.package is not None:
        return f"{source.package.registry}: {source.package.name}"
    return source.publisher


def source_label(source: Source) -> str:
    """Its host, and more of the address where many sources share it: `GitHub: trl`, `arXiv: 2305.14314`."""
    host = source_host(source)
    if source.url is not None and host in SHARED_HOSTS:
        name, pattern = SHARED_HOSTS[host]
        if found := pattern.match(urlsplit(source.url).path):
            return f"{name}: {found[1]}"
    return host


def citation_label(source: Source) -> str:
    """Its label, with the model or dataset that a page of Hugging Face is about: most cards live there."""
    if source.url is not None and source_label(source) == CARDS_HOST and (found := CARD.match(source.url)):
        return f"Hugging Face: {found[1]}"
    return source_label(source)


def citation_labels(sources: Sequence[Source]) -> tuple[str, ...]:
    """Labels of sources cited in one breath: where two share one, the end of the address tells them apart."""
    labels = [citation_label(source) for source in sources]
    return tuple(
        f"{label}, {_tail(source)}" if source.url is not None and labels.count(label) > 1 else label
        for label, source in zip(labels, sources, strict=True)
    )


def _tail(source: Source) -> str:
    """The end of an address: `#2079` of a discussion, `fsdp_qlora` of a page, `README` of a repository's front page."""
    parts = urlsplit(source.url or "").path.strip("/").split("/")
    if source_host(source) == "github.com" and len(parts) == REPOSITORY_PARTS:
        return "README"
    return f"#{parts[-1]}" if parts[-1].isdecimal() else PurePosixPath(parts[-1]).stem


def source_views(catalog: Catalog) -> tuple[SourceView, ...]:
    """All sources, by kind and then by title."""
    used: dict[str, list[Usage]] = {source_id: [] for source_id in catalog.sources}
    for usage in catalog.citations():
        used[usage.source_id].append(usage)
    views = (SourceView(source_id, source, tuple(used[source_id])) for source_id, source in catalog.sources.items())
    return tuple(sorted(views, key=lambda view: (SOURCE_TYPES.index(view.source.type), view.source.title.lower())))


@dataclass(frozen=True, slots=True)
class TypeCount:
    """How many sources of a kind there are and how many citations lead to them."""

    type: SourceType
    sources: int
    citations: int
    publishers: tuple[str, ...]
    """The most cited ones, at most four."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """What the data rest on, counted."""

    sources: int
    citations: int
    types: tuple[TypeCount, ...]
    """Kinds that occur, in the order of SOURCE_TYPES."""
    first_read: datetime.date | None
    last_read: datetime.date | None
    data_date: datetime.date
    models: int
    gpus: int
    opened: int
    """Sources read at their own address or in a released package."""
    copies: int
    """Sources read in a stored or quoted copy."""
    unread: int
    """Sources that are known to exist and were not opened."""


def provenance(catalog: Catalog) -> Provenance:
    """Counts of sources, of cited values and of dates."""
    views = source_views(catalog)
    days = sorted(
        day
        for view in views
        for day in (view.source.read, *(usage.citation.read for usage in view.usages))
        if day is not None
    )
    access = Counter(view.source.access for view in views)
    return Provenance(
        sources=len(views),
        citations=sum(len(view.usages) for view in views),
        types=tuple(_type_counts(views)),
        first_read=days[0] if days else None,
        last_read=days[-1] if days else None,
        data_date=catalog.data_date,
        models=len(catalog.models),
        gpus=len(catalog.gpus),
        opened=access["page"] + access["package"],
        copies=access["copy"],
        unread=access["unread"],
    )


def _type_counts(views: Iterable[SourceView]) -> Iterable[TypeCount]:
    by_type: dict[SourceType, list[SourceView]] = {}
    for view in views:
        by_type.setdefault(view.source.type, []).append(view)
    for source_type in SOURCE_TYPES:
        group = by_type.get(source_type)
        if not group:
            continue
        publishers: Counter[str] = Counter()
        for view in group:
            publishers[view.source.publisher] += len(view.usages)
        most = sorted(publishers.items(), key=lambda item: (-item[1], item[0]))[:4]
        yield TypeCount(
            source_type, len(group), sum(len(view.usages) for view in group), tuple(name for name, _ in most)
        )


def sources_by_type(views: Iterable[SourceView]) -> Mapping[SourceType, tuple[SourceView, ...]]:
    """The views grouped by kind of source, in the order of SOURCE_TYPES."""
    grouped: dict[SourceType, list[SourceView]] = {}
    for view in views:
        grouped.setdefault(view.source.type, []).append(view)
    return {source_type: tuple(grouped[source_type]) for source_type in SOURCE_TYPES if source_type in grouped}
