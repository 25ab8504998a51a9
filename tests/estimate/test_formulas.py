"""Single formulas on small numbers, each sum written out beside what it is made of."""

from __future__ import annotations

import pytest

from generator.estimate.layer import LAYER
from generator.estimate.run import ALL


def value(name: str, **inputs: float) -> float:
    """One step alone, from what it takes in."""
    steps = LAYER.steps if name in LAYER.steps else ALL.steps
    return steps[name].compute(**inputs)


MIXED = {"precision_bf16_mixed": 1, "precision_fp16_mixed": 0}
HALF = {"precision_bf16_mixed": 0, "precision_fp16_mixed": 1}
NEITHER = {"precision_bf16_mixed": 0, "precision_fp16_mixed": 0}


@pytest.mark.parametrize(
    ("name", "inputs", "expected"),
    [
        # LayerNorm: input 4 and output 2 of each of 10 channels, mean and deviation in the type of the input
        ("layer_norms", {"rms_norms": 0, "layer_norm_count": 3, "layer_norm_input_bytes": 4}, 3 * (60 + 8)),
        ("layer_norms", {"rms_norms": 0, "layer_norm_count": 3, "layer_norm_input_bytes": 2}, 3 * (40 + 4)),
        # frozen and fused: the input of 2 bytes × 10 channels and one fp32 number
        ("layer_norms_frozen_fused", {"rms_norms": 2, "layer_norm_count": 0}, 2 * 24),
        ("layer_norms_frozen_fused", {"rms_norms": 2, "layer_norm_count": 1}, 3 * 24),
        # fused: input and output of 2 bytes × 10 channels and one fp32 number, whichever norm it is
        ("layer_norms_fused", {"rms_norms": 2, "layer_norm_count": 1}, 3 * 44),
    ],
)
def test_norms(name: str, inputs: dict[str, float], expected: float) -> None:
    around = {"hidden": 10, "norm_weight_in_fp32": 0, "norms_after": 0}
    taken = LAYER.steps[name].inputs
    assert value(name, **{key: number for key, number in {**around, **inputs}.items() if key in taken}) == expected


def test_latent_attention() -> None:
    # ranks 8 × 3 = 24, vectors 4 × 2 = 8, queries and keys 2 × 2 × 5 = 20, up 2 × 7 = 14, output 2 × 11 = 22,
    # log-sum-exp 4 × 13 = 52
    found = value(
        "layer_latent_attention", latent_ranks=3, latent_vectors=2, latent_query_width=5, latent_up_width=7,
        latent_value_width=11, latent_heads=13,
    )  # fmt: skip
    assert found == 24 + 8 + 20 + 14 + 22 + 52


def test_frozen_mlps_keep_one_tensor_less() -> None:
    # 2 bytes of a channel less than trained: 8 → 6 gated, 4 → 2 plain, 10 → 8 composed
    widths = {"gated_width": 3, "plain_width": 5, "composed_width": 7}
    assert value("layer_mlp", **widths) - value("layer_mlp_frozen", **widths) == 2 * (3 + 5 + 7)
    assert value("layer_mlp_frozen", **widths) == 18 + 10 + 56


def test_a_fused_kernel_computes_every_gated_product_again() -> None:
    # the dense or shared width and two experts of 5 each
    assert value("layer_recomputable_width", gated_width=3, active_experts=2, expert_width=5) == 13


def test_own_embeddings_of_a_layer() -> None:
    # input 2 × 10; 16 × 3 of the gate; the norm 6 × 10, or 8 × 10 with its weight in fp32, and one number
    widths = {"per_layer_width": 3, "hidden": 10}
    assert value("layer_per_layer_input", per_layer_inputs=1, norm_weight_in_fp32=0, **widths) == 20 + 48 + 60 + 4
    assert value("layer_per_layer_input", per_layer_inputs=1, norm_weight_in_fp32=1, **widths) == 20 + 48 + 80 + 4
    assert value("layer_per_layer_input", per_layer_inputs=0, norm_weight_in_fp32=1, **widths) == 0


