"""One small layer of each kind, counted by hand. The residual path is 8 wide everywhere."""

from __future__ import annotations

import pytest

from generator.architecture import (
    FUSED_NAMES,
    AltUp,
    Architecture,
    CompressedAttention,
    Compressor,
    Experts,
    GatedDeltaNet,
    GroupedQueryAttention,
    HyperConnections,
    Indexer,
    KeyValue,
    LatentAttention,
    Layer,
    Mamba2,
    Mlp,
    Norm,
    Outside,
    PerLayerInput,
    QkNorm,
    adapter_targets,
    count_parameters,
    grouped,
    linear_shapes,
    lora_parameters,
)
from generator.architecture.layers import Part

HIDDEN = 8
PLAIN = GroupedQueryAttention(heads=4, kv_heads=2, head_dim=3)


def weights(part: Part) -> int:
    """Matrices, biases and the rest of one part."""
    matrices = part.matrices(HIDDEN)
    return sum(matrix.weights + matrix.biases for matrix in matrices) + part.small(HIDDEN)


def model(*layers: Layer, **changes: object) -> Architecture:
    numbers = {"intermediate": 16, "heads": 4, "kv_heads": 2, "head_dim": 3, "vocab": 100, "tied_embeddings": True}
    return Architecture(layers=len(layers), hidden=HIDDEN, groups=grouped(layers), **{**numbers, **changes})


def test_grouped_query_attention() -> None:
    # q 8×12, k and v 8×6, o 12×8
    assert weights(PLAIN) == 96 + 48 + 48 + 96


def test_biases_of_attention() -> None:
    assert weights(GroupedQueryAttention(4, 2, 3, qkv_bias=True)) == weights(PLAIN) + 12 + 6 + 6
    assert weights(GroupedQueryAttention(4, 2, 3, output_bias=True)) == weights(PLAIN) + 8


@pytest.mark.parametrize(
    ("norm", "elements"), [(QkNorm.NONE, 0), (QkNorm.UNWEIGHTED, 0), (QkNorm.PER_HEAD, 3 + 3), (QkNorm.FULL, 12 + 6)]
)
def test_norms_of_queries_and_keys(norm: QkNorm, elements: int) -> None:
    assert weights(GroupedQueryAttention(4, 2, 3, qk_norm=norm)) == weights(PLAIN) + elements
    assert weights(GroupedQueryAttention(4, 2, 3, qk_norm=norm, qk_norm_bias=True)) == weights(PLAIN) + 2 * elements


def test_multi_query_attention_in_one_module() -> None:
    # as in StarCoder: q 8×12, k and v 8×3 in one matrix with a bias, o 12×8 with a bias
    attention = GroupedQueryAttention(4, 1, 3, qkv_bias=True, output_bias=True, fused_name="c_attn")
    assert weights(attention) == 8 * (12 + 3 + 3) + 18 + 96 + 8


def test_gated_attention_doubles_the_queries_and_sinks_are_one_per_head() -> None:
    assert weights(GroupedQueryAttention(4, 2, 3, output_gate=True)) == weights(PLAIN) + 96
    assert weights(GroupedQueryAttention(4, 2, 3, sinks=True)) == weights(PLAIN) + 4


def test_keys_that_are_values_and_borrowed_ones() -> None:
    normed = GroupedQueryAttention(4, 2, 3, qk_norm=QkNorm.PER_HEAD)
    as_value = GroupedQueryAttention(4, 2, 3, qk_norm=QkNorm.PER_HEAD, key_value=KeyValue.KEY_IS_VALUE)
    borrowed = GroupedQueryAttention(4, 2, 3, qk_norm=QkNorm.PER_HEAD, key_value=KeyValue.BORROWED)
    assert weights(as_value) == weights(normed) - 48
    # neither k nor v, nor the norm of k
    assert weights(borrowed) == weights(normed) - 96 - 3


def test_latent_attention() -> None:
    # down: 8×5 and 8×(6+2); norms 5 and 6; up: 5×4·(3+2) and 6×4·(3+7); out 4·7×8
    attention = LatentAttention(heads=4, query_rank=5, kv_rank=6, nope_dim=3, rope_dim=2, value_dim=7)
    assert weights(attention) == 40 + 64 + 5 + 6 + 5 * 20 + 6 * 40 + 28 * 8


def test_latent_attention_with_whole_queries() -> None:
    attention = LatentAttention(heads=4, query_rank=None, kv_rank=6, nope_dim=3, rope_dim=2, value_dim=7)
    assert weights(attention) == 8 * 20 + 64 + 6 + 6 * 40 + 28 * 8


