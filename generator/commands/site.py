"""`trainfit render`, `trainfit build` and `trainfit serve`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from generator.catalog import load_catalog
from generator.commands.check import counted
from generator.commands.outcome import Outcome, Subparsers, data_dir_of
from generator.site.build import build, render
from generator.site.page import LANGUAGES
from generator.site.render import ROOT


def add(subparsers: Subparsers, parents: Sequence[argparse.ArgumentParser]) -> None:
    """Adds the commands to the command line."""
    parser = subparsers.add_parser(
        "render",
        parents=parents,
        help="validate, compute, write the pages for MkDocs into build/docs/",
        description="The first half of a build: after it a plain `mkdocs build` works as well.",
    )
    _add_languages(parser)
    parser.set_defaults(run=run_render)
    parser = subparsers.add_parser(
        "build",
        parents=parents,
        help="validate, compute, render the site; the old one survives a failed build",
        description="Builds the site. Where anything goes wrong, the site that is there stays as it was.",
    )
    parser.add_argument("--site-dir", metavar="DIR", type=Path, default=ROOT / "site", help="where to put the site")
    _add_languages(parser)
    parser.set_defaults(run=run_build)


def _add_languages(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--lang",
        metavar="LANGUAGES",
        type=languages,
        default=LANGUAGES,
        help=f"languages to build, joined by commas (default: {','.join(LANGUAGES)})",
    )


def languages(text: str) -> tuple[str, ...]:
    """Languages joined by commas; raises argparse.ArgumentTypeError for an unknown one."""
    chosen = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not chosen or any(language not in LANGUAGES for language in chosen):
        raise argparse.ArgumentTypeError(f"expected some of {','.join(LANGUAGES)}, found {text!r}")
    return chosen


def run_render(arguments: argparse.Namespace) -> Outcome:
    """Says how many pages were written."""
    documents = render(load_catalog(data_dir_of(arguments)), languages=arguments.lang)
    pages = sum(len(each) for each in documents.values())
    return Outcome(f"wrote {counted(pages, 'page')} below build/docs\n")


def run_build(arguments: argparse.Namespace) -> Outcome:
    """Says where the site is."""
    built = build(data_dir_of(arguments), arguments.site_dir, arguments.lang)
    return Outcome(f"{counted(built.pages, 'page')} in {', '.join(built.languages)}: {arguments.site_dir}\n")
