"""What the families share: the usual keys, and a decoder from its layers."""

from __future__ import annotations

from collections.abc import Sequence

from generator.architecture import Architecture, GroupedQueryAttention, Layer, Norm, Outside, QkNorm, grouped
from generator.catalog.config_values import ConfigValues


def kv_heads_of(config: ConfigValues, heads: int, default: int | None = None) -> int:
    """Key-value heads: as many as there are heads where the file says nothing; they divide the heads."""
    kv_heads = config.size("num_key_value_heads", default or heads)
    if heads % kv_heads:
        raise config.refusal("num_key_value_heads", f"a divisor of {heads}", kv_heads)
    return kv_heads


def head_dim_of(config: ConfigValues, heads: int, default: int | None = None) -> int:
    """Size of a head: the field, or hidden ÷ heads."""
    return config.size("head_dim", default or max(config.size("hidden_size") // heads, 1))


def attention_of(
    config: ConfigValues,
    *,
    qk_norm: QkNorm = QkNorm.NONE,
    qkv_bias: bool | None = None,
    output_bias: bool | None = None,
    head_dim: int | None = None,
    kv_heads: int | None = None,
    output_gate: bool = False,
    sinks: bool = False,
) -> GroupedQueryAttention:
    """Grouped-query attention from the usual keys; biases left open are those of `attention_bias`."""
    heads = config.size("num_attention_heads")
    bias = config.flag("attention_bias", default=False)
    return GroupedQueryAttention(
        heads=heads,
        kv_heads=kv_heads_of(config, heads, kv_heads),
        head_dim=head_dim_of(config, heads, head_dim),
        qkv_bias=bias if qkv_bias is None else qkv_bias,
        output_bias=bias if output_bias is None else output_bias,
        qk_norm=qk_norm,
        output_gate=output_gate,
        sinks=sinks,
    )


def decoder(
    config: ConfigValues,
    layers: Sequence[Layer],
    attention: GroupedQueryAttention | None,
    *,
    intermediate: int = 0,
    heads: int | None = None,
    head_dim: int | None = None,
    tied: bool = False,
    norms: int = 2,
    fp32_norm: bool = False,
    final_norm: Norm = Norm.RMS,
    outside: Outside | None = None,
) -> Architecture:
    """A model of these layers; `attention` gives the numbers that are shown, `heads` and `head_dim` in its place."""
    return Architecture(
        layers=len(layers),
        hidden=config.size("hidden_size"),
        intermediate=intermediate,
        heads=attention.heads if attention else heads or 0,
        kv_heads=attention.kv_heads if attention else heads or 0,
        head_dim=attention.head_dim if attention else head_dim or 0,
        vocab=config.size("vocab_size"),
        tied_embeddings=config.flag("tie_word_embeddings", default=tied),
        qk_norm=attention.qk_norm if attention else QkNorm.NONE,
        norms_per_layer=norms,
        qkv_bias=bool(attention and attention.qkv_bias),
        output_bias=bool(attention and attention.output_bias),
        fp32_norm=fp32_norm,
        groups=grouped(layers),
        final_norm=final_norm,
        outside=outside or Outside(),
    )
