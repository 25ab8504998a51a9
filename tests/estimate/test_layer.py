"""What a layer keeps per token: rules against tensors that autograd saved, and sums that can be redone by hand."""

from __future__ import annotations

from typing import Any

import pytest

from generator.architecture import (
    AltUp,
    Architecture,
    Experts,
    GatedDeltaNet,
    GroupedQueryAttention,
    HyperConnections,
    Indexer,
    LatentAttention,
    Layer,
    LayerGroup,
    Mamba2,
    Mlp,
)
from generator.catalog.hugging_face import shape_of
from generator.estimate.layer import LAYER
from generator.estimate.layers import layer_numbers

BASE = {
    "hidden_size": 256,
    "intermediate_size": 704,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "num_hidden_layers": 2,
    "vocab_size": 1000,
}
GPT2 = {"n_embd": 256, "n_head": 8, "n_layer": 2, "n_inner": 704, "vocab_size": 1000}
LATENT = {
    "num_key_value_heads": 8,
    "q_lora_rank": 96,
    "kv_lora_rank": 64,
    "qk_nope_head_dim": 32,
    "qk_rope_head_dim": 16,
    "v_head_dim": 48,
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 64,
}
COPY = 2 * 256
"""On the CPU, partial rotary positions leave queries in another order in memory, and the output is copied once more."""
TRACED: list[tuple[str, dict[str, Any], float, int]] = [
    ("llama", {}, 11048, 0),
    ("llama", {"num_key_value_heads": 8}, 11816, 0),
    ("qwen3", {"head_dim": 64}, 16208, 0),
    ("gemma", {"head_dim": 32}, 12093.3, 0),
    ("gemma3_text", {"head_dim": 32}, 18821.3, 0),
    ("glm4", {"head_dim": 32}, 14704, COPY),
    ("phi3", {}, 12200, COPY),
    ("olmo2", {}, 14640, 0),
    ("exaone4", {}, 13008, 0),
    ("stablelm", {"num_key_value_heads": 8}, 10280, COPY),
    ("starcoder2", {}, 6184, 0),
    ("gpt_neox", {}, 7976, 0),
    ("phi", {"num_key_value_heads": 8}, 10660, COPY),
    ("gpt2", GPT2, 11176, 0),
    ("gpt_bigcode", GPT2, 6056, 0),
    ("olmo", {"num_key_value_heads": 8}, 10800, 0),
    ("mixtral", {"num_local_experts": 4, "num_experts_per_tok": 2}, 18828.2, 0),
    (
        "qwen2_moe",
        {
            "num_experts": 8,
            "num_experts_per_tok": 2,
            "moe_intermediate_size": 96,
            "shared_expert_intermediate_size": 128,
        },
        10638.3,
        0,
    ),
    (
        "qwen3_moe",
        {"num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 96, "head_dim": 32},
        11060.3,
        0,
    ),
    ("deepseek_v3", {**LATENT, "first_k_dense_replace": 9}, 15408, 2 * 8 * 48),
    ("deepseek_v3", {**LATENT, "first_k_dense_replace": 0}, 14512.2, 2 * 8 * 48),
    ("qwen3_5_text", {"head_dim": 32, "layer_types": ["full_attention"] * 2}, 16232, COPY),
    (
        "gemma4_text",
        {
            "head_dim": 32,
            "global_head_dim": 32,
            "hidden_size_per_layer_input": 64,
            "layer_types": ["full_attention"] * 2,
        },
        22760,
        0,
    ),
]
"""model_type, fields, bytes per token and layer that autograd saved (transformers 5.24.0, bf16, CPU), copy in them."""


def values_of(layer: Layer, hidden: int, *, norm_weight_in_fp32: bool = False) -> dict[str, float]:
    return LAYER.evaluate(layer_numbers(layer, hidden, norm_weight_in_fp32=norm_weight_in_fp32))


@pytest.mark.parametrize(("model_type", "fields", "traced", "copy"), TRACED)
def test_the_rules_agree_with_what_autograd_saves(
    model_type: str, fields: dict[str, Any], traced: float, copy: int
) -> None:
    shape = shape_of({**(fields if fields is GPT2 else {**BASE, **fields}), "model_type": model_type})
    layer = shape.layer_groups[0].layer
    stored = values_of(layer, shape.hidden, norm_weight_in_fp32=shape.fp32_norm)["layer_stored"]
    assert stored == pytest.approx(traced - copy, rel=0.02)


AUTOCAST: list[tuple[str, dict[str, Any], int]] = [
    ("llama", {}, 10 * 256),  # two norms 2 × 2, q, k, v, gate and up from two outputs 3 × 2
    ("qwen3", {"head_dim": 64}, 10 * 256),
    ("granite", {}, 10 * 256),
    ("phi3", {}, 4 * 256),  # two fused matrices, one for each norm
    ("gemma3_text", {"head_dim": 32}, 6 * 256),  # its norms keep fp32 values anyway
    ("olmo2", {}, 6 * 256),
    ("starcoder2", {}, 8 * 256),  # LayerNorm: two inputs 2 × 2, q, k, v and one matrix of the MLP 2 × 2
]
"""Bytes per token that one layer stores more with fp32 weights under autocast than with 16-bit weights, traced."""


@pytest.mark.parametrize(("model_type", "fields", "traced"), AUTOCAST)
def test_what_autocast_adds(model_type: str, fields: dict[str, Any], traced: int) -> None:
    shape = shape_of({**BASE, **fields, "model_type": model_type})
    values = values_of(shape.layer_groups[0].layer, shape.hidden, norm_weight_in_fp32=shape.fp32_norm)
    assert values["layer_autocast"] == traced


def test_llama_8b_by_hand(catalog) -> None:
    shape = catalog.model("llama-3.1-8b").architecture.shape()
    values = values_of(shape.layer_groups[0].layer, shape.hidden)
    assert values["layer_stored"] == 16 * 4096 + 8 * 14336 + 4 * 4096 + 4 * 1024 + 4 * 32 + 8 == 200_840
    assert values["layer_working_set"] == 200_840 + 2 * 4096 + 4 * 14336


def test_repeated_keys_are_stored_per_query_head() -> None:
    for kv_heads, repeated in ((2, 4 * 256), (8, 0)):
        values = values_of(Layer((GroupedQueryAttention(8, kv_heads, 32),), (Mlp(16),)), 256)
        assert values["layer_repeated_keys"] == repeated


def test_norms_by_hand() -> None:
    four = Layer((), (), norms=4)
    # fp32 copy 4, normalised 2, output 2, one number; the third and fourth have no matrix behind them
    assert values_of(four, 10)["layer_norms"] == 4 * (8 * 10 + 4) - 2 * 2 * 10
    assert values_of(four, 10)["layer_norms_fused"] == 4 * (4 * 10 + 4) - 2 * 2 * 10
    assert values_of(Layer((), ()), 10, norm_weight_in_fp32=True)["layer_norms"] == 2 * (10 * 10 + 4)


def test_mlps_by_hand() -> None:
    plain = Mlp(100, gated=False, names=("up", "down"))
    composed = Mlp(100, gated=False, names=("up", "down"), composed=True)
    assert values_of(Layer((), (Mlp(100),)), 8)["layer_mlp"] == 800
    assert values_of(Layer((), (plain,)), 8)["layer_mlp"] == 400
    assert values_of(Layer((), (composed,)), 8)["layer_mlp"] == 1000


def test_experts_by_hand() -> None:
    experts = Experts(experts=8, active=2, intermediate=10, shared_intermediate=5)
    values = values_of(Layer((), (experts,)), 16)
    # two experts of 8·10 and 4·16 around them, the router 8·8; the shared one is a gated MLP
    assert values["layer_experts"] == 2 * (80 + 64) + 64
    assert values["layer_mlp"] == 40
    assert values["layer_temporaries"] == 4 * (5 + 2 * 10)


@pytest.mark.parametrize(
    ("layer", "found"),
    [
        (Layer((GatedDeltaNet(2, 4, 3, 5, 4, fused=True),), (Mlp(16),)), "linear-attention"),
        (
            Layer((Mamba2(4, 4, 3, 2, 4, conv_bias=True, input_bias=False, output_bias=False, norm=True),), (Mlp(16),)),
            "state-space",
        ),
        (Layer((LatentAttention(4, 5, 6, 3, 2, 7, indexer=Indexer(2, 4)),), (Mlp(16),)), "sparse-attention"),
        (Layer((), (), extras=(AltUp(4, 2),)), "several-residual-streams"),
        (Layer((), (), extras=(HyperConnections(4),)), "several-residual-streams"),
    ],
)
def test_what_has_no_rule_is_not_modelled(layer: Layer, found: str) -> None:
    shape = Architecture(1, 8, 16, 1, 1, 8, 10, tied_embeddings=True, groups=(LayerGroup(layer, 1),))
    assert shape.unmodelled == (found,)
