"""Grouped-query attention with a mixture of experts in all or some layers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from generator.architecture import (
    Architecture,
    Experts,
    GroupedQueryAttention,
    Layer,
    Mlp,
    Norm,
    Outside,
    QkNorm,
)
from generator.catalog.config_families.common import attention_of, decoder
from generator.catalog.config_values import ConfigValues

MLP_KINDS = {"dense": "dense", "sparse": "sparse"}
"""Words of `mlp_layer_types`."""
SHARED_NAMES = tuple(f"shared_experts.{name}" for name in ("gate_proj", "up_proj", "down_proj"))
SHARED_NAME = tuple(f"shared_expert.{name}" for name in ("gate_proj", "up_proj", "down_proj"))


def active_of(config: ConfigValues, experts: int, key: str = "num_experts_per_tok", default: int | None = None) -> int:
    """Experts that a token is sent to: at most as many as there are."""
    active = config.size(key, default)
    if active > experts:
        raise config.refusal(key, f"at most the {experts} experts", active)
    return active


def sparse_layers(config: ConfigValues, layers: int, dense_first: int) -> tuple[bool, ...]:
    """Which layers have experts: `mlp_layer_types` where the file has it, else all but the first few."""
    kinds = config.kinds("mlp_layer_types", layers, MLP_KINDS)
    if kinds is not None:
        return tuple(kind == "sparse" for kind in kinds)
    return tuple(index >= config.count("first_k_dense_replace", dense_first) for index in range(layers))


def qwen_sparse_layers(config: ConfigValues, layers: int, experts: int) -> tuple[bool, ...]:
    """Which layers have experts, by `mlp_only_layers` and `decoder_sparse_step`."""
    dense = config.indices("mlp_only_layers") or frozenset()
    step = config.size("decoder_sparse_step", 1)
    return tuple(experts > 0 and index not in dense and (index + 1) % step == 0 for index in range(layers))


def _layers(
    attention: GroupedQueryAttention, sparse: Sequence[bool], experts: Experts, dense: Mlp | None, norm: Norm = Norm.RMS
) -> list[Layer]:
    def mlp(is_sparse: bool) -> Mlp | Experts:  # one of two kinds of layers
        return experts if is_sparse or dense is None else dense

    return [Layer((attention,), (mlp(is_sparse),), norm=norm) for is_sparse in sparse]


def _everywhere(
    config: ConfigValues, attention: GroupedQueryAttention, experts: Experts, *, fp32_norm: bool = False
) -> Architecture:
    return decoder(config, _layers(attention, [True] * config.layers(), experts, None), attention, fp32_norm=fp32_norm)


def _mixtral(config: ConfigValues) -> Architecture:
    count = config.size("num_local_experts", 8)
    experts = Experts(count, active_of(config, count, default=2), config.size("intermediate_size"))
    return _everywhere(config, attention_of(config, qkv_bias=False, output_bias=False, kv_heads=8), experts)


def _olmoe(config: ConfigValues) -> Architecture:
    count = config.size("num_experts", 64)
    experts = Experts(count, active_of(config, count, default=8), config.size("intermediate_size"))
    return _everywhere(config, attention_of(config, qk_norm=QkNorm.FULL), experts)


def _granitemoe(config: ConfigValues) -> Architecture:
    count = config.size("num_local_experts", 8)
    experts = Experts(
        count,
        active_of(config, count, default=2),
        config.size("intermediate_size"),
        shared_intermediate=config.count("shared_intermediate_size", 0),
        shared_names=("shared_mlp.input_linear", "shared_mlp.output_linear"),
        router="router",
    )
    return _everywhere(config, attention_of(config), experts)


def _phimoe(config: ConfigValues) -> Architecture:
    count = config.size("num_local_experts", 16)
    experts = Experts(
        count,
        active_of(config, count, default=2),
        config.size("intermediate_size"),
        router="router",
        router_is_linear=True,
    )
    attention = attention_of(config, kv_heads=8)
    layers = _layers(attention, [True] * config.layers(), experts, None, Norm.LAYER)
    head_bias = config.size("vocab_size") if config.flag("lm_head_bias", default=False) else 0
    return decoder(config, layers, attention, final_norm=Norm.LAYER, outside=Outside(small=head_bias))


def _gpt_oss(config: ConfigValues) -> Architecture:
    count = config.size(config.first("num_local_experts", "num_experts"), 128)
    key = config.first("num_experts_per_tok", "experts_per_token")
    experts = Experts(
        count,
        active_of(config, count, key, 4),
        config.size("intermediate_size"),
        bias=True,
        router="router",
        router_bias=True,
    )
    bias = config.flag("attention_bias", default=True)
    attention = attention_of(config, qkv_bias=bias, output_bias=bias, head_dim=64, kv_heads=8, sinks=True)
    return _everywhere(config, attention, experts, fp32_norm=True)


def _qwen_moe(config: ConfigValues, attention: GroupedQueryAttention, experts: Experts) -> Architecture:
    layers = config.layers()
    sparse = qwen_sparse_layers(config, layers, experts.experts)
    # Only dense layers need their width, whatever the file says.
    dense = None if all(sparse) else Mlp(config.size("intermediate_size"))
    inner = dense.intermediate if dense else 0
    return decoder(config, _layers(attention, sparse, experts, dense), attention, intermediate=inner)


def _qwen2_moe(config: ConfigValues) -> Architecture:
    count = config.size("num_experts", 60)
    experts = Experts(
        count,
        active_of(config, count, default=4),
        config.size("moe_intermediate_size", 1408),
        shared_intermediate=config.size("shared_expert_intermediate_size", 5632),
        shared_names=SHARED_NAME,
        shared_gate=True,
    )
    bias = config.flag("qkv_bias", default=True)
    return _qwen_moe(config, attention_of(config, qkv_bias=bias, output_bias=False, kv_heads=16), experts)


def _qwen3_moe(config: ConfigValues) -> Architecture:
    count = config.size(config.first("num_experts", "num_local_experts"), 128)
    experts = Experts(count, active_of(config, count, default=8), config.size("moe_intermediate_size", 768))
    return _qwen_moe(config, attention_of(config, qk_norm=QkNorm.PER_HEAD, kv_heads=4), experts)


def _dense_first(
    config: ConfigValues, attention: GroupedQueryAttention, experts: Experts, dense_first: int
) -> Architecture:
    inner = config.size("intermediate_size")
    sparse = sparse_layers(config, config.layers(), dense_first)
    return decoder(config, _layers(attention, sparse, experts, Mlp(inner)), attention, intermediate=inner)


def shared_experts_of(config: ConfigValues, *, experts: int, active: int, inner: int, shared: int) -> Experts:
    """Routed and shared experts by the keys of DeepSeek; the numbers are the defaults of the class."""
    width = config.size("moe_intermediate_size", inner)
    count = config.size(config.first("n_routed_experts", "num_experts"), experts)
    return Experts(
        count,
        active_of(config, count, default=active),
        width,
        shared_intermediate=width * config.count(config.first("n_shared_experts", "num_shared_experts"), shared),
        shared_names=SHARED_NAMES,
        router_in_fp32=True,
    )


def _glm4_moe(config: ConfigValues) -> Architecture:
    norm = QkNorm.PER_HEAD if config.flag("use_qk_norm", default=False) else QkNorm.NONE
    attention = attention_of(config, qk_norm=norm, output_bias=False, kv_heads=8)
    experts = shared_experts_of(config, experts=128, active=8, inner=1408, shared=1)
    return _dense_first(config, attention, experts, 1)


def _exaone_moe(config: ConfigValues) -> Architecture:
    attention = attention_of(config, qk_norm=QkNorm.PER_HEAD, qkv_bias=False, output_bias=False)
    experts = shared_experts_of(config, experts=64, active=8, inner=1024, shared=1)
    return _dense_first(config, attention, experts, 1)


def _deepseek(config: ConfigValues) -> Architecture:
    """DeepSeek-MoE by the code in its repositories: every expert is a module (GigaChat-20B-A3B)."""
    if config.size("moe_layer_freq", 1) != 1:
        raise config.refusal("moe_layer_freq", "1", config.raw["moe_layer_freq"])
    width = config.size("moe_intermediate_size")
    count = config.size("n_routed_experts")
    experts = Experts(
        count,
        active_of(config, count),
        width,
        shared_intermediate=width * config.count("n_shared_experts", 0),
        shared_names=SHARED_NAMES,
        as_modules=True,
    )
    return _dense_first(config, attention_of(config), experts, 0)


def _llama4(config: ConfigValues) -> Architecture:
    norm = QkNorm.UNWEIGHTED if config.flag("use_qk_norm", default=True) else QkNorm.NONE
    attention = attention_of(config, qk_norm=norm, kv_heads=8)
    layers, width = config.layers(), config.size("intermediate_size", 8192)
    step = config.size("interleave_moe_layer_step", 1)
    chosen = config.indices("moe_layers")
    sparse = [(index + 1) % step == 0 if chosen is None else index in chosen for index in range(layers)]
    count = config.size("num_local_experts", 16)
    experts = Experts(
        count,
        active_of(config, count, default=1),
        width,
        shared_intermediate=width,
        shared_names=SHARED_NAME,
        router="router",
        router_is_linear=True,
    )
    inner = config.size("intermediate_size_mlp", 16384)
    return decoder(config, _layers(attention, sparse, experts, Mlp(inner)), attention, intermediate=inner)


WITH_EXPERTS: Mapping[str, Callable[[ConfigValues], Architecture]] = {
    "mixtral": _mixtral,
    "olmoe": _olmoe,
    "granitemoe": _granitemoe,
    "granitemoeshared": _granitemoe,
    "phimoe": _phimoe,
    "gpt_oss": _gpt_oss,
    "qwen2_moe": _qwen2_moe,
    "qwen3_moe": _qwen3_moe,
    "glm4_moe": _glm4_moe,
    "exaone_moe": _exaone_moe,
    "deepseek": _deepseek,
    "llama4_text": _llama4,
}

__all__ = ["WITH_EXPERTS", "active_of", "qwen_sparse_layers", "shared_experts_of", "sparse_layers"]
