"""The dimensions of a decoder-only transformer: plain from a few numbers, anything else from its groups of layers."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property

from generator.architecture.attention import GroupedQueryAttention, QkNorm
from generator.architecture.layers import Layer, LayerGroup, Norm
from generator.architecture.mlp import Mlp

MODELLED: frozenset[str] = frozenset(
    {
        "attention-gate",
        "attention-sinks",
        "borrowed-keys-and-values",
        "key-is-value",
        "layer-norm",
        "learned-positions",
        "mla",
        "moe",
        "per-layer-embeddings",
        "plain-mlp",
        "several-kinds-of-layers",
    }
)
"""Features beyond plain grouped-query attention, gated MLP and RMSNorm that the memory model counts right."""


@dataclass(frozen=True, slots=True)
class Outside:
    """Parameters outside the layers, beside embedding, head and final norm. Counts of elements."""

    positions: int = 0
    """Learned positions (GPT-2)."""
    lookup: int = 0
    """The table of per-layer embeddings (Gemma 3n and 4): read by row, never multiplied."""
    linear: int = 0
    """Weights of matrices that every token is multiplied with."""
    small: int = 0
    """Norms, biases of the head, scalars."""

    @property
    def total(self) -> int:
        """All of them."""
        return self.positions + self.lookup + self.linear + self.small


@dataclass(frozen=True)
class Architecture:
    """Dimensions of a decoder-only transformer.

    A plain dense model (grouped-query attention, gated MLP, RMSNorm, all layers alike) is the numbers alone. Anything
    else says its layers in `groups`; the numbers then describe its widest attention and its dense MLP, for display.

    Counts are of elements, never bytes. A vision or audio tower that is loaded with the language model but stays
    frozen is one number, `tower_parameters`.
    """

    layers: int
    hidden: int
    intermediate: int
    """Width of the dense MLP; 0 where every layer has experts alone."""
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
    loss_in_16_bits: bool = False
    """The model's own code takes the loss of 16-bit logits (GPTBigCode in Transformers 4): no fp32 copy before it."""
    tower_parameters: int = 0
    """Frozen vision or audio tower with its projector; 0 for a text model."""
    groups: tuple[LayerGroup, ...] = ()
    """The layers, by kind; empty for a plain dense model."""
    final_norm: Norm = Norm.RMS
    output_head: bool = True
    """False for an embedding model, which has none."""
    outside: Outside = Outside()

    def __post_init__(self) -> None:
        if self.groups and sum(group.count for group in self.groups) != self.layers:
            counted = sum(group.count for group in self.groups)
            raise ValueError(f"groups: expected {self.layers} layers in all, found {counted}")

    @property
    def query_width(self) -> int:
        """Channels of the query projection: heads × head_dim, which need not equal `hidden`."""
        return self.heads * self.head_dim

    @property
    def kv_width(self) -> int:
        """Channels of the key (and of the value) projection."""
        return self.kv_heads * self.head_dim

    def __hash__(self) -> int:
        """Of all its dimensions, worked out once: every estimate looks its counts up by it."""
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash(tuple(getattr(self, field.name) for field in fields(self)))

    @property
    def layer_groups(self) -> tuple[LayerGroup, ...]:
        """All layers by kind, for a plain dense model too."""
        if self.groups:
            return self.groups
        attention = GroupedQueryAttention(
            heads=self.heads,
            kv_heads=self.kv_heads,
            head_dim=self.head_dim,
            qkv_bias=self.qkv_bias,
            output_bias=self.output_bias,
            qk_norm=self.qk_norm,
        )
        layer = Layer((attention,), (Mlp(self.intermediate),), self.norms_per_layer)
        return (LayerGroup(layer, self.layers),)

    @cached_property
    def features(self) -> frozenset[str]:
        """Ids of everything that sets it apart from a plain dense model; empty for one."""
        found: set[str] = set().union(*(group.layer.features for group in self.groups))
        if len(self.groups) > 1:
            found.add("several-kinds-of-layers")
        if self.outside.positions:
            found.add("learned-positions")
        if self.outside.lookup:
            found.add("per-layer-embeddings")
        return frozenset(found)

    @property
    def unmodelled(self) -> tuple[str, ...]:
        """Features that the memory model lacks, in alphabetical order: with any of them its answer is `unknown`."""
        return tuple(sorted(self.features - MODELLED))
