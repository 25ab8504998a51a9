"""The rows of a table of data/measurements, every cell with its place."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from generator.catalog.hints import did_you_mean
from generator.catalog.measurements import Measurement
from generator.catalog.yaml_positions import invisible
from generator.catalog.yaml_syntax import merge_marks
from generator.errors import DataError

REQUIRED = tuple(name for name, column in Measurement.model_fields.items() if column.is_required())
"""Columns that every file has; the others may be left out where all rows leave them blank."""
MEANING = {
    "id": "a name of each row, such as `<source>-001`",
    "where": "the place of the row in the source, such as `log.txt`",
    "model": "the model as it is published, such as `Qwen/Qwen3-8B`",
    "shape": "the id of a model of the catalogue with the same layers, such as `qwen3-8b`",
    "method": "`full`, `lora`, `qlora`, `pretrain` or `other`",
    "n_gpus": "how many cards",
    "gpu": "the card by any of its names, such as `RTX 4090`",
    "outcome": "`finished`, or `failed` where memory ran out",
}
MAX_BYTES = 1024 * 1024
"""Largest file that is read: some 8,000 rows."""
SHOWN = 20
"""Errors of one kind in a file that are listed."""
COMMAS = "the first line names the columns, with commas between them"

Spot = tuple[int, int]
"""Line and column, 1-based."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a file: its cells, and where each stands."""

    shown: str
    cells: Mapping[str, str]
    places: Mapping[str, Spot]
    line: int

    def place(self, column: str) -> tuple[str, int, int]:
        """File, line and column of a cell; those of the row where the column is missing."""
        return (self.shown, *self.places.get(column, (self.line, 1)))

    def error(self, column: str, message: str, hint: str = "") -> DataError:
        """An error at a cell; at the row where the column is missing."""
        return DataError(*self.place(column), column, message, hint, "measurements")

    def found(self, column: str) -> str:
        """What stands in a cell, in words."""
        if column not in self.cells:
            return "found no such column"
        text = " ".join(self.cells[column].split())[:60]
        return f"found `{text}`" if text else "found nothing"


def read_rows(path: Path, shown: str, errors: list[DataError]) -> Iterator[Row]:
    """The rows of a file; a file that is no CSV with the columns of a measurement adds errors."""
    text, wrong = _text(path, shown)
    header = text.partition("\n")[0]
    if ";" in header and "," not in header:
        errors.append(_error(shown, (1, header.index(";") + 1), "", "expected commas between cells, found semicolons",
                             "save the table with commas, and numbers with a decimal point"))  # fmt: skip
        return
    scan = _scanned(text)
    wrong += [_error(shown, spot, "", message, hint) for spot, message, hint in scan.faults[:SHOWN]]
    if not scan.rows and not wrong:
        wrong.append(_error(shown, (1, 1), "", "expected a table, found an empty file", COMMAS))
    columns = _cells(text, 1)[0] if not wrong else []
    wrong += _wrong_header(columns, scan.rows[0], shown) if columns else []
    if not wrong or len(columns) > 1:
        wrong += _uneven(scan.rows, shown)
    errors += wrong
    if wrong:
        return
    for cells, starts in zip(_cells(text)[1:], scan.rows[1:], strict=True):
        named = dict(zip(columns, cells, strict=True))
        yield Row(shown, named, dict(zip(columns, starts, strict=True)), starts[0][0])


def _error(shown: str, spot: Spot, column: str, message: str, hint: str = "") -> DataError:
    return DataError(shown, *spot, column, message, hint, "measurements")


def _text(path: Path, shown: str) -> tuple[str, list[DataError]]:
    """The text of a file with LF at the end of its lines, or none, and what is wrong with it."""
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
        if len(raw) > MAX_BYTES:
            message = f"expected at most {MAX_BYTES // 1024} KiB, found a larger file"
            return "", [_error(shown, (1, 1), "", message, "split it by source")]
        text = raw.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        message = f"expected UTF-8, found the byte 0x{error.object[error.start]:02X}"
        line = error.object[: error.start].count(b"\n") + 1
        return "", [_error(shown, (line, 1), "", message, "save the file as UTF-8")]
    except OSError as error:
        return "", [_error(shown, (1, 1), "", f"expected a readable file, found {error.strerror or 'an error'}")]
    message = "expected a row, found the mark of a merge that is not solved"
    wrong = [_error(shown, spot, "", message, "keep one side, delete the marks") for spot in merge_marks(text)]
    wrong += [_error(shown, *each) for each in _unseen(text)]
    return ("" if wrong else text), wrong[:SHOWN]


