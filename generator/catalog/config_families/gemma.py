"""Gemma 3n and 4: per-layer embeddings, borrowed keys and values, layers that differ in the size of a head."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from generator.architecture import (
    AltUp,
    Architecture,
    Experts,
    GroupedQueryAttention,
    KeyValue,
    Layer,
    Mlp,
    Outside,
    PerLayerInput,
    QkNorm,
)
from generator.catalog.config_families.common import attention_of, decoder
from generator.catalog.config_families.experts import active_of
from generator.catalog.config_values import ConfigValues

LAYER_KINDS = {"sliding_attention": "sliding", "full_attention": "full"}

NESTED_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "gemma3_text": {
        "vocab_size": 262208,
        "hidden_size": 2304,
        "intermediate_size": 9216,
        "num_hidden_layers": 26,
        "num_attention_heads": 8,
    },
    "gemma3n_text": {"vocab_size": 262400, "intermediate_size": 16384, "num_attention_heads": 8},
    "gemma4_text": {"vocab_size": 262144, "intermediate_size": 9216, "num_attention_heads": 8},
    "gemma4_unified_text": {"vocab_size": 262144, "intermediate_size": 9216, "num_attention_heads": 8},
}
"""What the class of the text part assumes where a file with towers leaves it out, as files of Gemma 3 do."""


def _kinds(config: ConfigValues, layers: int, interval: int) -> tuple[str, ...]:
    """Sliding or full attention of each layer; the last of Gemma 4 is always full."""
    return config.kinds("layer_types", layers, LAYER_KINDS) or tuple(
        "sliding" if (index + 1) % interval else "full" for index in range(layers)
    )


def _borrowing(config: ConfigValues, layers: int, default: int) -> int:
    shared = config.count("num_kv_shared_layers", default)
    if shared > layers:
        raise config.refusal("num_kv_shared_layers", f"at most the {layers} layers", shared)
    return shared


def _per_layer(config: ConfigValues, layers: int, width: int) -> Outside:
    """The table of per-layer embeddings, the projection beside it and the norm after that."""
    table = config.size("vocab_size_per_layer_input", 262144) * layers * width
    return Outside(lookup=table, linear=config.size("hidden_size") * layers * width, small=width)


def _gemma3n(config: ConfigValues) -> Architecture:
    layers, hidden = config.layers(), config.size("hidden_size")
    own = attention_of(config, qk_norm=QkNorm.PER_HEAD, head_dim=256, kv_heads=2)
    borrowed = replace(own, key_value=KeyValue.BORROWED)
    first_borrowed = layers - _borrowing(config, layers, 15)
    widths = config.sizes("intermediate_size", layers)
    streams, width = config.size("altup_num_inputs", 4), config.size("hidden_size_per_layer_input", 256)
    extras = (AltUp(streams, config.size("laurel_rank", 64)), PerLayerInput(width))
    built = [
        Layer((own if index < first_borrowed else borrowed,), (Mlp(inner),), norms=4, extras=extras)
        for index, inner in enumerate(widths)
    ]
    per_layer = _per_layer(config, layers, width)
    streams_in_and_out = 2 * (streams - 1) * hidden * hidden
    outside = replace(per_layer, linear=per_layer.linear + streams_in_and_out)
    return decoder(config, built, own, intermediate=max(widths), tied=True, norms=4, fp32_norm=True, outside=outside)


def _gemma4_attention(config: ConfigValues) -> tuple[GroupedQueryAttention, GroupedQueryAttention]:
    """Of a sliding and of a full layer; the latter have larger heads, and may use keys as values."""
    sliding = attention_of(config, qk_norm=QkNorm.PER_HEAD, head_dim=256, kv_heads=4)
    key_is_value = config.flag("attention_k_eq_v", default=False)
    kv_heads = config.optional_size("num_global_key_value_heads") if key_is_value else None
    full = replace(
        sliding,
        head_dim=config.size("global_head_dim", 512),
        kv_heads=kv_heads or sliding.kv_heads,
        key_value=KeyValue.KEY_IS_VALUE if key_is_value else KeyValue.OWN,
    )
    return sliding, full


def _gemma4_experts(config: ConfigValues) -> Experts:
    count = config.size("num_experts")
    return Experts(
        count,
        active_of(config, count, "top_k_experts"),
        config.size("moe_intermediate_size"),
        router="router.proj",
        router_is_linear=True,
        small_weights=config.size("hidden_size") + count,
    )


def _gemma4(config: ConfigValues, *, per_layer_width: int = 256) -> Architecture:
    layers = config.layers()
    kinds = (*_kinds(config, layers, 6)[:-1], "full")
    sliding, full = _gemma4_attention(config)
    first_borrowed = layers - _borrowing(config, layers, 0)
    inner = config.size("intermediate_size")
    doubled = config.flag("use_double_wide_mlp", default=False)
    has_experts = config.flag("enable_moe_block", default=False)
    experts = (_gemma4_experts(config),) if has_experts else ()
    width = config.count("hidden_size_per_layer_input", per_layer_width)
    extras = (PerLayerInput(width),) if width else ()
    built = []
    for index, kind in enumerate(kinds):
        attention = sliding if kind == "sliding" else full
        borrows = index >= first_borrowed
        if borrows:
            attention = replace(attention, key_value=KeyValue.BORROWED)
        mlp = Mlp(inner * 2 if borrows and doubled else inner)
        built.append(Layer((attention,), (mlp, *experts), norms=7 if has_experts else 4, extras=extras))
    return decoder(
        config,
        built,
        sliding,
        intermediate=inner,
        tied=True,
        norms=4,
        fp32_norm=True,
        outside=_per_layer(config, layers, width) if width else None,
    )


def _gemma4_unified(config: ConfigValues) -> Architecture:
    """Gemma 4 12B: without per-layer embeddings and experts, whatever the file says of them."""
    ignored = ("hidden_size_per_layer_input", "enable_moe_block")
    return _gemma4(
        replace(config, raw={key: value for key, value in config.raw.items() if key not in ignored}), per_layer_width=0
    )


GEMMA: Mapping[str, Callable[[ConfigValues], Architecture]] = {
    "gemma3n_text": _gemma3n,
    "gemma4_text": _gemma4,
    "gemma4_unified_text": _gemma4_unified,
}
