"""data/changes.csv: every verdict that was ever published, in the order in which it was, with the reason.

One row says what the verdicts of a model on a rig became: date, reason, rig, model, then a column per method. A row
without verdicts says that the pair is gone. The last rows of all pairs are data/verdicts.csv, to the letter: so nothing
flips without a row, and rows are never rewritten.
"""

from __future__ import annotations

import csv
import datetime
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from generator.catalog.fields import ID_PATTERN
from generator.catalog.folders import is_regular
from generator.catalog.loading import METHOD_IDS
from generator.errors import COMMAND, DataError

CHANGES_NAME = "changes.csv"
HEAD = ("date", "reason", "rig", "model")
VERDICT_WORDS = ("comfortable", "borderline", "not-recommended", "unknown")
REASONS = ("data", "memory-model", "policy", "unknown")
"""data: models, GPUs, rigs; memory-model: program and constants; policy: thresholds, ladders; unknown: nobody said."""
LISTED = 100
"""Errors that are listed: more have one cause."""
MAX_BYTES = 16 * 1024 * 1024
HINT = f"run `{COMMAND} lock`"


def restore(shown: str) -> str:
    """What helps where rows are gone or cannot be read: nothing can compute a history."""
    return f"`git checkout HEAD -- {shown}`, then `{COMMAND} lock`"


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """What the verdicts of a model on a rig became."""

    day: datetime.date
    reasons: tuple[str, ...]
    rig: str
    model: str
    verdicts: Mapping[str, str]
    """By method; empty where the pair is gone."""
    line: int = 0
    """1-based line of the file."""


def changes_path(data_dir: Path) -> str:
    """Path of the file for messages."""
    return f"{data_dir.name}/{CHANGES_NAME}"


def read_changes(data_dir: Path) -> tuple[tuple[ChangeRow, ...], list[DataError]]:
    """All rows, and everything that is wrong with them; no rows where there is no such file."""
    shown, path = changes_path(data_dir), data_dir / CHANGES_NAME
    if not is_regular(path) and not path.is_dir():  # a link or a pipe is an error of the folder
        return (), []
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        return (), [_error(shown, 1, 1, "", f"expected a readable file, found {error.strerror or 'an error'}")]
    if len(raw) > MAX_BYTES:
        return (), [_error(shown, 1, 1, "", f"expected at most {MAX_BYTES // 1024**2} MiB, found a larger file")]
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw[: error.start].count(b"\n") + 1
        return (), [_error(shown, line, 1, "", f"expected UTF-8, found the byte 0x{raw[error.start]:02X}")]
    rows, errors = _parsed(text, shown)
    return rows, list(errors)


@lru_cache(maxsize=4)  # `serve` reads data/ before it is asked, and again when another file has changed
def _parsed(text: str, shown: str) -> tuple[tuple[ChangeRow, ...], Sequence[DataError]]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    rows: list[ChangeRow] = []
    errors: list[DataError] = []
    try:
        header = next(reader, [])
        methods = tuple(header[len(HEAD) :])
        strangers = set(methods).difference(METHOD_IDS)
        if tuple(header[: len(HEAD)]) != HEAD or len(set(methods)) != len(methods) or not methods or strangers:
            found = _visible(",".join(header)) or "nothing"
            return (), [
                _error(shown, 1, 1, "", f"expected the columns {','.join(HEAD)} and the methods, found {found}")
            ]
        for cells in reader:
            wrong = list(_wrong_cells(cells, header, shown, reader.line_num))
            errors += wrong
            if len(errors) >= LISTED:
                break
            if not wrong:
                rows.append(_row(cells, methods, reader.line_num))
    except csv.Error as error:
        errors.append(_error(shown, reader.line_num, 1, "", f"expected a CSV table, found an error: {error}"))
    return (tuple(rows), []) if not errors else ((), errors)


def _row(cells: list[str], methods: tuple[str, ...], line: int) -> ChangeRow:
    given = {method: verdict for method, verdict in zip(methods, cells[len(HEAD) :], strict=True) if verdict}
    day = datetime.date.fromisoformat(cells[0])
    return ChangeRow(day, tuple(cells[1].split(" ")), cells[2], cells[3], given, line)


def _wrong_cells(cells: list[str], header: list[str], shown: str, line: int) -> Iterator[DataError]:
    if len(cells) != len(header):
        yield _error(shown, line, 1, "", f"expected {len(header)} cells, found {len(cells)}")
        return
    column = 1
    for name, cell in zip(header, cells, strict=True):
        expected = _expected(name, cell)
        if expected:
            yield _error(shown, line, column, name, f"expected {expected}, found `{_visible(cell)}`")
        column += len(cell) + 1


def _expected(name: str, cell: str) -> str:
    """What a cell should hold; empty where it does."""
    if name == "date":
        return "" if _is_day(cell) else "a date as YYYY-MM-DD"
    if name == "reason":
        known = all(part in REASONS for part in cell.split(" "))
        return "" if known else f"one or more of {', '.join(REASONS)} with a blank between"
    if name in ("rig", "model"):
        return "" if re.fullmatch(ID_PATTERN, cell) else f"the id of a {name}"
    return "" if cell in ("", *VERDICT_WORDS) else f"one of {', '.join(VERDICT_WORDS)}, or nothing"


def _is_day(cell: str) -> bool:
    try:
        return bool(re.fullmatch(r"\d{4}-\d{2}-\d{2}", cell, re.ASCII) and datetime.date.fromisoformat(cell))
    except ValueError:
        return False


def replayed(rows: tuple[ChangeRow, ...]) -> dict[tuple[str, str], ChangeRow]:
    """The last row of each rig and model that is not gone."""
    last: dict[tuple[str, str], ChangeRow] = {}
    for row in rows:
        if row.verdicts:
            last[row.rig, row.model] = row
        else:
            last.pop((row.rig, row.model), None)
    return last


def changes_text(methods: tuple[str, ...], rows: tuple[ChangeRow, ...]) -> str:
    """The file with these columns and rows."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*HEAD, *methods])
    for row in rows:
        verdicts = (row.verdicts.get(method, "") for method in methods)
        writer.writerow([row.day.isoformat(), " ".join(row.reasons), row.rig, row.model, *verdicts])
    return text.getvalue()


def _visible(text: str) -> str:
    kept = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)
    return kept[:60].replace("`", "'")


def _error(path: str, line: int, column: int, field: str, message: str) -> DataError:
    return DataError(path, line, column, field, message, restore(path), "changes")
