"""A stand-in shape for a bare parameter count."""

from __future__ import annotations

from generator.architecture.counts import count_parameters
from generator.architecture.shape import Architecture

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
    candidates = (stand_in(layers) for layers in range(2, 161))
    return min(candidates, key=lambda shape: abs(count_parameters(shape).total - parameters))
