"""`trainfit render`, `trainfit build` and `trainfit serve`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from generator.catalog import load_catalog
from generator.commands.check import counted
from generator.commands.outcome import Outcome, Subparsers, data_dir_of
from generator.errors import BuildError, CatalogErrors
from generator.site.build import build, render
from generator.site.page import LANGUAGES
from generator.site.pages_site import home_rig
from generator.site.rebuild import Shown
from generator.site.render import ROOT
from generator.site.serve import serve
from generator.site.swap import restore

MAX_PORT = 65535


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
    parser = subparsers.add_parser(
        "serve",
        parents=parents,
        help="show the site on this machine and rebuild it on every change",
        description="Builds into build/serve, serves it, and builds again when data, pages or programs change. To be "
        "quick it shows one rig, that of the home page, and those whose files change meanwhile.",
    )
    _add_languages(parser)
    parser.add_argument("--rig", metavar="RIG", action="append", default=[], help="show this rig too (may be repeated)")
    parser.add_argument("--all-rigs", action="store_true", help="show all rigs, as the site does; takes minutes")
    parser.add_argument("--host", metavar="ADDRESS", default="127.0.0.1", help="address to listen on")
    parser.add_argument("--port", metavar="N", type=port, default=8000, help="port to listen on")
    parser.set_defaults(run=run_serve)


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


def port(text: str) -> int:
    """A port, 0 for any that is free; raises argparse.ArgumentTypeError otherwise."""
    if text.isascii() and text.isdigit() and len(text) <= 5 and int(text) <= MAX_PORT:
        return int(text)
    raise argparse.ArgumentTypeError(f"expected a number from 0 to {MAX_PORT}, found {text!r}")


def run_render(arguments: argparse.Namespace) -> Outcome:
    """Says how many pages were written."""
    documents = render(load_catalog(data_dir_of(arguments)), languages=arguments.lang)
    pages = sum(len(each) for each in documents.values())
    return Outcome(f"wrote {counted(pages, 'page')} below build/docs\n")


def run_build(arguments: argparse.Namespace) -> Outcome:
    """Says where the site is."""
    if restore(arguments.site_dir.absolute()):
        sys.stderr.write(f"an earlier build was killed: its old site is back in {arguments.site_dir}\n")
    built = build(data_dir_of(arguments), arguments.site_dir, arguments.lang)
    return Outcome(f"{counted(built.pages, 'page')} in {', '.join(built.languages)}: {arguments.site_dir}\n")


def _rigs_shown(data_dir: Path, rigs: Sequence[str]) -> tuple[str, ...]:
    """The rig of the home page and `rigs`; all for data that cannot be read, which the build says."""
    try:
        catalog = load_catalog(data_dir)
    except CatalogErrors:
        return ()
    shown = dict.fromkeys([home_rig(catalog, catalog.rigs), *(catalog.resolve_rig(rig) for rig in rigs)])
    _say(f"rigs: {', '.join(shown)} (more with --rig or --all-rigs)")
    return tuple(shown)


def run_serve(arguments: argparse.Namespace) -> Outcome:
    """Serves until interrupted; raises UnknownIdError for an unknown rig, BuildError where the port is taken."""
    data_dir = data_dir_of(arguments)
    shown = Shown(arguments.lang, () if arguments.all_rigs else _rigs_shown(data_dir, arguments.rig))
    try:
        serve(data_dir=data_dir, host=arguments.host, port=arguments.port, say=_say, shown=shown)
    except BrokenPipeError:
        raise
    except OSError as error:
        place = f"{arguments.host}:{arguments.port}"
        raise BuildError(f"{place}: expected a free port, found {error.strerror or 'an error'} (try --port)") from error
    return Outcome()


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
