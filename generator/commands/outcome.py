"""What a command gives back to the terminal."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from generator.catalog import DATA_DIR

SUCCESS, FAILURE, USAGE = 0, 1, 2
"""Exit statuses: done; the data, the plan or the build is at fault; the command line is."""


class UsageError(Exception):
    """Options that contradict each other: reported like an unknown option, with exit status 2."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Text for standard output and the exit status."""

    text: str = ""
    status: int = SUCCESS


Subparsers = Any
"""What argparse calls `_SubParsersAction`, which has no public name."""


def data_dir_of(arguments: argparse.Namespace) -> Path:
    """The folder of `--data-dir`; the repository's own where it was left out."""
    chosen: str | None = getattr(arguments, "data_dir", None)
    return Path(chosen).absolute() if chosen else DATA_DIR


LARGEST_COUNT = 100_000
SMALLEST, LARGEST = 0.001, 1_000_000.0
"""Bounds of options that are counts, and of those that are quantities: beyond them nothing is computable."""


def positive_int(text: str) -> int:
    """A whole number above 0; raises argparse.ArgumentTypeError otherwise."""
    if text.isascii() and text.isdigit() and len(text) <= 12 and 0 < int(text) <= LARGEST_COUNT:
        return int(text)
    raise argparse.ArgumentTypeError(f"expected a whole number from 1 to {LARGEST_COUNT}, found {text!r}")


def positive_number(text: str) -> float:
    """A number above 0; raises argparse.ArgumentTypeError otherwise."""
    try:
        value = float(text) if text.isascii() and "_" not in text else 0.0
    except ValueError:
        value = 0.0
    if SMALLEST <= value <= LARGEST:
        return value
    raise argparse.ArgumentTypeError(f"expected a number from {SMALLEST:g} to {LARGEST:.0f}, found {text!r}")