def test_the_end_of_forward() -> None:
    # 16-bit logits: logits, log-softmax and gradient in 2 each; under autocast 2 + 4 + 4 + 4 + 2
    assert value("own_logits_bytes", pure_16_bit=1, fused_norms=0) == 6
    assert value("own_logits_bytes", pure_16_bit=1, fused_norms=1) == 4
    assert value("own_logits_bytes", pure_16_bit=0, fused_norms=0) == 16
    assert value("own_logits_bytes", pure_16_bit=0, fused_norms=1) == 12
    # a frozen norm keeps an fp32 copy and its output, a trained one also the normalised values; fused, input and output
    assert value("final_hidden", fused_norms=0, trains_adapters=1, hidden=5, tokens=7) == (4 + 2) * 35
    assert value("final_hidden", fused_norms=0, trains_adapters=0, hidden=5, tokens=7) == (4 + 2 + 2) * 35
    for adapters in (0, 1):
        assert value("final_hidden", fused_norms=1, trains_adapters=adapters, hidden=5, tokens=7) == (2 + 2) * 35
    # 6 bytes for each of 3 tokens and 5 words; a fused loss adds its input's gradient, 2 bytes × 11 tokens × 7 channels
    made = {"logits_bytes": 6, "logits_tokens": 3, "vocab": 5, "compute_bytes": 2, "tokens": 11, "hidden": 7}
    assert value("logits", fused_ce=0, **made) == 90
    assert value("logits", fused_ce=1, **made) == 90 + 154
    head = {"compute_bytes": 4, "vocab": 5, "hidden": 7}
    assert value("head_gradient", fused_ce=1, trains_adapters=0, **head) == 140
    assert value("head_gradient", fused_ce=1, trains_adapters=1, **head) == 0
    assert value("head_gradient", fused_ce=0, trains_adapters=0, **head) == 0


def test_gradient_that_meets_the_working_set() -> None:
    assert value("matrix_gradient", trains_adapters=0, compute_bytes=2, largest_matrix=30, unit_experts=0) == 60
    # experts of a layer are one tensor, so that its gradient is whole at once
    assert value("matrix_gradient", trains_adapters=0, compute_bytes=2, largest_matrix=30, unit_experts=500) == 1000
    assert value("matrix_gradient", trains_adapters=1, compute_bytes=2, largest_matrix=30, unit_experts=500) == 0


def reductions(name: str, **changes: float) -> float:
    """Layers of 50 parameters with checkpoints of 40 bytes each, a head of 7 × 11, gradients of 4 bytes on 2 cards."""
    flags = {"sharding_fsdp2": 1, "trains_adapters": 0, "head_apart": 0, "accumulates": 0}
    sizes = {"reduce_bytes": 4, "vocab": 7, "hidden": 11, "layer_parameters": 50, "checkpoints": 120, "layers": 3}
    inputs = {**flags, **sizes, "gradient_bytes": 4, "gradient_shards": 2, "reduced_layer": 200, **changes}
    return value(name, **{key: inputs[key] for key in ALL.steps[name].inputs})


def test_buffers_of_reductions_under_fsdp2() -> None:
    assert reductions("reduced_layer") == 4 * 50
    assert reductions("reduced_layer", sharding_fsdp2=0) == reductions("reduced_layer", trains_adapters=1) == 0
    # one layer on: its buffer 200, its gradient 4 × 50 ÷ 2, less its checkpoint; the gradient may be there already
    assert reductions("reduced_before") == 200 + 100 - 40
    assert reductions("reduced_before", accumulates=1) == 200 - 40
    # in the last layer: the buffer of a head that is a unit of its own, 4 × 77
    assert reductions("reduced_before", head_apart=1) == 308
    # nothing before, where checkpoints are heavier
    assert reductions("reduced_before", checkpoints=3000) == 0
    assert reductions("reduced_before", sharding_fsdp2=0, reduced_layer=0) == 0


def waiting(**changes: float) -> float:
    """A head of 7 × 11 whose gradients take 4 bytes, 2 in computing, on one card."""
    flags = {"trains_adapters": 0, "sharding_fsdp1": 0, "sharding_fsdp2": 0, "head_apart": 0}
    rest = {"compute_bytes": 2, "accumulates": 0, "optimizer_impl_in_backward": 0, "gradient_bytes": 4}
    sizes = {"gradient_shards": 1, "head": 77, "vocab": 7, "hidden": 11}
    return value("waiting_head_gradient", **{**flags, **rest, **sizes, **changes})


