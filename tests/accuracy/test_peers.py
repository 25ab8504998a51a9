"""Formulas of others on Llama 3.1 8B: every figure can be redone with a pocket calculator."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from generator.architecture import Architecture, count_parameters
from generator.estimate.accuracy import Comparison
from generator.estimate.peers import (
    accelerate,
    deepspeed_zero3,
    eleuther,
    llama_factory,
    ml_engineering,
    peer_scores,
    zero_paper,
)
from generator.estimate.plan import Plan
from generator.estimate.results import Band

SHAPE = Architecture(
    layers=32, hidden=4096, intermediate=14336, heads=32, kv_heads=8, head_dim=128, vocab=128_256, tied_embeddings=False
)
COUNTS = count_parameters(SHAPE)
P = 8_030_261_248
"""The published number of parameters of Llama 3.1 8B."""
ONE = Plan(model="8b", shape=SHAPE, gpu="card", n_gpus=1, method="full", seq_len=1000)
FOUR = replace(ONE, n_gpus=4, sharding="fsdp2")
COPIES = replace(ONE, n_gpus=4, sharding="ddp")
LORA = replace(ONE, method="lora", lora_targets=("q_proj",))
QLORA = replace(LORA, method="qlora", quant="nf4")


def exactly(value: float) -> object:
    return pytest.approx(value, rel=1e-12)


def test_the_shape_has_the_published_number_of_parameters() -> None:
    assert COUNTS.total == P


def test_zero_divides_16_bytes_only_where_something_is_sharded() -> None:
    assert zero_paper(ONE, COUNTS) == exactly(128_484_179_968)  # 16 P
    assert zero_paper(COPIES, COUNTS) == exactly(128_484_179_968)
    assert zero_paper(FOUR, COUNTS) == exactly(32_121_044_992)  # 4 P


@pytest.mark.parametrize("formula", [zero_paper, ml_engineering, deepspeed_zero3, eleuther])
@pytest.mark.parametrize(
    "other",
    [
        replace(LORA, n_gpus=4, sharding="fsdp2"),
        replace(FOUR, precision="bf16-pure"),
        replace(FOUR, optimizer="adamw-8bit"),
    ],
)
def test_what_speaks_of_mixed_precision_with_adamw_says_nothing_else(formula, other: Plan) -> None:
    assert formula(FOUR, COUNTS) is not None
    assert formula(replace(FOUR, method="pretrain"), COUNTS) == formula(FOUR, COUNTS)
    assert formula(other, COUNTS) is None


def test_ml_engineering_adds_a_checkpoint_of_each_block() -> None:
    # 18 P ÷ 4 = 36 136 175 616; 2 bytes × 4096 × 32 layers × 1000 tokens = 262 144 000
    assert ml_engineering(FOUR, COUNTS) == exactly(36_136_175_616 + 262_144_000)
    assert ml_engineering(replace(FOUR, grad_checkpointing=False), COUNTS) is None


def test_deepspeed_gathers_the_largest_layer() -> None:
    # the embedding, 128 256 × 4096 = 525 336 576, is the largest
    assert deepspeed_zero3(FOUR, COUNTS) == exactly(4 * 525_336_576 + 36_136_175_616)
    assert deepspeed_zero3(ONE, COUNTS) is None


@pytest.mark.parametrize(
    ("plan", "bytes_per_parameter"),
    [
        (ONE, 18),
        (replace(ONE, method="pretrain"), 18),
        (replace(ONE, precision="bf16-pure"), 8),
        (LORA, 2),
        (replace(QLORA, quant="int8"), 1),
        (QLORA, 0.5),
        (FOUR, 4.5),
    ],
)
def test_llama_factory_by_its_table(plan: Plan, bytes_per_parameter: float) -> None:
    assert llama_factory(plan, COUNTS) == exactly(bytes_per_parameter * P)


def test_accelerate_takes_the_weights_four_times() -> None:
    assert accelerate(ONE, COUNTS) == exactly(8 * P)
    assert accelerate(replace(ONE, precision="fp32"), COUNTS) == exactly(16 * P)
    assert accelerate(FOUR, COUNTS) == exactly(2 * P)
    assert accelerate(LORA, COUNTS) is None


def test_eleuther_adds_activations_and_buffers() -> None:
    # 34 bytes × 1000 tokens × 4096 × 32 layers = 4 456 448 000; buffers of 2 × (0.5 + 1) billion where sharded
    assert eleuther(ONE, COUNTS) == exactly(18 * P + 4_456_448_000)
    two = replace(FOUR, n_gpus=2)
    assert eleuther(two, COUNTS) == exactly(9 * P + 3_000_000_000 + 4_456_448_000)
    # scores without checkpointing: 5 × 32 heads × 1000² pairs × 32 layers
    stored = replace(ONE, grad_checkpointing=False)
    assert eleuther(stored, COUNTS) == exactly(18 * P + 4_456_448_000 + 5_120_000_000)


def run(plan: Plan, measured: float | None, expected: float, reading: str = "max-allocated") -> Comparison:
    row = SimpleNamespace(method=plan.method, reading=reading, peak_gib=measured)
    return Comparison(SimpleNamespace(settings=row), plan, Band(0, expected, 0), None, None, None)  # type: ignore[arg-type]


def test_scores_by_hand() -> None:
    bf16 = 2 * P / 2**30
    rows = [
        run(LORA, bf16, 1.3 * bf16),  # the table is exact, ours 30 % too high
        run(LORA, bf16 / 1.5, 0.9 * bf16 / 1.5),  # + 50 %, ours − 10 %
        run(LORA, bf16 / 0.8, 0.8 * bf16 / 0.8),  # − 20 %, ours − 20 %
        run(LORA, bf16 / 9, bf16, "nvidia-smi"),
        run(LORA, None, bf16),
    ]
    (found,) = peer_scores(rows)
    assert (found.peer, found.method, found.runs, found.too_low) == ("llama-factory", "lora", 3, 1)
    assert found.median == pytest.approx(0)
    assert found.median_absolute == pytest.approx(0.2)
    assert found.ninetieth_percentile == pytest.approx(0.44)  # 0.8 of the way from 0.2 to 0.5
    assert found.own_median_absolute == pytest.approx(0.2)


def test_scores_stand_by_method_then_by_formula() -> None:
    found = peer_scores([run(LORA, 20, 20), run(FOUR, 40, 40)])
    assert [(each.method, each.peer) for each in found] == [
        ("full", "zero-paper"),
        ("full", "ml-engineering"),
        ("full", "deepspeed"),
        ("full", "llama-factory"),
        ("full", "accelerate"),
        ("full", "eleuther"),
        ("lora", "llama-factory"),
    ]
