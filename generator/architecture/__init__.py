"""The shape of a model and what follows from it by counting: no files, no units but elements."""

from generator.architecture.counts import LORA_TARGETS, ParameterCounts, count_parameters, lora_parameters
from generator.architecture.shape import Architecture, QkNorm, shape_of_size

__all__ = [
    "LORA_TARGETS",
    "Architecture",
    "ParameterCounts",
    "QkNorm",
    "count_parameters",
    "lora_parameters",
    "shape_of_size",
]
