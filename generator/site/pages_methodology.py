"""The methodology page: formulas, constants, thresholds, and the check against measured runs."""

from __future__ import annotations

from generator.catalog.records import Policy, Reasoned
from generator.site.equations import Writer
from generator.site.page import Page
from generator.site.pages_settings import threshold_value
from generator.site.pages_site import Site
from generator.site.pages_values import ValueWriter, unit_key
from generator.views.methodology import FORMULAS, PHASES, formula_inputs, lever_rows, phase_terms_of


def methodology_page(site: Site) -> Page:
    """How verdicts are computed."""
    writer = site.writer("methodology/")
    policy = site.catalog.policy
    return writer.page(
        "methodology.md.j2",
        section="methodology",
        title=writer.messages("methodology.heading"),
        description=writer.messages("methodology.description"),
        edit_path=site.catalog.path_of("constants", "constants"),
        navigation_title=writer.messages("methodology.navigation"),
        policy=policy,
        phases=PHASES,
        phase_terms=phase_terms_of,
        formulas=FORMULAS,
        constant_value=ValueWriter(writer).constant,
        unit_key=unit_key,
        equation=Writer(writer.messages).equation,
        inputs_of=ValueWriter(writer).inputs,
        inputs=formula_inputs(),
        workload={name: value for name, value in policy.workload if isinstance(value, Reasoned)},
        thresholds=thresholds(policy),
        threshold_value=lambda name, value: threshold_value(writer, name, value),
        checks=site.checks,
        levers=lever_rows(site.catalog, site.first_report),
        **site.values(writer),
    )


def thresholds(policy: Policy) -> dict[str, Reasoned]:
    """The numbers of the policy that are chosen, by name."""
    return {name: value for name, value in policy if isinstance(value, Reasoned)}
