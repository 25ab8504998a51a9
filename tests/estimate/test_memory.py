"""Memory of small plans that can be added up by hand, and what must hold for every plan."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.architecture import LORA_TARGETS, Architecture, count_parameters
from generator.estimate import Plan, estimate
from generator.estimate.inputs import FLAGS, card_numbers, link_numbers
from generator.estimate.run import ALL, BEFORE_TIME, peak_gib
from generator.estimate.steps import outside

GIB = 2**30
SHAPE = Architecture(
    layers=32, hidden=4096, intermediate=14336, heads=32, kv_heads=8, head_dim=128, vocab=128_256, tied_embeddings=False
)
"""Llama 3.1 8B."""
P = count_parameters(SHAPE).total
ROOT = 128_256 * 4096


def plan(**changes: object) -> Plan:
    base = Plan(model="8b", shape=SHAPE, gpu="rtx-6000-ada", n_gpus=4, method="full", sharding="fsdp2", fused_ce=True)
    return replace(base, **changes)


def adapters(**changes: object) -> Plan:
    return plan(method="lora", lora_targets=LORA_TARGETS["all-linear"], **changes)


def test_states_of_full_fine_tuning_are_16_bytes_over_n(catalog) -> None:
    # 4 weights + 8 states + 4 gradients; nothing transient with a fused optimizer
    step = sum(estimate(catalog, plan()).phases_gib["optimizer-step"].values())
    assert step == pytest.approx(16 * P / 4 / GIB)


def test_foreach_adds_four_bytes_per_parameter(catalog) -> None:
    step = sum(estimate(catalog, plan(optimizer_impl="foreach")).phases_gib["optimizer-step"].values())
    assert step == pytest.approx(20 * P / 4 / GIB)


def test_pure_bf16_is_eight_bytes(catalog) -> None:
    pure = plan(precision="bf16-pure", optimizer="adamw-bf16")
    assert sum(estimate(catalog, pure).phases_gib["optimizer-step"].values()) == pytest.approx(8 * P / 4 / GIB)


def test_eight_bit_states_keep_the_embedding_in_fp32(catalog) -> None:
    eight_bit = plan(precision="bf16-pure", optimizer="adamw-8bit")
    states = estimate(catalog, eight_bit).phases_gib["optimizer-step"]["optimizer-states"]
    assert states == pytest.approx((2.03 * (P - ROOT) + 8 * ROOT) / 4 / GIB)


def test_root_reduce_of_an_8b_model_by_hand(catalog) -> None:
    # 12 P/4 resident, 4 (P − root)/4 gradients, and 2 + 4 bytes for embedding and head with fp32 reduction
    root = 2 * ROOT + 4096
    phases = estimate(catalog, plan(root_wrap="root", reduce_dtype="fp32")).phases_gib
    by_hand = (12 * P / 4 + 4 * (P - root) / 4 + 6 * root) / GIB
    assert sum(phases["root-reduce"].values()) == pytest.approx(by_hand)
    assert by_hand == pytest.approx(34.8, abs=0.05)


def test_offload_moves_states_to_the_host(catalog) -> None:
    offloaded = estimate(catalog, plan(sharding="zero3", cpu_offload="optimizer"))
    # gradients leave for the host as well: 2 bytes per parameter stay
    assert {"optimizer-states", "held-gradients"}.isdisjoint(offloaded.phases_gib["optimizer-step"])
    assert offloaded.phases_gib["optimizer-step"]["weights"] == pytest.approx(2 * P / 4 / GIB)
    assert offloaded.host_ram_gib == pytest.approx(16 * P / GIB)


def test_lora_base_is_two_bytes_and_the_adapters_sixteen(catalog) -> None:
    result = estimate(catalog, adapters(sharding="ddp"))
    assert result.parameters_trainable == 41_943_040
    resident = result.phases_gib["backward-start"]
    assert resident["weights"] == pytest.approx((2 * P + 4 * 41_943_040) / GIB)
    assert resident["optimizer-states"] == pytest.approx(8 * 41_943_040 / GIB)


def test_qlora_base_is_half_a_byte_and_its_scales_are_not_sharded(catalog) -> None:
    linear = count_parameters(SHAPE).linear
    quantised = replace(adapters(), method="qlora", quant="nf4-dq")
    terms = estimate(catalog, quantised).phases_gib["backward-start"]
    assert terms["quantization-constants"] == pytest.approx(0.0159 * linear / GIB)
    assert terms["weights"] == pytest.approx((0.5 * linear + 2 * (P - linear) + 4 * 41_943_040) / 4 / GIB)


def test_logits_of_the_plain_loss(catalog) -> None:
    # 12 bytes × 4,096 tokens × 128,256 entries; a shifted copy of fp32 logits is two bytes more at the peak
    logits = estimate(catalog, plan(fused_ce=False)).phases_gib["forward-end"]["logits"]
    assert logits == pytest.approx(12 * 4096 * 128_256 / GIB)
    shifted = estimate(catalog, plan(fused_ce=False, shifted_logits=True)).phases_gib["forward-end"]["logits"]
    assert shifted == pytest.approx(14 * 4096 * 128_256 / GIB)


def test_a_step_of_qlora_in_litgpt_of_2024(catalog) -> None:
    """Llama 3 8B, two examples of 512 tokens, LoRA on q and v: 17.41 GB were measured (config_hub/finetune)."""
    run = replace(
        adapters(), method="qlora", n_gpus=1, sharding="none", quant="nf4", precision="bf16-pure", adapter_dtype="bf16",
        optimizer="paged-adamw-8bit", seq_len=512, micro_batch=2, grad_checkpointing=False, lora_rank=32,
        lora_targets=("q_proj", "v_proj"), lora_dropout=0.05, fused_ce=False, chunked_ce=True, matmul_keeps_input=True,
        fabric_quantization=True, fp32_logits=True, keeps_last_step=True,
    )  # fmt: skip
    result = estimate(catalog, run)
    end = result.phases_gib["forward-end"]
    logits, head = 1024 * 128_256, 128_256 * 4096
    # logits and log-softmax in fp32 at the loss; before it the 16-bit logits, the fp32 ones of the step before, the
    # head in fp16 and bf16, and all inputs of the step before: of each layer two norms, attention, the MLP's product
    inputs = 32 * (2 * 4096 + 4096 + 14_336)
    assert end["logits"] == pytest.approx(8 * logits / GIB)
    assert end["beside-logits"] == pytest.approx(
        (2 * logits + 4 * logits + 4 * head + 2 * 1024 * inputs - 8 * logits) / GIB
    )
    linear = count_parameters(SHAPE).linear
    assert end["quantization-constants"] == pytest.approx(0.0625 * (linear + head) / GIB)
    assert end["weights"] == pytest.approx(
        (0.5 * (linear + head) + 2 * (P - linear - head) + 2 * result.parameters_trainable) / GIB
    )
    assert result.peak_phase == "forward-end"
    assert result.peak_gib.expected == pytest.approx(17.41e9 / GIB, rel=0.05)


def test_unsharded_accumulation_costs_whole_gradients(catalog) -> None:
    each = estimate(catalog, plan(grad_accum=8))
    last = estimate(catalog, plan(grad_accum=8, grad_sync="last"))
    assert each.phases_gib["forward-end"]["accumulated-gradients"] == pytest.approx(4 * P / 4 / GIB)
    assert last.phases_gib["forward-end"]["accumulated-gradients"] == pytest.approx(2 * P / GIB)
    assert each.fits == "yes"
    assert last.fits == "tight"
    # kept in the type in which FSDP2 reduces; FSDP1 keeps them as it trains
    in_fp32 = estimate(catalog, plan(grad_accum=8, grad_sync="last", reduce_dtype="fp32"))
    assert in_fp32.phases_gib["forward-end"]["accumulated-gradients"] == pytest.approx(4 * P / GIB)
    assert in_fp32.fits == "no"
    fsdp1 = estimate(catalog, plan(grad_accum=8, grad_sync="last", sharding="fsdp1"))
    assert fsdp1.phases_gib["forward-end"]["accumulated-gradients"] == pytest.approx(4 * P / GIB)


def test_eager_attention_grows_with_the_square_of_the_context(catalog) -> None:
    # 8 bytes per head and pair of tokens, and keys and values repeated for 32 heads: 4 bytes a channel
    def added(seq_len: int) -> float:
        eager = peak_terms(catalog, plan(attention="eager", seq_len=seq_len))["activations"]
        return (eager - peak_terms(catalog, plan(seq_len=seq_len))["activations"]) * GIB

    for seq_len in (4096, 8192):
        assert added(seq_len) == pytest.approx(8 * 32 * seq_len**2 + 4 * 4096 * seq_len)


def peak_terms(catalog, a_plan: Plan) -> dict[str, float]:
    return dict(estimate(catalog, a_plan).phases_gib["backward-start"])


METHODS = st.sampled_from(["full", "lora", "qlora"])
COUNTS = st.sampled_from([1, 2, 3, 4, 8])


def random_plan(method: str, n_gpus: int, seq_len: int, micro_batch: int, checkpointing: bool, fused: bool) -> Plan:
    own = {} if method == "full" else {"lora_targets": LORA_TARGETS["all-linear"]}
    return Plan(
        model="8b",
        shape=SHAPE,
        gpu="rtx-6000-ada",
        n_gpus=n_gpus,
        method=method,
        sharding="fsdp2" if n_gpus > 1 else "none",
        quant="nf4-dq" if method == "qlora" else "none",
        seq_len=seq_len,
        micro_batch=micro_batch,
        grad_checkpointing=checkpointing,
        fused_ce=fused,
        **own,
    )


PLANS = st.builds(
    random_plan,
    METHODS,
    COUNTS,
    st.integers(1, 64).map(lambda k: 256 * k),
    st.integers(1, 8),
    st.booleans(),
    st.booleans(),
)


@settings(max_examples=150)
@given(a_plan=PLANS)
def test_more_tokens_never_need_less(catalog, a_plan: Plan) -> None:
    longer = replace(a_plan, seq_len=a_plan.seq_len + 256)
    assert peak_gib(catalog.constants, longer) >= peak_gib(catalog.constants, a_plan)


@settings(max_examples=150)
@given(a_plan=PLANS)
def test_more_cards_never_need_more_once_sharded(catalog, a_plan: Plan) -> None:
    if a_plan.n_gpus == 1:
        a_plan = replace(a_plan, n_gpus=2, sharding="fsdp2")
    more = a_plan.on(a_plan.n_gpus + 1)
    assert peak_gib(catalog.constants, more) <= peak_gib(catalog.constants, a_plan)


@settings(max_examples=150)
@given(a_plan=PLANS)
def test_checkpointing_and_fused_loss_save_activations(catalog, a_plan: Plan) -> None:
    def activations(some: Plan) -> float:
        terms = estimate(catalog, some).phases_gib["forward-end"]
        return terms["checkpoints"] + terms["logits"]

    assert activations(replace(a_plan, grad_checkpointing=True)) <= activations(
        replace(a_plan, grad_checkpointing=False)
    )
    assert activations(replace(a_plan, fused_ce=True)) <= activations(replace(a_plan, fused_ce=False))


@settings(max_examples=100)
@given(a_plan=PLANS)
def test_the_peak_is_the_largest_phase_and_the_band_surrounds_it(catalog, a_plan: Plan) -> None:
    result = estimate(catalog, a_plan)
    sums = {phase: sum(terms.values()) for phase, terms in result.phases_gib.items()}
    assert result.peak_gib.expected == pytest.approx(max(sums.values()))
    assert sums[result.peak_phase] == pytest.approx(max(sums.values()))
    assert result.peak_gib.low < result.peak_gib.expected < result.peak_gib.high


@settings(max_examples=60)
@given(rank=st.integers(1, 256), seq_len=st.integers(1, 32).map(lambda k: 256 * k))
def test_a_higher_rank_never_needs_less(catalog, rank: int, seq_len: int) -> None:
    some = adapters(lora_rank=rank, seq_len=seq_len)
    assert peak_gib(catalog.constants, replace(some, lora_rank=rank + 1)) >= peak_gib(catalog.constants, some)


def test_memory_knows_nothing_of_the_card_and_its_link(catalog) -> None:
    """What is remembered of a plan holds on every card, and pages say it once for all rigs of as many cards."""
    gpu = catalog.gpus["rtx-6000-ada"]
    card = {*card_numbers(gpu), *link_numbers(22.0), *FLAGS["ecc"].values()}
    assert card.isdisjoint(outside(BEFORE_TIME.steps))
    assert not card.isdisjoint(outside(ALL.steps))
