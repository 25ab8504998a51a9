"""`trainfit accuracy`: the estimate against the measured runs in data/measurements."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Any

from generator.catalog import load_catalog
from generator.commands.accuracy_written import write
from generator.commands.outcome import Outcome, Subparsers, data_dir_of
from generator.commands.tables import table
from generator.estimate.accuracy import (
    Accuracy,
    Comparison,
    Left,
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
from generator.estimate.bands import proposed
from generator.estimate.leave_one_out import LeftOut, leave_one_out
from generator.estimate.peers import peer_scores

WORST = 10
"""Runs that are listed one by one."""


def add(subparsers: Subparsers, parents: Sequence[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = subparsers.add_parser(
        "accuracy",
        parents=parents,
        help="the estimate against published measured runs",
        description="Peak memory of the runs in data/measurements: errors by source, method and reading, failures, "
        "the worst, and the runs that are left out with the reason.",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.add_argument(
        "--leave-one-out",
        action="store_true",
        help="fit the constants on all sources but one, and print the error on that one",
    )
    parser.add_argument(
        "--bands",
        action="store_true",
        help="the bands of error by their procedure, beside those of data/constants.yml",
    )
    parser.add_argument(
        "--write",
        action="store_true",
        help="write those bands into data/constants.yml, counts into data/policy.yml, figures into the README files",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> Outcome:
    """Errors by source and method, failed runs, the worst and what is left out; as JSON every run, the worst first."""
    catalog = load_catalog(data_dir_of(arguments))
    accuracy = compare(catalog)
    if arguments.write:
        changed = write(catalog, accuracy.comparisons, data_dir_of(arguments))
        return Outcome(
            "".join(f"wrote {path.name}\n" for path in changed) or "bands, counts and figures are up to date\n"
        )
    if arguments.bands:
        values = proposed(accuracy.comparisons)
        published = {name: constant.value for name, constant in catalog.constants.constants.items()}
        return Outcome(_bands(values, published) if arguments.format == "text" else json.dumps(values, indent=2) + "\n")
    if arguments.leave_one_out:
        lines = leave_one_out(catalog, accuracy.comparisons)
        if arguments.format == "json":
            return Outcome(json.dumps([asdict(each) for each in lines], indent=2) + "\n")
        return Outcome(_leave_one_out(lines))
    if arguments.format == "json":
        ordered = sorted(accuracy.comparisons, key=lambda each: (-abs(each.error or 0.0), each.run.id))
        rows = [*map(as_json, ordered), *map(left_as_json, accuracy.left)]
        return Outcome(json.dumps(rows, ensure_ascii=False, indent=2) + "\n")
    return Outcome(as_text(accuracy))


def as_json(comparison: Comparison) -> dict[str, Any]:
    """One run: settings, what of them is a default of the source, GiB, relative error (null without a reading)."""
    run = comparison.run
    return _settings(run.settings.model_dump(mode="json"), run.source, sorted(run.defaults)) | {
        "measured_gib": run.settings.peak_gib,
        "estimated_gib": comparison.peak_gib,
        "low_gib": comparison.band.low,
        "high_gib": comparison.band.high,
        "fits": comparison.fits or "unknown",
        "error": comparison.error,
    }


def left_as_json(left: Left) -> dict[str, Any]:
    """A run that is not compared, with the reason."""
    run = left.run
    reason = {"left_out": left.reason, "detail": left.detail}
    return _settings(run.settings.model_dump(mode="json"), run.source, sorted(run.defaults)) | reason


def _settings(row: dict[str, Any], source: str, defaults: Sequence[str]) -> dict[str, Any]:
    return {"id": row.pop("id"), "source": source, **row, "defaults": list(defaults)}


def as_text(accuracy: Accuracy) -> str:
    """A line for each source, method and reading, failed runs, the ten worst, and what is left out."""
    if not accuracy.comparisons and not accuracy.left:
        return "no measured runs\n"
    parts = (
        _summaries(accuracy.comparisons),
        _overall(accuracy.comparisons),
        _fits(accuracy.comparisons),
        _near(accuracy.comparisons),
        _peers(accuracy.comparisons),
        _speeds(accuracy.comparisons),
        _worst(accuracy.comparisons),
        _left(accuracy.left),
    )
    return "\n".join(part for part in parts if part)


def _summaries(comparisons: Sequence[Comparison]) -> str:
    header = [
        "source",
        "method",
        "reading",
        "runs",
        "median",
        "median abs",
        "90th pct",
        "worst",
        "over 10% low",
        "inside",
    ]
    rows = [header]
    for each in summaries(comparisons):
        shares = (each.median, each.median_absolute, each.ninetieth_percentile, each.worst)
        counts = (f"{each.too_low / each.runs:.0%}", f"{each.inside / each.runs:.0%}")
        rows.append(
            [each.source, each.method, each.reading, str(each.runs), *(f"{share:+.1%}" for share in shares), *counts]
        )
    return table(rows, right=range(3, 10))


def _overall(comparisons: Sequence[Comparison]) -> str:
    rows = [["allocator", "sources", "runs", "mean over sources", "median over rows", "90th pct", "over 10% low"]]
    for each in overall(comparisons):
        shares = (each.over_sources, each.over_rows, each.ninetieth_percentile, each.too_low_share)
        rows.append([each.method, str(each.sources), str(each.runs), *(f"{share:.1%}" for share in shares)])
    return table(rows, right=range(1, 7)) if len(rows) > 1 else ""


def _near(comparisons: Sequence[Comparison]) -> str:
    header = ["near the edge", "outcome", "fits", "estimated ÷ usable"]
    rows = [
        [each.run.id, each.measurement.outcome, each.fits or "unknown", f"{each.ratio or 0.0:.3f}"]
        for each in near_the_edge(comparisons)
    ]
    return table([header, *rows], right=(3,)) if rows else ""


def _peers(comparisons: Sequence[Comparison]) -> str:
    rows = [["formula", "method", "runs", "median", "median abs", "90th pct", "over 10% low", "ours, median abs"]]
    for each in peer_scores(comparisons):
        shares = (each.median, each.median_absolute, each.ninetieth_percentile)
        own = f"{each.own_median_absolute:.1%}"
        rows.append(
            [each.peer, each.method, str(each.runs), *(f"{share:+.1%}" for share in shares), str(each.too_low), own]
        )
    return table(rows, right=range(2, 8)) if len(rows) > 1 else ""


def _speeds(comparisons: Sequence[Comparison]) -> str:
    rows = [["tokens per second", "card", "method", "runs", "median", "inside", "slower than cautious"]]
    for each in speeds(comparisons):
        shares = (f"{each.median:+.1%}", f"{each.inside / each.runs:.0%}", str(each.too_fast))
        rows.append([each.source, each.gpu, each.method, str(each.runs), *shares])
    return table(rows, right=range(3, 7)) if len(rows) > 1 else ""


def _leave_one_out(lines: Sequence[LeftOut]) -> str:
    """Error on each source with the published constants and with those fitted on the others."""
    if not lines:
        return "no source has enough runs\n"
    rows = [["left out", "runs", "median abs", "fitted on the others", "constants that moved"]]
    for each in lines:
        moved = ", ".join(f"{name} x{factor:.2f}" for name, factor in each.moved.items())
        errors = (f"{each.before.median_absolute:.1%}", f"{each.after.median_absolute:.1%}")
        rows.append([each.source, str(each.before.runs), *errors, moved or "none"])
    return table(rows, right=(1, 2, 3))


def _bands(values: Mapping[str, float], published: Mapping[str, float]) -> str:
    """A line for each constant of the bands."""
    rows = [["constant", "published", "by the procedure"]]
    rows += [[name, f"{published[name]:.0%}", f"{value:.0%}"] for name, value in values.items()]
    return table(rows, right=(1, 2))


def _fits(comparisons: Sequence[Comparison]) -> str:
    failed, well, timed = failures(comparisons), successes(comparisons), finished_unmeasured(comparisons)
    return (
        f"of {failed.runs} runs that failed: no {failed.no}, tight {failed.tight}, yes {failed.yes}\n"
        f"of {well.runs} runs that finished: no {well.no}, tight {well.tight}, yes {well.yes}\n"
        f"of {timed.runs} that finished with their speed alone: no {timed.no}, tight {timed.tight}, yes {timed.yes}\n"
    )


def _worst(comparisons: Sequence[Comparison]) -> str:
    rows = [["worst", "model", "method", "GPUs", "measured GiB", "estimated GiB", "error"]]
    ordered = sorted(finished(comparisons), key=lambda pair: (-abs(pair[1]), pair[0].run.id))
    for each, error in ordered[:WORST]:
        row = each.measurement
        peaks = (f"{row.peak_gib:.2f}", f"{each.peak_gib:.2f}")
        rows.append([row.id, row.model, row.method, str(row.n_gpus), *peaks, f"{error:+.1%}"])
    return table(rows, right=(3, 4, 5, 6))


def _left(left: Sequence[Left]) -> str:
    """Runs that are left out, those of one source with one reason in one line."""
    rows = [["left out", "runs", "reason"]]

    def key(each: Left) -> tuple[str, str]:
        return each.run.source, f"{each.reason}: {each.detail}" if each.detail else each.reason

    for (source, reason), group in groupby(sorted(left, key=key), key=key):
        ids = [each.run.id for each in group]
        rows.append([_range(ids, source), str(len(ids)), reason])
    return table(rows, right=(1,)) if len(rows) > 1 else ""


def _range(ids: Sequence[str], source: str) -> str:
    return ids[0] if len(ids) == 1 else f"{source}, {ids[0]} to {ids[-1]}"
