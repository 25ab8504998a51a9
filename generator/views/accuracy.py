"""What the accuracy pages show: the estimate beside everything that was measured."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from generator.architecture import count_parameters
from generator.catalog import Catalog
from generator.catalog.measurements import KnownMiss
from generator.estimate.accuracy import (
    LOW,
    Accuracy,
    Comparison,
    Failures,
    Left,
    Overall,
    Reason,
    SpeedSummary,
    Summary,
    compare,
    failures,
    finished,
    finished_unmeasured,
    near_the_edge,
    overall,
    speeds,
    successes,
    summaries,
)
from generator.estimate.bands import Coverage, coverage, left_out_coverage
from generator.estimate.leave_one_out import LeftOut, fitted_constants, leave_one_out
from generator.estimate.peers import PeerScore, peer_scores

__all__ = ["FAR", "Checks", "LeftGroup", "MissRow", "RunsOn", "checks_of", "runs_on", "said_of_runs"]

SHOWN = 6
"""Published runs that the page of a machine lists."""
FAR = -LOW
"""A reading that the estimate misses by more than this share is a miss that needs a reason."""


@dataclass(frozen=True, slots=True)
class MissRow:
    """Runs that the estimate is known to miss, with how far it does."""

    id: str
    miss: KnownMiss
    runs: int
    lowest: float
    median: float
    highest: float


@dataclass(frozen=True, slots=True)
class LeftGroup:
    """Runs of one source that are not compared for one reason."""

    source: str
    reason: Reason
    runs: int
    details: tuple[str, ...]
    """Settings that are not stated, or what is not modelled, each once."""


def said_of_runs(accuracy: Accuracy) -> Mapping[str, Comparison | Left]:
    """Id of each run → its estimate, or why there is none."""
    found: dict[str, Comparison | Left] = {each.run.id: each for each in accuracy.comparisons}
    found.update({each.run.id: each for each in accuracy.left})
    return found


@dataclass(frozen=True, slots=True)
class RunsOn:
    """What others ran on a machine and published."""

    shown: tuple[Comparison, ...]
    """The longest step of each model and method, from the largest model on."""
    total: int
    """Runs that finished, all of them."""


def runs_on(catalog: Catalog, accuracy: Accuracy, gpu: str, count: int) -> RunsOn:
    """Published runs that finished on `count` cards of the catalogue's `gpu`."""
    found = [
        each
        for each in accuracy.comparisons
        if each.run.published.outcome == "finished"
        and each.measurement.n_gpus == count
        and each.ratio is not None
        and catalog.resolve_gpu(each.plan.gpu) == gpu
    ]
    longest: dict[tuple[str, str], Comparison] = {}
    for each in sorted(found, key=lambda each: (each.plan.micro_batch * each.plan.seq_len, each.run.id)):
        longest[each.measurement.model, each.measurement.method] = each
    shown = sorted(longest.values(), key=lambda each: (-count_parameters(each.run.shape).total, each.run.id))
    return RunsOn(tuple(shown[:SHOWN]), len(found))


@dataclass(frozen=True, slots=True)
class Checks:
    """The estimate against everything that was measured."""

    accuracy: Accuracy
    rows: tuple[Comparison, ...]
    """Runs with a reading of their memory, as published."""
    timed: tuple[Comparison, ...]
    """Runs whose source prints their speed, on a card that the catalogue has."""
    overall: tuple[Overall, ...]
    summaries: tuple[Summary, ...]
    coverage: tuple[Coverage, ...]
    left_out_coverage: tuple[Coverage, ...]
    """The same with a band from the other sources, a line for each kind and source."""
    fitting: frozenset[str]
    """Sources that the formulas were written by."""
    failures: Failures
    successes: Failures
    unmeasured: Failures
    """Runs that finished and of which the speed alone was published."""
    wrong: tuple[Comparison, ...]
    """Runs that finished although the answer is `no`, and that failed although it is `yes`."""
    near: tuple[Comparison, ...]
    speeds: tuple[SpeedSummary, ...]
    left_out: tuple[LeftOut, ...]
    held_out: tuple[str, ...]
    """Sources that judge alone: nothing is made from their runs."""
    fitted: tuple[str, ...]
    """Constants that leave-one-out fits again."""
    peers: tuple[PeerScore, ...]
    misses: tuple[MissRow, ...]
    far: int
    """Readings that are missed by more than FAR."""
    far_explained: int
    """Those of them that a known miss speaks of."""
    left: tuple[LeftGroup, ...]
    sources: Mapping[str, int]
    """Source → runs, compared or not, in the order of their ids."""

    @property
    def median_absolute(self) -> float:
        """Median of the absolute errors of all readings; 0 without any."""
        return statistics.median([abs(error) for _, error in finished(self.rows)]) if self.rows else 0.0

    @property
    def in_sample(self) -> float:
        """Share of the allocator's readings that are of sources the formulas were written by; 0 without any."""
        runs = sum(row.runs for row in self.overall)
        return 1 - sum(row.judging_runs for row in self.overall) / runs if runs else 0.0

    @property
    def runs(self) -> int:
        """All runs, compared or not."""
        return sum(self.sources.values())


def checks_of(catalog: Catalog) -> Checks:
    """Measured runs with their estimates, and their errors by source, method and reading."""
    accuracy = compare(catalog)
    every = accuracy.comparisons
    rows = finished(every)
    far = [each for each, error in rows if abs(error) > FAR]
    known = catalog.known_misses.values()
    return Checks(
        accuracy=accuracy,
        rows=tuple(each for each, _ in rows),
        timed=tuple(each for each in every if each.speed and each.measurement.tokens_per_sec_per_gpu),
        overall=overall(every, catalog.fitting_sources),
        summaries=summaries(every),
        coverage=coverage(every, catalog.fitting_sources),
        left_out_coverage=left_out_coverage(every),
        fitting=catalog.fitting_sources,
        failures=failures(every),
        successes=successes(every),
        unmeasured=finished_unmeasured(every),
        wrong=tuple(each for each in every if _is_wrong(each)),
        near=near_the_edge(every),
        speeds=speeds(every),
        left_out=leave_one_out(catalog, every),
        held_out=tuple(sorted({run.source for run in catalog.measurements if run.held_out})),
        fitted=fitted_constants(catalog),
        peers=peer_scores(every),
        misses=_misses(catalog, accuracy),
        far=len(far),
        far_explained=sum(any(miss.speaks_of(each.run) for miss in known) for each in far),
        left=_left(accuracy),
        sources=dict(sorted(Counter(run.source for run in catalog.measurements).items())),
    )


def _is_wrong(each: Comparison) -> bool:
    if each.measurement.outcome == "failed":
        return each.fits == "yes"
    return each.fits == "no" and each.measurement.peak is not None


def _misses(catalog: Catalog, accuracy: Accuracy) -> tuple[MissRow, ...]:
    found = []
    for name, miss in catalog.known_misses.items():
        errors = [error for each, error in finished(accuracy.comparisons) if miss.speaks_of(each.run)]
        if errors:
            found.append(MissRow(name, miss, len(errors), min(errors), statistics.median(errors), max(errors)))
    return tuple(found)


def _left(accuracy: Accuracy) -> tuple[LeftGroup, ...]:
    groups: dict[tuple[str, Reason], list[str]] = {}
    for each in accuracy.left:
        groups.setdefault((each.run.source, each.reason), []).append(each.detail)
    return tuple(
        LeftGroup(source, reason, len(details), tuple(sorted({detail for detail in details if detail})))
        for (source, reason), details in sorted(groups.items())
    )
