"""Pages of methods."""

from __future__ import annotations

from generator.site.page import Page
from generator.site.pages_home import report_values
from generator.site.pages_settings import SETTINGS, settings_of
from generator.site.pages_site import Site
from generator.views.memory import cost_of_recipe


def methods_page(site: Site) -> Page:
    """Index of the methods."""
    writer = site.writer("methods/")
    return writer.page(
        "methods.md.j2",
        section="methods",
        title=writer.messages("methods.index.heading"),
        description=writer.messages("methods.index.description"),
        navigation_title=writer.messages("methods.index.navigation"),
        **site.values(writer),
    )


def method_page(site: Site, method_id: str) -> Page:
    """One method: its ladder of recipes with settings and costs, and its verdicts on the first rig."""
    writer = site.writer(f"methods/{method_id}/")
    method, report = site.catalog.methods[method_id], site.first_report
    trains_all = method.trains == "all"
    return writer.page(
        "method.md.j2",
        section="methods",
        title=site.of(method.name),
        description=site.of(method.summary),
        edit_path=site.catalog.path_of("method", method_id),
        method_id=method_id,
        method=method,
        rows=[
            {"recipe": rung, "cost": cost_of_recipe(site.catalog, report, method_id, rung.id)} for rung in method.ladder
        ],
        settings=lambda rung: settings_of(writer, rung, trains_all),
        setting_names=[
            name for name in SETTINGS if any(name in settings_of(writer, rung, trains_all) for rung in method.ladder)
        ],
        verdicts={model: verdict for (model, tried), verdict in report.verdicts.items() if tried == method_id},
        **site.values(writer),
        **report_values(site, writer, site.first_rig),
    )
