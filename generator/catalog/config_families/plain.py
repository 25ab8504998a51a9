"""Older decoders: LayerNorm, plain MLPs, learned positions, fused projections, parallel blocks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from generator.architecture import Architecture, GroupedQueryAttention, Layer, Mlp, Norm, Outside, QkNorm
from generator.catalog.config_families.common import attention_of, decoder
from generator.catalog.config_values import ConfigValues
from generator.errors import UnsupportedArchitecture


def _renamed(config: ConfigValues, names: Mapping[str, str]) -> ConfigValues:
    """The same object with the usual keys for those of GPT-2 and its like; a usual key that is there wins."""
    found = {usual: config.raw[own] for usual, own in names.items() if config.has(own) and not config.has(usual)}
    return replace(config, raw={**config.raw, **found})


def _multi_head(config: ConfigValues, fused_name: str, output_name: str, *, bias: bool) -> GroupedQueryAttention:
    heads, hidden = config.size("num_attention_heads"), config.size("hidden_size")
    if hidden % heads:
        raise config.refusal("num_attention_heads", f"a divisor of {hidden}", heads)
    return GroupedQueryAttention(
        heads, heads, hidden // heads, bias, bias, fused_name=fused_name, output_name=output_name
    )


COMPOSED = ("gelu_new", "gelu_fast", "gelu_python", "quick_gelu")
"""Activations that transformers writes as several operations."""
_GPT2_NAMES = {
    "hidden_size": "n_embd",
    "num_hidden_layers": "n_layer",
    "num_attention_heads": "n_head",
    "max_position_embeddings": "n_positions",
}


def _gpt2(config: ConfigValues, *, multi_query: bool = False, activation: str = "gelu_new") -> Architecture:
    config = _renamed(config, _GPT2_NAMES)
    if config.flag("add_cross_attention", default=False):
        raise config.refusal("add_cross_attention", "a decoder alone", True)
    hidden = config.size("hidden_size")
    attention = replace(_multi_head(config, "c_attn", "attn.c_proj", bias=True), rotary=False)
    if multi_query:
        attention = replace(attention, kv_heads=1)
    composed = config.raw.get("activation_function", activation) in COMPOSED
    inner = config.optional_size("n_inner") or 4 * hidden
    mlp = Mlp(inner, gated=False, bias=True, names=("c_fc", "mlp.c_proj"), composed=composed)
    layer = Layer((attention,), (mlp,), norm=Norm.LAYER)
    positions = config.size("max_position_embeddings", 1024) * hidden
    return decoder(
        config,
        [layer] * config.layers(),
        attention,
        intermediate=inner,
        tied=True,
        final_norm=Norm.LAYER,
        outside=Outside(positions=positions),
    )


def _gpt_bigcode(config: ConfigValues) -> Architecture:
    multi_query = config.flag("multi_query", default=True)
    return _gpt2(config, multi_query=multi_query, activation="gelu_pytorch_tanh")


def _gpt_neox(config: ConfigValues) -> Architecture:
    bias = config.flag("attention_bias", default=True)
    attention = _multi_head(config, "query_key_value", "dense", bias=bias)
    inner = config.size("intermediate_size")
    mlp = Mlp(inner, gated=False, bias=True, names=("dense_h_to_4h", "dense_4h_to_h"))
    layer = Layer((attention,), (mlp,), norm=Norm.LAYER)
    return decoder(config, [layer] * config.layers(), attention, intermediate=inner, final_norm=Norm.LAYER)


def _phi(config: ConfigValues) -> Architecture:
    """Phi-1 to Phi-2: attention and MLP in parallel behind one norm; the head has a bias."""
    norm = QkNorm.PER_HEAD if config.flag("qk_layernorm", default=False) else QkNorm.NONE
    attention = replace(
        attention_of(config, qk_norm=norm, qkv_bias=True, output_bias=True), qk_norm_bias=True, output_name="dense"
    )
    inner = config.size("intermediate_size")
    composed = config.raw.get("hidden_act", "gelu_new") in COMPOSED
    mlp = Mlp(inner, gated=False, bias=True, names=("fc1", "fc2"), composed=composed)
    layer = Layer((attention,), (mlp,), norms=1, norm=Norm.LAYER)
    return decoder(
        config,
        [layer] * config.layers(),
        attention,
        intermediate=inner,
        norms=1,
        final_norm=Norm.LAYER,
        outside=Outside(small=config.size("vocab_size")),
    )


def _starcoder2(config: ConfigValues) -> Architecture:
    bias = config.flag("use_bias", default=True)
    attention = attention_of(config, qkv_bias=bias, output_bias=bias, kv_heads=2)
    inner = config.size("intermediate_size")
    layer = Layer((attention,), (Mlp(inner, gated=False, bias=bias, names=("c_fc", "c_proj")),), norm=Norm.LAYER)
    return decoder(config, [layer] * config.layers(), attention, intermediate=inner, tied=True, final_norm=Norm.LAYER)


def _stablelm(config: ConfigValues) -> Architecture:
    norm = QkNorm.FULL if config.flag("qk_layernorm", default=False) else QkNorm.NONE
    bias = config.flag("use_qkv_bias", default=False)
    attention = attention_of(config, qk_norm=norm, qkv_bias=bias, output_bias=False)
    inner = config.size("intermediate_size")
    norms = 1 if config.flag("use_parallel_residual", default=False) else 2
    layer = Layer((attention,), (Mlp(inner),), norms=norms, norm=Norm.LAYER)
    return decoder(config, [layer] * config.layers(), attention, intermediate=inner, norms=norms, final_norm=Norm.LAYER)


def _olmo(config: ConfigValues) -> Architecture:
    """The first OLMo: LayerNorm without parameters."""
    attention = attention_of(config)
    inner = config.size("intermediate_size")
    layer = Layer((attention,), (Mlp(inner),), norm=Norm.LAYER_UNWEIGHTED)
    return decoder(config, [layer] * config.layers(), attention, intermediate=inner, final_norm=Norm.LAYER_UNWEIGHTED)


def _falcon(config: ConfigValues) -> Architecture:
    """Falcon 7B to 180B: multi-query or grouped, one or two norms before attention and MLP in parallel."""
    config = _renamed(
        config, {"hidden_size": "n_embed", "num_hidden_layers": "n_layer", "num_attention_heads": "n_head"}
    )
    bias = config.flag("bias", default=False)
    attention = _multi_head(config, "query_key_value", "dense", bias=bias)
    new = config.flag("new_decoder_architecture", default=False)
    if new:
        kv_heads = config.size(config.first("num_kv_heads", "n_head_kv"), attention.heads)
        attention = replace(attention, kv_heads=kv_heads)
    elif config.flag("multi_query", default=True):
        attention = replace(attention, kv_heads=1)
    attention = replace(attention, rotary=not config.flag("alibi", default=False))
    parallel = config.flag("parallel_attn", default=True)
    norms = config.size("num_ln_in_parallel_attn", 2 if new else 1) if parallel else 2
    if norms > 2:
        raise config.refusal("num_ln_in_parallel_attn", "1 or 2", norms)
    inner = config.size("ffn_hidden_size", 4 * config.size("hidden_size"))
    mlp = Mlp(inner, gated=False, bias=bias, names=("dense_h_to_4h", "dense_4h_to_h"))
    layer = Layer((attention,), (mlp,), norms=norms, norm=Norm.LAYER)
    return decoder(
        config,
        [layer] * config.layers(),
        attention,
        intermediate=inner,
        tied=True,
        norms=norms,
        final_norm=Norm.LAYER,
    )


def _qwen(config: ConfigValues) -> Architecture:
    """The first Qwen, by the code in its repositories: multi-head, and an intermediate_size that counts gate and up."""
    if not config.flag("no_bias", default=True):
        raise config.refusal("no_bias", "true", False)
    attention = replace(_multi_head(config, "c_attn", "attn.c_proj", bias=True), output_bias=False)
    width = config.size("kv_channels", attention.head_dim) * attention.heads
    if width != attention.query_width:
        raise UnsupportedArchitecture(f"kv_channels: expected {attention.head_dim}, found {width // attention.heads}")
    both = config.size("intermediate_size")
    if both % 2:
        raise config.refusal("intermediate_size", "an even number", both)
    layer = Layer((attention,), (Mlp(both // 2, names=("w1", "w2", "mlp.c_proj")),))
    return decoder(config, [layer] * config.layers(), attention, intermediate=both // 2)


PLAIN: Mapping[str, Callable[[ConfigValues], Architecture]] = {
    "gpt2": _gpt2,
    "gpt_bigcode": _gpt_bigcode,
    "gpt_neox": _gpt_neox,
    "phi": _phi,
    "starcoder2": _starcoder2,
    "stablelm": _stablelm,
    "olmo": _olmo,
    "falcon": _falcon,
    "qwen": _qwen,
}