def test_gradient_of_the_head_waits_for_the_embedding() -> None:
    assert waiting() == 4 * 77
    assert waiting(sharding_fsdp1=1, gradient_shards=4) == waiting(sharding_fsdp2=1, gradient_shards=4) == 2 * 77
    assert waiting(sharding_fsdp2=1, gradient_shards=4, head_apart=1) == 77
    assert waiting(accumulates=1) == waiting(trains_adapters=1) == 0
    # an optimizer inside backward uses it up, but that of a tied embedding has to wait
    assert waiting(optimizer_impl_in_backward=1) == 0
    assert waiting(optimizer_impl_in_backward=1, head=0) == 4 * 77


def test_a_head_that_is_a_unit_of_its_own() -> None:
    assert value("head_apart", root_wrap_separate=1, head=77) == 1
    assert value("head_apart", root_wrap_separate=0, head=77) == value("head_apart", root_wrap_separate=1, head=0) == 0
    # given back before the last layer, and its gradient reduced long before that of the embedding
    assert value("gathered_head", head_apart=1, gathered_root=9) == 0
    assert value("gathered_head", head_apart=0, gathered_root=9) == 9
    assert value("head_gradient_reduced", head_apart=1, waiting_head_gradient=9) == 9
    assert value("head_gradient_reduced", head_apart=0, waiting_head_gradient=9) == 0


def test_gradients_of_the_layers() -> None:
    parts = {"linear_parameters": 30, "expert_parameters": 20, "small_parameters": 10, "text_parameters": 80}
    held = {"gradients": 320, "accumulated_gradients": 0}
    # neither embedding nor head: those are terms of their own
    assert value("layer_gradients", trains_adapters=0, **parts, **held) == 240
    assert value("layer_gradients", trains_adapters=1, **parts, **held) == 320
    assert value("layer_gradients", trains_adapters=0, **parts, gradients=320, accumulated_gradients=300) == 300


@pytest.mark.parametrize(
    ("adapters", "sharded", "head", "found"),
    [
        (0, 1, 77, (2 + 4) * 90),
        (0, 0, 0, 2 * 3 * 77),  # two gradients of a tied embedding
        (0, 0, 77, 0),
        (1, 1, 77, 0),
        (1, 0, 0, 0),
    ],
)
def test_the_last_gradient_of_backward(adapters: int, sharded: int, head: int, found: int) -> None:
    sizes = {"compute_bytes": 2, "reduce_bytes": 4, "root_parameters": 90, "trained_bytes": 3, "vocab": 7, "hidden": 11}
    assert value("root_gradient_buffers", trains_adapters=adapters, sharded=sharded, head=head, **sizes) == found


def test_a_number_of_the_computing_type() -> None:
    assert value("compute_bytes", precision_fp32=0) == 2
    assert value("compute_bytes", precision_fp32=1) == 4


@pytest.mark.parametrize("precision", ["precision_bf16_pure", "precision_fp16_pure"])
def test_both_16_bit_types_are_pure(precision: str) -> None:
    assert value("pure_16_bit", **{"precision_bf16_pure": 0, "precision_fp16_pure": 0, precision: 1}) == 1


@pytest.mark.parametrize(
    ("stages", "sharded", "on_card", "found"),
    [
        (1, 1, 1, 1),
        (1, 0, 1, 1),
        (1, 1, 0, 1),
        (0, 0, 1, 0),
        (0, 0, 0, 1),  # one card with the optimizer in host memory
        (0, 1, 0, 0),  # FSDP2 offloads by itself
    ],
)
def test_who_runs_the_step(stages: int, sharded: int, on_card: int, found: int) -> None:
    assert value("deepspeed", zero_stages=stages, sharded=sharded, cpu_offload_none=on_card) == found


@pytest.mark.parametrize(
    ("deepspeed", "adapters", "precision", "found"),
    [(1, 0, MIXED, 1), (1, 0, HALF, 1), (1, 0, NEITHER, 0), (1, 1, MIXED, 0), (0, 0, MIXED, 0)],
)
def test_deepspeed_keeps_a_master_for_what_is_mixed(
    deepspeed: int, adapters: int, precision: dict[str, float], found: int
) -> None:
    assert value("separate_master", deepspeed=deepspeed, trains_adapters=adapters, **precision) == found


@pytest.mark.parametrize(
    ("master", "adapters", "sharded", "precision", "found"),
    [
        (0, 0, 0, MIXED, 1),
        (0, 0, 0, HALF, 1),
        (0, 0, 0, NEITHER, 0),
        (1, 0, 0, MIXED, 0),
        (0, 1, 0, MIXED, 0),
        (0, 0, 1, MIXED, 0),
    ],
)
def test_autocast_copies_whole_fp32_weights(
    master: int, adapters: int, sharded: int, precision: dict[str, float], found: int
) -> None:
    flags = {"separate_master": master, "trains_adapters": adapters, "sharded": sharded}
    assert value("autocast_copies", **flags, **precision) == found


