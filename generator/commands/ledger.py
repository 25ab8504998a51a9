"""data/changes.csv beside data/verdicts.csv: what is missing in it, and the rows that `trainfit lock` appends."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from generator.catalog import DATA_DIR, Catalog
from generator.catalog.changes import (
    CHANGES_NAME,
    HINT,
    ChangeRow,
    changes_path,
    changes_text,
    read_changes,
    replayed,
    restore,
)
from generator.commands.locked import Key, places
from generator.errors import DataError
from generator.views.diff import Files, Flip, with_reasons

Pair = tuple[str, str]
"""Rig and model."""


def by_pair(text: str) -> dict[Pair, dict[str, str]]:
    """Verdicts of a table by rig and model, then by method; raises csv.Error, ValueError as `places`."""
    found: dict[Pair, dict[str, str]] = {}
    for (rig, model, method), place in places(text).items():
        found.setdefault((rig, model), {})[method] = place.verdict
    return found


def stale_changes(data_dir: Path, table: str) -> list[DataError]:
    """Pairs whose last row is not what the table publishes; empty where all are.

    This repository's own data/ must have the history. Another folder may do without: then nothing is compared.
    """
    if not (data_dir / CHANGES_NAME).exists():
        return missing_history(data_dir)
    shown = changes_path(data_dir)
    rows, errors = read_changes(data_dir)
    if errors:
        return errors
    last, published = replayed(rows), by_pair(table)
    found = []
    for rig, model in sorted(last.keys() | published.keys()):
        row = last.get((rig, model))
        if (dict(row.verdicts) if row else {}) != published.get((rig, model), {}):
            message = f"expected a row that says what {model} on {rig} became, found none"
            found.append(DataError(shown, row.line if row else 1, 1, "", message, HINT, "changes"))
    return found


def missing_history(data_dir: Path) -> list[DataError]:
    """An error where this repository's own data/ has no history; nothing for any other folder."""
    shown = changes_path(data_dir)
    if data_dir != DATA_DIR or (data_dir / CHANGES_NAME).exists():
        return []
    message = "expected the history of the verdicts, found no file"
    return [DataError(shown, 1, 1, "", message, restore(shown), "changes")]


def appended(
    rows: tuple[ChangeRow, ...], table: str, day: datetime.date, reasons: Mapping[Key, tuple[str, ...]]
) -> tuple[ChangeRow, ...]:
    """The rows that are missing, in the order of the table; `reasons` says why each verdict flipped."""
    return tuple(_missing(rows, by_pair(table), day, reasons))


def _missing(
    rows: tuple[ChangeRow, ...],
    published: Mapping[Pair, Mapping[str, str]],
    day: datetime.date,
    reasons: Mapping[Key, tuple[str, ...]],
) -> Iterator[ChangeRow]:
    last = replayed(rows)
    for pair in sorted(last.keys() | published.keys()):
        before = last[pair].verdicts if pair in last else {}
        after = published.get(pair, {})
        if before == after:
            continue
        why: dict[str, None] = {}
        for method in after if before and after else ():
            if before.get(method) != after[method]:
                why.update(dict.fromkeys(reasons.get((*pair, method), ("unknown",))))
        yield ChangeRow(day, tuple(why) or ("data",), *pair, after)


def flips_of(rows: tuple[ChangeRow, ...], table: str) -> tuple[Flip, ...]:
    """Verdicts of the table that differ from the last rows of the same pairs."""
    last, published = replayed(rows), by_pair(table)
    return tuple(
        Flip(rig, model, method, last[rig, model].verdicts[method], verdict)
        for (rig, model), verdicts in sorted(published.items())
        if (rig, model) in last
        for method, verdict in verdicts.items()
        if last[rig, model].verdicts.get(method, verdict) != verdict
    )


def reasons_of(
    flips: tuple[Flip, ...], before: Catalog | None, after: Catalog, files: tuple[Files, Files] | None = None
) -> dict[Key, tuple[str, ...]]:
    """Why each flipped, as `with_reasons` says."""
    found: dict[Key, tuple[str, ...]] = {}
    for flip in with_reasons(flips, before, after, files):
        found[flip.rig, flip.model, flip.method] = flip.reasons or ("unknown",)
    return found


def new_text(rows: tuple[ChangeRow, ...], added: tuple[ChangeRow, ...], methods: tuple[str, ...]) -> str:
    """The whole file with the new rows at its end."""
    every = tuple(replace(row, line=0) for row in rows) + added
    return changes_text(methods, every)
