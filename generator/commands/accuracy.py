"""`trainfit accuracy`: the estimate against the measured runs in data/measurements."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

from generator.catalog import load_catalog
from generator.commands.outcome import Outcome, Subparsers, data_dir_of
from generator.commands.tables import table
from generator.estimate.accuracy import Comparison, compare, failures, finished, summaries

WORST = 10
"""Runs that are listed one by one."""


def add(subparsers: Subparsers, parents: Sequence[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = subparsers.add_parser(
        "accuracy",
        parents=parents,
        help="the estimate against published measured runs",
        description="Peak memory of the runs in data/measurements: errors by source and method, failures, the worst.",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> Outcome:
    """Errors by source and method, failed runs and the worst; as JSON every run, the worst first."""
    comparisons = sorted(
        compare(load_catalog(data_dir_of(arguments))),
        key=lambda each: (-abs(each.error or 0.0), each.measurement.id),
    )
    if arguments.format == "json":
        rows = [as_json(each) for each in comparisons]
        return Outcome(json.dumps(rows, ensure_ascii=False, indent=2) + "\n")
    return Outcome(as_text(comparisons))


def as_json(comparison: Comparison) -> dict[str, Any]:
    """One run: settings as published, GiB, relative error (null for a run that failed)."""
    settings = comparison.measurement.model_dump(mode="json", exclude={"peak_gib"})
    return settings | {
        "measured_gib": comparison.measurement.peak_gib,
        "estimated_gib": comparison.peak_gib,
        "fits": comparison.fits,
        "error": comparison.error,
    }


def as_text(comparisons: Sequence[Comparison]) -> str:
    """A line for each source and method, the failed runs, and the ten worst."""
    if not comparisons:
        return "no measured runs\n"
    return f"{_summaries(comparisons)}\n{_failures(comparisons)}\n{_worst(comparisons)}"


def _summaries(comparisons: Sequence[Comparison]) -> str:
    rows = [["source", "method", "runs", "median", "median abs", "90th pct", "worst", "over 10% low"]]
    for each in summaries(comparisons):
        shares = (each.median, each.median_absolute, each.ninetieth_percentile, each.worst)
        rows.append(
            [each.source, each.method, str(each.runs), *(f"{share:+.1%}" for share in shares), str(each.too_low)]
        )
    return table(rows, right=range(2, 8))


def _failures(comparisons: Sequence[Comparison]) -> str:
    found = failures(comparisons)
    return f"of {found.runs} runs that failed: no {found.no}, tight {found.tight}, yes {found.yes}\n"


def _worst(comparisons: Sequence[Comparison]) -> str:
    rows = [["worst", "model", "method", "GPUs", "measured GiB", "estimated GiB", "error"]]
    for each, error in finished(comparisons)[:WORST]:
        run = each.measurement
        peaks = (f"{run.peak_gib:.2f}", f"{each.peak_gib:.2f}")
        rows.append([run.id, run.model, run.method, str(run.n_gpus), *peaks, f"{error:+.1%}"])
    return table(rows, right=(3, 4, 5, 6))
