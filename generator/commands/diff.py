"""`trainfit diff`: what changed in data/ between two revisions, as Markdown."""

from __future__ import annotations

import argparse
import csv
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from generator.catalog import Catalog, load_catalog
from generator.catalog.locked import read_locked
from generator.commands.diff_markdown import markdown
from generator.commands.locked import locked_text, places
from generator.commands.outcome import Outcome, Subparsers, data_dir_of, positive_int
from generator.commands.revisions import data_at
from generator.errors import CatalogErrors
from generator.site.page import LANGUAGES, Language
from generator.views.diff import Difference, Key, alone, difference, flips_between, read_plain, with_reasons
from generator.views.moved import shifts

ROWS = 200
"""Lines that a list has at most: a comment on GitHub holds 65,536 characters."""


def add(subparsers: Subparsers, parents: Sequence[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = subparsers.add_parser(
        "diff",
        parents=parents,
        help="verdicts and values that changed between two git revisions, as Markdown",
        description="Compares data/ at BASE with data/ at HEAD, or with the files as they lie here. Verdicts of BASE "
        "are those that its verdicts.csv publishes; those of HEAD are computed. Each verdict that flips says why: "
        "data, memory model or policy; verdicts of new and removed entries are counted, and of changed values it says "
        "how far they move the estimates. Entries are links to their pages where TRAINFIT_SITE_URL says where the site "
        "stands (http://127.0.0.1:8000/ beside `trainfit serve`), else ids.",
    )
    parser.add_argument("base", metavar="BASE", help="revision to compare with, such as main")
    parser.add_argument("head", metavar="HEAD", nargs="?", help="revision to look at (default: the files as they are)")
    parser.add_argument("--language", choices=(*LANGUAGES, "both"), default="en")
    parser.add_argument("--limit", metavar="N", type=positive_int, default=ROWS, help="lines of a list at most")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> Outcome:
    """The difference in the chosen languages; raises CatalogErrors where HEAD is not valid, RevisionError."""
    data_dir = data_dir_of(arguments)
    with ExitStack() as stack:
        before = stack.enter_context(data_at(arguments.base, data_dir))
        after = stack.enter_context(data_at(arguments.head, data_dir)) if arguments.head else data_dir
        catalog = load_catalog(after)
        old = _readable(before)
        found = compare(before, after, old, catalog)
    moved = shifts(found.values, old, catalog) if old else None
    languages: tuple[Language, ...] = LANGUAGES if arguments.language == "both" else (arguments.language,)
    return Outcome("\n".join(markdown(found, moved, catalog, language, arguments.limit) for language in languages))


def _readable(data_dir: Path) -> Catalog | None:
    """The catalogue of a folder; none where it was written for another version of the program."""
    try:
        return load_catalog(data_dir)
    except CatalogErrors:
        return None


def compare(before: Path, after: Path, old: Catalog | None, catalog: Catalog) -> Difference:
    """The difference of two folders; the catalogues are theirs, as far as this program can read the first."""
    one, other = published(before, old), table_of(locked_text(catalog))
    files = (read_plain(before), read_plain(after))
    flips = with_reasons(flips_between(one, other), old, catalog, files)
    return difference(*files, flips, alone(other, one), alone(one, other))


def published(data_dir: Path, catalog: Catalog | None) -> Mapping[Key, str]:
    """The verdicts that a folder publishes; computed where it has no table, none where that is not possible."""
    try:
        stored = read_locked(data_dir)
    except CatalogErrors:
        stored = None
    if stored is None:
        stored = locked_text(catalog) if catalog else ""
    return table_of(stored)


def table_of(text: str) -> Mapping[Key, str]:
    """Verdict by rig, model and method; nothing for a text that is no table."""
    try:
        return {key: place.verdict for key, place in places(text).items()}
    except (csv.Error, ValueError):
        return {}
