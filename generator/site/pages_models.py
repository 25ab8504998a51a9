"""Pages of models: the index and one page each."""

from __future__ import annotations

from markupsafe import Markup

from generator.site.light_files import FilesWriter
from generator.site.page import Page
from generator.site.pages_site import Site
from generator.verdict.results import Verdict
from generator.views.facts import facts_of
from generator.views.light import what_is_not_modelled
from generator.views.needs import needs_of, rig_groups
from generator.views.rigs import methods_of


def models_page(site: Site) -> Page:
    """Index of the models with their verdicts on the first rig."""
    writer = site.writer("models/")
    models = site.catalog.models
    return writer.page(
        "models.md.j2",
        section="models",
        title=writer.messages("models.index.heading"),
        description=writer.messages(
            "models.index.description", count=len(models), n=writer.formats.number(len(models))
        ),
        navigation_title=writer.messages("models.index.navigation"),
        rig_link=rig_link(site, writer.link(site.rig_path(site.first_rig))),
        families=sorted({model.family for model in models.values()}, key=str.casefold),
        licences=sorted({model.licence.value for model in models.values() if model.licence}, key=str.casefold),
        ordered=sorted(models, key=lambda model: (models[model].parameters.exact.value, model)),
        **site.values(writer),
    )


def model_page(site: Site, model_id: str) -> Page:
    """One model: its verdicts with everything they rest on, its facts with their sources."""
    writer = site.writer(site.model_path(model_id))
    model = site.catalog.models[model_id]
    verdicts = {
        method: site.first_report.verdicts[model_id, method]
        for method in methods_of(site.catalog)
        if (model_id, method) in site.first_report.verdicts
    }
    family = site.catalog.family_of(model_id)
    files = FilesWriter(site, writer)
    return writer.page(
        "model.md.j2",
        section="models",
        title=model.name,
        description=writer.messages(
            "models.page.description",
            model=model.name,
            rig=site.of(site.catalog.rigs[site.first_rig].name),
            verdicts=verdict_words(site, verdicts),
        ),
        edit_path=site.catalog.path_of("model", model_id),
        model_id=model_id,
        model=model,
        rig_id=site.first_rig,
        rig=site.catalog.rigs[site.first_rig],
        policy=site.catalog.policy,
        verdicts=verdicts,
        files={method for method, found in verdicts.items() if files.exist(site.first_rig, found)},
        groups=rig_groups(site.catalog, site.reports, model_id),
        recommended=site.first_report.recommended.get(model_id),
        needs=needs_of(site.catalog, site.reports, model_id) if verdicts else (),
        unmodelled=what_is_not_modelled(model),
        facts=facts_of(model),
        siblings=sorted(
            (other for other in site.catalog.models if other != model_id and site.catalog.family_of(other) == family),
            key=lambda other: site.catalog.models[other].parameters.exact.value,
        ),
        **site.values(writer),
    )


def rig_link(site: Site, href: str) -> Markup:
    """The first rig as a link that a script may turn to another one."""
    name = site.of(site.catalog.rigs[site.first_rig].name)
    return Markup('<a class="tf-num" data-tf-rig-link href="{}">{}</a>').format(href, name)


def verdict_words(site: Site, verdicts: dict[str, Verdict]) -> str:
    """«полный файнтюнинг – погранично, LoRA – комфортно» as plain text."""
    writer = site.writer("")
    return ", ".join(
        writer.messages(
            "models.page.verdict",
            method=site.of(site.catalog.methods[method].name),
            verdict=writer.messages(f"verdicts.{verdict.verdict}.word"),
        )
        for method, verdict in verdicts.items()
    )
