"""The numbers that the formulas start from: of the model, of the plan, of the constants, of the card and its link."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from generator.catalog.records import Constants, Gpu
from generator.estimate.layers import adapter_numbers, model_numbers
from generator.estimate.plan import CHOICES, Plan
from generator.units import BYTES_PER_GB, FLOPS_PER_TFLOPS

Kind = Literal["model", "plan", "constant", "gpu", "rig"]
"""What a number comes from."""

PLAN_NUMBERS = ("n_gpus", "seq_len", "micro_batch", "grad_accum", "lora_rank", "lora_dropout")
PLAN_ANSWERS = (
    "grad_checkpointing", "fused_ce", "compiled", "train_embeddings", "reshard", "kbit_preparation",
    "shifted_logits", "chunked_ce", "whole_copy", "load_on_card", "matmul_keeps_input", "fabric_quantization",
    "fp32_logits", "keeps_last_step",
)  # fmt: skip
"""Yes or no; `compiled` is the plan's `compile`, which is a builtin's name."""


def name_of(identifier: str) -> str:
    """An id of data/ or a choice of a plan as the name of a quantity."""
    return identifier.replace("-", "_")


FLAGS: Mapping[str, Mapping[str, str]] = {
    field: {choice: f"{field}_{name_of(choice)}" for choice in choices} for field, choices in CHOICES.items()
}
"""Field of a plan → its choices → the name of the flag."""

NO_FLAGS: Mapping[str, float] = {flag: 0.0 for flags in FLAGS.values() for flag in flags.values()}


def plan_numbers(plan: Plan) -> dict[str, float]:
    """Numbers and flags of a plan: a choice is 1 under `<field>_<choice>` and 0 under the field's other choices."""
    numbers = dict(NO_FLAGS)
    for field, flags in FLAGS.items():
        numbers[flags[getattr(plan, field)]] = 1.0
    for name in (*PLAN_NUMBERS, *PLAN_ANSWERS):
        numbers[name] = float(getattr(plan, "compile" if name == "compiled" else name))
    return numbers


def card_numbers(gpu: Gpu) -> dict[str, float]:
    """Sustained speed of a card, FLOPs per second, and the bandwidth of its memory, bytes per second."""
    return {
        "memory_bytes_per_second": gpu.bandwidth_gb_per_s.value * BYTES_PER_GB,
        "sustained_flops_cautious": gpu.sustained_tflops.cautious.value * FLOPS_PER_TFLOPS,
        "sustained_flops": gpu.sustained_tflops.expected.value * FLOPS_PER_TFLOPS,
        "sustained_flops_best": gpu.sustained_tflops.best.value * FLOPS_PER_TFLOPS,
    }


def link_numbers(bus_gb_per_s: float | None) -> dict[str, float]:
    """Bandwidth of the link, bytes per second; 0 where nobody stated it."""
    return {"bus_bytes_per_second": (bus_gb_per_s or 0.0) * BYTES_PER_GB}


def _groups(plan: Plan, constants: Constants, gpu: Gpu | None) -> Iterator[tuple[Kind, Mapping[str, float]]]:
    targets = plan.lora_targets if plan.trains_adapters else ()
    yield "model", model_numbers(plan.shape)
    yield "model", adapter_numbers(plan.shape, plan.lora_rank, targets)
    yield "plan", plan_numbers(plan)
    yield "constant", constants.numbers
    if gpu:
        yield "gpu", card_numbers(gpu)
    yield "rig", link_numbers(plan.bus_gb_per_s)


def inputs_of(plan: Plan, constants: Constants, gpu: Gpu | None = None) -> dict[str, float]:
    """Numeric inputs of the formulas. Without a GPU they suffice for memory, not for time."""
    inputs: dict[str, float] = {}
    for _, group in _groups(plan, constants, gpu):
        inputs |= group
    return inputs


def kinds_of(plan: Plan, constants: Constants, gpu: Gpu) -> dict[str, Kind]:
    """What each input comes from."""
    return {name: kind for kind, group in _groups(plan, constants, gpu) for name in group}