def test_indexer_of_sparse_attention() -> None:
    without = LatentAttention(4, 5, 6, 3, 2, 7)
    # wq_b 5×2·4, wk 8×4, its LayerNorm 2·4, one weight per head 8×2
    assert weights(LatentAttention(4, 5, 6, 3, 2, 7, indexer=Indexer(2, 4))) == weights(without) + 40 + 32 + 8 + 16


def test_compressed_attention() -> None:
    # q 8×5 and 5×4·6, their norm 5; kv 8×6, its norm 6; sinks 4; out in 2 groups of 12 channels: 12×2·3, then 6×8
    sliding = CompressedAttention(heads=4, head_dim=6, query_rank=5, output_groups=2, output_rank=3)
    assert weights(sliding) == 40 + 120 + 5 + 48 + 6 + 4 + 72 + 48
    # kv and gate 8×6 each, positions 10×6, norm 6
    heavy = CompressedAttention(4, 6, 5, 2, 3, Compressor(rate=10))
    assert weights(heavy) == weights(sliding) + 2 * 48 + 60 + 6
    # twice as wide; the indexer: kv and gate 8×2·7, positions 10×14, norm 7, queries 5×2·7, one weight per head 8×2
    sparse = CompressedAttention(4, 6, 5, 2, 3, Compressor(10, overlaps=True, indexer=Indexer(2, 7)))
    assert weights(sparse) == weights(sliding) + 2 * 96 + 120 + 6 + 2 * 112 + 140 + 7 + 70 + 16


@pytest.mark.parametrize("fused", [True, False])
def test_gated_delta_net(*, fused: bool) -> None:
    # q, k 2·3 wide, v and z 4·5: 8×(6+6+20+20); two gates of 4 heads: 8×8; convolution of 4 taps over 32; A, dt; norm 5
    mixer = GatedDeltaNet(key_heads=2, value_heads=4, key_dim=3, value_dim=5, conv_kernel=4, fused=fused)
    assert weights(mixer) == 8 * 52 + 64 + 32 * 4 + 4 + 4 + 5 + 20 * 8
    assert len(mixer.matrices(HIDDEN)) == (3 if fused else 5)


def test_mamba2() -> None:
    # 4 heads of 4: 16 inside; x, B, C: 16+2·2·3=28; in 8×(16+28+4), out 16×8; 4 taps and a bias; A, D, dt; norm 16
    mixer = Mamba2(4, 4, 3, 2, 4, conv_bias=True, input_bias=False, output_bias=False, norm=True)
    assert weights(mixer) == 8 * 48 + 16 * 8 + 28 * 5 + 3 * 4 + 16
    biased = Mamba2(4, 4, 3, 2, 4, conv_bias=False, input_bias=True, output_bias=True, norm=False)
    assert weights(biased) == 8 * 48 + 48 + 16 * 8 + 8 + 28 * 4 + 3 * 4


def test_gated_and_plain_mlp() -> None:
    assert weights(Mlp(16)) == 3 * 8 * 16
    assert weights(Mlp(16, names=FUSED_NAMES)) == weights(Mlp(16))
    assert weights(Mlp(16, bias=True)) == weights(Mlp(16)) + 16 + 16 + 8
    plain = Mlp(32, gated=False, bias=True, names=("dense_h_to_4h", "dense_4h_to_h"))
    assert weights(plain) == 2 * 8 * 32 + 32 + 8


def test_experts() -> None:
    # router 8×6; 6 experts of 3·8·4
    routed = Experts(experts=6, active=2, intermediate=4)
    assert weights(routed) == 48 + 6 * 96
    # a shared one of 10 and its gate
    assert weights(Experts(6, 2, 4, shared_intermediate=10, shared_gate=True)) == weights(routed) + 240 + 8
    # biases: router 6, experts 8 for gate and up, 8 for down
    assert weights(Experts(6, 2, 4, bias=True, router_bias=True)) == weights(routed) + 6 + 6 * 16
    assert weights(Experts(6, 2, 4, as_modules=True)) == weights(routed)


def test_what_a_token_does_not_touch() -> None:
    counts = count_parameters(model(Layer((PLAIN,), (Experts(6, 2, 4, bias=True),))))
    assert counts.text - counts.active == 4 * (96 + 16)
    assert counts.matmul == 288 + 48 + 2 * 96 + 100 * 8


@pytest.mark.parametrize(
    ("norm", "elements"),
    [(Norm.RMS, 8), (Norm.LAYER, 16), (Norm.LAYER_UNBIASED, 8), (Norm.LAYER_UNWEIGHTED, 0)],
)
def test_norms(norm: Norm, elements: int) -> None:
    layer = Layer((PLAIN,), (Mlp(16),), norms=2, norm=norm)
    assert layer.small(HIDDEN) == 2 * elements
    assert count_parameters(model(layer, final_norm=norm)).final_norm == elements


