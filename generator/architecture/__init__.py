"""The shape of a model and what follows from it by counting: no files, no units but elements."""

from generator.architecture.attention import (
    CompressedAttention,
    Compressor,
    GroupedQueryAttention,
    Indexer,
    KeyValue,
    LatentAttention,
    QkNorm,
)
from generator.architecture.counts import (
    LORA_TARGETS,
    LayerCounts,
    ParameterCounts,
    adapter_targets,
    count_parameters,
    linear_shapes,
    lora_parameters,
)
from generator.architecture.layers import AltUp, HyperConnections, Layer, LayerGroup, Norm, PerLayerInput, grouped
from generator.architecture.mlp import FUSED_NAMES, GATED_NAMES, Experts, Mlp
from generator.architecture.recurrent import GatedDeltaNet, Mamba2
from generator.architecture.shape import Architecture, Outside
from generator.architecture.stand_in import shape_of_size

__all__ = [
    "FUSED_NAMES",
    "GATED_NAMES",
    "LORA_TARGETS",
    "AltUp",
    "Architecture",
    "CompressedAttention",
    "Compressor",
    "Experts",
    "GatedDeltaNet",
    "GroupedQueryAttention",
    "HyperConnections",
    "Indexer",
    "KeyValue",
    "LatentAttention",
    "Layer",
    "LayerCounts",
    "LayerGroup",
    "Mamba2",
    "Mlp",
    "Norm",
    "Outside",
    "ParameterCounts",
    "PerLayerInput",
    "QkNorm",
    "adapter_targets",
    "count_parameters",
    "grouped",
    "linear_shapes",
    "lora_parameters",
    "shape_of_size",
]
