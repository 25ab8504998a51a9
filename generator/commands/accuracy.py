"""`trainfit accuracy`: the estimate against the measured runs in data/measurements."""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Sequence
from typing import Any

from generator.catalog import load_catalog
from generator.commands.check import counted
from generator.commands.outcome import Outcome, Subparsers, data_dir_of
from generator.commands.tables import table
from generator.estimate.accuracy import Comparison, compare


def add(subparsers: Subparsers, parents: Sequence[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = subparsers.add_parser(
        "accuracy",
        parents=parents,
        help="the estimate against published measured runs",
        description="Peak memory of every run in data/measurements, measured and estimated, worst first.",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> Outcome:
    """All runs with their errors, and the median and the worst error."""
    comparisons = sorted(
        compare(load_catalog(data_dir_of(arguments))), key=lambda each: (-abs(each.error), each.measurement.id)
    )
    if arguments.format == "json":
        rows = [as_json(each) for each in comparisons]
        return Outcome(json.dumps(rows, ensure_ascii=False, indent=2) + "\n")
    return Outcome(as_text(comparisons))


def as_json(comparison: Comparison) -> dict[str, Any]:
    """One run: settings as published, GiB, relative error."""
    settings = comparison.measurement.model_dump(mode="json", exclude={"peak_gib"})
    return settings | {
        "measured_gib": comparison.measurement.peak_gib,
        "estimated_gib": comparison.peak_gib,
        "error": comparison.error,
    }


def as_text(comparisons: Sequence[Comparison]) -> str:
    """A line for each run, then the summary."""
    if not comparisons:
        return "no measured runs\n"
    rows = [["run", "model", "method", "GPUs", "measured GiB", "estimated GiB", "error"]]
    for each in comparisons:
        run = each.measurement
        peaks = (f"{run.peak_gib:.2f}", f"{each.peak_gib:.2f}")
        rows.append([run.id, run.model, run.method, str(run.n_gpus), *peaks, f"{each.error:+.1%}"])
    errors = [abs(each.error) for each in comparisons]
    summary = f"median absolute error {statistics.median(errors):.1%}, worst {max(errors):.1%}"
    return table(rows, right=(3, 4, 5, 6)) + f"\n{counted(len(comparisons), 'run')}: {summary}\n"
