"""What a source prints and what is put down of it are the same: figures, dates, licences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from generator.catalog.catalogue import Usage, sources_in, usages
from generator.catalog.fields import Citation, Cited, Conflict
from generator.catalog.hardware_records import Price
from generator.catalog.loading import Entry, Reading
from generator.catalog.records import Model
from generator.catalog.rules.figures import GIBI, GIGA, MEBI, TERA, printed_values
from generator.catalog.rules.licences import mentioned_licences, spdx_spelling
from generator.catalog.rules.registry import Found, rule

ALIKE = 1e-6
"""Share by which a figure and its value may differ: binary fractions, nothing else."""
UNITS: tuple[tuple[str, tuple[float, ...]], ...] = (
    ("_gb_per_s", (GIGA, GIBI)),
    ("_gib", (GIGA, GIBI)),
    ("_mib", (MEBI,)),
    ("_tflops", (TERA,)),
    ("_billions", (GIGA,)),
)
"""Part of a field's name → what its unit stands for; any other field counts single things."""
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAY = re.compile(r"(?<!\d)((?:19|20)\d\d)[-./](\d\d)(?:[-./](\d\d))?(?!\d)")
_MONTH = re.compile(
    rf"\b({'|'.join(_MONTHS)})[a-z]*\.?\s+(?:(\d{{1,2}})(?:st|nd|rd|th)?,?\s+)?((?:19|20)\d\d)\b", re.IGNORECASE
)
_YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)(?!\d)")


@dataclass(frozen=True, slots=True)
class Quoted:
    """A citation that quotes its source, with the value that it is quoted for."""

    usage: Usage
    value: object
    printed: str


def quotations(entry: Entry) -> Iterator[Quoted]:
    """Every quotation of a record: of its values, of further sources for them, and of those in conflict."""
    for usage in usages(entry):
        citation = usage.citation
        cited = value_at(entry.record, usage.field)
        if citation.as_printed is None or not isinstance(cited, Cited):
            continue
        own = value_at(entry.record, usage.at)
        value = own.value if isinstance(own, Conflict) else cited.value
        yield Quoted(usage, value, citation.as_printed)


def value_at(record: object, field: str) -> object:
    """What stands at a dotted path of a record; none where there is nothing."""
    for step in field.split("."):
        if isinstance(record, tuple) and step.isdigit():
            record = record[int(step)]
        elif isinstance(record, Mapping):
            record = record.get(step)
        else:
            record = getattr(record, step, None)
    return record


@rule("as-printed")
def as_printed(reading: Reading) -> Iterator[Found]:
    """A figure that a source prints is the value that it is quoted for, in whatever unit and notation."""
    for entry in reading.entries:
        for each in quotations(entry):
            value, usage = each.value, each.usage
            if isinstance(value, bool) or not isinstance(value, int | float):
                continue
            if usage.value_kind not in ("stated", "measured"):
                continue
            unit = next((scale for part, scale in UNITS if part in f"_{usage.field}"), (1.0,))
            figures = printed_values(each.printed, usage.citation.where or "", unit)
            if figures and not any(abs(figure - value) <= ALIKE * abs(value) for figure in figures):
                message = f"expected the value {value:.12g} as printed, found `{each.printed}`"
                hint = "correct the one or the other; a value worked out from what is printed is `kind: computed`"
                yield Found(entry, f"{usage.at}.as_printed", message, hint)


@rule("date-as-printed")
def date_as_printed(reading: Reading) -> Iterator[Found]:
    """A date that a source prints is the one that it is quoted for, as exact as both are."""
    for entry in reading.entries:
        for each in quotations(entry):
            if not each.usage.field.endswith("released") or not isinstance(each.value, str):
                continue
            dates = printed_dates(each.printed)
            if dates and not any(same_time(each.value, date) for date in dates):
                message = f"expected the date {each.value} as printed, found `{each.printed}`"
                yield Found(entry, f"{each.usage.at}.as_printed", message, "correct the one or the other")


def printed_dates(text: str) -> set[str]:
    """Dates in a text as YYYY-MM-DD, YYYY-MM or, where there is nothing more exact, YYYY."""
    found = {"-".join(part for part in match if part) for match in _DAY.findall(text)}
    for month, day, year in _MONTH.findall(text):
        number = _MONTHS.index(month.lower()) + 1
        found.add(f"{year}-{number:02}" + (f"-{int(day):02}" if day else ""))
    return found or set(_YEAR.findall(text))


def same_time(one: str, other: str) -> bool:
    """Whether two dates agree as far as both go."""
    shared = min(len(one), len(other))
    return one[:shared] == other[:shared]


@rule("released-before-read")
def released_before_read(reading: Reading) -> Iterator[Found]:
    """What was released, or had a price, on some day was read there on that day or later: a build has no clock."""
    days = {source_id: source.read for entry in reading.entries for _, source_id, source in sources_in(entry)}
    for entry in reading.entries:
        for field, value, citation in _dated(entry):
            day = citation.read or days.get(citation.source)
            if day is not None and value > day.isoformat()[: len(value)]:
                message = f"expected a time up to {day}, when `{citation.source}` was read, found {value}"
                yield Found(entry, field, message, "what is only announced is left out")


def _dated(entry: Entry) -> Iterator[tuple[str, str, Citation]]:
    """Field, date and each citation of what happened at that time."""
    released = getattr(entry.record, "released", None)
    if isinstance(released, Cited):
        for citation in released.citations:
            yield "released.value", str(released.value), citation
    for name in ("launch_price_usd", "street_price_usd"):
        price = getattr(entry.record, name, None)
        if isinstance(price, Price):
            for citation in price.citations:
                yield f"{name}.as_of", price.as_of, citation


@rule("licence-spelling")
def licence_spelling(reading: Reading) -> Iterator[Found]:
    """A licence of the SPDX list has the identifier of that list, and any other its name in words."""
    named: list[tuple[Entry, str, str]] = []
    for entry in reading.of("model"):
        licence = entry.record.licence if isinstance(entry.record, Model) else None
        if licence is not None:
            named.append((entry, "licence.value", licence.value))
    named += [
        (entry, f"{at}licence", source.licence)
        for entry in reading.entries
        for at, _, source in sources_in(entry)
        if source.licence
    ]
    for entry, field, name in named:
        meant = spdx_spelling(name)
        if meant is not None and meant != name:
            yield Found(entry, field, f"expected `{meant}`, as SPDX spells it, found `{name}`")
        elif meant is None and " " not in name and "-" not in name:
            hint = "write out the name of a licence that SPDX does not list, such as `Llama 3.1 Community License`"
            yield Found(entry, field, f"expected an SPDX identifier such as `MIT`, found `{name}`", hint)


@rule("licence-as-printed")
def licence_as_printed(reading: Reading) -> Iterator[Found]:
    """A licence that a source prints is the one that it is quoted for."""
    for entry in reading.of("model"):
        for each in quotations(entry):
            if each.usage.field != "licence" or not isinstance(each.value, str):
                continue
            meant, printed = spdx_spelling(each.value), mentioned_licences(each.printed)
            tag = " " not in each.printed.removeprefix("license: ").strip()
            if (printed and meant not in printed) or (meant is not None and tag and not printed):
                message = f"expected the licence {each.value} as printed, found `{each.printed}`"
                yield Found(entry, f"{each.usage.at}.as_printed", message, "correct the one or the other")
