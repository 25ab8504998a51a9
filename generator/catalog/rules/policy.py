"""Thresholds and size classes."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import cast

from generator.catalog.loading import Reading
from generator.catalog.records import Policy
from generator.catalog.rules.registry import Found, rule

STRICTLY_BELOW = (
    ("comfortable_ratio", "borderline_ratio"),
    ("link_bound_below", "link_note_below"),
    ("pretrain_comfortable_days", "pretrain_borderline_days"),
    ("finetune_comfortable_hours", "finetune_borderline_hours"),
)
"""Pairs of which the first must be smaller."""


@rule("thresholds")
def thresholds(reading: Reading) -> Iterator[Found]:
    """The comfortable line comes before the borderline one, and no memory is filled above 100 %."""
    for entry in reading.of("policy"):
        policy = cast("Policy", entry.record)
        for lower, upper in STRICTLY_BELOW:
            value, limit = getattr(policy, lower).value, getattr(policy, upper).value
            if value >= limit:
                yield Found(entry, f"{lower}.value", f"expected less than {upper} ({limit:g}), found {value:g}")
        if policy.compromise_ratio.value > policy.borderline_ratio.value:
            value, limit = policy.compromise_ratio.value, policy.borderline_ratio.value
            message = f"expected at most borderline_ratio ({limit:g}), found {value:g}"
            yield Found(entry, "compromise_ratio.value", message)
        for name in ("borderline_ratio", "compromise_ratio", "headline_share"):
            value = getattr(policy, name).value
            if value > 1:
                yield Found(entry, f"{name}.value", f"expected a share of at most 1, found {value:g}")


@rule("whole-numbers")
def whole_numbers(reading: Reading) -> Iterator[Found]:
    """Tokens, micro-batches and ranks are whole."""
    for entry in reading.of("policy"):
        workload = cast("Policy", entry.record).workload
        for name in ("seq_len", "micro_batch", "grad_accum", "lora_rank"):
            value = getattr(workload, name).value
            if value != int(value):
                yield Found(entry, f"workload.{name}.value", f"expected a whole number, found {value:g}")


@rule("size-classes")
def size_classes(reading: Reading) -> Iterator[Found]:
    """Size classes ascend without holes, and only the last one is open."""
    for entry in reading.of("policy"):
        classes = cast("Policy", entry.record).size_classes
        below = 0.0
        for index, size in enumerate(classes):
            field, last = f"size_classes.{index}.below_billions", index == len(classes) - 1
            if last != (size.below_billions is None):
                expected = "nothing, since the last class is open" if last else "a number: only the last class is open"
                yield Found(entry, field, f"expected {expected}; found {size.below_billions or 'nothing'}")
            elif size.below_billions is not None:
                if size.below_billions <= below:
                    yield Found(entry, field, f"expected more than {below:g}, found {size.below_billions:g}")
                below = size.below_billions
            if size.id in {other.id for other in classes[:index]}:
                yield Found(entry, f"size_classes.{index}.id", f"expected an id of its own, found `{size.id}` again")


@rule("ascending-lists")
def ascending_lists(reading: Reading) -> Iterator[Found]:
    """Context lengths and sizes to pretrain ascend, each once."""
    for entry in reading.of("policy"):
        policy = cast("Policy", entry.record)
        lists = {
            "workload.context_variants": policy.workload.context_variants,
            "pretraining_sizes_billions": policy.pretraining_sizes_billions,
        }
        for field, values in lists.items():
            for index, (before, after) in enumerate(itertools.pairwise(values), start=1):
                if after <= before:
                    yield Found(entry, f"{field}.{index}", f"expected more than {before:g}, found {after:g}")
