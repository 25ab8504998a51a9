"""Plans that contradict themselves are refused, naming the field."""

from __future__ import annotations

from dataclasses import replace

import pytest

from generator.architecture import LORA_TARGETS, shape_of_size
from generator.errors import PlanError
from generator.estimate import Plan

FULL = Plan(model="x", shape=shape_of_size(1e9), gpu="g", n_gpus=4, method="full", sharding="fsdp2")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_gpus": 0}, "n_gpus: expected 1 or more, found 0"),
        ({"seq_len": -5}, "seq_len: expected 1 or more"),
        ({"precision": "fp7"}, "precision: expected one of bf16-mixed"),
        ({"quant": "nf4"}, "quant: expected none for method full"),
        ({"method": "qlora"}, "quant: expected nf4, nf4-dq, int8 or gptq-int4 for method qlora, found none"),
        ({"method": "lora"}, "lora_targets: expected at least one matrix"),
        ({"n_gpus": 1}, "sharding: expected none on one GPU"),
        ({"sharding": "none"}, "sharding: expected one of ddp"),
        (
            {"method": "lora", "lora_targets": LORA_TARGETS["q+v"], "cpu_offload": "optimizer"},
            "cpu_offload: expected none or all for method lora",
        ),
        (
            {"method": "lora", "lora_targets": LORA_TARGETS["q+v"], "lora_dropout": 1.0},
            "lora_dropout: expected a share below 1, found 1",
        ),
    ],
)
def test_refused(changes: dict[str, object], message: str) -> None:
    with pytest.raises(PlanError, match=message):
        replace(FULL, **changes)


def test_on_one_gpu_nothing_is_sharded() -> None:
    assert FULL.on(1).sharding == "none"
    assert FULL.on(8).sharding == "fsdp2"


def test_tokens_of_a_micro_step_are_all_its_sequences() -> None:
    assert replace(FULL, seq_len=1000, micro_batch=3).tokens == 3000
