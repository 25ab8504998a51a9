"""`trainfit lock`: writes the published verdicts into data/verdicts.csv and their history into data/changes.csv."""

from __future__ import annotations

import argparse
import csv
import datetime
from collections.abc import Iterator, Sequence
from pathlib import Path

from generator.catalog import DATA_DIR, Catalog, load_catalog
from generator.catalog.changes import CHANGES_NAME, REASONS, ChangeRow, changes_path
from generator.catalog.locked import locked_path, read_locked, write_locked
from generator.commands.add import day
from generator.commands.check import counted
from generator.commands.ledger import appended, flips_of, missing_history, new_text, reasons_of
from generator.commands.locked import KEYS, Key, locked_text, places
from generator.commands.outcome import Outcome, Subparsers, UsageError, data_dir_of
from generator.commands.revisions import RevisionError, data_at, released_before
from generator.errors import CatalogErrors, TrainfitError
from generator.views.diff import Flip, read_plain


class StartError(TrainfitError):
    """The history cannot begin anew."""


def add(subparsers: Subparsers, parents: Sequence[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = subparsers.add_parser(
        "lock",
        parents=parents,
        help="write the verdicts into data/verdicts.csv and what became of them into data/changes.csv",
        description="Writes data/verdicts.csv, one row per rig and model, lists the verdicts that changed, and appends "
        "them with date and reason to data/changes.csv. The reason is worked out from what differs from the last "
        "commit. `trainfit check` fails while a file is out of date, so that a change of verdicts shows in its commit. "
        "--start is for the first release alone: it leaves out every row of before and writes one for each rig and "
        "model with the verdicts as they are.",
    )
    parser.add_argument("--reason", choices=REASONS, help="why verdicts changed (default: worked out)")
    parser.add_argument(
        "--date", metavar="DATE", type=day, help="day of the change, not before the last row's (default: today)"
    )
    parser.add_argument("--start", action="store_true", help="begin the history anew, before the first release")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> Outcome:
    """The verdicts that changed, and what was written; raises CatalogErrors where a table cannot be written."""
    data_dir = data_dir_of(arguments)
    if arguments.start and (tags := released_before(data_dir)):
        raise StartError(f"--start: expected no release before this one, found {tags[0]}: its readers know the history")
    if not arguments.start and (lost := missing_history(data_dir)):
        raise CatalogErrors(lost)
    catalog = load_catalog(data_dir)
    day_of_change = _day_of_change(arguments.date, () if arguments.start else catalog.changes)
    text = locked_text(catalog)
    try:
        old = read_locked(data_dir)
    except CatalogErrors:  # not to be read: it is replaced
        old = None
    if not write_locked(data_dir, text):
        said = f"{locked_path(data_dir)} is up to date\n"
    else:
        rows = counted(text.count("\n") - 1, "row")
        said = "".join(changes(old or "", text)) + f"wrote {locked_path(data_dir)}: {rows}\n"
    return Outcome(said + _keep_history(arguments, data_dir, catalog, text, day_of_change))


def _keep_history(
    arguments: argparse.Namespace, data_dir: Path, catalog: Catalog, text: str, day_of_change: datetime.date
) -> str:
    """Appends to the history and says how much; nothing where a folder keeps none."""
    if data_dir != DATA_DIR and not arguments.start and not (data_dir / CHANGES_NAME).exists():
        return ""
    rows = () if arguments.start else catalog.changes
    flips = flips_of(rows, text)
    reasons = (
        {(flip.rig, flip.model, flip.method): (arguments.reason,) for flip in flips}
        if arguments.reason
        else _worked_out(flips, data_dir, catalog)
    )
    added = appended(rows, text, day_of_change, reasons)
    methods = tuple(text.partition("\n")[0].split(",")[len(KEYS) :])
    if not write_locked(data_dir, new_text(rows, added, methods), CHANGES_NAME):
        return ""
    if arguments.start:
        begun, gone = counted(len(added), "row"), counted(len(catalog.changes), "row")
        return f"wrote {changes_path(data_dir)}: the history begins with {begun}; {gone} of before left out\n"
    return f"wrote {changes_path(data_dir)}: {counted(len(added), 'new row')}\n"


def _day_of_change(given: datetime.date | None, rows: tuple[ChangeRow, ...]) -> datetime.date:
    """The day given, else today, or that of the last row where another's clock is ahead of ours; raises UsageError."""
    last = max((row.day for row in rows), default=datetime.date.min)
    if given is not None and given < last:
        raise UsageError(f"argument --date: expected a day from {last} on, that of the last row, found {given}")
    return given or max(last, datetime.datetime.now().astimezone().date())


def _worked_out(flips: tuple[Flip, ...], data_dir: Path, catalog: Catalog) -> dict[Key, tuple[str, ...]]:
    """Why each verdict flipped, by what differs from the last commit."""
    if not flips:
        return {}
    try:
        with data_at("HEAD", data_dir) as committed:
            files = (read_plain(committed), read_plain(data_dir))
            return reasons_of(flips, _catalog(committed), catalog, files)
    except RevisionError:
        return reasons_of(flips, None, catalog)


def _catalog(data_dir: Path) -> Catalog | None:
    """The data as they were committed; none where this version of the program cannot read them."""
    try:
        return load_catalog(data_dir)
    except CatalogErrors:
        return None


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
