"""`make bench`: how long the parts of a build take, each the median of several runs.

usage: python -m benchmarks [--runs N] [--json] [STEP …]
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from generator.catalog import Catalog, load_catalog
from generator.site.build import build, render
from generator.verdict import judge_rig


@dataclass(frozen=True, slots=True)
class Step:
    """Something that is timed."""

    name: str
    what: str
    run: Callable[[Path], object]
    """Gets a folder of its own, the same for all runs, so that the first one is cold and the others are not."""
    runs: int


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds of the runs of one step."""

    name: str
    what: str
    first: float
    median: float
    fastest: float
    runs: int


def steps() -> tuple[Step, ...]:
    """From the smallest to the whole."""
    catalog = load_catalog()
    rigs = len(catalog.rigs)
    pairs = rigs * len(catalog.models) * len(catalog.methods)
    return (
        Step("load", "read and check data/", lambda _: load_catalog(), 7),
        Step("judge", f"{pairs} verdicts: rigs × models × methods", lambda _: reports(catalog), 5),
        Step("render", "Markdown and fragments, both languages", lambda folder: render(catalog, folder), 3),
        Step("build", "the site: all of the above, MkDocs twice, the search index", build_in, 3),
    )


def reports(catalog: Catalog) -> object:
    """The report of every rig."""
    return [judge_rig(catalog, rig) for rig in catalog.rigs]


def build_in(folder: Path) -> object:
    """A whole build that leaves the checkout's own build/ and site/ alone."""
    return build(site_dir=folder / "site", work_dir=folder / "build")


def time_of(step: Step, runs: int, folder: Path) -> Timing:
    """Runs a step and times it."""
    seconds = []
    for _ in range(runs):
        began = time.perf_counter()
        step.run(folder)
        seconds.append(time.perf_counter() - began)
    return Timing(step.name, step.what, seconds[0], statistics.median(seconds), min(seconds), runs)


def main(arguments: list[str] | None = None) -> int:
    """Times the steps that are asked for, by default all; prints a table or JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Times the build and its parts.")
    parser.add_argument("--runs", type=int, help="runs of each step (default: more for the short ones)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    known = steps()
    parser.add_argument("step", nargs="*", help=", ".join(step.name for step in known))
    asked = parser.parse_args(arguments)
    unknown = sorted(set(asked.step) - {step.name for step in known})
    if unknown or (asked.runs is not None and asked.runs < 1):
        parser.error(f"unknown step {', '.join(unknown)}" if unknown else "--runs: expected 1 or more")

    timings = []
    with tempfile.TemporaryDirectory() as scratch:
        for step in known:
            if asked.step and step.name not in asked.step:
                continue
            folder = Path(scratch) / step.name
            folder.mkdir()
            print(f"timing {step.name} …", file=sys.stderr, flush=True)
            timings.append(time_of(step, asked.runs or step.runs, folder))

    machine = f"Python {platform.python_version()}, {os.cpu_count()} CPUs, {platform.machine()}"
    if asked.json:
        print(json.dumps({"machine": machine, "timings": [asdict(timing) for timing in timings]}, indent=2))
        return 0
    print(f"{machine}; seconds")
    print(f"{'step':8}{'median':>9}{'first':>9}{'fastest':>9}{'runs':>6}  what")
    for timing in timings:
        numbers = f"{timing.median:9.3f}{timing.first:9.3f}{timing.fastest:9.3f}{timing.runs:6d}"
        print(f"{timing.name:8}{numbers}  {timing.what}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
