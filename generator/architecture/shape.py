"""The dimensions of a dense decoder-only transformer, and a stand-in shape for a bare parameter count."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class QkNorm(StrEnum):
    """How queries and keys are normalised before attention."""

    NONE = "none"
    PER_HEAD = "per-head"
    """One weight per head dimension, shared by the heads: 2 × head_dim a layer (Qwen3, Gemma 3)."""
    FULL = "full"
    """One weight per query and key channel (OLMo 2)."""


@dataclass(frozen=True, slots=True)
class Architecture:
    """Dimensions of a dense decoder-only transformer with grouped-query attention and a gated MLP.

    Counts are of elements, never bytes. A vision or audio tower that is loaded with the language model but stays
    frozen is one number, `tower_parameters`.
    """

    layers: int
    hidden: int
    intermediate: int
    heads: int
    kv_heads: int
    head_dim: int
    vocab: int
    tied_embeddings: bool
    qk_norm: QkNorm = QkNorm.NONE
    norms_per_layer: int = 2
    """RMSNorm weights of width `hidden` in one layer: 2, or 4 in Gemma 2 and 3."""
    qkv_bias: bool = False
    output_bias: bool = False
    fp32_norm: bool = False
    """The norm's weight is applied in fp32 before the cast back (Gemma): one more fp32 copy is kept."""
    tower_parameters: int = 0
    """Frozen vision or audio tower with its projector; 0 for a text model."""

    @property
    def query_width(self) -> int:
        """Channels of the query projection: heads × head_dim, which need not equal `hidden`."""
        return self.heads * self.head_dim

    @property
    def kv_width(self) -> int:
        """Channels of the key (and of the value) projection."""
        return self.kv_heads * self.head_dim


STAND_IN_ASPECT = 128
"""Hidden width ÷ layers of the stand-in shape: Llama 3.1 8B has 4096 ÷ 32, Llama 3.2 1B 2048 ÷ 16."""
STAND_IN_HEAD_DIM = 128
STAND_IN_KV_HEADS = 8
STAND_IN_VOCAB = 128_256
"""Vocabulary of the Llama 3 tokenizer."""
STAND_IN_UNTIED_FROM_LAYERS = 32
"""Models of 8B and larger keep a separate output head (Llama 3.1), smaller ones tie it (Llama 3.2)."""


def stand_in(layers: int) -> Architecture:
    """A Llama-3-like model of `layers` layers: hidden = 128 × layers, intermediate = 3.5 × hidden, 8 KV heads."""
    hidden = STAND_IN_ASPECT * layers
    return Architecture(
        layers=layers,
        hidden=hidden,
        intermediate=hidden * 7 // 2,
        heads=hidden // STAND_IN_HEAD_DIM,
        kv_heads=min(STAND_IN_KV_HEADS, hidden // STAND_IN_HEAD_DIM),
        head_dim=STAND_IN_HEAD_DIM,
        vocab=STAND_IN_VOCAB,
        tied_embeddings=layers < STAND_IN_UNTIED_FROM_LAYERS,
    )


def shape_of_size(parameters: float) -> Architecture:
    """The stand-in whose parameter count is nearest to `parameters`; ties go to the smaller one.

    Used where only a size is known, such as "pretrain 1.5B". The shape is an assumption and is shown as one.
    """
    from generator.architecture.counts import count_parameters

    candidates = (stand_in(layers) for layers in range(2, 161))
    return min(candidates, key=lambda shape: abs(count_parameters(shape).total - parameters))
