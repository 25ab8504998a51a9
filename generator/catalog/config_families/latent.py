"""Latent attention: DeepSeek V2 to V4 and those built like them, with and without sparse attention."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from generator.architecture import (
    Architecture,
    CompressedAttention,
    Compressor,
    Experts,
    HyperConnections,
    Indexer,
    LatentAttention,
    Layer,
    Mlp,
    Outside,
)
from generator.catalog.config_families.common import decoder
from generator.catalog.config_families.experts import shared_experts_of, sparse_layers
from generator.catalog.config_values import ConfigValues

V4_ATTENTION: dict[str | int, str] = {
    "sliding_attention": "sliding",
    "compressed_sparse_attention": "sparse",
    "heavily_compressed_attention": "heavy",
}
V4_RATIOS: dict[str | int, str] = {0: "sliding", 4: "sparse", 128: "heavy"}
"""What an entry of `compress_ratios` means."""
V4_RATES = {"sparse": 4, "heavy": 128}


def _attention(config: ConfigValues, *, query: int, nope: int, value: int, indexer: Indexer | None) -> LatentAttention:
    return LatentAttention(
        heads=config.size("num_attention_heads"),
        query_rank=config.nullable_size("q_lora_rank", query),
        kv_rank=config.size("kv_lora_rank", 512),
        nope_dim=config.size("qk_nope_head_dim", nope),
        rope_dim=config.size("qk_rope_head_dim", 64),
        value_dim=config.size("v_head_dim", value),
        bias=config.flag("attention_bias", default=False),
        indexer=indexer,
    )


def _latent(
    config: ConfigValues,
    experts: Experts,
    *,
    dense_first: int,
    query: int = 1536,
    nope: int = 128,
    value: int = 128,
    indexer: Indexer | None = None,
    with_indexer: Callable[[int], bool] = lambda _: True,
) -> Architecture:
    if config.size("moe_layer_freq", 1) != 1:
        raise config.refusal("moe_layer_freq", "1", config.raw["moe_layer_freq"])
    if config.flag("mlp_bias", default=False):
        raise config.refusal("mlp_bias", "an MLP without biases", True)
    own = _attention(config, query=query, nope=nope, value=value, indexer=indexer)
    borrowed = replace(own, indexer=None)
    inner = config.size("intermediate_size")
    sparse = sparse_layers(config, config.layers(), dense_first)
    layers = [
        Layer((own if with_indexer(index) else borrowed,), (experts if is_sparse else Mlp(inner),))
        for index, is_sparse in enumerate(sparse)
    ]
    return decoder(config, layers, None, intermediate=inner, heads=own.heads, head_dim=own.head_dim)


def _deepseek_v2(config: ConfigValues) -> Architecture:
    experts = shared_experts_of(config, experts=64, active=6, inner=1407, shared=2)
    return _latent(config, experts, dense_first=0)


def _deepseek_v3(config: ConfigValues) -> Architecture:
    experts = shared_experts_of(config, experts=256, active=8, inner=2048, shared=1)
    return _latent(config, experts, dense_first=3)


def _deepseek_v32(config: ConfigValues) -> Architecture:
    experts = shared_experts_of(config, experts=256, active=8, inner=2048, shared=1)
    indexer = Indexer(config.size("index_n_heads", 64), config.size("index_head_dim", 128))
    return _latent(config, experts, dense_first=3, indexer=indexer)


def _glm4_moe_lite(config: ConfigValues) -> Architecture:
    experts = shared_experts_of(config, experts=64, active=4, inner=1536, shared=1)
    return _latent(config, experts, dense_first=1, query=768, nope=192, value=256)


def _glm_moe_dsa(config: ConfigValues) -> Architecture:
    """GLM-5: sparse attention whose indexer some layers borrow from the one before."""
    experts = shared_experts_of(config, experts=256, active=8, inner=2048, shared=1)
    indexer = Indexer(config.size("index_n_heads", 32), config.size("index_head_dim", 128))
    layers = config.layers()
    kinds = config.kinds("indexer_types", layers, {"full": "full", "shared": "shared"})
    if kinds is None and config.has("index_topk_pattern"):
        pattern = config.raw["index_topk_pattern"]
        if not isinstance(pattern, str) or len(pattern) != layers or set(pattern) - set("FS"):
            raise config.refusal("index_topk_pattern", f"{layers} letters F or S", pattern)
        kinds = tuple("full" if letter == "F" else "shared" for letter in pattern)
    step, offset = config.size("index_topk_freq", 1), config.count("index_skip_topk_offset", 2)

    def own(index: int) -> bool:
        return kinds[index] == "full" if kinds else max(index - offset + 1, 0) % step == 0

    return _latent(config, experts, dense_first=3, query=2048, nope=192, value=256, indexer=indexer, with_indexer=own)


def _v4_attention(config: ConfigValues) -> Mapping[str, CompressedAttention]:
    """The three kinds of attention of DeepSeek V4."""
    rates = {
        "sparse": config.size("compress_rate_csa", V4_RATES["sparse"]),
        "heavy": config.size("compress_rate_hca", V4_RATES["heavy"]),
    }
    indexer = Indexer(config.size("index_n_heads", 64), config.size("index_head_dim", 128))

    def attention(compressor: Compressor | None) -> CompressedAttention:
        return CompressedAttention(
            heads=config.size("num_attention_heads"),
            head_dim=config.size("head_dim", 512),
            query_rank=config.size("q_lora_rank", 1024),
            output_groups=config.size("o_groups", 8),
            output_rank=config.size("o_lora_rank", 1024),
            compressor=compressor,
        )

    return {
        "sliding": attention(None),
        "sparse": attention(Compressor(rates["sparse"], overlaps=True, indexer=indexer)),
        "heavy": attention(Compressor(rates["heavy"])),
    }


def _v4_kinds(config: ConfigValues, layers: int) -> tuple[str, ...]:
    """Which attention each layer has; a list may go on with the layers that predict further tokens."""
    listed = config.raw.get("layer_types") or config.raw.get("compress_ratios")
    if listed is None:
        return tuple("heavy" if index < 2 or index % 2 == 0 else "sparse" for index in range(layers))
    if not isinstance(listed, (list, tuple)) or len(listed) < layers:
        raise config.refusal("layer_types", f"a kind for each of {layers} layers", listed)
    meaning = V4_ATTENTION if config.has("layer_types") else V4_RATIOS
    for word in listed[:layers]:
        if not isinstance(word, (str, int)) or word not in meaning:
            raise config.refusal("layer_types", f"words from {', '.join(map(str, V4_ATTENTION))}", word)
    return tuple(meaning[word] for word in listed[:layers])


def _deepseek_v4(config: ConfigValues) -> Architecture:
    if config.flag("attention_bias", default=False) or config.flag("mlp_bias", default=False):
        raise config.refusal("attention_bias", "a model without biases", True)
    if config.has("compress_rates"):
        raise config.refusal("compress_rates", "compress_rate_csa and compress_rate_hca", config.raw["compress_rates"])
    layers, hidden, streams = config.layers(), config.size("hidden_size"), config.size("hc_mult", 4)
    if config.size("n_shared_experts", 1) != 1:
        raise config.refusal("n_shared_experts", "1", config.raw["n_shared_experts"])
    experts = shared_experts_of(config, experts=256, active=6, inner=2048, shared=1)
    kinds, attention = _v4_kinds(config, layers), _v4_attention(config)
    built = [Layer((attention[kind],), (experts,), extras=(HyperConnections(streams),)) for kind in kinds]
    final = Outside(linear=streams * streams * hidden, small=streams + 1)
    one = attention["sliding"]
    return decoder(config, built, None, heads=one.heads, head_dim=one.head_dim, fp32_norm=True, outside=final)


LATENT: Mapping[str, Callable[[ConfigValues], Architecture]] = {
    "deepseek_v2": _deepseek_v2,
    "deepseek_v3": _deepseek_v3,
    "kimi_k2": _deepseek_v3,
    "deepseek_v32": _deepseek_v32,
    "glm4_moe_lite": _glm4_moe_lite,
    "glm_moe_dsa": _glm_moe_dsa,
    "deepseek_v4": _deepseek_v4,
}
