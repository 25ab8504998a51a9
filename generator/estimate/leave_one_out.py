"""Constants fitted on all sources but one, and the error on that one: how far the estimate carries to new runs.

Only constants of data/constants.yml that were read from measured runs are fitted. Each in turn is searched by golden
section on its logarithm, within WIDEST of its published value, for the smallest mean of |ln(estimate ÷ measurement)|.
The search is deterministic; a constant that no run depends on keeps its value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from generator.catalog.catalogue import Catalog
from generator.estimate.accuracy import Comparison, Summary, finished, summary_of_errors
from generator.estimate.inputs import inputs_of, name_of
from generator.estimate.run import ALL
from generator.estimate.steps import needed
from generator.units import bytes_from_gib

WIDEST = 1.5
"""A constant is searched between its value ÷ WIDEST and × WIDEST."""
ROUNDS = 14
"""Steps of the golden section: each narrows the interval to 0.618 of what it was."""
ENOUGH = 8
"""Readings that a source must have for its own line."""
GOLDEN = (math.sqrt(5) - 1) / 2
UNCERTAINTY = ("error-low", "error-high")
"""Constants that say how far the estimate may be off are no part of it."""

Columns = Mapping[str, npt.NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class LeftOut:
    """One source that nothing was fitted on."""

    source: str
    before: Summary
    """With the published constants."""
    after: Summary
    """With constants fitted on the other sources alone."""
    moved: Mapping[str, float]
    """Constant → fitted ÷ published, for those that moved by more than 1 %."""


def fitted_constants(catalog: Catalog) -> tuple[str, ...]:
    """Ids of the constants that were read from measured runs and that memory depends on."""
    named = {name for step in needed(ALL.steps, ("peak",)) for name in step.inputs}
    return tuple(
        constant_id
        for constant_id, constant in catalog.constants.constants.items()
        if constant.kind == "measured" and not constant_id.startswith(UNCERTAINTY) and name_of(constant_id) in named
    )


def leave_one_out(catalog: Catalog, comparisons: Sequence[Comparison]) -> tuple[LeftOut, ...]:
    """A line for each source with ENOUGH readings of any kind, in the order of their ids."""
    rows = [each for each, _ in finished(comparisons)]
    sources = sorted({each.run.source for each in rows})
    found = []
    for source in sources:
        own = [each for each in rows if each.run.source == source]
        others = [each for each in rows if each.run.source != source and not each.run.held_out]
        if len(own) >= ENOUGH and others:
            found.append(_left_out(catalog, source, own, others))
    return tuple(found)


def _left_out(catalog: Catalog, source: str, own: Sequence[Comparison], others: Sequence[Comparison]) -> LeftOut:
    constants = {name: catalog.constants.constants[name].value for name in fitted_constants(catalog)}
    columns, measured = _columns(catalog, others)
    fitted = dict(constants)
    for name in constants:
        fitted[name] = _search(columns, measured, fitted, name)
    own_columns, own_measured = _columns(catalog, own)
    reading = own[0].measurement.reading or "unspecified"
    before, after = (
        summary_of_errors(source, "all", reading, _errors(own_columns, own_measured, values).tolist())
        for values in (constants, fitted)
    )
    moved = {name: fitted[name] / value for name, value in constants.items() if abs(fitted[name] / value - 1) > 0.01}
    return LeftOut(source, before, after, moved)


def _columns(catalog: Catalog, rows: Sequence[Comparison]) -> tuple[Columns, npt.NDArray[np.float64]]:
    """Inputs of the formulas, a column each, and what was measured, in bytes."""
    inputs = [inputs_of(each.plan, catalog.constants) for each in rows]
    columns = {name: np.array([row[name] for row in inputs], dtype=np.float64) for name in inputs[0]}
    measured = [bytes_from_gib(each.measurement.peak_gib or 0.0) for each in rows]
    return columns, np.array(measured, dtype=np.float64)


def _errors(
    columns: Columns, measured: npt.NDArray[np.float64], constants: Mapping[str, float]
) -> npt.NDArray[np.float64]:
    changed = {name_of(name): np.full(len(measured), value) for name, value in constants.items()}
    peak = ALL.evaluate_columns({**columns, **changed}, ("peak",))["peak"]
    return np.asarray(peak / measured - 1, dtype=np.float64)


def _search(columns: Columns, measured: npt.NDArray[np.float64], constants: Mapping[str, float], name: str) -> float:
    """The value of one constant that fits best, the others as they are; its own value where nothing is better."""
    own = constants[name]

    def loss(factor: float) -> float:
        errors = _errors(columns, measured, {**constants, name: own * math.exp(factor)})
        return float(np.mean(np.abs(np.log1p(errors))))

    low, high = -math.log(WIDEST), math.log(WIDEST)
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = loss(left), loss(right)
    for _ in range(ROUNDS):
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = loss(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = loss(right)
    best = (low + high) / 2
    return own * math.exp(best) if loss(best) < loss(0.0) else own
