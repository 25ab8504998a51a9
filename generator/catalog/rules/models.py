"""Shapes and parameter counts of models."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from generator.architecture import count_parameters
from generator.catalog.loading import Reading
from generator.catalog.records import Model
from generator.catalog.rules.registry import Found, rule
from generator.units import billions

ROUNDING = 0.05
"""How far a vendor's round figure may be from the count without a reason."""


@rule("kv-heads-divide")
def kv_heads_divide(reading: Reading) -> Iterator[Found]:
    """Each key-value head serves the same number of query heads."""
    for entry in reading.of("model"):
        architecture = cast("Model", entry.record).architecture
        if architecture.kv_heads is None:
            continue
        heads, kv_heads = architecture.heads.value, architecture.kv_heads.value
        if heads % kv_heads:
            message = f"expected a divisor of the {heads} heads, found {kv_heads}"
            yield Found(entry, "architecture.kv_heads", message)


@rule("exact-count")
def exact_count(reading: Reading) -> Iterator[Found]:
    """The recorded number of parameters is the one that the architecture gives."""
    for entry in reading.of("model"):
        model = cast("Model", entry.record)
        computed = count_parameters(model.architecture.shape()).total
        recorded = model.parameters.exact.value
        if computed != recorded:
            message = f"expected {computed:,}, as the architecture gives, found {recorded:,} ({recorded - computed:+,})"
            hint = "one of the dimensions under `architecture` is wrong, or this number is"
            yield Found(entry, "parameters.exact.value", message, hint)


@rule("stated-count")
def stated_count(reading: Reading) -> Iterator[Found]:
    """The vendor's round figure is near the count, with or without the tower, or somebody says why not."""
    for entry in reading.of("model"):
        model = cast("Model", entry.record)
        stated = model.parameters.stated_billions
        if stated is None or stated.reason is not None or stated.conflicts:
            continue
        counts = count_parameters(model.architecture.shape())
        if all(abs(billions(count) / stated.value - 1) > ROUNDING for count in (counts.total, counts.text)):
            message = f"expected about {billions(counts.total):.2f}, as the architecture gives, found {stated.value:g}"
            yield Found(entry, "parameters.stated_billions.value", message, "say why in `reason`")
