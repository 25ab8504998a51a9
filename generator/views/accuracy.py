"""What the accuracy page shows: the estimate beside everything that was measured."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from generator.catalog import Catalog
from generator.estimate.accuracy import (
    Accuracy,
    Comparison,
    Failures,
    Summary,
    compare,
    failures,
    finished,
    successes,
    summaries,
)

__all__ = ["Checks", "checks_of"]


@dataclass(frozen=True, slots=True)
class Checks:
    """The estimate against everything that was measured."""

    accuracy: Accuracy
    rows: tuple[Comparison, ...]
    """Runs with a reading of their memory, as published."""
    summaries: tuple[Summary, ...]
    failures: Failures
    successes: Failures

    @property
    def median_absolute(self) -> float:
        """Median of the absolute errors of all readings; 0 without any."""
        return statistics.median([abs(error) for _, error in finished(self.rows)]) if self.rows else 0.0


def checks_of(catalog: Catalog) -> Checks:
    """Measured runs with their estimates, and their errors by source, method and reading."""
    accuracy = compare(catalog)
    return Checks(
        accuracy,
        tuple(each for each, _ in finished(accuracy.comparisons)),
        summaries(accuracy.comparisons),
        failures(accuracy.comparisons),
        successes(accuracy.comparisons),
    )