def states(name: str, **changes: float) -> float:
    """Bytes per parameter of an optimizer whose numbers take 4 bytes, 2.03 for both states in 8 bits."""
    optimizers = [f"optimizer_{each}" for each in ("adamw", "adamw_bf16", "adamw_8bit", "lion", "muon", "sgd_momentum")]
    around = {"state_number_bytes": 4, "separate_master": 0, "adam_8bit_state_bytes": 2.03, "cpu_offload_none": 1}
    inputs = {**dict.fromkeys(optimizers, 0.0), **around, "trains_adapters": 0, **changes}
    return value(name, **{key: inputs[key] for key in ALL.steps[name].inputs})


def test_states_of_each_optimizer() -> None:
    assert states("state_bytes", optimizer_adamw=1) == 8
    assert states("state_bytes", optimizer_adamw_bf16=1) == 4
    assert states("state_bytes", optimizer_adamw_8bit=1) == 2.03
    for one_state in ("lion", "muon", "sgd_momentum"):
        assert states("state_bytes", **{f"optimizer_{one_state}": 1}) == 4
    assert states("state_bytes") == 0
    assert states("state_bytes", optimizer_lion=1, separate_master=1) == 8
    assert states("state_bytes", optimizer_adamw=1, cpu_offload_none=0) == 0


def test_states_of_the_embedding_are_those_of_adamw() -> None:
    # 8 bytes in all: what the other weights have, and this
    extra = "embedding_state_extra_bytes"
    assert states(extra, optimizer_adamw_8bit=1) == pytest.approx(8 - 2.03)
    assert states(extra, optimizer_muon=1) == 4
    assert states(extra, optimizer_adamw=1) == states(extra, optimizer_muon=1, cpu_offload_none=0) == 0
    assert states(extra, optimizer_muon=1, trains_adapters=1) == 0


def test_gradients_wait_whole_for_the_last_micro_step_under_either_fsdp() -> None:
    for first, second, whole in ((1, 0, 1), (0, 1, 1), (0, 0, 0)):
        flags = {"sharding_fsdp1": first, "sharding_fsdp2": second}
        assert value("unsharded_accumulation", accumulates=1, grad_sync_last=1, **flags) == whole
        assert value("unsharded_accumulation", accumulates=0, grad_sync_last=1, **flags) == 0
        assert value("unsharded_accumulation", accumulates=1, grad_sync_last=0, **flags) == 0


def test_deepspeed_reduces_in_every_micro_step() -> None:
    assert value("gradient_reductions", grad_sync_last=1, zero_stages=0, grad_accum=8) == 1
    assert value("gradient_reductions", grad_sync_last=0, zero_stages=0, grad_accum=8) == 8
    assert value("gradient_reductions", grad_sync_last=1, zero_stages=1, grad_accum=8) == 8


def test_temporaries_of_the_step() -> None:
    def found(**changes: float) -> float:
        base = {"optimizer_impl_foreach": 1, "optimizer_adamw": 1, "optimizer_adamw_bf16": 0, "zero_stages": 0}
        rest = {"trained_bytes": 3, "separate_master": 0, "cpu_offload_none": 1}
        return value("transient_bytes", **{**base, **rest, **changes})

    assert found() == 3
    assert found(optimizer_adamw=0, optimizer_adamw_bf16=1) == 3
    assert found(optimizer_adamw=0) == found(optimizer_impl_foreach=0) == found(cpu_offload_none=0) == 0
    assert found(zero_stages=1) == 0
    assert found(zero_stages=1, separate_master=1) == 4


def test_gradients_are_split_where_either_shards_them() -> None:
    for sharded, zero2, cards in ((0, 0, 1), (0, 1, 5), (1, 0, 5)):
        assert value("gradient_shards", sharded=sharded, sharding_zero2=zero2, n_gpus=5) == cards


@pytest.mark.parametrize(("own", "sdpa", "sinks", "found"), [(1, 0, 0, 1), (0, 1, 1, 1), (0, 1, 0, 0), (0, 0, 1, 0)])
def test_scores_are_kept_by_eager_code_and_by_sinks(own: int, sdpa: int, sinks: int, found: int) -> None:
    assert value("eager", attention_eager=own, attention_sdpa=sdpa, sinks=sinks) == found


