"""Sources: what they say of themselves, and the days on which they were read."""

from __future__ import annotations

import datetime
import statistics
from collections.abc import Iterator
from typing import cast

from pydantic import BaseModel

from generator.catalog.catalogue import newest_reading, sources_in, usages
from generator.catalog.fields import Cited
from generator.catalog.loading import Entry, Reading
from generator.catalog.records import Policy
from generator.catalog.rules.registry import Found, rule

STATED = ("stated", "measured")
"""Kinds of values that a source prints itself."""
LATEST_AFTER_MEDIAN = 366
"""Days by which a reading may be later than half of all readings."""


@rule("source-summary")
def source_summary(reading: Reading) -> Iterator[Found]:
    """A source says in both languages what it gives: its page opens with that."""
    for entry in reading.entries:
        for prefix, _, source in sources_in(entry):
            if source.summary is None:
                message = "expected a summary in both languages that says what the source gives, found none"
                yield Found(entry, prefix.removesuffix("."), message, "write `summary: {ru: …, en: …}`")


def cited_values(value: object, path: str = "") -> Iterator[tuple[str, Cited[object]]]:
    """Every value of a record that says where it comes from, with its dotted path."""
    if isinstance(value, Cited):
        yield path, value
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from cited_values(getattr(value, name), f"{path}.{name}".lstrip("."))
    elif isinstance(value, tuple | dict):
        for step, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from cited_values(item, f"{path}.{step}".lstrip("."))


@rule("says-where")
def says_where(reading: Reading) -> Iterator[Found]:
    """A reader finds what a source is cited for: the words that it prints, or where they stand; how it is computed."""
    for entry in reading.entries:
        for path, value in cited_values(entry.record):
            if value.where or (value.kind in STATED and value.as_printed):
                continue
            if value.kind in STATED:
                message = "expected as_printed or where, found neither"
                yield Found(entry, path, message, "write the words that the source prints, or the place in it")
            elif value.kind == "computed" and value.reason is None:
                message = "expected reason or where, found neither"
                yield Found(entry, path, message, "say how it is computed")


@rule("read-after-published")
def read_after_published(reading: Reading) -> Iterator[Found]:
    """Nothing was read before it was published."""
    for entry in reading.entries:
        for prefix, _, source in sources_in(entry):
            if source.read is None or source.published is None:
                continue
            if source.read.isoformat()[: len(source.published)] < source.published:
                message = f"expected a day from {source.published} on, found {source.read}"
                yield Found(entry, f"{prefix}read", message)


@rule("read-in-time")
def read_in_time(reading: Reading) -> Iterator[Found]:
    """No day of reading is far after all others: a build has no clock to tell a day that is still to come."""
    days: list[tuple[Entry, str, datetime.date]] = []
    for entry in reading.entries:
        for prefix, _, source in sources_in(entry):
            if source.read is not None:
                days.append((entry, f"{prefix}read", source.read))
        cited = ((usage.at, usage.citation.read) for usage in usages(entry))
        days += [(entry, f"{at}.read", day) for at, day in cited if day is not None]
    if not days:
        return
    median = statistics.median_low(sorted(day for _, _, day in days))
    said: set[tuple[str, int, int]] = set()
    for entry, field, day in days:
        place = entry.document.place_of(field)
        at = (entry.document.path, place.line, place.column)
        if (day - median).days > LATEST_AFTER_MEDIAN and at not in said:
            said.add(at)  # a day that a block hands down is wrong once
            message = f"expected a day within {LATEST_AFTER_MEDIAN} days of {median}, found {day}"
            yield Found(entry, field, message, "is the year right?")


@rule("fresh", warning=True, needs_all=True)
def fresh(reading: Reading) -> Iterator[Found]:
    """No source was read long before the newest one: there is no clock in a build but the data's own."""
    policy = next((cast("Policy", entry.record) for entry in reading.of("policy")), None)
    if policy is None:
        return
    newest, days = newest_reading(reading), policy.fresh_days.value
    for entry in reading.entries:
        for prefix, _, source in sources_in(entry):
            if source.read is not None and newest - source.read > datetime.timedelta(days=days):
                message = f"expected a day within {days:g} days of {newest}, found {source.read}"
                yield Found(entry, f"{prefix}read", message, "read it again")


@rule("one-source-per-document", warning=True)
def one_source_per_document(reading: Reading) -> Iterator[Found]:
    """Two sources do not describe the same document."""
    taken: dict[tuple[str, str | None], str] = {}
    for entry in reading.entries:
        for prefix, source_id, source in sources_in(entry):
            if source.url is None:
                continue
            first = taken.setdefault((source.url, source.revision), source_id)
            if first != source_id:
                yield Found(entry, f"{prefix}url", f"expected a document of its own, found the address of `{first}`")
