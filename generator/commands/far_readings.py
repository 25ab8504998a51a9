"""Measured runs whose peak is far from the estimate: most often a unit, a total or a kind of reading is wrong."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from generator.catalog import Catalog
from generator.errors import DataError
from generator.estimate.accuracy import Comparison

FAR = 1.3
"""A reading that is this many times the estimate, or less than the estimate by that factor, is looked at. Published
runs that are farther off are those that known-misses.yml explains."""
WIDER = {
    "max-reserved": "it holds cache too",
    "nvidia-smi": "it holds context and cache too",
    "unspecified": "it may hold context and cache too",
}
"""Readings of more than the estimate is of."""
ASK = "check `unit` (GB or GiB), `reading` and the settings left blank; a miss with a reason goes into known-misses.yml"


def far_readings(catalog: Catalog, comparisons: Sequence[Comparison]) -> tuple[DataError, ...]:
    """A warning at each such peak that no known miss speaks of."""
    return tuple(sorted(_far(catalog, comparisons)))


def _far(catalog: Catalog, comparisons: Sequence[Comparison]) -> Iterator[DataError]:
    for each in comparisons:
        measured = each.measurement.peak_gib
        if measured is None or 1 / FAR <= measured / each.peak_gib <= FAR:
            continue
        if any(miss.speaks_of(each.run) for miss in catalog.known_misses.values()):
            continue
        message = (
            f"expected about {each.peak_gib:.3g} GiB as estimated, found {measured:.3g} GiB, "
            f"{measured / each.peak_gib:.2g} times that"
        )
        yield DataError(*each.run.place, "peak", message, _hint(each, measured), "measurements")


def _hint(each: Comparison, measured: float) -> str:
    """What to look at, the likeliest first."""
    row = each.measurement
    ratio = measured / each.peak_gib
    asked = []
    if row.n_gpus > 1 and 1 / FAR <= ratio / row.n_gpus <= FAR:
        asked.append(f"a peak is per GPU, is this the sum of {row.n_gpus}?")
    elif row.n_gpus > 1 and 1 / FAR <= ratio * row.n_gpus <= FAR:
        asked.append(f"a peak is that of one GPU, was it divided by {row.n_gpus}?")
    if ratio > 1 and row.reading in WIDER:
        asked.append(f"`{row.reading}`: {WIDER[row.reading]}")
    return "; ".join([*asked, ASK])