@pytest.mark.parametrize(
    ("adapters", "kept", "copies", "found"), [(1, 0, 0, 2), (1, 0, 4, 0), (1, 1, 0, 0), (0, 0, 0, 0)]
)
def test_inputs_that_adapters_share(adapters: int, kept: int, copies: int, found: int) -> None:
    flags = {"trains_adapters": adapters, "matrix_input_kept": kept, "adapter_input_bytes": copies, "compute_bytes": 2}
    assert value("shared_input_bytes", **flags) == found


@pytest.mark.parametrize(
    ("fp32", "stock", "sharded", "mixed", "dropout", "found"),
    [
        (1, 1, 0, 0, 0, 4),  # PEFT's copy in fp32
        (1, 1, 0, 1, 0, 2),  # under autocast the product is made of a 16-bit copy, and that one is kept
        (1, 1, 0, 1, 0.1, 2 + 1),  # the dropped input in 16 bits, and the mask
        (1, 1, 0, 0, 0.1, 4 + 1),
        (1, 1, 1, 1, 0, 0),  # sharding casts the adapters instead
        (1, 0, 0, 1, 0, 0),  # fused kernels do without
        (0, 1, 0, 1, 0, 0),
        (0, 1, 0, 1, 0.1, 2 + 1),
    ],
)
def test_copies_that_adapters_keep_of_their_inputs(
    fp32: int, stock: int, sharded: int, mixed: int, dropout: float, found: int
) -> None:
    flags = {"trains_adapters": 1, "adapter_dtype_fp32": fp32, "precision_fp32": 0, "kernels_stock": stock}
    types = {"precision_bf16_mixed": mixed, "precision_fp16_mixed": 0, "compute_bytes": 2}
    assert value("adapter_input_bytes", **flags, **types, sharded=sharded, lora_dropout=dropout) == found


@pytest.mark.parametrize(
    ("kbit", "sharded", "copies", "found"), [(1, 0, 0, 1), (1, 1, 0, 0), (0, 0, 0, 0), (0, 0, 1, 1), (1, 0, 1, 1)]
)
def test_where_the_residual_stream_is_in_fp32(kbit: int, sharded: int, copies: int, found: int) -> None:
    flags = {"kbit_preparation": kbit, "quantized": 1, "sharded": sharded, "autocast_copies": copies}
    assert value("fp32_residual", **flags) == found


@pytest.mark.parametrize(
    ("quantized", "int8", "gptq", "old", "found"),
    [(1, 0, 0, 0, 0), (1, 0, 0, 1, 1), (1, 1, 0, 0, 1), (1, 0, 1, 1, 1), (0, 0, 0, 1, 0)],
)
def test_who_keeps_the_inputs_of_quantised_matrices(quantized: int, int8: int, gptq: int, old: int, found: int) -> None:
    flags = {"quantized": quantized, "quant_int8": int8, "quant_gptq_int4": gptq, "matmul_keeps_input": old}
    assert value("matrix_input_kept", **flags) == found


def test_what_the_matrices_of_a_layer_read() -> None:
    # two norms of three end in a matrix: 2 × 10; attention 12; the products 3 + 5 + 7; MLA 2 + 4
    widths = {"gated_width": 3, "plain_width": 5, "composed_width": 7, "latent_ranks": 2, "latent_value_width": 4}
    norms = {"rms_norms": 3, "norms_after": 1, "layer_norm_count": 0, "hidden": 10, "query_width": 12}
    assert value("layer_matrix_inputs", **widths, **norms) == 20 + 12 + 15 + 6


def test_fabric_packs_the_head_and_unpacks_twice() -> None:
    head = {"linear_parameters": 100, "head": 30}
    assert value("packed_parameters", fabric_quantization=0, **head) == 100
    assert value("packed_parameters", fabric_quantization=1, **head) == 130
    # bf16, and an fp16 copy of what was quantised from fp16
    assert value("unpacked_bytes", compute_bytes=2, fabric_quantization=0) == 2
    assert value("unpacked_bytes", compute_bytes=2, fabric_quantization=1) == 4
    matrix = {"unpacked_bytes": 4, "vocab": 5, "hidden": 7}
    assert value("unpacked_head", quantized=1, fabric_quantization=1, **matrix) == 140
    assert value("unpacked_head", quantized=0, fabric_quantization=1, **matrix) == 0
    assert value("unpacked_head", quantized=1, fabric_quantization=0, **matrix) == 0


