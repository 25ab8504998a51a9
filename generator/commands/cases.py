"""`trainfit estimate --cases IN.csv --out OUT.csv`: many plans at once."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from generator.catalog import Catalog
from generator.commands.plans import COLUMNS, plan_of
from generator.errors import TrainfitError, UnknownIdError
from generator.estimate import Estimate, estimate

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


class CasesError(TrainfitError):
    """The table of cases cannot be read or written as a whole."""


def run_cases(catalog: Catalog, source: Path, target: Path | None) -> str:
    """Estimates every row of `source` and writes all of them to `target`.

    Returns what to print: a count, or without `target` the table itself. A bad row gets its `error` and stops nothing.
    Raises CasesError where the file as a whole cannot be read or written.
    """
    header, rows = read_cases(source)
    columns = [column for column in header if column not in RESULTS] + list(RESULTS)
    finished = [{**row, **result_of(catalog, row)} for row in rows]
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
    writer.writeheader()
    writer.writerows(finished)
    if target is None:
        return text.getvalue()
    _write(target, text.getvalue())
    if _is_stream(target):  # the table may be on the way to where the count would go
        return ""
    failed = sum(1 for row in finished if row["error"])
    return f"{len(finished)} rows, {failed} with an error: {target}\n"


def read_cases(source: Path) -> tuple[list[str], list[dict[str, str]]]:
    """Header and rows of a CSV file in UTF-8; raises CasesError."""
    try:
        text = source.read_bytes().decode("utf-8-sig")
        lines = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except OSError as error:
        raise CasesError(f"{source}: expected a readable file, found {error.strerror or 'an error'}") from error
    except UnicodeDecodeError as error:
        raise CasesError(f"{source}: expected UTF-8, found the byte 0x{error.object[error.start]:02X}") from error
    except csv.Error as error:
        raise CasesError(f"{source}: expected CSV, found an error: {error}") from error
    lines = [line for line in lines if line]
    if not lines:
        raise CasesError(f"{source}:1: expected a header, found an empty file")
    header = [name.strip() for name in lines[0]]
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated:
        raise CasesError(f"{source}:1: expected each column once, found {', '.join(repeated)} again")
    _check_header(source, header)
    return header, list(_rows(header, lines[1:]))


def _check_header(source: Path, header: Sequence[str]) -> None:
    """Raises CasesError for a table that would be read without an error and without a plan."""
    if not any(name in COLUMNS for name in header) and len(header) == 1:
        separator = next((each for each in (";", "\t", "|") if each in header[0]), None)
        if separator is not None:
            shown = "a tab" if separator == "\t" else f"`{separator}`"
            raise CasesError(f"{source}:1: expected columns separated by commas, found {shown}")
    for name in header:
        folded = name.lower().replace(" ", "_").replace("-", "_")
        if name not in COLUMNS and folded in COLUMNS and folded not in header:
            raise CasesError(f"{source}:1: expected `{folded}`, found the column `{name[:60]}` (write it like this)")


def _rows(header: Sequence[str], lines: Sequence[Sequence[str]]) -> Iterator[dict[str, str]]:
    for line in lines:
        row = dict(zip(header, line, strict=False))
        if len(line) > len(header):
            row["error"] = f"expected {len(header)} fields, found {len(line)}"
        else:
            row.pop("error", None)  # of an earlier run
        yield row


def result_of(catalog: Catalog, row: Mapping[str, str]) -> dict[str, str]:
    """RESULTS of one row.

    Memory does not depend on the card: where only that is unknown, memory is given all the same, with `fits` unknown
    and the error.
    """
    if row.get("error"):
        return _failure(row["error"])
    try:
        return columns_of(estimate(catalog, plan_of(catalog, row)))
    except UnknownIdError as error:
        if error.kind == "gpu" and catalog.gpus:
            return _without_card(catalog, row, error)
        return _failure(str(error))
    except TrainfitError as error:
        return _failure(str(error))
    except (ArithmeticError, ValueError) as error:
        return _failure(f"not computable: {type(error).__name__}: {error}")


def _without_card(catalog: Catalog, row: Mapping[str, str], unknown: UnknownIdError) -> dict[str, str]:
    stand_in = next(iter(catalog.gpus))
    try:
        result = estimate(catalog, replace(plan_of(catalog, {**row, "gpu": stand_in}), bus_gb_per_s=None))
    except TrainfitError as error:
        return _failure(f"{unknown}; {error}")
    return {**columns_of(result), **dict.fromkeys(OF_THE_CARD, ""), "fits": "unknown", "error": str(unknown)}


def _failure(message: str) -> dict[str, str]:
    return {**dict.fromkeys(RESULTS, ""), "fits": "unknown", "error": " ".join(message.split())}


def columns_of(result: Estimate) -> dict[str, str]:
    """RESULTS of an estimate as text: GiB with four digits after the point."""
    speed = result.tokens_per_sec_per_gpu
    return {
        "params_total": str(result.parameters_total),
        "params_trainable": str(result.parameters_trainable),
        "peak_gib_low": f"{result.peak_gib.low:.4f}",
        "peak_gib_expected": f"{result.peak_gib.expected:.4f}",
        "peak_gib_high": f"{result.peak_gib.high:.4f}",
        "peak_phase": result.peak_phase,
        "usable_gib": f"{result.usable_gib:.4f}",
        "fits": result.fits,
        "host_ram_gib": f"{result.host_ram_gib:.4f}",
        "tokens_per_sec_per_gpu": f"{speed.expected:.2f}" if speed else "",
        "error": "",
    }


def _is_stream(target: Path) -> bool:
    """Whether text is appended to `target` rather than put in its place: devices, pipes, the output of this process."""
    absolute = target.absolute()
    if any(absolute.is_relative_to(special) for special in ("/dev", "/proc")):
        return True
    return target.exists() and not target.is_file() and not target.is_dir()


def _write(target: Path, text: str) -> None:
    """Puts the whole table in place, or leaves what was there; a link stays and what it points to is written."""
    try:
        if _is_stream(target):
            with target.open("ab") as stream:
                stream.write(text.encode("utf-8"))
            return
        place = target.resolve()
        staged = place.with_name(f".{place.name}.{os.getpid()}")
        try:
            staged.write_text(text, encoding="utf-8", newline="")
            staged.replace(place)
        finally:
            staged.unlink(missing_ok=True)
    except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle
        found = getattr(error, "strerror", None) or "an error"
        raise CasesError(f"{target}: expected a place to write to, found {found}") from error
