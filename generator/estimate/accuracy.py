"""The estimate against published measured runs: runs that finished by their peak, runs that failed by one side."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from generator.architecture import LORA_TARGETS
from generator.catalog.catalogue import Catalog
from generator.catalog.measurements import Measurement
from generator.estimate.plan import Plan
from generator.estimate.results import Fits
from generator.estimate.run import estimate

LOW = -0.10
"""An estimate that is lower than the measurement by more than this share is too low to rely on."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A measured run and what the estimate says of it."""

    measurement: Measurement
    peak_gib: float
    """Expected allocator peak per GPU."""
    fits: Fits
    """What the estimate says of the card that it ran on."""

    @property
    def error(self) -> float | None:
        """Estimate ÷ measurement − 1: positive where the estimate is too high; None for a run that failed."""
        return None if self.measurement.peak_gib is None else self.peak_gib / self.measurement.peak_gib - 1


@dataclass(frozen=True, slots=True)
class Summary:
    """The errors of one source and method."""

    source: str
    method: str
    runs: int
    median: float
    """Median error: above 0 where the estimate is rather too high."""
    median_absolute: float
    ninetieth_percentile: float
    """Of the absolute errors, linear between two runs."""
    worst: float
    """The error that is farthest from 0."""
    too_low: int
    """Runs estimated more than 10 % too low."""


@dataclass(frozen=True, slots=True)
class Failures:
    """Runs that ran out of memory, by what the estimate says of them."""

    no: int
    tight: int
    yes: int

    @property
    def runs(self) -> int:
        """All of them."""
        return self.no + self.tight + self.yes


def plan_of(catalog: Catalog, run: Measurement) -> Plan:
    """The plan of a measured run; raises PlanError where its settings contradict each other."""
    own = run.model_dump(
        exclude={"id", "source", "where", "model", "shape", "gpu", "lora_rank", "lora_targets", "outcome", "peak_gib"}
    )
    return Plan(
        model=run.model,
        shape=catalog.models[run.shape].architecture.shape(),
        gpu=catalog.resolve_gpu(run.gpu),
        lora_rank=run.lora_rank or 1,
        lora_targets=LORA_TARGETS[run.lora_targets] if run.lora_targets else (),
        **own,
    )


def compare(catalog: Catalog) -> tuple[Comparison, ...]:
    """Every measured run of the catalogue with its estimate, in the order of the data."""
    results = ((run, estimate(catalog, plan_of(catalog, run))) for run in catalog.measurements)
    return tuple(Comparison(run, result.peak_gib.expected, result.fits) for run, result in results)


def finished(comparisons: Iterable[Comparison]) -> tuple[tuple[Comparison, float], ...]:
    """Runs that finished, each with its error."""
    return tuple((each, each.error) for each in comparisons if each.error is not None)


def summaries(comparisons: Sequence[Comparison]) -> tuple[Summary, ...]:
    """Errors by source and method, sorted by both."""
    groups: dict[tuple[str, str], list[float]] = {}
    for each, error in finished(comparisons):
        groups.setdefault((each.measurement.source, each.measurement.method), []).append(error)
    return tuple(_summary(*key, groups[key]) for key in sorted(groups))


def _summary(source: str, method: str, errors: Sequence[float]) -> Summary:
    absolute = sorted(abs(error) for error in errors)
    return Summary(
        source=source,
        method=method,
        runs=len(errors),
        median=statistics.median(errors),
        median_absolute=statistics.median(absolute),
        ninetieth_percentile=percentile(absolute, 0.9),
        worst=max(errors, key=abs),
        too_low=sum(error < LOW for error in errors),
    )


def percentile(ascending: Sequence[float], share: float) -> float:
    """Value below which `share` of the sorted values lie, linear between neighbours; raises IndexError for none."""
    place = share * (len(ascending) - 1)
    below = int(place)
    above = min(below + 1, len(ascending) - 1)
    return ascending[below] + (place - below) * (ascending[above] - ascending[below])


def failures(comparisons: Iterable[Comparison]) -> Failures:
    """What the estimate says of the runs that failed: `no` is right, `yes` is wrong."""
    found = [each.fits for each in comparisons if each.measurement.outcome == "failed"]
    return Failures(no=found.count("no"), tight=found.count("tight"), yes=found.count("yes"))