def test_a_parallel_block_has_one_norm_and_two_mixers_may_share_it() -> None:
    mixer = Mamba2(4, 4, 3, 2, 4, conv_bias=True, input_bias=False, output_bias=False, norm=False)
    layer = Layer((PLAIN, mixer), (Mlp(16),), norms=1)
    assert count_parameters(model(layer)).layer == weights(PLAIN) + weights(mixer) + weights(Mlp(16)) + 8


def test_extras() -> None:
    assert weights(PerLayerInput(3)) == 24 + 24 + 8
    # coefficients 4×4 and 4×16, router 8×4, LAuReL 8×2 and 2×8; scale and two norms of 8
    assert weights(AltUp(streams=4, laurel_rank=2)) == 16 + 64 + 32 + 16 + 16 + 24
    # two of (2+4)·4 mixes from 4·8 channels, as many offsets, 3 scales
    assert weights(HyperConnections(streams=4)) == 2 * (24 * 32 + 24 + 3)


def test_what_stands_outside_the_layers() -> None:
    layer = Layer((PLAIN,), (Mlp(16),))
    outside = Outside(positions=40, lookup=1000, linear=64, small=3)
    bare, whole = count_parameters(model(layer)), count_parameters(model(layer, outside=outside))
    assert whole.text == bare.text + 1107
    assert whole.matmul == bare.matmul + 64
    assert tuple(sorted(model(layer, outside=outside).features)) == ("learned-positions", "per-layer-embeddings")


def test_kinds_of_layers_are_counted_each() -> None:
    dense, sparse = Layer((PLAIN,), (Mlp(16),)), Layer((PLAIN,), (Experts(6, 2, 4),))
    shape = model(dense, sparse, sparse)
    counts = count_parameters(shape)
    assert [group.layers for group in counts.groups] == [1, 2]
    assert counts.linear == 3 * 288 + 384
    assert counts.experts == 2 * 576
    assert counts.layer == counts.largest.total == 288 + 48 + 576 + 16
    assert counts.total == 800 + (288 + 384 + 16) + 2 * (288 + 48 + 576 + 16) + 8


def test_groups_must_have_all_layers() -> None:
    with pytest.raises(ValueError, match="expected 3 layers in all, found 1"):
        Architecture(3, 8, 16, 4, 2, 3, 100, tied_embeddings=True, groups=grouped([Layer((PLAIN,), (Mlp(16),))]))


def test_adapters_of_a_fused_module_go_around_the_whole() -> None:
    fused = GroupedQueryAttention(4, 2, 3, fused_name="qkv_proj")
    shape = model(Layer((fused,), (Mlp(16, names=FUSED_NAMES),)))
    assert adapter_targets(shape, "q+v") == ("qkv_proj",)
    assert adapter_targets(shape, "all-linear") == ("qkv_proj", "o_proj", "gate_up_proj", "down_proj")
    # qkv 8+24, o 12+8, gate and up 8+32, down 16+8
    assert lora_parameters(shape, 2, adapter_targets(shape, "all-linear")) == 2 * (32 + 20 + 40 + 24)


def test_presets_mean_what_the_model_has() -> None:
    shape = model(Layer((PLAIN,), (Mlp(16, gated=False, names=("fc1", "fc2")),)))
    all_linear = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
    # q 8+12, k, v 8+6, o 12+8, two of 8+16
    assert lora_parameters(shape, 1, all_linear) == 20 + 14 + 14 + 20 + 48
    assert lora_parameters(shape, 1, ("fc2",)) == 24
    with pytest.raises(KeyError, match="gate_proj"):
        lora_parameters(shape, 1, ("fc2", "gate_proj"))


def test_adapters_leave_routed_experts_alone_unless_they_are_modules() -> None:
    stacked = model(Layer((PLAIN,), (Experts(6, 2, 4, shared_intermediate=10),)))
    assert "gate" not in linear_shapes(stacked)
    assert lora_parameters(stacked, 1, ("gate_proj", "up_proj", "down_proj")) == 3 * 18
    modules = model(Layer((PLAIN,), (Experts(6, 2, 4, as_modules=True),)))
    assert lora_parameters(modules, 1, ("gate_proj", "up_proj", "down_proj")) == 6 * 3 * 12


def test_a_name_after_a_dot_is_found_by_its_end() -> None:
    attention = GroupedQueryAttention(4, 4, 2, fused_name="c_attn", output_name="attn.c_proj")
    shape = model(Layer((attention,), (Mlp(32, gated=False, names=("c_fc", "mlp.c_proj")),)))
    assert lora_parameters(shape, 1, ("c_proj",)) == (8 + 8) + (32 + 8)
    assert lora_parameters(shape, 1, ("mlp.c_proj",)) == 32 + 8