def test_what_the_step_before_holds() -> None:
    def found(**changes: float) -> float:
        base = {"keeps_last_step": 1, "fp32_logits": 0, "logits_tokens": 3, "vocab": 5, "grad_checkpointing": 0}
        more = {"matrix_input_kept": 0, "compute_bytes": 2, "all_layer_matrix_inputs": 11, "tokens": 3}
        return value("held_step", **{**base, **more, **changes})

    assert found() == 2 * 15
    assert found(fp32_logits=1) == 4 * 15
    assert found(matrix_input_kept=1) == 2 * 15 + 2 * 11 * 3
    assert found(matrix_input_kept=1, grad_checkpointing=1) == 2 * 15
    assert found(keeps_last_step=0, matrix_input_kept=1) == 0


def test_moments_around_the_logits() -> None:
    # 16-bit logits 2 × 15, then the head beside them, or fp32 copies 4 × 15: whichever is more
    made = {"logits_tokens": 3, "vocab": 5, "held_step": 7}
    assert value("logits_made", unpacked_head=50, fp32_logits=0, **made) == 7 + 30 + 50
    assert value("logits_made", unpacked_head=50, fp32_logits=1, **made) == 7 + 30 + 60
    assert value("beside_logits", unpacked_head=0, logits_made=30, logits=60) == 0
    assert value("beside_logits", unpacked_head=50, logits_made=100, logits=60) == 50
    assert value("beside_logits", unpacked_head=50, logits_made=150, logits=60) == 90


def test_parameters_add_up() -> None:
    assert value("layer_parameters", unit_linear=3, unit_experts=5, unit_small=7) == 15
    counts = {"lora_parameters": 3, "saved_modules": 5, "text_parameters": 11}
    assert value("trained_parameters", trains_adapters=1, **counts) == 8
    assert value("trained_parameters", trains_adapters=0, **counts) == 11


def test_a_model_that_stays_gathered() -> None:
    parts = {"gathered_linear_bytes": 0.5, "linear_parameters": 20, "expert_parameters": 3, "small_parameters": 5}
    # 0.5 × 20 in four bits, 2 × (3 + 5) in 16
    assert value("gathered_layers", sharded=1, compute_bytes=2, **parts) == 10 + 16
    assert value("gathered_layers", sharded=0, compute_bytes=2, **parts) == 0


def test_the_layer_that_is_gathered() -> None:
    layer = {"gathered_linear_bytes": 0.5, "unit_linear": 20, "compute_bytes": 2, "unit_experts": 3, "unit_small": 5}
    assert value("gathered_unit", sharded=1, **layer) == 10 + 16
    assert value("gathered_unit", sharded=0, **layer) == 0


def test_inputs_of_blocks_are_in_fp32_where_the_residual_stream_is() -> None:
    widths = {"hidden": 3, "layers": 5, "tokens": 7}
    assert value("block_inputs", compute_bytes=2, fp32_residual=0, **widths) == 2 * 105
    assert value("block_inputs", compute_bytes=2, fp32_residual=1, **widths) == 4 * 105
    assert value("block_inputs", compute_bytes=4, fp32_residual=1, **widths) == 4 * 105


def test_checkpoints_and_what_is_stored_without_them() -> None:
    stored = {"block_inputs": 9, "stored_per_token": 10, "all_layer_score_heads": 3, "seq_len": 5, "tokens": 7}
    assert value("checkpoints", grad_checkpointing=1, eager=1, **stored) == 9
    assert value("checkpoints", grad_checkpointing=0, eager=0, **stored) == 70
    # 8 bytes for each of 3 heads and 5 × 7 pairs
    assert value("checkpoints", grad_checkpointing=0, eager=1, **stored) == 70 + 840
    widths = {"compute_bytes": 2, "hidden": 3, "tokens": 5}
    copies = {**widths, "checkpoints": 100, "extra_checkpoint_copies_sharded_adapter": 0.5, "layers": 6}
    # half of 2 × 3 × 5 bytes for four of six layers
    assert value("checkpoint_copies", grad_checkpointing=1, trains_adapters=1, sharded=1, **copies) == 100 + 60
    assert value("checkpoint_copies", grad_checkpointing=1, trains_adapters=0, sharded=1, **copies) == 100
    assert value("checkpoint_copies", grad_checkpointing=1, trains_adapters=1, sharded=0, **copies) == 100


