"""`trainfit estimate --cases IN.csv --out OUT.csv`: many plans at once, in as much memory for a million as for one."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TextIO

import numpy as np

from generator.catalog import Catalog
from generator.commands.cases_table import CasesError, is_stream, read_cases, written
from generator.commands.plans import plan_of
from generator.errors import TrainfitError, UnknownIdError
from generator.estimate import Plan, estimate
from generator.estimate.many import estimate_many

__all__ = ["RESULTS", "CasesError", "read_cases", "run_cases"]

RESULTS = (
    "params_total",
    "params_trainable",
    "peak_gib_low",
    "peak_gib_expected",
    "peak_gib_high",
    "peak_phase",
    "usable_gib",
    "fits",
    "host_ram_gib",
    "tokens_per_sec_per_gpu",
    "error",
)
"""Columns that are written after those of the input; a column of the same name is replaced."""
OF_THE_CARD = ("usable_gib", "tokens_per_sec_per_gpu")
"""Results that depend on the kind of GPU."""
CHUNK = 5_000
"""Rows that are held and estimated together."""


@dataclass(frozen=True, slots=True)
class Case:
    """What became of a row: a plan, or an error, or both where only the card is unknown."""

    plan: Plan | None
    error: str = ""


def run_cases(catalog: Catalog, source: Path, target: Path | None) -> str:
    """Estimates every row of `source` and writes all of them to `target`.

    Returns what to print: a count, or without `target` the table itself. A bad row gets its `error` and stops nothing.
    Raises CasesError where the file as a whole cannot be read or written.
    """
    with read_cases(source) as (header, rows):
        columns = [column for column in header if column not in RESULTS] + list(RESULTS)
        if target is None:
            text = io.StringIO(newline="")
            _write_all(catalog, rows, columns, text)
            return text.getvalue()
        with written(target) as file:
            total, failed = _write_all(catalog, rows, columns, file)
    if is_stream(target):  # the table may be on the way to where the count would go
        return ""
    return f"{total} rows, {failed} with an error: {target}\n"


def _write_all(
    catalog: Catalog, rows: Iterator[dict[str, str]], columns: Sequence[str], file: TextIO
) -> tuple[int, int]:
    """Writes the finished table, chunk by chunk; returns the number of rows and of those with an error."""
    writer = csv.DictWriter(file, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    total = failed = 0
    while chunk := list(islice(rows, CHUNK)):
        results = results_of(catalog, chunk)
        writer.writerows({**row, **result} for row, result in zip(chunk, results, strict=True))
        total += len(chunk)
        failed += sum(1 for result in results if result["error"])
    return total, failed


def results_of(catalog: Catalog, rows: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """RESULTS of each row."""
    cases = [case_of(catalog, row) for row in rows]
    finished = iter(_estimated(catalog, [case.plan for case in cases if case.plan is not None]))
    return [_result(case, next(finished)) if case.plan else _failure(case.error) for case in cases]


def case_of(catalog: Catalog, row: Mapping[str, str]) -> Case:
    """The plan of a row.

    Memory does not depend on the card: where only that is unknown, the plan stands on another, beside the error.
    """
    if row.get("error"):
        return Case(None, row["error"])
    try:
        return Case(plan_of(catalog, row))
    except UnknownIdError as error:
        if error.kind == "gpu" and catalog.gpus:
            return _without_card(catalog, row, error)
        return Case(None, str(error))
    except TrainfitError as error:
        return Case(None, str(error))
    except (ArithmeticError, ValueError) as error:
        return Case(None, _not_computable(error))


def _without_card(catalog: Catalog, row: Mapping[str, str], unknown: UnknownIdError) -> Case:
    stand_in = next(iter(catalog.gpus))
    try:
        return Case(replace(plan_of(catalog, {**row, "gpu": stand_in}), bus_gb_per_s=None), str(unknown))
    except TrainfitError as error:
        return Case(None, f"{unknown}; {error}")


def _not_computable(error: Exception) -> str:
    return f"not computable: {type(error).__name__}: {error}"


def _result(case: Case, found: dict[str, str]) -> dict[str, str]:
    if not case.error:
        return found
    return {**found, **dict.fromkeys(OF_THE_CARD, ""), "fits": "unknown", "error": " ".join(case.error.split())}


def _failure(message: str) -> dict[str, str]:
    return {**dict.fromkeys(RESULTS, ""), "fits": "unknown", "error": " ".join(message.split())}


def _estimated(catalog: Catalog, plans: Sequence[Plan]) -> Iterator[dict[str, str]]:
    """RESULTS of plans as text: GiB with four digits after the point."""
    if not plans:
        return
    many = estimate_many(catalog, plans)
    finite = np.isfinite(many.peak_gib_high) & np.isfinite(many.host_ram_gib) & np.isfinite(many.parameters_trainable)
    for index, plan in enumerate(plans):
        if not finite[index]:
            yield _failure(_why_not(catalog, plan))
            continue
        speed = many.tokens_per_sec_per_gpu[index]
        yield {
            "params_total": str(many.parameters_total[index]),
            "params_trainable": str(int(many.parameters_trainable[index])),
            "peak_gib_low": f"{many.peak_gib_low[index]:.4f}",
            "peak_gib_expected": f"{many.peak_gib[index]:.4f}",
            "peak_gib_high": f"{many.peak_gib_high[index]:.4f}",
            "peak_phase": many.peak_phase[index],
            "usable_gib": f"{many.usable_gib[index]:.4f}",
            "fits": many.fits[index],
            "host_ram_gib": f"{many.host_ram_gib[index]:.4f}",
            "tokens_per_sec_per_gpu": f"{speed:.2f}" if np.isfinite(speed) else "",
            "error": "",
        }


def _why_not(catalog: Catalog, plan: Plan) -> str:
    """What is wrong with a plan whose numbers are too large, in the words of a single estimate."""
    try:
        estimate(catalog, plan)
    except (ArithmeticError, ValueError) as error:
        return _not_computable(error)
    return "not computable: a number that is too large"
