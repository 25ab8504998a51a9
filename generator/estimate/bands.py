"""How wide the band around an estimate has to be, and how often a reading lies within it.

The published band is in data/constants.yml: for each of KINDS a low and a high share of the expected peak. It is judged
by all sources, not only by those that the formulas were written by, because the errors on those would flatter it. The
procedure, which `proposed` is: of the residuals (reading of the allocator ÷ expected peak − 1) of a kind take the
quantiles that leave TAIL on each side, once with every run weighing the same and once with every source weighing the
same; of the two the wider counts, rounded outwards to whole per cent and never narrower than NARROWEST. What such a
band says of a source that it was not made from is in `left_out_coverage`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from generator.estimate.accuracy import ALLOCATOR, Comparison, finished

KINDS: Mapping[str, tuple[str, ...]] = {"full": ("full", "pretrain"), "lora": ("lora",), "qlora": ("qlora",)}
"""Kinds of training with a band of their own, by the end of the constants' ids → methods."""
SIDES: tuple[Literal["low", "high"], ...] = ("low", "high")
TAIL = 0.1
"""Share of the readings that may lie outside on each side."""
NARROWEST = 0.03
"""Versions of libraries differ by as much: no band is narrower, however well the runs at hand are met."""
ENOUGH = 4
"""Readings of a kind that a source must have for its own line."""


def constant_id(side: str, kind: str) -> str:
    """Id of the constant that holds one side of a band."""
    return f"error-{side}-{kind}"


@dataclass(frozen=True, slots=True)
class Residual:
    """One reading of the allocator and the band around its estimate."""

    source: str
    value: float
    """Reading ÷ expected peak − 1: above 0 where the estimate is too low."""
    low: float
    high: float
    """The published band as such shares; low is below 0."""
    held_out: bool = False
    """Whether no band may be made from it."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many readings of the allocator lie within a band."""

    kind: str
    source: str
    """Empty for all sources of this line together."""
    fitting: bool
    """Whether the runs are of the sources that the formulas were written by."""
    low: float
    high: float
    """The band, shares of the expected peak to take off and to add."""
    runs: int
    below: int
    """Readings under the low end: the estimate is too cautious there."""
    above: int
    """Readings over the high end: the estimate is too low there."""

    @property
    def inside(self) -> int:
        """Readings within the band."""
        return self.runs - self.below - self.above


def residuals(comparisons: Sequence[Comparison], kind: str) -> tuple[Residual, ...]:
    """Readings of the allocator of one kind of training."""
    found = []
    for each, _ in finished(comparisons):
        row, band = each.measurement, each.band
        if row.method in KINDS[kind] and row.reading in ALLOCATOR and row.peak_gib is not None:
            value, low, high = (each / band.expected - 1 for each in (row.peak_gib, band.low, band.high))
            found.append(Residual(each.run.source, value, low, high, each.run.held_out))
    return tuple(found)


def quantile(weighed: Sequence[tuple[float, float]], share: float) -> float:
    """The smallest of the values up to which at least `share` of the weight lies; raises IndexError for none."""
    ascending = sorted(weighed)
    wanted, reached = share * sum(weight for _, weight in ascending), 0.0
    for value, weight in ascending:
        reached += weight
        if reached >= wanted * (1 - 1e-12):
            return value
    return ascending[-1][0]


def band_of(rows: Sequence[Residual]) -> tuple[float, float]:
    """Low and high share of a band made from these residuals by the procedure of this module."""
    if not rows:
        return NARROWEST, NARROWEST
    runs = Counter(row.source for row in rows)
    by_run = [(row.value, 1.0) for row in rows]
    by_source = [(row.value, 1 / runs[row.source]) for row in rows]
    low = max(-quantile(weighed, TAIL) for weighed in (by_run, by_source))
    high = max(-quantile([(-value, weight) for value, weight in weighed], TAIL) for weighed in (by_run, by_source))
    return _outwards(low), _outwards(high)


def _outwards(share: float) -> float:
    return max(NARROWEST, math.ceil(round(share * 100, 6)) / 100)


def proposed(comparisons: Sequence[Comparison]) -> dict[str, float]:
    """Id of each constant of the bands → its value by the procedure."""
    found = {}
    for kind in KINDS:
        made_from = [row for row in residuals(comparisons, kind) if not row.held_out]
        for side, value in zip(SIDES, band_of(made_from), strict=True):
            found[constant_id(side, kind)] = value
    return found


def coverage(comparisons: Sequence[Comparison], fitting: Collection[str]) -> tuple[Coverage, ...]:
    """The published band on the runs that the formulas were written by and on the others, a line for each kind."""
    found = []
    for kind in KINDS:
        for own in (True, False):
            rows = [row for row in residuals(comparisons, kind) if (row.source in fitting) is own]
            if rows:
                found.append(_covered(kind, "", own, (-rows[0].low, rows[0].high), rows))
    return tuple(found)


def left_out_coverage(comparisons: Sequence[Comparison]) -> tuple[Coverage, ...]:
    """A band from all other sources on the one left out, for each kind and source with ENOUGH readings."""
    found = []
    for kind in KINDS:
        every = residuals(comparisons, kind)
        for source, runs in sorted(Counter(row.source for row in every).items()):
            others = [row for row in every if row.source != source and not row.held_out]
            if runs >= ENOUGH and others:
                own = [row for row in every if row.source == source]
                found.append(_covered(kind, source, False, band_of(others), own))
    return tuple(found)


def _covered(kind: str, source: str, fitting: bool, band: tuple[float, float], rows: Sequence[Residual]) -> Coverage:
    low, high = band
    below = sum(row.value < -low for row in rows)
    above = sum(row.value > high for row in rows)
    return Coverage(kind, source, fitting, low, high, len(rows), below, above)
