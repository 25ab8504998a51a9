"""A layer: mixers, MLPs, norms and what some families add; and groups of layers that are alike."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from generator.architecture.attention import CompressedAttention, GroupedQueryAttention, LatentAttention
from generator.architecture.matrices import Matrix, Storage
from generator.architecture.mlp import Experts, Mlp
from generator.architecture.recurrent import GatedDeltaNet, Mamba2

Mixer = GroupedQueryAttention | LatentAttention | CompressedAttention | GatedDeltaNet | Mamba2


class Norm(StrEnum):
    """The kind of norm on the residual path."""

    RMS = "rms"
    LAYER = "layer"
    """LayerNorm with weight and bias."""
    LAYER_UNBIASED = "layer-unbiased"
    LAYER_UNWEIGHTED = "layer-unweighted"
    """LayerNorm without parameters (the first OLMo)."""

    def weights(self, width: int) -> int:
        """Elements of one norm of this width."""
        return {Norm.RMS: width, Norm.LAYER: 2 * width, Norm.LAYER_UNBIASED: width, Norm.LAYER_UNWEIGHTED: 0}[self]


@dataclass(frozen=True, slots=True)
class PerLayerInput:
    """The gate and projection through which a layer takes in its own embedding (Gemma 3n and 4)."""

    width: int

    @property
    def features(self) -> frozenset[str]:
        """Ids of what it is."""
        return frozenset({"per-layer-embeddings"})

    def matrices(self, hidden: int) -> tuple[Matrix, ...]:
        """Gate and projection."""
        return (
            Matrix("per_layer_input_gate", hidden, self.width),
            Matrix("per_layer_projection", self.width, hidden),
        )

    def small(self, hidden: int) -> int:
        """The norm after the projection."""
        return hidden


@dataclass(frozen=True, slots=True)
class AltUp:
    """Several residual streams of which one is computed (arXiv 2301.13310), with LAuReL (2411.07501): Gemma 3n."""

    streams: int
    laurel_rank: int

    @property
    def features(self) -> frozenset[str]:
        """Ids of what it is."""
        return frozenset({"several-residual-streams"})

    def matrices(self, hidden: int) -> tuple[Matrix, ...]:
        """The router, the coefficients of prediction and correction, and LAuReL's low-rank branch."""
        return (
            Matrix("altup.correction_coefs", self.streams, self.streams),
            Matrix("altup.prediction_coefs", self.streams, self.streams**2),
            Matrix("altup.modality_router", hidden, self.streams),
            Matrix("laurel.linear_left", hidden, self.laurel_rank),
            Matrix("laurel.linear_right", self.laurel_rank, hidden),
        )

    def small(self, hidden: int) -> int:
        """The scale of the correction, the router's norm, LAuReL's norm."""
        return 3 * hidden


@dataclass(frozen=True, slots=True)
class HyperConnections:
    """Several residual streams mixed before attention and before the MLP (DeepSeek V4)."""

    streams: int

    @property
    def features(self) -> frozenset[str]:
        """Ids of what it is."""
        return frozenset({"several-residual-streams"})

    def matrices(self, hidden: int) -> tuple[Matrix, ...]:
        """Two mixing matrices from all streams."""
        mixes = (2 + self.streams) * self.streams
        return tuple(
            Matrix(name, self.streams * hidden, mixes, storage=Storage.PARAMETER)
            for name in ("attn_hc.fn", "ffn_hc.fn")
        )

    def small(self, hidden: int) -> int:  # noqa: ARG002 # the same question to every part of a layer
        """Offsets and three scales of each."""
        return 2 * ((2 + self.streams) * self.streams + 3)


Extra = PerLayerInput | AltUp | HyperConnections
Part = Mixer | Mlp | Experts | Extra


@dataclass(frozen=True, slots=True)
class Layer:
    """One transformer layer: what it is made of, beside a residual path of width `hidden`."""

    mixers: tuple[Mixer, ...]
    """One; two where attention and a state-space mixer work side by side (Falcon-H1)."""
    mlps: tuple[Mlp | Experts, ...]
    """One; two where a dense MLP runs beside the experts (Gemma 4, Granite 4.0)."""
    norms: int = 2
    """Norms of width `hidden` on the residual path."""
    norm: Norm = Norm.RMS
    extras: tuple[Extra, ...] = ()

    @property
    def parts(self) -> tuple[Part, ...]:
        """All that has weights but the norms."""
        return *self.mixers, *self.mlps, *self.extras

    @property
    def features(self) -> frozenset[str]:
        """Ids of everything that a plain layer does not have."""
        found: set[str] = set().union(*(part.features for part in self.parts))
        if self.norm is not Norm.RMS:
            found.add("layer-norm")
        if len(self.mixers) > 1:
            found.add("parallel-mixers")
        return frozenset(found)

    def matrices(self, hidden: int) -> tuple[Matrix, ...]:
        """All matrices of the layer."""
        return tuple(matrix for part in self.parts for matrix in part.matrices(hidden))

    def small(self, hidden: int) -> int:
        """Weights that are no matrix, biases included."""
        biases = sum(matrix.biases for matrix in self.matrices(hidden))
        return biases + self.norms * self.norm.weights(hidden) + sum(part.small(hidden) for part in self.parts)


@dataclass(frozen=True, slots=True)
class LayerGroup:
    """Layers that are alike, wherever they stand."""

    layer: Layer
    count: int


def grouped(layers: Iterable[Layer]) -> tuple[LayerGroup, ...]:
    """Groups of equal layers, in the order in which each kind first appears."""
    counts: dict[Layer, int] = {}
    for layer in layers:
        counts[layer] = counts.get(layer, 0) + 1
    return tuple(LayerGroup(layer, count) for layer, count in counts.items())
