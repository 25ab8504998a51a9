"""Pages of sources: the index, and one page each with every place that uses it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generator.catalog import Usage
from generator.site.page import Page
from generator.site.pages_env import PageWriter
from generator.site.pages_site import Site
from generator.views.sources import provenance, sources_by_type

if TYPE_CHECKING:
    from markupsafe import Markup


def sources_page(site: Site) -> Page:
    """Index of the sources by kind."""
    writer = site.writer("sources/")
    return writer.page(
        "sources.md.j2",
        section="sources",
        title=writer.messages("sources.index.heading"),
        description=writer.messages(
            "sources.index.description", count=len(site.sources), n=writer.formats.number(len(site.sources))
        ),
        navigation_title=writer.messages("sources.index.navigation"),
        provenance=provenance(site.catalog),
        by_type=sources_by_type(site.sources.values()),
        **site.values(writer),
    )


def source_page(site: Site, source_id: str) -> Page:
    """One source and what rests on it."""
    writer = site.writer(f"sources/{source_id}/")
    view = site.sources[source_id]
    return writer.page(
        "source.md.j2",
        section="sources",
        title=view.source.title,
        description=writer.messages(
            "sources.page.description", title=view.source.title, publisher=view.source.publisher
        ),
        edit_path=site.catalog.path_of("source", source_id),
        view=view,
        measured_runs=sum(run.source == source_id for run in site.catalog.measurements),
        usage_field=lambda usage: field_name(site, writer, usage),
        **site.values(writer),
    )


def field_name(site: Site, writer: PageWriter, usage: Usage) -> Markup:
    """What of a record a citation stands for: the name of the fact, the recipe, the threshold."""
    say = writer.messages.html
    parts = usage.field.split(".")
    match usage.kind:
        case "model" | "gpu" | "rig" if parts[0] == "findings":
            return say("sources.field.finding")
        case "model" if parts[0] == "card":
            return say("sources.field.card")
        case "model" | "gpu" | "rig":
            return say(f"facts.{usage.kind}.{usage.field}")
        case "method" if parts[0] == "ladder":
            return say(
                "sources.field.recipe", name=site.of(site.catalog.methods[usage.record_id].ladder[int(parts[1])].name)
            )
        case "policy" if parts[0] == "workload":
            return say(f"methodology.workload.{parts[1]}")
        case "policy":
            return say(f"methodology.policy.{parts[0]}")
        case "absent":
            return say("sources.field.absent")
        case "constants":
            return say("sources.field.formula" if parts[0] == "formulas" else "sources.field.constant")
        case _:
            return say("sources.field.text")
