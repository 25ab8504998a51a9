"""`make bench`: how long the parts of a build take, beside other generators, and how the cost grows.

usage: python -m benchmarks [--runs N] [--json] [STEP …]
       python -m benchmarks others | scale | serve
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
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks import scale
from benchmarks.others import others
from benchmarks.parts import Step, prepare, steps
from generator.catalog import DATA_DIR, load_catalog
from generator.site.pages_site import home_rig
from generator.site.rebuild import Builder, Shown
from generator.site.render import render

THINKING_SECONDS = 15
"""From one edit to the next: `serve` makes the search index meanwhile and gets ready for the next build."""
APART = ("others", "scale", "serve")
"""What is asked for by name alone: each takes minutes."""


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds of the runs of one step."""

    name: str
    what: str
    first: float
    median: float
    fastest: float
    runs: int
    per_second: float | None


def time_of(step: Step, runs: int, folder: Path) -> Timing:
    """Runs a step and times it."""
    prepare(step, folder)
    seconds = []
    for _ in range(runs):
        began = time.perf_counter()
        step.run(folder)
        seconds.append(time.perf_counter() - began)
    median = statistics.median(seconds)
    return Timing(step.name, step.what, seconds[0], median, min(seconds), runs, step.count / median or None)


def table(timings: list[Timing]) -> str:
    """The timings, with rates, and the ratio of the whole build to MkDocs alone."""
    lines = [f"{'step':8}{'median':>9}{'first':>9}{'fastest':>9}{'runs':>6}{'per s':>10}  what"]
    for each in timings:
        rate = f"{each.per_second:10.0f}" if each.per_second else f"{'':10}"
        lines.append(
            f"{each.name:8}{each.median:9.3f}{each.first:9.3f}{each.fastest:9.3f}{each.runs:6d}{rate}  {each.what}"
        )
    found = {each.name: each.median for each in timings}
    if "build" in found and "mkdocs" in found:
        lines.append(f"build ÷ mkdocs: {found['build'] / found['mkdocs']:.2f}")
    return "\n".join(lines)


def beside_others(folder: Path) -> str:
    """Seconds of other generators on the same Markdown."""
    render(load_catalog(), folder)
    found = others(folder, folder)
    return "\n".join(
        f"{name:16}{f'{seconds:9.2f}' if seconds is not None else '   absent'}  {what}" for name, what, seconds in found
    )


def served(folder: Path) -> str:
    """Seconds from an edit of data to a fresh page in `trainfit serve`: the home page's rig, one language."""
    catalog = load_catalog()
    shown = Shown(("en",), (home_rig(catalog, catalog.rigs),))
    builder = Builder(folder / "site", DATA_DIR, lambda _: None)
    seconds = []
    for _ in range(3):
        began = time.perf_counter()
        builder.build(shown)
        seconds.append(time.perf_counter() - began)
        time.sleep(THINKING_SECONDS)
    builder.close()
    return (
        f"serve: {min(seconds[1:]):.1f} s from an edit to the page (one language, the home page's rig), "
        f"{seconds[0]:.1f} s for the first build"
    )


def main(arguments: list[str] | None = None) -> int:
    """Times the steps that are asked for, by default all; prints a table or JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Times the build and its parts.")
    parser.add_argument("--runs", type=int, help="runs of each step (default: more for the short ones)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    known = steps()
    parser.add_argument("step", nargs="*", help=", ".join((*(step.name for step in known), *APART)))
    asked = parser.parse_args(arguments)
    unknown = sorted(set(asked.step) - {step.name for step in known} - set(APART))
    if unknown or (asked.runs is not None and asked.runs < 1):
        parser.error(f"unknown step {', '.join(unknown)}" if unknown else "--runs: expected 1 or more")

    machine = f"Python {platform.python_version()}, {os.cpu_count()} CPUs, {platform.machine()}"
    timings = []
    with tempfile.TemporaryDirectory() as scratch:
        for step in known:
            if asked.step and step.name not in asked.step:
                continue
            folder = Path(scratch) / step.name
            folder.mkdir()
            print(f"timing {step.name} …", file=sys.stderr, flush=True)
            timings.append(time_of(step, asked.runs or step.runs, folder))
        apart = {"others": beside_others, "scale": scale.report, "serve": served}
        said = [apart[name](Path(scratch) / name) for name in asked.step if name in apart]
    if asked.json:
        print(json.dumps({"machine": machine, "timings": [asdict(timing) for timing in timings]}, indent=2))
        return 0
    print(f"{machine}; seconds")
    print("\n".join([*([table(timings)] if timings else []), *said]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
