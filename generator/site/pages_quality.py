"""The page on the quality of the data, and the page of changes."""

from __future__ import annotations

from markupsafe import Markup, escape

from generator.catalog import Usage
from generator.catalog.changes import CHANGES_NAME
from generator.catalog.fields import Citation
from generator.site.page import Page
from generator.site.pages_env import PageWriter
from generator.site.pages_site import Site
from generator.site.pages_values import ValueWriter
from generator.views.changes import days_of
from generator.views.facts import Fact
from generator.views.quality import Value, quality

QUALITY_PATH = "quality/"
CHANGES_PATH = "changes/"
FEED_NAME = "atom.xml"
LISTED = 300
"""Groups of flips of one day and reason that are listed."""
DAYS = 60
"""Days that the page of changes goes back."""


def quality_page(site: Site) -> Page:
    """What the values rest on, how old it is, what contradicts, what nobody has looked at."""
    writer = site.writer(QUALITY_PATH)
    found = quality(site.catalog)
    confidence = [(name, number) for name, number in found.backed.items()]
    confidence += [("contradicted", len(found.conflicts)), ("copies", found.copy_only)]
    confidence += [("unread", len(found.unread_only))]
    values = ValueWriter(writer)

    def shown(value: Value, content: object) -> Markup:
        return values.fact(Fact(value.field, content, value.kind, (), None, ()))

    return writer.page(
        "quality.md.j2",
        section="sources",
        title=writer.messages("quality.heading"),
        description=writer.messages("quality.description"),
        navigation_title=writer.messages("quality.navigation"),
        q=found,
        confidence=confidence,
        percent=lambda ratio: writer.formats.percent(ratio, 1),
        absent=[*site.catalog.absent.models.items(), *site.catalog.absent.gpus.items()],
        shown=shown,
        record_path=lambda value: site.usage_path(_usage(value)),
        record_name=lambda value: _record_name(site, value),
        **site.values(writer),
    )


def _usage(value: Value) -> Usage:
    citation = Citation(source=value.sources[0] if value.sources else "x")
    return Usage(citation.source, value.record_kind, value.record_id, value.field, citation)


def _record_name(site: Site, value: Value) -> str:
    name = site.usage_name(_usage(value))
    return name if isinstance(name, str) else name.in_language(site.language)


def changes_page(site: Site) -> Page:
    """Verdicts that changed, by day and reason."""
    writer = site.writer(CHANGES_PATH)
    return writer.page(
        "changes.md.j2",
        section="sources",
        title=writer.messages("changes.heading"),
        description=writer.messages("changes.description"),
        navigation_title=writer.messages("changes.navigation"),
        edit_path=f"data/{CHANGES_NAME}",
        days=days_of(site.catalog.changes)[:DAYS],
        limit=LISTED,
        feed=FEED_NAME,
        name=lambda section, record_id, rig="": _name(site, writer, section, record_id, rig),
        method_name=lambda method: _method_name(site, method),
        **site.values(writer),
    )


def _name(site: Site, writer: PageWriter, section: str, record_id: str, rig: str) -> Markup:
    """A link with the name of a model or a rig; the bare id of one that is gone."""
    if section == "models" and record_id in site.catalog.models:
        path = f"rigs/{rig}/#{record_id}" if rig in site.catalog.rigs else f"models/{record_id}/"
        name: object = site.catalog.models[record_id].name
    elif section == "rigs" and record_id in site.catalog.rigs:
        path, name = f"rigs/{record_id}/", site.of(site.catalog.rigs[record_id].name)
    else:
        return Markup("<code>{}</code>").format(record_id)
    return Markup('<a href="{}">{}</a>').format(writer.link(path), name)


def _method_name(site: Site, method: str) -> Markup:
    known = site.catalog.methods.get(method)
    return escape(site.of(known.name) if known else method)
