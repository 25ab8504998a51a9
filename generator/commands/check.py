"""`trainfit check`: everything that is wrong with data/, at once."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from generator.catalog import DATA_DIR, Catalog, load_catalog
from generator.catalog.locked import read_locked
from generator.catalog.tidy import tidy_files, untidy_files
from generator.commands import accuracy_written
from generator.commands.far_readings import far_readings
from generator.commands.ledger import stale_changes
from generator.commands.locked import stale
from generator.commands.outcome import FAILURE, SUCCESS, Outcome, Subparsers, data_dir_of
from generator.commands.revisions import RevisionError, changed_files
from generator.errors import COMMAND, CatalogErrors, DataError
from generator.estimate.accuracy import compare

FORMATS = ("text", "json", "github")
MANY = 10
"""More stale rows than this of a table have one cause, which is not in the table."""
WRITTEN = ("verdicts.csv", "changes.csv")
"""Tables that `trainfit lock` writes."""
NAMED = 5
"""Changed files that a hint names."""


def add(subparsers: Subparsers, parents: Sequence[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = subparsers.add_parser(
        "check",
        parents=parents,
        help="check data/: all errors at once, exit status 0 or 1",
        description="Reads every file of data/ and lists all errors as path:line:column: field: message (hint), "
        "among them verdicts.csv and changes.csv when they are not what `trainfit lock` would write. "
        "Warnings are listed too and fail nothing.",
    )
    parser.add_argument("--format", choices=FORMATS, default="text", help="github: workflow annotations")
    parser.add_argument(
        "--fix",
        action="store_true",
        help="first put files in order: UTF-8, line ends, blanks, tabs, the schema's line; in those that you edited "
        "the order of the fields too",
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> Outcome:
    """Exit status 1 when there is an error."""
    data_dir = data_dir_of(arguments)
    fixed = ""
    if arguments.fix:
        fixed = "".join(f"put in order: {path}\n" for path in tidy_files(data_dir, _edited(data_dir)))
    found = _check(data_dir, arguments.format)
    return Outcome(fixed + found.text if arguments.format == "text" else found.text, found.status)


def _edited(data_dir: Path) -> tuple[str, ...] | None:
    """Files that differ from the last commit or are new; none where there is no repository to say so."""
    try:
        return changed_files(data_dir, new=True)
    except RevisionError:
        return None


def _check(data_dir: Path, style: str) -> Outcome:
    try:
        catalog = load_catalog(data_dir)
    except CatalogErrors as problem:
        named = {error.path for error in problem.errors if error.rule == "yaml"}
        untidy = [error for error in untidy_files(data_dir) if error.path not in named] if data_dir == DATA_DIR else []
        return Outcome(report(sorted({*problem.errors, *untidy}), (), style), FAILURE)
    comparisons = compare(catalog).comparisons
    catalog = replace(catalog, warnings=(*catalog.warnings, *far_readings(catalog, comparisons)))
    if data_dir == DATA_DIR and (
        untidy := [*untidy_files(data_dir), *accuracy_written.stale(catalog, comparisons, data_dir)]
    ):
        return Outcome(report(untidy, catalog.warnings, style), FAILURE)
    locked = read_locked(data_dir)
    outdated = stale(catalog, data_dir) or (stale_changes(data_dir, locked) if locked is not None else [])
    if outdated:
        outdated = in_one(outdated, data_dir) if len(outdated) > MANY else outdated
        return Outcome(report(outdated, catalog.warnings, style), FAILURE)
    summary = summary_of(catalog) if style == "text" else ""
    return Outcome(report((), catalog.warnings, style) + summary, SUCCESS)


def in_one(errors: Sequence[DataError], data_dir: Path) -> list[DataError]:
    """One error for the many rows of a table that one edit makes stale; the hint names the files of that edit."""
    first = errors[0]
    message = f"{first.message}; {len(errors) - 1} others differ too"
    try:
        edited = [f"{data_dir.name}/{name}" for name in changed_files(data_dir) if name not in WRITTEN]
    except RevisionError:
        edited = []
    more = ", …" if len(edited) > NAMED else ""
    cause = f"the edit of {', '.join(edited[:NAMED])}{more}" if edited else "an edit of data/ or of the program"
    hint = f"{cause} changes them: correct it, or where that is meant run `{COMMAND} lock`"
    return [replace(first, message=message, hint=hint)]


def report(errors: Sequence[DataError], warnings: Sequence[DataError], style: str) -> str:
    """All findings in one of FORMATS."""
    leveled = [("error", error) for error in errors] + [("warning", warning) for warning in warnings]
    if style == "json":
        return json.dumps([as_json(level, each) for level, each in leveled], ensure_ascii=False, indent=2) + "\n"
    if style == "github":
        return "".join(annotation(level, each) + "\n" for level, each in leveled)
    return as_text(errors) + "".join(f"{warning} [warning]\n" for warning in warnings)


def as_text(errors: Sequence[DataError]) -> str:
    """One error a line, then how many there are; empty without errors."""
    if not errors:
        return ""
    files = len({error.path for error in errors})
    return "".join(f"{error}\n" for error in errors) + f"{counted(len(errors), 'error')} in {counted(files, 'file')}\n"


def as_json(level: str, error: DataError) -> dict[str, str | int]:
    """The fields of one finding."""
    return {
        "level": level,
        "path": error.path,
        "line": error.line,
        "column": error.column,
        "field": error.field,
        "message": error.message,
        "hint": error.hint,
        "rule": error.rule,
    }


def annotation(level: str, error: DataError) -> str:
    """A workflow command of GitHub Actions, which shows the finding at its line of a pull request."""
    field = f"{error.field}: " if error.field else ""
    hint = f" ({error.hint})" if error.hint else ""
    properties = {"file": error.path, "line": error.line, "col": error.column, "title": f"data: {error.rule}"}
    listed = ",".join(f"{name}={_escape_property(str(value))}" for name, value in properties.items())
    return f"::{level} {listed}::{_escape(f'{field}{error.message}{hint}')}"


def _escape(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _escape_property(text: str) -> str:
    return _escape(text).replace(":", "%3A").replace(",", "%2C")


def summary_of(catalog: Catalog) -> str:
    """One line for a catalogue without errors."""
    kinds = {
        "model": catalog.models,
        "GPU": catalog.gpus,
        "rig": catalog.rigs,
        "method": catalog.methods,
        "source": catalog.sources,
    }
    listed = ", ".join(counted(len(records), noun) for noun, records in kinds.items())
    warned = f"; {counted(len(catalog.warnings), 'warning')}" if catalog.warnings else ""
    return f"no errors: {listed}; newest reading {catalog.data_date}{warned}\n"


def counted(number: int, noun: str) -> str:
    """`1 error`, `2 errors`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
