"""What the methodology page shows: formulas, inputs, what single settings save."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from generator.catalog import Catalog
from generator.estimate.phases import MEMORY, phase_terms
from generator.estimate.results import PHASES, Estimate, Quantity
from generator.estimate.steps import Step
from generator.estimate.time import TIME
from generator.verdict.levers import levers
from generator.verdict.results import RigReport

__all__ = ["FORMULAS", "PHASES", "LeverRow", "inputs_of_report", "lever_rows", "phase_terms_of"]

FORMULAS: Mapping[str, tuple[Step, ...]] = {
    "memory": tuple(MEMORY.steps.values()),
    "time": tuple(TIME.steps.values()),
}
"""Steps of the estimate in the order of computation."""


def phase_terms_of(phase: str) -> tuple[str, ...]:
    """Names of the quantities that a phase adds up."""
    return phase_terms(phase)


def inputs_of_report(report: RigReport) -> tuple[Quantity, ...]:
    """The inputs of the formulas that are no constants of data/, as one estimate of the report has them."""
    rungs = (rung for verdict in report.verdicts.values() for rung in verdict.rungs)
    first = next(rungs, None)
    if first is None:
        return ()
    return tuple(quantity for quantity in first.estimate.quantities.values() if quantity.kind != "step")


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
