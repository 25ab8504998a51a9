"""Memory and speed of GPUs, and the order in which their values must stand."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import cast

from generator.catalog.loading import Entry, Reading
from generator.catalog.records import Gpu
from generator.catalog.rules.registry import Found, rule
from generator.units import gib_from_mib


def _ascending(entry: Entry, chain: Sequence[tuple[str, float]], unit: str) -> Iterator[Found]:
    """A finding for each value that is above the next one of the chain."""
    for (field, value), (above, limit) in itertools.pairwise(chain):
        if value > limit:
            message = f"expected at most {limit:.6g} {unit} ({above}), found {value:.6g} {unit}"
            yield Found(entry, f"{field}.value" if entry.document.root.find(field).items else field, message)


@rule("memory-order")
def memory_order(reading: Reading) -> Iterator[Found]:
    """Usable memory with ECC on ≤ off ≤ label, and the framework sees no more than the driver reports."""
    for entry in reading.of("gpu"):
        gpu = cast("Gpu", entry.record)
        on = ("usable_mib.on", gib_from_mib(gpu.usable_mib.on.value))
        off = ("usable_mib.off", gib_from_mib(gpu.usable_mib.off.value))
        label = ("memory_label_gib", gpu.memory_label_gib.value)
        yield from _ascending(entry, (on, off, label), "GiB")
        visible = gpu.framework_visible_gib
        yield from _ascending(entry, (("framework_visible_gib.on", visible.on.value), on), "GiB")
        yield from _ascending(entry, (("framework_visible_gib.off", visible.off.value), off), "GiB")


@rule("sustained-order")
def sustained_order(reading: Reading) -> Iterator[Found]:
    """Sustained speed: cautious ≤ expected ≤ best ≤ dense peak."""
    for entry in reading.of("gpu"):
        gpu = cast("Gpu", entry.record)
        speeds = gpu.sustained_tflops
        chain = [(f"sustained_tflops.{name}", getattr(speeds, name).value) for name in ("cautious", "expected", "best")]
        yield from _ascending(entry, (*chain, ("bf16_dense_tflops", gpu.bf16_dense_tflops.value)), "TFLOPS")
