"""What the methodology page shows: formulas, inputs, what single settings save."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from generator.catalog import Catalog
from generator.catalog.rules.completeness import REQUIRED_CONSTANTS
from generator.estimate.inputs import FLAGS, PLAN_ANSWERS, PLAN_NUMBERS, name_of
from generator.estimate.layer import LAYER
from generator.estimate.layers import PER_LAYER
from generator.estimate.phases import MEMORY, phase_terms
from generator.estimate.recipe import RECIPE
from generator.estimate.results import PHASES, Estimate
from generator.estimate.steps import Step
from generator.estimate.time import TIME
from generator.verdict.levers import levers
from generator.verdict.results import RigReport

__all__ = [
    "FORMULAS",
    "PHASES",
    "Input",
    "LeverRow",
    "formula_inputs",
    "lever_rows",
    "phase_terms_of",
]

FORMULAS: Mapping[str, tuple[Step, ...]] = {
    "layer": tuple(LAYER.steps.values()),
    "recipe": tuple(RECIPE.steps.values()),
    "memory": tuple(MEMORY.steps.values()),
    "time": tuple(TIME.steps.values()),
}
"""Steps of the estimate in the order of computation."""


def phase_terms_of(phase: str) -> tuple[str, ...]:
    """Names of the quantities that a phase adds up."""
    return phase_terms(phase)


InputKind = Literal["layer", "model", "plan", "constant", "gpu", "rig"]

CHOSEN_BY: Mapping[str, tuple[str, str]] = {
    flag: (field, choice) for field, flags in FLAGS.items() for choice, flag in flags.items()
}
"""Name of a flag → the setting and its value."""

CONSTANT_NAMES = frozenset(name_of(id_) for id_ in REQUIRED_CONSTANTS)
"""Constants of data/constants.yml as the formulas name them."""


@dataclass(frozen=True, slots=True)
class Input:
    """A number that some formula starts from."""

    name: str
    kind: InputKind
    choice: tuple[str, str] | None = None
    """Setting and value, for a flag."""
    of_layers: tuple[Literal["all", "one"], str] | None = None
    """Over all layers or of the heaviest one, and the step that is meant; for what a model hands on of its layers."""


def formula_inputs() -> tuple[Input, ...]:
    """Every name in a formula that no formula computes, in the order in which the formulas name them."""
    computed = {step.name for steps in FORMULAS.values() for step in steps}
    found: dict[str, Input] = {}
    for area, steps in FORMULAS.items():
        for step in steps:
            for name in step.inputs:
                if name not in computed and name not in found:
                    found[name] = _input(name, in_layer=area == "layer")
    return tuple(found.values())


def _input(name: str, *, in_layer: bool) -> Input:
    if in_layer:
        return Input(name, "layer")
    if name in CHOSEN_BY:
        return Input(name, "plan", choice=CHOSEN_BY[name])
    over, _, own = name.partition("_")
    if over in ("all", "one") and own in PER_LAYER:
        return Input(name, "model", of_layers=("all" if over == "all" else "one", own))
    if name in (*PLAN_NUMBERS, *PLAN_ANSWERS):
        return Input(name, "plan")
    if name in CONSTANT_NAMES:
        return Input(name, "constant")
    if name.startswith(("sustained_flops", "memory_bytes")):
        return Input(name, "gpu")
    return Input(name, "rig" if name.startswith("bus_") else "model")


PEAK_DIGITS = 1
"""Decimals of a peak in GiB: differences of peaks are those of what is printed, so that they add up."""


@dataclass(frozen=True, slots=True)
class LeverRow:
    """The same training with one more setting changed."""

    lever: str
    estimate: Estimate
    saved_gib: float
    """What the change saves against the row before, as the rounded peaks show it; 0 for the first."""


def lever_rows(catalog: Catalog, report: RigReport) -> tuple[LeverRow, ...]:
    """What single settings save in a full fine-tuning of the largest model that is comfortable on the rig."""
    comfortable = [
        model
        for (model, method), verdict in report.verdicts.items()
        if method == "full" and verdict.verdict == "comfortable"
    ]
    if not comfortable:
        return ()
    rows: list[LeverRow] = []
    before: float | None = None
    for lever in levers(catalog, comfortable[-1], report.rig):
        peak = round(lever.estimate.peak_gib.expected, PEAK_DIGITS)
        rows.append(LeverRow(lever.id, lever.estimate, 0.0 if before is None else before - peak))
        before = peak
    return tuple(rows)
