"""The shape of a model from its Hugging Face `config.json`.

What a file leaves out takes the default of the `transformers` configuration class of its `model_type`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from generator.architecture import Architecture, QkNorm
from generator.errors import UnsupportedArchitecture

MAX_BYTES = 1024 * 1024
"""Largest config.json that is read."""
MAX_DIMENSION = 10**8
"""Larger numbers are no dimensions of a model."""


@dataclass(frozen=True, slots=True)
class Family:
    """What the class of a `model_type` fixes and what it assumes."""

    qk_norm: QkNorm = QkNorm.NONE
    norms_per_layer: int = 2
    fp32_norm: bool = False
    qkv_bias: bool | None = None
    """Always or never; none where the file's `attention_bias` says."""
    tied_embeddings: bool = False
    head_dim: int | None = None
    """None for hidden ÷ heads."""


FAMILIES: Mapping[str, Family] = {
    "llama": Family(),
    "mistral": Family(qkv_bias=False),
    "qwen2": Family(qkv_bias=True),
    "qwen3": Family(qk_norm=QkNorm.PER_HEAD, head_dim=128),
    "gemma3_text": Family(
        qk_norm=QkNorm.PER_HEAD, norms_per_layer=4, fp32_norm=True, tied_embeddings=True, head_dim=256
    ),
}
"""By `model_type`: dense decoders with grouped-query attention and a gated MLP."""


def shape_of_config(path: Path) -> Architecture:
    """The shape in a `config.json`; raises UnsupportedArchitecture, saying what it lacks."""
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
        if len(raw) > MAX_BYTES:
            raise UnsupportedArchitecture(f"{path}: expected at most {MAX_BYTES // 1024} KiB, found a larger file")
        config = json.loads(raw.decode("utf-8"))
    except OSError as error:
        raise UnsupportedArchitecture(f"{path}: expected a readable file, found {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise UnsupportedArchitecture(f"{path}: expected JSON in UTF-8, found {type(error).__name__}") from error
    try:
        return shape_of(config)
    except UnsupportedArchitecture as error:
        raise UnsupportedArchitecture(f"{path}: {error}") from error


def shape_of(config: Any) -> Architecture:
    """The shape in the content of a `config.json`; raises UnsupportedArchitecture, saying what it lacks."""
    if not isinstance(config, Mapping):
        raise UnsupportedArchitecture("expected a JSON object, found something else")
    if "vision_config" in config or "audio_config" in config or "text_config" in config:
        raise UnsupportedArchitecture("expected a text model, found one with a tower, which is not counted from a file")
    model_type = config.get("model_type")
    family = FAMILIES.get(model_type) if isinstance(model_type, str) else None
    if family is None:
        raise UnsupportedArchitecture(f"expected model_type {', '.join(FAMILIES)}, found {_shown(model_type)}")
    if _flag(config, "mlp_bias", default=False):
        raise UnsupportedArchitecture("expected an MLP without biases, found mlp_bias true")
    bias = _flag(config, "attention_bias", default=False)
    hidden, heads = _dimension(config, "hidden_size"), _dimension(config, "num_attention_heads")
    return Architecture(
        layers=_dimension(config, "num_hidden_layers"),
        hidden=hidden,
        intermediate=_dimension(config, "intermediate_size"),
        heads=heads,
        kv_heads=_kv_heads(config, heads),
        head_dim=_dimension(config, "head_dim", family.head_dim or hidden // heads),
        vocab=_dimension(config, "vocab_size"),
        tied_embeddings=_flag(config, "tie_word_embeddings", default=family.tied_embeddings),
        qk_norm=family.qk_norm,
        norms_per_layer=family.norms_per_layer,
        qkv_bias=bias if family.qkv_bias is None else family.qkv_bias,
        output_bias=bias if family.qkv_bias is None else False,
        fp32_norm=family.fp32_norm,
    )


def _kv_heads(config: Mapping[str, Any], heads: int) -> int:
    kv_heads = _dimension(config, "num_key_value_heads", heads)
    if heads % kv_heads:
        raise UnsupportedArchitecture(f"num_key_value_heads: expected a divisor of {heads}, found {kv_heads}")
    return kv_heads


def _dimension(config: Mapping[str, Any], key: str, default: int | None = None) -> int:
    value = config.get(key)
    if value is None and default is not None:
        value = default
    if type(value) is not int or not 0 < value <= MAX_DIMENSION:
        raise UnsupportedArchitecture(f"{key}: expected a whole number above 0, found {_shown(value)}")
    return value


def _flag(config: Mapping[str, Any], key: str, *, default: bool) -> bool:
    value = config.get(key)
    if value is None:
        return default
    if not isinstance(value, bool):
        raise UnsupportedArchitecture(f"{key}: expected true or false, found {_shown(value)}")
    return value


def _shown(value: object) -> str:
    return "nothing" if value is None else f"`{str(value)[:60]}`"
