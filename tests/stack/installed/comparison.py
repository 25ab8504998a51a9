"""A row that measure.py wrote against the estimate beside it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

KNOWN_AFTERWARDS = {"outcome", "reading", "peak", "unit", "tokens_per_sec_per_gpu"}
"""Cells that a run fills in. The others say what was run, and the estimate is for that and nothing else."""


def complaints(row: Mapping[str, str], record: Mapping[str, Any]) -> list[str]:
    """What is wrong with a row: other settings than those estimated, no peak, or one outside of what was expected."""
    found = [
        f"{name}: {row[name]} was run, {value} was estimated"
        for name, value in record["row"].items()
        if name not in KNOWN_AFTERWARDS and row[name] != value
    ]
    if row["outcome"] != "finished":
        return [*found, f"the run {row['outcome']}, {record['expected']['peak_gib']['high']:.2f} GiB were expected"]
    if not row["peak"]:
        return [*found, "no peak was measured"]
    expected, peak = record["expected"]["peak_gib"], float(row["peak"])
    if (row["reading"], row["unit"]) != ("max-allocated", "GiB"):
        found.append(f"the peak is of {row['reading']} in {row['unit']}, the estimate of max-allocated in GiB")
    if not expected["low"] <= peak <= expected["high"]:
        found.append(f"{peak:.2f} GiB were measured, {expected['low']:.2f} to {expected['high']:.2f} were expected")
    if not row["tokens_per_sec_per_gpu"] or float(row["tokens_per_sec_per_gpu"]) <= 0:
        found.append("no speed was measured")
    return found
