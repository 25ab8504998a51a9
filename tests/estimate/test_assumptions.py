"""What a plan takes for granted, one reason at a time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from generator.architecture import Architecture
from generator.estimate.assumptions import assumptions_of
from generator.estimate.plan import Plan

SHAPE = Architecture(
    layers=2, hidden=64, intermediate=128, heads=4, kv_heads=2, head_dim=16, vocab=100, tied_embeddings=False
)
ONE = Plan(model="small", shape=SHAPE, gpu="card", n_gpus=1, method="full")
ALWAYS = ("full-length-sequences", "expandable-segments")


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ({}, ()),
        ({"bus_gb_per_s": 20.0}, ()),
        ({"n_gpus": 2, "sharding": "ddp"}, ("link-not-stated",)),
        ({"n_gpus": 2, "sharding": "ddp", "bus_gb_per_s": 20.0}, ("overlap",)),
        ({"method": "lora", "lora_targets": ("q_proj",)}, ()),
        ({"n_gpus": 2, "sharding": "fsdp2"}, ("link-not-stated",)),
        (
            {"n_gpus": 2, "sharding": "fsdp2", "method": "lora", "lora_targets": ("q_proj",)},
            ("link-not-stated", "sharded-adapters-as-fsdp1"),
        ),
        ({"n_gpus": 2, "sharding": "zero3", "cpu_offload": "optimizer"}, ("link-not-stated", "offload-speed-unknown")),
        ({"shape": replace(SHAPE, tower_parameters=1)}, ("frozen-tower",)),
    ],
)
def test_each_assumption_stands_where_it_matters(changes: dict[str, object], found: tuple[str, ...]) -> None:
    assert assumptions_of(replace(ONE, **changes)) == (*ALWAYS, *found)
