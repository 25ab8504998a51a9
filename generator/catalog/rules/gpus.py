"""Memory, speed and links of GPUs: the order in which their values must stand, and which go together."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import cast

from generator.catalog.hints import did_you_mean
from generator.catalog.loading import Entry, Reading
from generator.catalog.records import Gpu, Policy
from generator.catalog.rules.registry import Found, rule
from generator.units import gib_from_mib

BANDS = ("cautious", "expected", "best")
SPEED_ROUNDING = 0.5
"""How far a speed may lie from its class, TFLOPS; above 50 TFLOPS, hundredths of it."""


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
        chain = [(f"sustained_tflops.{name}", getattr(speeds, name).value) for name in BANDS]
        dense = gpu.dense_tflops
        peak = [(_peak_field(gpu), dense.value)] if dense else []
        yield from _ascending(entry, (*chain, *peak), "TFLOPS")


def _peak_field(gpu: Gpu) -> str:
    return "bf16_dense_tflops" if gpu.bf16_dense_tflops else "fp16_dense_tflops"


@rule("dense-below-sparse")
def dense_below_sparse(reading: Reading) -> Iterator[Found]:
    """Structured sparsity makes no card slower: the dense peak is at most the sparse one."""
    for entry in reading.of("gpu"):
        gpu = cast("Gpu", entry.record)
        if gpu.bf16_dense_tflops and gpu.bf16_sparse_tflops:
            dense = ("bf16_dense_tflops", gpu.bf16_dense_tflops.value)
            sparse = ("bf16_sparse_tflops", gpu.bf16_sparse_tflops.value)
            yield from _ascending(entry, (dense, sparse), "TFLOPS")


@rule("sixteen-bit-peak")
def sixteen_bit_peak(reading: Reading) -> Iterator[Found]:
    """The dense peak is that of the format which the card trains in: bf16 where it has it, else fp16."""
    for entry in reading.of("gpu"):
        gpu = cast("Gpu", entry.record)
        if gpu.bf16.value and gpu.bf16_dense_tflops is None:
            yield Found(entry, "bf16", "expected bf16_dense_tflops beside it, found none: the card has bf16")
        if not gpu.bf16.value and gpu.bf16_dense_tflops is not None:
            yield Found(
                entry, "bf16_dense_tflops", "expected none, found one: the card has no bf16", "fp16_dense_tflops"
            )
        if not gpu.bf16.value and gpu.fp16_dense_tflops is None:
            yield Found(entry, "bf16", "expected fp16_dense_tflops beside it, found none: the card has no bf16")


@rule("nvlink-speed")
def nvlink_speed(reading: Reading) -> Iterator[Found]:
    """Only a card with NVLink has a bandwidth of it, and only over NVLink can `nvlink-only` transfers go."""
    for entry in reading.of("gpu"):
        gpu = cast("Gpu", entry.record)
        has_link = gpu.nvlink is not None and gpu.nvlink.value
        if gpu.nvlink_gb_per_s is not None and not has_link:
            yield Found(entry, "nvlink_gb_per_s", "expected `nvlink: true` beside it, found none")
        if gpu.p2p is not None and gpu.p2p.value == "nvlink-only" and not has_link:
            yield Found(entry, "p2p.value", "expected `nvlink: true` beside it, found `nvlink-only`")


@rule("speed-class")
def speed_class(reading: Reading) -> Iterator[Found]:
    """A card that names a speed class has the shares of its dense peak that the class says.

    While policy.yml has errors of its own, nobody knows the classes, and no card is blamed for that.
    """
    if not any(reading.of("policy")):
        return
    classes = {each.id: each for entry in reading.of("policy") for each in cast("Policy", entry.record).speed_classes}
    for entry in reading.of("gpu"):
        gpu = cast("Gpu", entry.record)
        named, dense = gpu.sustained_tflops.speed_class, gpu.dense_tflops
        if named is None or dense is None:
            continue
        if named not in classes:
            message = f"expected the id of a speed class of policy.yml, found `{named}`"
            yield Found(entry, "sustained_tflops.speed_class", message, did_you_mean(named, classes))
            continue
        for band in BANDS:
            share, found = getattr(classes[named], band), getattr(gpu.sustained_tflops, band).value
            expected = share * dense.value
            if abs(found - expected) > max(SPEED_ROUNDING, SPEED_ROUNDING * expected / 50):
                message = f"expected about {expected:.4g} TFLOPS ({share:g} of the dense peak), found {found:g}"
                yield Found(entry, f"sustained_tflops.{band}", message)