def test_activations_of_the_layer_in_backward() -> None:
    layer = {"working_set_per_token": 11, "one_layer_temporaries": 6, "tokens": 7, "scores_per_layer": 2, "seq_len": 5}
    assert value("activations", grad_checkpointing=1, compute_bytes=2, **layer) == 7 * (11 + 10)
    assert value("activations", grad_checkpointing=0, compute_bytes=2, **layer) == 7 * 6
    assert value("activations", grad_checkpointing=0, compute_bytes=4, **layer) == 7 * 12


def test_working_set_of_a_layer() -> None:
    parts = {
        "one_norms": 1, "one_layer_mixer": 2, "one_layer_repeated_keys": 4, "one_layer_mlp": 8, "one_layer_experts": 16,
        "one_layer_temporaries": 32, "hidden": 50, "adapter_input_bytes": 4, "one_adapter_inputs": 100,
        "one_layer_autocast": 1000,
    }  # fmt: skip
    plain = {**parts, "autocast_copies": 0}
    # 1 + 2 + 8 + 16 + 32 = 59; the gradient of the output 2 × 50; the adapters 400
    assert value("working_set_per_token", eager=0, trains_adapters=1, compute_bytes=2, **plain) == 59 + 400
    assert value("working_set_per_token", eager=1, trains_adapters=1, compute_bytes=2, **plain) == 63 + 400
    assert value("working_set_per_token", eager=0, trains_adapters=0, compute_bytes=2, **plain) == 159 + 400
    assert value("working_set_per_token", eager=0, trains_adapters=0, compute_bytes=4, **plain) == 318 + 400
    cast = {**parts, "autocast_copies": 1}
    assert value("working_set_per_token", eager=0, trains_adapters=0, compute_bytes=2, **cast) == 1159 + 400


def test_host_memory() -> None:
    def found(**changes: float) -> float:
        base = {"cpu_offload_none": 1, "host_bytes_per_parameter": 16, "trained_parameters": 3, "weights_on_host": 0}
        more = {"trains_adapters": 0, "separate_master": 0, "whole_weights": 100, "optimizer_paged_adamw_8bit": 0}
        return value("host_memory", **{**base, **more, "adam_8bit_state_bytes": 2, **changes})

    assert found() == 0
    assert found(cpu_offload_none=0) == 48
    assert found(cpu_offload_none=0, weights_on_host=1, trains_adapters=1) == 148
    assert found(cpu_offload_none=0, weights_on_host=1, separate_master=1) == 148
    assert found(optimizer_paged_adamw_8bit=1) == 6


def test_bytes_that_a_step_sends() -> None:
    def found(**changes: float) -> float:
        base = {"sharded": 0, "replicated": 0, "zero_stages": 0, "reduce_bytes": 2, "trained_bytes": 4}
        return value(
            "reduced_bytes_per_step", **{**base, "trained_parameters": 10, "gradient_reductions": 3, **changes}
        )

    assert found() == 0  # one card
    assert found(sharded=1) == 2 * 10 * 3
    assert found(replicated=1) == found(zero_stages=1) == 2 * 4 * 10 * 3  # there and back


def test_an_optimizer_step_passes_the_tokens_of_all_its_micro_steps() -> None:
    assert value("tokens_per_optimizer_step", tokens=7, grad_accum=3) == 21


@pytest.mark.parametrize(
    ("fsdp1", "start", "end", "found"),
    [
        (0, 90, 50, 60),  # 90 without 30 of copies
        (0, 90, 70, 70),  # another moment is the peak then
        (1, 90, 50, 90),  # measured: they are there
    ],
)
def test_the_low_end_is_without_copies_that_nobody_measured(fsdp1: int, start: int, end: int, found: int) -> None:
    others = dict.fromkeys(("phase_load", "phase_forward_end", "phase_root_reduce", "phase_optimizer_step"), 40)
    copies = {"sharding_fsdp1": fsdp1, "checkpoint_copies": 55, "checkpoints": 25}
    moments = {**others, "phase_backward_start": start, "phase_backward_end": end}
    assert value("peak_without_copies", **moments, **copies) == found
    assert value("peak_low", peak_without_copies=found, error_low=0.1) == pytest.approx(found * 0.9)
