"""The Atom feed of changes (RFC 4287): an entry for each day on which something changed. No clock, so no surprises."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from pathlib import Path

from generator.catalog import Catalog
from generator.site.formats import Formats
from generator.site.messages import Messages
from generator.site.page import Language
from generator.site.pages_quality import CHANGES_PATH, FEED_NAME
from generator.site.urls import PREFIXES, page_url
from generator.views.api import generator_version
from generator.views.changes import DayOfChanges, days_of

ATOM = "http://www.w3.org/2005/Atom"
ENTRIES = 30
"""Days that the feed holds."""
LINES = 50
"""Groups of flips that an entry lists."""


def write_feeds(catalog: Catalog, languages: Sequence[Language], site_dir: Path) -> list[Path]:
    """Writes the feed of each language beside its page of changes and returns the files."""
    written = []
    for language in languages:
        path = site_dir / PREFIXES[language] / CHANGES_PATH / FEED_NAME
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(feed_text(catalog, language), encoding="utf-8")
        written.append(path)
    return written


def feed_text(catalog: Catalog, language: Language) -> str:
    """The feed as XML."""
    words, formats = Messages(language), Formats(language)
    days = days_of(catalog.changes)[:ENTRIES]
    newest = days[0].day if days else catalog.data_date
    address = page_url(CHANGES_PATH, language)
    feed = ET.Element("feed", {"xmlns": ATOM, "xml:lang": language})
    _add(feed, "title", f"{words('shell.site.name')}: {words('changes.heading')}")
    _add(feed, "id", address)
    _add(feed, "updated", f"{newest.isoformat()}T00:00:00Z")
    ET.SubElement(feed, "link", {"href": address})
    ET.SubElement(feed, "link", {"rel": "self", "type": "application/atom+xml", "href": address + FEED_NAME})
    ET.SubElement(_add(feed, "author", ""), "name").text = words("shell.site.name")
    _add(feed, "generator", "Trainfit").set("version", generator_version())
    for day in days:
        entry = ET.SubElement(feed, "entry")
        link = f"{address}#{day.anchor}"
        _add(entry, "title", _title(day, words, formats))
        _add(entry, "id", link)
        _add(entry, "updated", f"{day.day.isoformat()}T00:00:00Z")
        ET.SubElement(entry, "link", {"href": link})
        _add(entry, "content", "\n".join(_lines(catalog, day, words, formats)))
    ET.indent(feed, " ")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(feed, encoding="unicode")}\n'


def _add(parent: ET.Element, name: str, text: str) -> ET.Element:
    child = ET.SubElement(parent, name)
    child.text = text or None
    return child


def _title(day: DayOfChanges, words: Messages, formats: Formats) -> str:
    number, date = len(day.flips), formats.date(day.day)
    if not number:
        return words("changes.entry.title_new", date=date)
    return words("changes.entry.title", count=number, n=formats.number(number), date=date)


def _lines(catalog: Catalog, day: DayOfChanges, words: Messages, formats: Formats) -> Iterator[str]:
    """What happened, as plain text, a line each."""
    for before, after, number in day.directions:
        said = {"before": words(f"verdicts.{before}.word"), "after": words(f"verdicts.{after}.word")}
        yield words("changes.entry.direction", n=formats.number(number), **said)
    for reason, flips in day.by_reason.items():
        yield f"{words(f'changes.reason.{reason}')}: {formats.number(len(flips))}"
    groups = [group for found in day.alike_by_reason.values() for group in found]
    for group in groups[:LINES]:
        said = {"before": words(f"verdicts.{group.before}.word"), "after": words(f"verdicts.{group.after}.word")}
        known = catalog.methods.get(group.method)
        method = known.name.in_language(words.language) if known else group.method
        change = words("changes.entry.change", rig=_rig(catalog, group.rig, words), method=method, **said)
        yield f"{change}: {_models(catalog, group.models)}"
    if day.new_rigs:
        counted = words("changes.new_rigs", count=len(day.new_rigs), n=formats.number(len(day.new_rigs)))
        yield f"{counted}: {', '.join(_rig(catalog, rig, words) for rig in day.new_rigs)}"
    if day.new_models:
        counted = words("changes.new_models", count=len(day.new_models), n=formats.number(len(day.new_models)))
        yield f"{counted}: {_models(catalog, day.new_models)}"
    if day.gone:
        counted = words("changes.gone", count=len(day.gone), n=formats.number(len(day.gone)))
        pairs = (f"{_models(catalog, (model,))} ({_rig(catalog, rig, words)})" for rig, model in day.gone)
        yield f"{counted} {', '.join(pairs)}"


def _models(catalog: Catalog, ids: Sequence[str]) -> str:
    """Models by name; the bare id of one that is gone."""
    return ", ".join(catalog.models[each].name if each in catalog.models else each for each in ids)


def _rig(catalog: Catalog, rig_id: str, words: Messages) -> str:
    """A rig by name; the bare id of one that is gone."""
    return catalog.rigs[rig_id].name.in_language(words.language) if rig_id in catalog.rigs else rig_id
