"""How good the data are, counted: what values rest on, how old that is, what contradicts, what nobody looked at."""

from __future__ import annotations

import datetime
import statistics
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import get_args

from pydantic import BaseModel

from generator.catalog import Catalog
from generator.catalog.fields import Cited, Conflict, Kind
from generator.catalog.loading import Kind as RecordKind
from generator.catalog.records import Constant, Reasoned

VALUE_KINDS: tuple[Kind, ...] = get_args(Kind)
ACCESSES = ("page", "package", "copy", "unread")
OLDEST = 15
"""Sources that are listed by the age of their reading."""
MAY_BE_UNKNOWN: Mapping[RecordKind, tuple[str, ...]] = {
    "model": ("released", "licence", "gated", "context_tokens", "parameters.stated_billions"),
    "gpu": ("compute_capability", "released", "launch_price_usd"),
}
"""Fields that a record may leave out where nobody says anything."""


@dataclass(frozen=True, slots=True)
class Value:
    """One value of the data with what it rests on."""

    record_kind: RecordKind
    record_id: str
    field: str
    kind: Kind
    sources: tuple[str, ...]
    """Ids of the sources that give it, the preferred one first."""
    conflicts: tuple[Conflict, ...] = ()
    value: object = None


@dataclass(frozen=True, slots=True)
class Gap:
    """A field that some records of a kind leave out."""

    record_kind: RecordKind
    field: str
    missing: tuple[str, ...]
    """Ids of the records without it."""
    of: int


@dataclass(frozen=True, slots=True)
class Quality:
    """Everything that is counted."""

    counts: Mapping[str, int]
    """models, gpus, rigs, methods, measurements, sources, values, citations."""
    by_kind: Mapping[Kind, int]
    by_access: Mapping[str, int]
    """Sources by how they were read."""
    backed: Mapping[str, int]
    """Values by what is behind them: several sources, one, a reason alone."""
    conflicts: tuple[Value, ...]
    """Values that another source contradicts."""
    unread_only: tuple[Value, ...]
    """Values all of whose sources nobody opened."""
    copy_only: int
    """Values all of whose sources were read in copies."""
    unread: tuple[str, ...]
    """Sources that nobody opened."""
    unused: tuple[str, ...]
    """Sources that are shown and give no value."""
    oldest: tuple[str, ...]
    """Sources read longest ago."""
    first_read: datetime.date | None
    median_read: datetime.date | None
    last_read: datetime.date | None
    gaps: tuple[Gap, ...]
    unjudged: Mapping[str, tuple[str, ...]]
    """What the memory model lacks → models without a verdict for want of it."""

    def share(self, number: int, of: str) -> float:
        """A number as a share of one of `counts`; 0 where that is 0."""
        return number / self.counts[of] if self.counts[of] else 0.0


def values_of(catalog: Catalog) -> Iterator[Value]:
    """Every value that says where it comes from, in the order of the files."""
    for (kind, record_id), entry in catalog.entries.items():
        if kind == entry.kind and record_id == entry.id:
            for field, found in _found(entry.record, ""):
                yield _value(kind, record_id, field, found)


def _found(value: object, path: str) -> Iterator[tuple[str, Cited | Reasoned | Constant]]:  # type: ignore[type-arg]
    if isinstance(value, Cited | Reasoned | Constant):
        yield path, value
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from _found(getattr(value, name), f"{path}.{name}".lstrip("."))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _found(item, f"{path}.{key}".lstrip("."))
    elif isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from _found(item, f"{path}.{index}")


def _value(kind: RecordKind, record_id: str, field: str, found: Cited | Reasoned | Constant) -> Value:  # type: ignore[type-arg]
    sources = tuple(dict.fromkeys(citation.source for citation in found.citations))
    if isinstance(found, Reasoned):
        return Value(kind, record_id, field, "assumed", sources, (), found.value)
    conflicts = found.conflicts if isinstance(found, Cited) else ()
    return Value(kind, record_id, field, found.kind, sources, conflicts, found.value)


def quality(catalog: Catalog) -> Quality:
    """All counts of a catalogue."""
    values = tuple(values_of(catalog))
    access = {source_id: source.access for source_id, source in catalog.sources.items()}
    days = sorted(source.read for source in catalog.sources.values() if source.read is not None)
    giving = {source_id for value in values for source_id in value.sources}
    by_access: Counter[str] = Counter(access.values())
    backed = Counter(_backing(value) for value in values)
    return Quality(
        counts={
            "models": len(catalog.models),
            "gpus": len(catalog.gpus),
            "rigs": len(catalog.rigs),
            "methods": len(catalog.methods),
            "measurements": len(catalog.measurements),
            "sources": len(catalog.sources),
            "values": len(values),
            "citations": sum(1 for _ in catalog.citations()),
        },
        by_kind={kind: sum(1 for value in values if value.kind == kind) for kind in VALUE_KINDS},
        by_access={name: by_access[name] for name in ACCESSES},
        backed={name: backed[name] for name in ("several", "one", "none")},
        conflicts=tuple(value for value in values if value.conflicts),
        unread_only=tuple(value for value in values if _only(value, access, {"unread"})),
        copy_only=sum(1 for value in values if _only(value, access, {"copy", "unread"})),
        unread=tuple(source_id for source_id, how in access.items() if how == "unread"),
        unused=tuple(source_id for source_id in catalog.sources if source_id not in giving),
        oldest=tuple(_oldest(catalog)),
        first_read=days[0] if days else None,
        median_read=statistics.median_low(days) if days else None,
        last_read=days[-1] if days else None,
        gaps=tuple(_gaps(catalog)),
        unjudged=_unjudged(catalog),
    )


def _backing(value: Value) -> str:
    return "several" if len(value.sources) > 1 else "one" if value.sources else "none"


def _only(value: Value, access: Mapping[str, str], kinds: set[str]) -> bool:
    return bool(value.sources) and all(access[source_id] in kinds for source_id in value.sources)


def _oldest(catalog: Catalog) -> list[str]:
    dated = [(source.read, source_id) for source_id, source in catalog.sources.items() if source.read is not None]
    return [source_id for _, source_id in sorted(dated)[:OLDEST]]


def _gaps(catalog: Catalog) -> Iterator[Gap]:
    records: dict[RecordKind, Mapping[str, BaseModel]] = {"model": catalog.models, "gpu": catalog.gpus}
    for kind, fields in MAY_BE_UNKNOWN.items():
        for field in fields:
            missing = tuple(record_id for record_id, record in records[kind].items() if _at(record, field) is None)
            if missing:
                yield Gap(kind, field, missing, len(records[kind]))


def _at(record: object, field: str) -> object:
    for step in field.split("."):
        record = getattr(record, step, None)
    return record


def _unjudged(catalog: Catalog) -> Mapping[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for model_id, model in catalog.models.items():
        if model.objective == "causal-lm":
            for feature in model.architecture.shape().unmodelled:
                found.setdefault(feature, []).append(model_id)
    return {feature: tuple(found[feature]) for feature in sorted(found)}
