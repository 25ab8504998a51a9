"""Quantities lie where such quantities lie: a slip of a digit or a unit is far outside."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterator, Mapping
from typing import cast

from pydantic import BaseModel

from generator.catalog.fields import Cited
from generator.catalog.loading import Kind, Reading
from generator.catalog.records import Gpu, Model, Rig
from generator.catalog.rules.registry import Found, rule
from generator.units import gib_from_mib

BOUNDS: Mapping[Kind, Mapping[str, tuple[float, float, str]]] = {
    "gpu": {
        "memory_label_gib": (1, 1024, "GiB"),
        "bandwidth_gb_per_s": (10, 100_000, "GB/s"),
        "usable_mib.*": (512, 1_048_576, "MiB"),
        "framework_visible_gib.*": (0.5, 1024, "GiB"),
        "*_dense_tflops": (1, 20_000, "TFLOPS"),
        "bf16_sparse_tflops": (1, 40_000, "TFLOPS"),
        "sustained_tflops.*": (0.1, 20_000, "TFLOPS"),
        "tdp_w": (5, 5000, "W"),
        "nvlink_gb_per_s": (1, 10_000, "GB/s"),
        "*_price_usd": (10, 1_000_000, "USD"),
    },
    "rig": {
        "count": (1, 1024, "GPUs"),
        "host_memory_gib": (1, 65_536, "GiB"),
        "interconnect.bus_gb_per_s": (0.1, 10_000, "GB/s"),
    },
    "model": {
        "architecture.layers": (1, 2000, "layers"),
        "architecture.hidden": (8, 1_000_000, "features"),
        "architecture.intermediate": (8, 10_000_000, "features"),
        "architecture.heads": (1, 10_000, "heads"),
        "architecture.head_dim": (1, 100_000, "features"),
        "architecture.vocab": (2, 10_000_000, "tokens"),
        "architecture.tower_parameters": (0, 1e12, "parameters"),
        "parameters.stated_billions": (0.0001, 100_000, "billions"),
        "context_tokens": (16, 1e9, "tokens"),
    },
    "policy": {
        "workload.seq_len": (16, 1e8, "tokens"),
        "workload.micro_batch": (1, 10_000, "sequences"),
        "workload.grad_accum": (1, 1e6, "micro-steps"),
        "workload.lora_rank": (1, 10_000, ""),
        "workload.grad_accum_variant": (1, 1e6, "micro-steps"),
        "workload.context_variants.*": (16, 1e8, "tokens"),
        "*_ratio": (0.01, 1, ""),
        "link_*_below": (0.01, 1000, ""),
        "pretrain_tokens_per_parameter": (0.1, 1e6, "tokens"),
        "pretrain_*_days": (0.01, 100_000, "days"),
        "finetune_tokens": (1000, 1e15, "tokens"),
        "finetune_*_hours": (0.01, 1e6, "hours"),
        "fresh_days": (1, 100_000, "days"),
        "pretraining_sizes_billions.*": (0.001, 100_000, "billions"),
        "size_classes.*.below_billions": (0.001, 1e6, "billions"),
        "speed_classes.*": (0.001, 1, ""),
    },
    "constants": {
        "constants.adapter-time-factor.value": (0.01, 100, ""),
        "constants.overhead-gib-*.value": (0, 100, ""),
        "constants.error-*.value": (0, 1, ""),
        "constants.*-bytes*.value": (0, 10_000, ""),
        "constants.*.value": (0, 1e12, ""),
    },
}
"""By kind of file: pattern of a dotted path → smallest and largest value, and their unit. The first match counts."""

UNITS_PRINTED = ("GB/s", "GiB", "MiB", "TFLOPS")
"""Units of quantities that sources print in others too."""
LONG = 1e12
LEAST_VISIBLE = 0.5
"""Share of the memory that the driver reports which a framework sees at least."""


@rule("plausible")
def plausible(reading: Reading) -> Iterator[Found]:
    """Every quantity lies within the bounds of its kind."""
    for kind, bounds in BOUNDS.items():
        for entry in reading.of(kind):
            for path, value in _numbers(entry.record, ""):
                pattern = next((each for each in bounds if fnmatch.fnmatchcase(path, each)), None)
                if pattern is None:
                    continue
                low, high, unit = bounds[pattern]
                if not low <= value <= high:
                    node = entry.document.root.find(path)
                    field = f"{path}.value" if node.items and "value" in node.items else path
                    shown = f"from {_shown(low)} to {_shown(high)} {unit}".rstrip()
                    hint = f"the number is in {unit}" if unit in UNITS_PRINTED else ""
                    yield Found(entry, field, f"expected {shown}, found {_shown(value)}", hint)


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value == int(value) and abs(value) < LONG else f"{value:g}"


def _numbers(value: object, path: str) -> Iterator[tuple[str, float]]:
    """Dotted path and value of every number in a record; cited and reasoned ones without their `value`."""
    if isinstance(value, bool):
        return
    if isinstance(value, int | float):
        yield path, float(value)
    elif isinstance(value, Cited):
        yield from _numbers(value.value, path)
    elif isinstance(value, BaseModel):
        fields = type(value).model_fields
        if "value" in fields and "unit" not in fields:
            yield from _numbers(getattr(value, "value"), path)  # noqa: B009 - of any record that has one
            return
        for name in fields:
            yield from _numbers(getattr(value, name), f"{path}.{name}".lstrip("."))
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _numbers(item, f"{path}.{key}".lstrip("."))
    elif isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from _numbers(item, f"{path}.{index}")


@rule("framework-sees-most")
def framework_sees_most(reading: Reading) -> Iterator[Found]:
    """A framework sees at least half of what the driver reports."""
    for entry in reading.of("gpu"):
        gpu = cast("Gpu", entry.record)
        for ecc in ("on", "off"):
            driver = gib_from_mib(getattr(gpu.usable_mib, ecc).value)
            visible = getattr(gpu.framework_visible_gib, ecc).value
            if visible < LEAST_VISIBLE * driver:
                message = f"expected at least half of {driver:.6g} GiB (usable_mib.{ecc}), found {visible:g} GiB"
                yield Found(entry, f"framework_visible_gib.{ecc}.value", message)


@rule("rig-id-counts")
def rig_id_counts(reading: Reading) -> Iterator[Found]:
    """A rig called `4x-…` has four cards."""
    for entry in reading.of("rig"):
        rig = cast("Rig", entry.record)
        named = re.match(r"(\d{1,9})x-", entry.id)
        if named and int(named[1]) != rig.count:
            yield Found(entry, "count", f"expected {int(named[1])}, as the id says, found {rig.count}")


@rule("unique-findings")
def unique_findings(reading: Reading) -> Iterator[Found]:
    """Findings of a rig have ids of their own."""
    for entry in reading.of("rig"):
        seen: set[str] = set()
        for index, finding in enumerate(cast("Rig", entry.record).findings):
            if finding.id in seen:
                yield Found(entry, f"findings.{index}.id", f"expected an id of its own, found `{finding.id}` again")
            seen.add(finding.id)


@rule("hugging-face-ids")
def hugging_face_ids(reading: Reading) -> Iterator[Found]:
    """A Hugging Face id is an owner and a name."""
    for entry in reading.of("model"):
        for index, name in enumerate(cast("Model", entry.record).hugging_face):
            if not re.fullmatch(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", name, re.ASCII):
                yield Found(entry, f"hugging_face.{index}", f"expected `owner/name`, found `{name}`")
