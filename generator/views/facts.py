"""Cited values of a record, flattened: what a table of facts with sources needs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from generator.catalog.fields import Citation, Cited, Conflict, Kind, Record, Text
from generator.catalog.hardware_records import Price
from generator.catalog.records import Source


@dataclass(frozen=True, slots=True)
class Fact:
    """One value with its provenance."""

    field: str
    """Dotted path in the record, such as `architecture.layers`."""
    value: object
    kind: Kind
    citations: tuple[Citation, ...]
    reason: Text | None
    conflicts: tuple[Conflict, ...]
    as_of: str | None = None
    """The time that a price is from."""

    @property
    def anchor(self) -> str:
        """ASCII id of the fact on its page, such as `fact-architecture-layers`."""
        return fact_anchor(self.field)


def fact_anchor(field: str) -> str:
    """ASCII id under which the page of a record shows the field with this dotted path."""
    return "fact-" + field.replace(".", "-").replace("_", "-")


def fact_of(cited: Cited, field: str) -> Fact:  # type: ignore[type-arg]  # any value will do
    """A cited value as a fact called `field`."""
    as_of = cited.as_of if isinstance(cited, Price) else None
    return Fact(field, cited.value, cited.kind, cited.citations, cited.reason, cited.conflicts, as_of)


def facts_of(record: Record, prefix: str = "") -> tuple[Fact, ...]:
    """All cited values of a record in the order of its fields, those of nested records included."""
    return tuple(_walk(record, prefix))


def _walk(record: Record, prefix: str) -> Iterator[Fact]:
    for name in type(record).model_fields:
        value = getattr(record, name)
        path = f"{prefix}{name}"
        if isinstance(value, Cited):
            yield fact_of(value, path)
        elif isinstance(value, Record) and not isinstance(value, Source | Text):
            yield from _walk(value, f"{path}.")
