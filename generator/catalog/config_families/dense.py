"""Dense decoders with a gated MLP and RMSNorm: Llama and most of its successors."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from generator.architecture import FUSED_NAMES, GATED_NAMES, Architecture, Layer, Mlp, QkNorm, grouped
from generator.catalog.config_families.common import attention_of
from generator.catalog.config_values import ConfigValues


@dataclass(frozen=True, slots=True)
class Family:
    """What the class of a `model_type` fixes and what it assumes."""

    qk_norm: QkNorm = QkNorm.NONE
    norms_per_layer: int = 2
    fp32_norm: bool = False
    qkv_bias: bool | None = None
    """Always or never; none where the file's `attention_bias` says."""
    output_bias: bool | None = None
    attention_bias: bool = False
    """What `attention_bias` is where the file leaves it out."""
    tied_embeddings: bool = False
    head_dim: int | None = None
    """None for hidden ÷ heads."""
    kv_heads: int | None = None
    """None for as many as heads."""
    fused_qkv: str = ""
    fused_gate: bool = False
    mlp_may_have_bias: bool = False
    """Whether the class reads `mlp_bias`."""
    layers_key: str = "num_hidden_layers"


def _shape(config: ConfigValues, family: Family) -> Architecture:
    bias = config.flag("attention_bias", default=family.attention_bias)
    attention = attention_of(
        config,
        qk_norm=family.qk_norm,
        qkv_bias=bias if family.qkv_bias is None else family.qkv_bias,
        output_bias=bias if family.output_bias is None else family.output_bias,
        head_dim=family.head_dim,
        kv_heads=family.kv_heads,
    )
    shape = Architecture(
        layers=config.layers(config.first("num_hidden_layers", family.layers_key)),
        hidden=config.size("hidden_size"),
        intermediate=config.size("intermediate_size"),
        heads=attention.heads,
        kv_heads=attention.kv_heads,
        head_dim=attention.head_dim,
        vocab=config.size("vocab_size"),
        tied_embeddings=config.flag("tie_word_embeddings", default=family.tied_embeddings),
        qk_norm=family.qk_norm,
        norms_per_layer=family.norms_per_layer,
        qkv_bias=attention.qkv_bias,
        output_bias=attention.output_bias,
        fp32_norm=family.fp32_norm,
    )
    mlp_bias = family.mlp_may_have_bias and config.flag("mlp_bias", default=False)
    if not (family.fused_qkv or family.fused_gate or mlp_bias):
        return shape
    # The same numbers, with biases or with modules that hold several matrices: what adapters are laid around.
    mlp = Mlp(shape.intermediate, bias=mlp_bias, names=FUSED_NAMES if family.fused_gate else GATED_NAMES)
    layer = Layer((replace(attention, fused_name=family.fused_qkv),), (mlp,), family.norms_per_layer)
    return replace(shape, groups=grouped([layer] * shape.layers))


def _without_biases(**traits: Any) -> Family:
    return Family(qkv_bias=False, output_bias=False, **traits)


FAMILY_TRAITS: Mapping[str, Family] = {
    "llama": Family(mlp_may_have_bias=True),
    "mistral": _without_biases(kv_heads=8),
    "ministral": _without_biases(kv_heads=8),
    "ministral3": _without_biases(kv_heads=8, head_dim=128),
    "qwen2": Family(qkv_bias=True, output_bias=False),
    "qwen3": Family(qk_norm=QkNorm.PER_HEAD, head_dim=128),
    "gemma": Family(fp32_norm=True, tied_embeddings=True, head_dim=256),
    "gemma2": Family(norms_per_layer=4, fp32_norm=True, tied_embeddings=True, head_dim=256, kv_heads=4),
    "gemma3_text": Family(
        qk_norm=QkNorm.PER_HEAD, norms_per_layer=4, fp32_norm=True, tied_embeddings=True, head_dim=256, kv_heads=4
    ),
    "phi3": _without_biases(fused_qkv="qkv_proj", fused_gate=True),
    "glm": Family(attention_bias=True, output_bias=False, head_dim=128, kv_heads=2, fused_gate=True),
    "glm4": Family(
        attention_bias=True, output_bias=False, head_dim=128, kv_heads=2, fused_gate=True, norms_per_layer=4
    ),
    "olmo2": Family(qk_norm=QkNorm.FULL, fp32_norm=True),
    "olmo3": Family(qk_norm=QkNorm.FULL, fp32_norm=True),
    "granite": Family(mlp_may_have_bias=True),
    "smollm3": Family(tied_embeddings=True, kv_heads=4, mlp_may_have_bias=True),
    "exaone": Family(layers_key="num_layers", kv_heads=8, mlp_may_have_bias=True),
    "exaone4": _without_biases(qk_norm=QkNorm.PER_HEAD),
}


def _reader(family: Family) -> Callable[[ConfigValues], Architecture]:
    def read(config: ConfigValues) -> Architecture:
        return _shape(config, family)

    return read


DENSE: Mapping[str, Callable[[ConfigValues], Architecture]] = {
    name: _reader(family) for name, family in FAMILY_TRAITS.items()
}
