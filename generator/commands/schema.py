"""`trainfit schema`: JSON Schemas of the data files."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from generator.catalog.schema import SCHEMAS_DIR, stale_schemas, write_schemas
from generator.commands.outcome import FAILURE, SUCCESS, Outcome, Subparsers, UsageError
from generator.errors import COMMAND


def add(subparsers: Subparsers, parents: Sequence[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = subparsers.add_parser(
        "schema",
        parents=parents,
        help="write JSON Schemas of the data files for editors",
        description="Writes schemas/<kind>.schema.json, which the first line of each data file names.",
    )
    parser.add_argument("--out", metavar="DIR", type=Path, default=SCHEMAS_DIR, help="folder to write them into")
    parser.add_argument("--check", action="store_true", help="write nothing; exit status 1 when one is out of date")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> Outcome:
    """Says what was written, or with `--check` what is out of date."""
    if arguments.out.exists() and not arguments.out.is_dir():
        raise UsageError(f"argument --out: expected a folder, found the file {arguments.out}")
    if arguments.check:
        stale = stale_schemas(arguments.out)
        text = "".join(f"{name} is out of date: run `{COMMAND} schema`\n" for name in stale)
        return Outcome(text or "all schemas are up to date\n", FAILURE if stale else SUCCESS)
    changed = write_schemas(arguments.out)
    return Outcome("".join(f"wrote {path.name}\n" for path in changed) or "all schemas are up to date\n")
