"""Reading a table of cases, row by row, and putting the finished one in place."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from generator.commands.plans import COLUMNS
from generator.errors import TrainfitError


class CasesError(TrainfitError):
    """The table of cases cannot be read or written as a whole."""


@contextmanager
def read_cases(source: Path) -> Iterator[tuple[list[str], Iterator[dict[str, str]]]]:
    """Header and rows of a CSV file in UTF-8, open meanwhile; raises CasesError, for rows when they come."""
    with _said(source), source.open(encoding="utf-8-sig", newline="") as file:
        lines = (line for line in csv.reader(file, strict=True) if line)
        first = next(lines, None)
        if first is None:
            raise CasesError(f"{source}:1: expected a header, found an empty file")
        header = [name.strip() for name in first]
        repeated = sorted({name for name in header if header.count(name) > 1})
        if repeated:
            raise CasesError(f"{source}:1: expected each column once, found {', '.join(repeated)} again")
        _check_header(source, header)
        yield header, _rows(source, header, lines)


@contextmanager
def _said(source: Path) -> Iterator[None]:
    """Errors of reading as CasesErrors that name the file."""
    try:
        yield
    except OSError as error:
        raise CasesError(f"{source}: expected a readable file, found {error.strerror or 'an error'}") from error
    except UnicodeDecodeError as error:
        raise CasesError(f"{source}: expected UTF-8, found the byte 0x{error.object[error.start]:02X}") from error
    except csv.Error as error:
        raise CasesError(f"{source}: expected CSV, found an error: {error}") from error


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


def _rows(source: Path, header: Sequence[str], lines: Iterator[Sequence[str]]) -> Iterator[dict[str, str]]:
    with _said(source):
        for line in lines:
            row = dict(zip(header, line, strict=False))
            if len(line) > len(header):
                row["error"] = f"expected {len(header)} fields, found {len(line)}"
            else:
                row.pop("error", None)  # of an earlier run
            yield row


def is_stream(target: Path) -> bool:
    """Whether text is appended to `target` rather than put in its place: devices, pipes, the output of this process."""
    absolute = target.absolute()
    if any(absolute.is_relative_to(special) for special in ("/dev", "/proc")):
        return True
    return target.exists() and not target.is_file() and not target.is_dir()


@contextmanager
def written(target: Path) -> Iterator[TextIO]:
    """A file that takes the place of `target` when the block ends well, else leaves what was there.

    A link stays and what it points to is written; a stream is appended to as rows come. Raises CasesError.
    """
    try:
        if is_stream(target):
            with target.open("a", encoding="utf-8", newline="") as stream:
                yield stream
            return
        place = target.resolve()
        staged = place.with_name(f".{place.name}.{os.getpid()}")
        try:
            with staged.open("w", encoding="utf-8", newline="") as file:
                yield file
            staged.replace(place)
        finally:
            staged.unlink(missing_ok=True)
    except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle
        found = getattr(error, "strerror", None) or "an error"
        raise CasesError(f"{target}: expected a place to write to, found {found}") from error