def _unseen(text: str) -> Iterator[tuple[Spot, str, str, str]]:
    """Characters that a reader of the file would not see as they are."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.isascii() and line.isprintable():
            continue
        for at, character in enumerate(line, start=1):
            if character == "\t":
                yield (number, at), "", "expected visible text, found a tab", "put commas between cells"
            elif invisible(character):
                yield (
                    (number, at),
                    "",
                    f"expected visible text, found the character U+{ord(character):04X}",
                    "delete it",
                )


def _cells(text: str, rows: int | None = None) -> list[list[str]]:
    """The cells of the first rows or of all, the header among them; rows that are empty are passed over."""
    # Here, because it takes a quarter of a second that MkDocs and most commands never need.
    import pandas as pd

    table = pd.read_csv(io.StringIO(text), header=None, dtype=str, keep_default_na=False, nrows=rows)
    return [[str(cell) for cell in row] for row in table.to_numpy().tolist()]


def _wrong_header(columns: list[str], starts: list[Spot], shown: str) -> list[DataError]:
    """Columns that are none, that stand twice, and those that are missing."""
    known = Measurement.model_fields
    if not any(name in known for name in columns):
        message = f"expected the columns of a measurement, found `{_short(','.join(columns))}`"
        return [_error(shown, starts[0], "", message, COMMAS)]
    found = []
    for name, spot in zip(columns, starts, strict=True):
        first = starts[columns.index(name)]
        if name not in known:
            message = (
                f"expected one of the columns of a measurement, found {f'`{_short(name)}`' if name else 'nothing'}"
            )
            found.append(_error(shown, spot, _short(name), message, did_you_mean(name, known)))
        elif spot != first:
            message = f"expected each column once, found `{name}` again"
            found.append(_error(shown, spot, name, message, f"first at {first[0]}:{first[1]}"))
    missing = [name for name in REQUIRED if name not in columns]
    return found + [_error(shown, (1, 1), name, "expected a column, found none", MEANING[name]) for name in missing]


def _short(text: str) -> str:
    return " ".join(text.split())[:60].replace("`", "'")


def _uneven(rows: list[list[Spot]], shown: str) -> Iterator[DataError]:
    """Rows that have more or fewer cells than the header."""
    for row in [row for row in rows if len(row) != len(rows[0])][:SHOWN]:
        message = f"expected {len(rows[0])} cells as in the header, found {len(row)}"
        hint = "put a cell with a comma in quotes" if len(row) > len(rows[0]) else "leave what is not stated empty"
        yield _error(shown, row[0], "", message, hint)


@dataclass(slots=True)
class _Scan:
    """Where the cells stand, and quotes that stand where none may."""

    rows: list[list[Spot]] = field(default_factory=list)
    faults: list[tuple[Spot, str, str]] = field(default_factory=list)


def _scanned(text: str) -> _Scan:
    """Line and column of every cell, for each row that is not empty."""
    scan = _Scan()
    line, column = 1, 1
    opened = (1, 1)
    quoted = closed = False
    fresh, empty = True, True  # at the start of a row; of a cell
    for character in text:
        if fresh and character != "\n":
            scan.rows.append([(line, column)])
            fresh = False
        if character == "\n":
            line, column = line + 1, 0
        if quoted:
            quoted, closed = character != '"', character == '"'
        elif character == "," or column == 0:
            empty, closed, fresh = True, False, column == 0
            if not fresh:
                scan.rows[-1].append((line, column + 1))
        elif character == '"' and (empty or closed):
            opened = opened if closed else (line, column)
            quoted, empty = True, False
        else:
            if closed or character == '"':
                scan.faults.append(((line, column), *(AFTER_QUOTES if closed else INSIDE)))
            empty = closed = False
        column += 1
    if quoted:
        scan.faults.append((opened, *OPEN))
    return scan


OPEN = ("expected a closed quote, found the end of the file", "close the quote that opens here")
AFTER_QUOTES = ("expected a comma after a closed quote, found text", "write a quote in a quoted cell twice")
INSIDE = ("expected quotes around the whole cell, found one inside", "quote the cell and write this quote twice")
