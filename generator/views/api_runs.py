"""The table of measured runs in the API: every run as published, what the estimate says of it, where it stands."""

from __future__ import annotations

from generator.catalog import Catalog
from generator.catalog.measurements import SETTINGS, MeasuredRun
from generator.estimate.accuracy import Comparison, Left, compare
from generator.views.accuracy import said_of_runs

Cell = str | int | float | None
"""A cell of a table, not formatted."""

RUNS_PATH = "measurements.csv"
"""The table, relative to the folder of the API."""
DIGITS = 4
"""Decimals of GiB and of tokens per second."""
RUN_COLUMNS = (
    "id", "source", "source_url", "where", "model", "shape", *SETTINGS, "defaults", "outcome", "reading",
    "measured_gib", "estimated_gib_low", "estimated_gib_expected", "estimated_gib_high", "error", "fits",
    "estimated_share_of_memory", "measured_tokens_per_sec_per_gpu", "estimated_tokens_per_sec_per_gpu_low",
    "estimated_tokens_per_sec_per_gpu_expected", "estimated_tokens_per_sec_per_gpu_high", "not_compared", "detail",
)  # fmt: skip
"""Settings are those that the estimate was made with; `defaults` names those of them that the row does not state."""


def run_rows(catalog: Catalog) -> list[tuple[Cell, ...]]:
    """A row for each measured run, in the order of the data."""
    said = said_of_runs(compare(catalog))
    return [_row(catalog, run, said[run.id]) for run in catalog.measurements]


def _row(catalog: Catalog, run: MeasuredRun, said: Comparison | Left) -> tuple[Cell, ...]:
    row, source = run.settings, catalog.sources[run.source]
    values: dict[str, object] = {
        **{name: getattr(row, name) for name in SETTINGS},
        "id": run.id,
        "source": run.source,
        "source_url": source.url or source.seen_at,
        "where": row.where,
        "model": row.model,
        "shape": row.shape,
        "defaults": " ".join(sorted(run.defaults)),
        "outcome": row.outcome,
        "reading": row.reading,
        "measured_gib": row.peak_gib,
        "measured_tokens_per_sec_per_gpu": row.tokens_per_sec_per_gpu,
    }
    if isinstance(said, Left):
        values |= {"not_compared": said.reason, "detail": said.detail}
    else:
        values |= {
            "estimated_gib_low": said.band.low,
            "estimated_gib_expected": said.band.expected,
            "estimated_gib_high": said.band.high,
            "error": said.error,
            "fits": said.fits,
            "estimated_share_of_memory": said.ratio,
        }
        if said.speed:
            values |= {
                f"estimated_tokens_per_sec_per_gpu_{side}": getattr(said.speed, side)
                for side in ("low", "expected", "high")
            }
    return tuple(_cell(values.get(column)) for column in RUN_COLUMNS)


def _cell(value: object) -> Cell:
    if isinstance(value, bool):
        return "y" if value else "n"
    if isinstance(value, float):
        return round(value, DIGITS)
    return value if isinstance(value, str | int) else None
