"""Speed by hand: FLOPs, bytes over the link, and the slower of the two."""

from __future__ import annotations

from dataclasses import replace

import pytest

from generator.architecture import LORA_TARGETS, Architecture, count_parameters
from generator.estimate import Plan, estimate

SHAPE = Architecture(
    layers=32, hidden=4096, intermediate=14336, heads=32, kv_heads=8, head_dim=128, vocab=128_256, tied_embeddings=False
)
COUNTS = count_parameters(SHAPE)
FULL = Plan(
    model="8b", shape=SHAPE, gpu="rtx-6000-ada", n_gpus=4, method="full", sharding="fsdp2", fused_ce=True,
    bus_gb_per_s=22.0,
)  # fmt: skip


def test_compute_bound_speed_of_8b(catalog) -> None:
    flops_per_token = 6 * COUNTS.matmul + 6 * 32 * 4096 * 4096
    sustained = catalog.gpu("rtx-6000-ada").sustained_tflops.expected.value * 1e12
    result = estimate(catalog, FULL)
    assert result.bound == "compute"
    assert result.tokens_per_sec_per_gpu.expected == pytest.approx(sustained / flops_per_token)


def test_break_even_tokens_of_full_fine_tuning(catalog) -> None:
    # ring of 4: 3/4 of two gathers of 2 bytes and one reduction of 2 bytes per parameter
    link = 0.75 * 6 * COUNTS.total / 22e9
    result = estimate(catalog, FULL)
    compute = 4096 / result.tokens_per_sec_per_gpu.expected
    assert result.break_even_tokens == pytest.approx(4096 * link / compute)
    assert 2500 < result.break_even_tokens < 4096


def test_short_steps_are_bound_by_the_link(catalog) -> None:
    short = estimate(catalog, replace(FULL, seq_len=1024))
    assert short.bound == "link"
    speed = short.tokens_per_sec_per_gpu
    assert speed.expected == speed.high
    # The cautious speed counts on 0.55 of the stated bandwidth.
    assert speed.low == pytest.approx(0.55 * speed.expected)
    needed = short.quantities["needed_bytes_per_second"].value
    assert needed == pytest.approx(22e9 * short.break_even_tokens / 1024)
    assert short.needed_bus_gb_per_s == pytest.approx(needed / 1e9)
    enough = estimate(catalog, replace(FULL, seq_len=1024, bus_gb_per_s=needed / 1e9 * 1.01))
    assert enough.bound == "compute"


def test_without_a_stated_link_it_never_bounds(catalog) -> None:
    unknown = estimate(catalog, replace(FULL, bus_gb_per_s=None, seq_len=256))
    assert unknown.bound == "compute"
    assert unknown.break_even_tokens == 0


def test_qlora_sends_a_quarter_of_what_lora_sends(catalog) -> None:
    lora = replace(FULL, method="lora", lora_targets=LORA_TARGETS["all-linear"])
    qlora = replace(lora, method="qlora", quant="nf4-dq")
    of_lora, of_qlora = (estimate(catalog, one).quantities["gathered_bytes_per_step"].value for one in (lora, qlora))
    assert of_lora == pytest.approx(4 * COUNTS.total)
    assert of_qlora == pytest.approx(2 * (0.5 * COUNTS.linear + 2 * (COUNTS.total - COUNTS.linear)))


def test_seconds_are_tokens_over_speed(catalog) -> None:
    result = estimate(catalog, FULL)
    seconds = result.seconds_for(1e7)
    assert seconds.expected == pytest.approx(1e7 / (4 * result.tokens_per_sec_per_gpu.expected))
    assert seconds.low < seconds.expected < seconds.high


def test_time_with_offload_is_not_modelled(catalog) -> None:
    offloaded = estimate(catalog, replace(FULL, sharding="zero3", cpu_offload="optimizer"))
    assert offloaded.tokens_per_sec_per_gpu is None
    assert offloaded.seconds_for(1e7) is None


def test_accumulation_gathers_in_every_micro_step(catalog) -> None:
    once, eight = (
        estimate(catalog, replace(FULL, grad_accum=m, grad_sync="last")).quantities["sent_bytes_per_step"].value
        for m in (1, 8)
    )
    assert once == pytest.approx(0.75 * 6 * COUNTS.total)
    assert eight == pytest.approx(0.75 * (8 * 4 + 2) * COUNTS.total)


def test_a_quantised_base_is_unpacked_in_every_pass(catalog) -> None:
    lora = replace(FULL, method="lora", lora_targets=LORA_TARGETS["all-linear"], bus_gb_per_s=None)
    qlora = replace(lora, method="qlora", quant="nf4-dq")
    bandwidth = catalog.gpu("rtx-6000-ada").bandwidth_gb_per_s.value * 1e9
    one_pass = 2.5 * COUNTS.linear
    slower = [4096 / estimate(catalog, plan).tokens_per_sec_per_gpu.expected for plan in (lora, qlora)]
    assert slower[1] - slower[0] == pytest.approx(3 * one_pass / (0.17 * bandwidth))
    stored = estimate(catalog, replace(qlora, grad_checkpointing=False))
    assert stored.quantities["dequantized_bytes_per_step"].value == pytest.approx(2 * one_pass)
    assert estimate(catalog, lora).quantities["dequantized_bytes_per_step"].value == 0


def test_the_cautious_speed_of_few_tokens_is_that_of_launching_kernels(catalog) -> None:
    few = estimate(catalog, replace(FULL, seq_len=16, bus_gb_per_s=None)).tokens_per_sec_per_gpu
    assert few.low == pytest.approx(16 / (32 * 0.005))
    assert few.expected > few.low


def test_at_the_break_even_of_qlora_the_link_takes_as_long_as_computing_with_unpacking(catalog) -> None:
    qlora = replace(FULL, method="qlora", quant="nf4-dq", lora_targets=LORA_TARGETS["all-linear"], bus_gb_per_s=2)
    one, two = (estimate(catalog, replace(qlora, micro_batch=examples)).quantities for examples in (1, 2))
    per_example = two["compute_seconds"].value - one["compute_seconds"].value
    examples = one["break_even_tokens"].value / one["tokens"].value
    assert one["dequantization_seconds"].value > 0
    reached = one["compute_seconds"].value + (examples - 1) * per_example
    assert one["link_seconds"].value == pytest.approx(reached)


def test_where_unpacking_alone_outlasts_the_link_no_tokens_are_needed(catalog) -> None:
    qlora = replace(FULL, method="qlora", quant="nf4-dq", lora_targets=LORA_TARGETS["all-linear"], bus_gb_per_s=1000)
    assert estimate(catalog, qlora).break_even_tokens == 0


def test_what_is_not_given_back_after_forward_is_gathered_once(catalog) -> None:
    twice, once = (estimate(catalog, replace(FULL, reshard=reshard)).quantities for reshard in (True, False))
    assert twice["gathered_bytes_per_step"].value == 2 * once["gathered_bytes_per_step"].value
