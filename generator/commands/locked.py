"""The table of published verdicts as text, and where a stored one differs from what is computed."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from generator.catalog import DATA_DIR, Catalog
from generator.catalog.locked import locked_path, read_locked
from generator.errors import COMMAND, CatalogErrors, DataError
from generator.site.api import csv_text
from generator.views.api import locked_rows

KEYS = ("rig", "model")
HINT = f"run `{COMMAND} lock`"
SHOWN = 60
"""Characters of a stored cell that a message repeats."""

Key = tuple[str, str, str]
"""Rig, model and method."""


@dataclass(frozen=True, slots=True)
class Place:
    """A verdict where it stands in the table."""

    verdict: str
    line: int
    column: int


def locked_text(catalog: Catalog) -> str:
    """The table of all verdicts: one row per rig and model, a column per method, sorted by id."""
    methods, rows = locked_rows(catalog)
    return csv_text((*KEYS, *methods), [(*key, *verdicts) for key, verdicts in rows.items()])


def places(text: str) -> dict[Key, Place]:
    """The verdicts of a table by rig, model and method; rows that are too short give what they have.

    Raises csv.Error for a text that is no table, ValueError where two rows have the same rig and model.
    """
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    header = next(reader, [])
    found: dict[Key, Place] = {}
    for row in reader:
        column = 1
        for name, cell in zip(header, row, strict=False):
            if name not in KEYS and len(row) > 1:
                key = (row[0], row[1], name)
                if key in found:
                    raise ValueError(f"line {reader.line_num}")
                found[key] = Place(cell, reader.line_num, column)
            column += len(cell) + 1
    return found


LEAST_WHOLE = 4
"""More cells than this of a model or a rig that only one table has are one error."""


def stale(catalog: Catalog, data_dir: Path) -> list[DataError]:
    """What is out of date in the table of `data_dir`; empty where it is right.

    This repository's own data/ must have the table. Another folder may do without: then nothing is compared.
    """
    shown = locked_path(data_dir)
    try:
        stored = read_locked(data_dir)
    except CatalogErrors as problem:
        return list(problem.errors)
    if stored is None:
        if data_dir != DATA_DIR:
            return []
        return [_error(shown, 1, 1, "", "expected the published verdicts, found no file")]
    computed = locked_text(catalog)
    if stored == computed:
        return []
    header = computed.partition("\n")[0]
    if stored.partition("\n")[0].rstrip("\r") != header:
        return [_error(shown, 1, 1, "", f"expected the columns {header}, found others")]
    try:
        old = places(stored)
    except (csv.Error, ValueError) as error:
        return [_error(shown, 1, 1, "", f"expected each rig and model once in a CSV table, found otherwise: {error}")]
    found = list(_differences(shown, old, places(computed)))
    line = _first_difference(stored, computed)
    return found or [_error(shown, line, 1, "", "expected rows sorted by id that end in LF, found otherwise")]


def _differences(shown: str, old: Mapping[Key, Place], new: Mapping[Key, Place]) -> Iterator[DataError]:
    whole: set[Key] = set()
    for part, what in ((1, "model"), (0, "rig")):  # a new or removed record is one error, not one for each cell
        for here, there, message in (
            (new, old, "expected the verdicts of the {what} `{id}`, found none"),
            (old, new, "expected nothing about the {what} `{id}`, which is gone; found its verdicts"),
        ):
            theirs = {key[part] for key in there}
            alone: dict[str, set[Key]] = {}
            for key in here.keys() - whole:
                if key[part] not in theirs:
                    alone.setdefault(key[part], set()).add(key)
            for record_id, keys in sorted(alone.items()):
                if len(keys) > LEAST_WHOLE:
                    first = min(keys, key=lambda key: here[key].line)
                    yield _error(shown, here[first].line, 1, "", message.format(what=what, id=_visible(record_id)))
                    whole |= keys
    for key in sorted((old.keys() | new.keys()) - whole):
        rig, model, method = key
        subject = f"{_visible(model)} on {_visible(rig)}"
        if key not in old:
            message = f"expected `{new[key].verdict}` for {subject}, found nothing"
            yield _error(shown, new[key].line, new[key].column, method, message)
        elif key not in new:
            message = f"expected nothing for {subject}, found `{_visible(old[key].verdict)}`"
            yield _error(shown, old[key].line, old[key].column, method, message)
        elif old[key].verdict != new[key].verdict:
            message = f"expected `{new[key].verdict}` for {subject}, found `{_visible(old[key].verdict)}`"
            yield _error(shown, old[key].line, old[key].column, method, message)


def _first_difference(one: str, other: str) -> int:
    """1-based number of the first line that differs."""
    pairs = enumerate(zip(one.split("\n"), other.split("\n"), strict=False), start=1)
    return next((number for number, (a, b) in pairs if a != b), 1)


def _visible(text: str) -> str:
    kept = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)
    return kept[:SHOWN]


def _error(path: str, line: int, column: int, field: str, message: str) -> DataError:
    return DataError(path, line, column, field, message, HINT, "verdicts")
