"""`trainfit config`: the files that run a verdict."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from generator.catalog import load_catalog
from generator.commands.outcome import Outcome, Subparsers, UsageError, data_dir_of, positive_int
from generator.errors import LaunchError
from generator.launch import FRAMEWORKS
from generator.site.launch import find_files
from generator.site.page import LANGUAGES

WISHES = {
    "seq_len": "tokens of context",
    "micro_batch": "sequences per GPU at a time",
    "grad_accum": "micro-batches per optimizer step",
    "lora_rank": "rank of the adapters",
}
"""Settings of the workload that a reader may choose."""


def add(subparsers: Subparsers, parents: Sequence[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = subparsers.add_parser(
        "config",
        parents=parents,
        help="files that run a verdict: settings, versions, checks",
        description=(
            "Writes a configuration that runs: settings of the libraries, pinned versions, a README with what to "
            "expect, a check of the machine and a program that measures the run."
        ),
    )
    parser.add_argument("--model", metavar="ID", required=True, help="a model of the catalogue")
    parser.add_argument("--rig", metavar="ID", required=True, help="a rig of the catalogue")
    parser.add_argument("--method", metavar="ID", required=True, help="full, lora, qlora or pretrain")
    parser.add_argument("--framework", choices=tuple(FRAMEWORKS), default="trl", help="what trains (default: trl)")
    parser.add_argument("--recipe", metavar="ID", help="this rung of the method's ladder and no other")
    for name, meaning in WISHES.items():
        option = f"--{name.replace('_', '-')}"
        parser.add_argument(option, metavar="N", type=positive_int, help=f"{meaning} (default: that of the verdicts)")
    parser.add_argument("--language", choices=LANGUAGES, default="en", help="language of README and comments")
    parser.add_argument("--out", metavar="DIR", type=Path, required=True, help="a new or empty folder")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> Outcome:
    """Writes the files; raises LaunchError where nothing fits or the folder cannot be written."""
    for option in ("model", "rig", "method", "recipe"):
        value = getattr(arguments, option)
        if value is not None and not value.strip():
            raise UsageError(f"argument --{option}: expected an id, found empty text")
    catalog = load_catalog(data_dir_of(arguments))
    asked = {name: value for name in WISHES if (value := getattr(arguments, name)) is not None}
    texts = find_files(
        catalog,
        arguments.model,
        arguments.rig,
        arguments.method,
        arguments.framework,
        arguments.language,
        arguments.recipe,
        asked,
    )
    folder: Path = arguments.out
    try:
        if folder.exists() and any(folder.iterdir()):
            raise LaunchError(f"{folder}: expected a new or empty folder, found files in it")
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise LaunchError(f"{folder}: expected a folder to write to, found {error.strerror or 'an error'}") from error
    return Outcome(f"{folder}: {', '.join(texts)}\nnext: read {folder / 'README.md'}\n")
