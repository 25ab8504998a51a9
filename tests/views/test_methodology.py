from __future__ import annotations

from generator.catalog import Catalog
from generator.verdict.results import RigReport
from generator.views.methodology import FORMULAS, PHASES, formula_inputs, lever_rows, phase_terms_of


def test_formulas_and_inputs_explain_every_name() -> None:
    known = {quantity.name for quantity in formula_inputs()}
    for steps in FORMULAS.values():
        for step in steps:
            assert set(step.inputs) <= known, step.name
            known.add(step.name)


def test_inputs_are_those_that_an_estimate_has(report: RigReport) -> None:
    rung = next(rung for verdict in report.verdicts.values() for rung in verdict.rungs)
    for quantity in formula_inputs():
        if quantity.kind != "layer":
            assert rung.estimate.quantities[quantity.name].kind == quantity.kind


def test_phases_add_up_named_quantities() -> None:
    names = {step.name for step in FORMULAS["memory"]}
    for phase in PHASES:
        assert set(phase_terms_of(phase)) <= names


def test_each_setting_saves_something_and_ends_at_the_recipe(catalog: Catalog, report: RigReport) -> None:
    rows = lever_rows(catalog, report)
    assert rows[0].saved_gib == 0
    assert all(row.saved_gib > 0 for row in rows[1:])
    model = rows[-1].estimate.plan.model
    rung = report.verdicts[model, "full"].rungs[0]
    assert rows[-1].estimate.peak_gib.expected == rung.estimate.peak_gib.expected


def test_savings_add_up_as_they_are_printed(catalog: Catalog, report: RigReport) -> None:
    rows = lever_rows(catalog, report)
    shown = [round(row.saved_gib, 1) for row in rows]
    peaks = [round(row.estimate.peak_gib.expected, 1) for row in rows]
    assert round(sum(shown), 1) == round(peaks[0] - peaks[-1], 1)
