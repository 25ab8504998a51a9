"""The methodology page: formulas, constants, thresholds, and the check against measured runs."""

from __future__ import annotations

from collections.abc import Mapping

from markupsafe import Markup

from generator.catalog.records import Policy, Reasoned
from generator.site.equations import Writer
from generator.site.page import Page
from generator.site.pages_env import PageWriter
from generator.site.pages_settings import threshold_value
from generator.site.pages_site import Site
from generator.site.pages_values import ValueWriter, unit_key
from generator.units import SECONDS_PER_HOUR
from generator.verdict.advice import CONTEXT_STEP
from generator.views.methodology import FORMULAS, PHASES, formula_inputs, lever_rows, phase_terms_of
from generator.views.worked import CONFIG_FIELDS, SEVERAL, common_flags, recipe_flags, worked_examples


def methodology_page(site: Site) -> Page:
    """How verdicts are computed."""
    writer = site.writer("methodology/")
    policy, values, equations = site.catalog.policy, ValueWriter(writer), Writer(writer.messages)
    link_count = site.catalog.rigs[site.first_rig].count
    recipes = recipe_flags(site.catalog, site.first_report.rig)
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
        constant_value=values.constant,
        unit_key=unit_key,
        equation=equations.equation,
        inputs_of=values.inputs,
        recipes=recipes,
        flags_cards=SEVERAL,
        common_flags=common_flags(recipes),
        config_fields=CONFIG_FIELDS,
        worked=worked_examples(site.catalog, site.first_report),
        link_count=link_count,
        exact=values.exact,
        in_signs=equations.text,
        inputs=formula_inputs(),
        workload={name: value for name, value in policy.workload if isinstance(value, Reasoned)},
        thresholds=thresholds(policy),
        defined={"share": {"card": _card(site, writer)}, **_defined(writer, policy)},
        threshold_value=lambda name, value: threshold_value(writer, name, value),
        checks=site.checks,
        levers=lever_rows(site.catalog, site.first_report),
        **site.values(writer),
    )


def _card(site: Site, writer: PageWriter) -> Markup:
    """A link to what PyTorch sees of the first rig's card."""
    gpu = site.catalog.rigs[site.first_rig].gpu
    address = writer.link(f"gpus/{gpu}/#fact-framework-visible-gib-{site.catalog.policy.workload.ecc}")
    return Markup('<a href="{}">{}</a>').format(address, writer.messages("methodology.definitions.share.card"))


def _defined(writer: PageWriter, policy: Policy) -> Mapping[str, Mapping[str, str]]:
    """Definition → the numbers of the policy that stand in it, written."""
    formats = writer.formats
    return {
        "fits": {
            "comfortable": formats.percent(policy.comfortable_ratio.value),
            "borderline": formats.percent(policy.borderline_ratio.value),
        },
        "context": {"step": formats.number(CONTEXT_STEP)},
        "time": {
            "hour": formats.number(SECONDS_PER_HOUR),
            "tokens": formats.tokens(policy.finetune_tokens.value),
            "per_parameter": formats.number(policy.pretrain_tokens_per_parameter.value),
        },
        "link": {
            "bound": formats.number(policy.link_bound_below.value),
            "note": formats.number(policy.link_note_below.value),
        },
        "verdict": {"compromise": formats.percent(policy.compromise_ratio.value)},
    }


def thresholds(policy: Policy) -> dict[str, Reasoned]:
    """The numbers of the policy that are chosen, by name."""
    return {name: value for name, value in policy if isinstance(value, Reasoned)}
