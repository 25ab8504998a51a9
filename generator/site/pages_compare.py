"""The page that compares rigs: all in one table, two of them model by model."""

from __future__ import annotations

from markupsafe import Markup, escape

from generator.site.page import Page
from generator.site.pages_home import pretraining_words
from generator.site.pages_site import Site
from generator.views.compare import RigRow, pairs, rig_rows
from generator.views.home import pretraining_reach

PATH = "rigs/compare/"


def compare_page(site: Site) -> Page:
    """The rig of the home page beside the next one, then all rigs; a script shows any other two."""
    writer = site.writer(PATH)
    rigs = list(site.reports)
    first = site.first_rig
    second = rigs[(rigs.index(first) + 1) % len(rigs)]
    side_by_side = pairs(site.catalog, site.reports[first], site.reports[second])

    def reach(row: RigRow, method: str) -> Markup | str:
        if method == "pretrain":
            pretraining = pretraining_reach(site.reports[row.rig])
            if pretraining is None:
                return writer.messages("common.none")
            key, numbers = pretraining_words(writer, pretraining)
            return writer.messages.html(f"home.card.{key}", **numbers)
        limit = getattr(row.headline, method, None)
        if limit is None:
            return writer.messages("common.none")
        return escape(writer.messages("rigs.compare.up_to", size=site.size_class_top(limit)))

    def name(rig: str, side: int) -> Markup:
        shown = site.of(site.catalog.rigs[rig].name)
        return Markup('<a data-tf-side="{}" href="{}">{}</a>').format(side, writer.link(site.rig_path(rig)), shown)

    return writer.page(
        "compare.md.j2",
        section="rigs",
        title=writer.messages("rigs.compare.heading"),
        description=writer.messages("rigs.compare.description"),
        navigation_title=writer.messages("rigs.compare.heading"),
        a=first,
        b=second,
        rig_a=name(first, 0),
        rig_b=name(second, 1),
        rows=rig_rows(site.catalog, site.reports),
        pairs=side_by_side,
        differ=Markup("<span data-tf-differ>{}</span>").format(sum(not pair.same for pair in side_by_side)),
        reach=reach,
        **site.values(writer),
    )
