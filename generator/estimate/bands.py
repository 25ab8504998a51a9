"""How wide the band around an estimate has to be, and how often a reading lies within it.

The published band is in data/constants.yml, a low and a high share of the expected peak for each of KINDS. The sources
that those constants cite are the fitting ones: their runs were at hand when the formulas were written. All others are
judging ones: what they say of the estimate is what a new run would say.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from generator.catalog.catalogue import Catalog
from generator.estimate.accuracy import ALLOCATOR, Comparison, finished

KINDS: Mapping[str, tuple[str, ...]] = {"full": ("full", "pretrain"), "adapter": ("lora", "qlora")}
"""Kinds of training with a band of their own, by the end of the constants' ids → methods."""
SIDES = ("low", "high")


def constant_id(side: str, kind: str) -> str:
    """Id of the constant that holds one side of a band."""
    return f"error-{side}-{kind}"


def fitting_sources(catalog: Catalog) -> frozenset[str]:
    """Ids of the sources that the constants of the bands cite."""
    constants = catalog.constants.constants
    named = (constant_id(side, kind) for side in SIDES for kind in KINDS)
    return frozenset(citation.source for name in named if name in constants for citation in constants[name].citations)


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many readings of the allocator lie within the published band."""

    kind: str
    fitting: bool
    """Whether the runs are of the sources that the formulas were written by."""
    runs: int
    inside: int
    below: int
    """Readings under the low end: the estimate is too cautious there."""
    above: int
    """Readings over the high end: the estimate is too low there."""


def coverage(catalog: Catalog, comparisons: Sequence[Comparison]) -> tuple[Coverage, ...]:
    """A line for each kind, first of the fitting runs and then of the judging ones; none for no runs."""
    sources = fitting_sources(catalog)
    found = []
    for kind, methods in KINDS.items():
        for fitting in (True, False):
            rows = [
                each
                for each, _ in finished(comparisons)
                if each.measurement.method in methods
                and each.measurement.reading in ALLOCATOR
                and (each.run.source in sources) is fitting
            ]
            if rows:
                peaks = [(each.measurement.peak_gib or 0.0, each.band) for each in rows]
                below = sum(peak < band.low for peak, band in peaks)
                above = sum(peak > band.high for peak, band in peaks)
                found.append(Coverage(kind, fitting, len(rows), len(rows) - below - above, below, above))
    return tuple(found)
