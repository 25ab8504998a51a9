"""`trainfit lock`: writes the published verdicts into data/verdicts.csv."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator, Sequence

from generator.catalog import load_catalog
from generator.catalog.locked import locked_path, read_locked, write_locked
from generator.commands.check import counted
from generator.commands.locked import locked_text, places
from generator.commands.outcome import Outcome, Subparsers, data_dir_of
from generator.errors import CatalogErrors


def add(subparsers: Subparsers, parents: Sequence[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = subparsers.add_parser(
        "lock",
        parents=parents,
        help="write the verdicts into data/verdicts.csv",
        description="Writes data/verdicts.csv, one row per rig and model, and lists the verdicts that changed. "
        "`trainfit check` fails while the file is out of date, so that a change of verdicts shows in its commit.",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> Outcome:
    """The verdicts that changed, and what was written; raises CatalogErrors where the table cannot be written."""
    data_dir = data_dir_of(arguments)
    text = locked_text(load_catalog(data_dir))
    try:
        old = read_locked(data_dir)
    except CatalogErrors:  # not to be read: it is replaced
        old = None
    if not write_locked(data_dir, text):
        return Outcome(f"{locked_path(data_dir)} is up to date\n")
    rows = counted(text.count("\n") - 1, "row")
    return Outcome("".join(changes(old or "", text)) + f"wrote {locked_path(data_dir)}: {rows}\n")


def changes(old: str, new: str) -> Iterator[str]:
    """A line for each verdict that both tables have and that differs; none where the old one is not a table."""
    try:
        before = places(old)
    except (csv.Error, ValueError):
        return
    for key, place in places(new).items():
        if key in before and before[key].verdict != place.verdict:
            rig, model, method = key
            yield f"{model}, {method}, {rig}: {before[key].verdict[:60]!a} → {place.verdict!a}\n"
