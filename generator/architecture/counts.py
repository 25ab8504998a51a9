"""Parameter counts in closed form, from the dimensions alone."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from generator.architecture.layers import Layer
from generator.architecture.matrices import Matrix, Storage
from generator.architecture.shape import Architecture


@dataclass(frozen=True, slots=True)
class LayerCounts:
    """Elements of one layer, and how many layers are like it."""

    layers: int
    linear: int
    """Weights of the matrices that are modules of their own: what LoRA wraps and bitsandbytes quantises to NF4."""
    experts: int
    """Weights of routed experts in 3-D tensors: bitsandbytes leaves them in 16 bits."""
    small: int
    """Everything else: norms, biases, convolutions, routers that are bare parameters."""
    multiplied: int
    """Weights that one token is multiplied with: of the experts only those that it is routed to."""
    idle: int
    """Weights and biases of the experts that one token does not pass."""
    largest_matrix: int
    """Weights of the largest matrix: what is unpacked at once when the matrices are quantised."""

    @property
    def total(self) -> int:
        """All of one layer: the unit that sharding gathers."""
        return self.linear + self.experts + self.small


@dataclass(frozen=True)  # without slots: sums are asked for with every estimate and worked out once
class ParameterCounts:
    """Elements of a model by the part that treats them alike in training."""

    embedding: int
    """Input embedding, vocab × hidden."""
    head: int
    """Output head; 0 when it is tied to the embedding or when there is none."""
    final_norm: int
    outside: int
    """Learned positions, per-layer embeddings and what else stands outside the layers."""
    tower: int
    """Frozen vision or audio tower."""
    groups: tuple[LayerCounts, ...]
    matmul: int
    """Weights multiplied for every token: the layers' matrices, of experts the active ones, what stands outside the
    layers, and the head, which counts also when tied."""

    @property
    def layers(self) -> int:
        """Number of layers."""
        return sum(group.layers for group in self.groups)

    @cached_property
    def largest(self) -> LayerCounts:
        """The kind of layer with the most parameters."""
        return max(self.groups, key=lambda group: group.total)

    @property
    def linear_per_layer(self) -> int:
        """Weights of the matrices of one layer, the largest: what LoRA wraps and NF4 quantises."""
        return self.largest.linear

    @property
    def small_per_layer(self) -> int:
        """Norm weights and biases of one layer, the largest."""
        return self.largest.small

    @property
    def linear(self) -> int:
        """Weights of all matrices inside the layers that NF4 quantises: without experts in 3-D tensors."""
        return sum(group.linear * group.layers for group in self.groups)

    @property
    def experts(self) -> int:
        """Weights of all routed experts."""
        return sum(group.experts * group.layers for group in self.groups)

    @property
    def layer(self) -> int:
        """Everything in one layer, the largest: the unit that sharding gathers."""
        return self.largest.total

    @cached_property
    def in_layers(self) -> int:
        """Everything in all layers."""
        return sum(group.total * group.layers for group in self.groups)

    @property
    def text(self) -> int:
        """The language model, tied tensors counted once."""
        return self.embedding + self.head + self.in_layers + self.final_norm + self.outside

    @cached_property
    def total(self) -> int:
        """The language model and its tower."""
        return self.text + self.tower

    @property
    def active(self) -> int:
        """Parameters of the language model that one token touches, embedding and head counted in full."""
        return self.text - sum(group.idle * group.layers for group in self.groups)


def _count_layer(layer: Layer, layers: int, hidden: int) -> LayerCounts:
    matrices = layer.matrices(hidden)
    by_storage = {kept: sum(each.weights for each in matrices if each.storage is kept) for kept in Storage}
    return LayerCounts(
        layers=layers,
        linear=by_storage[Storage.LINEAR],
        experts=by_storage[Storage.STACKED],
        small=layer.small(hidden) + by_storage[Storage.PARAMETER],
        multiplied=sum(matrix.multiplied for matrix in matrices),
        idle=sum(matrix.idle for matrix in matrices),
        largest_matrix=max(each.inputs * each.outputs for each in matrices),
    )


@lru_cache(maxsize=4096)
def count_parameters(shape: Architecture) -> ParameterCounts:
    """Counts of `shape`. Checked against the verified integer of every model in the catalogue."""
    embedding = shape.vocab * shape.hidden
    groups = tuple(_count_layer(group.layer, group.count, shape.hidden) for group in shape.layer_groups)
    return ParameterCounts(
        embedding=embedding,
        head=embedding if shape.output_head and not shape.tied_embeddings else 0,
        final_norm=shape.final_norm.weights(shape.hidden),
        outside=shape.outside.total,
        tower=shape.tower_parameters,
        groups=groups,
        matmul=sum(group.multiplied * group.layers for group in groups)
        + shape.outside.linear
        + (embedding if shape.output_head else 0),
    )


def wrappable(layer: Layer, hidden: int) -> tuple[Matrix, ...]:
    """The matrices of a layer that LoRA can wrap by name."""
    return tuple(matrix for matrix in layer.matrices(hidden) if matrix.storage is Storage.LINEAR)


def linear_shapes(shape: Architecture) -> dict[str, tuple[int, int]]:
    """(inputs, outputs) of each matrix that LoRA can wrap, by the name that Hugging Face gives it.

    Where kinds of layers differ in the sides of a matrix, those of the first kind that has it.
    """
    found: dict[str, tuple[int, int]] = {}
    for group in shape.layer_groups:
        for matrix in wrappable(group.layer, shape.hidden):
            found.setdefault(matrix.name, (matrix.inputs, matrix.outputs))
    return found


LORA_TARGETS: dict[str, tuple[str, ...]] = {
    "q+v": ("q_proj", "v_proj"),
    "qkvo": ("q_proj", "k_proj", "v_proj", "o_proj"),
    "all-linear": ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"),
}
"""Presets by the names that most models use; `adapter_targets` gives those of a model that names them otherwise."""


def adapter_targets(shape: Architecture, preset: str) -> tuple[str, ...]:
    """Names of the matrices that a preset (`q+v`, `qkvo`, `all-linear`) wraps in this model.

    A module that holds several projections is wrapped whole. Routed experts in 3-D tensors are no modules and stay
    out, as does what stands outside the layers. Raises KeyError for an unknown preset.
    """
    wanted = {"q+v": "qv", "qkvo": "qkvo", "all-linear": ""}[preset]
    names: dict[str, None] = {}
    for group in shape.layer_groups:
        for matrix in wrappable(group.layer, shape.hidden):
            if not wanted or set(wanted) & set(matrix.roles):
                names[matrix.name] = None
    return tuple(names)


def wrapped_matrices(shape: Architecture, layer: Layer, targets: tuple[str, ...]) -> tuple[Matrix, ...]:
    """The matrices of one layer that LoRA wraps.

    A target is a name, or the end of one after a dot; one of the presets of LORA_TARGETS means what it wraps in this
    model.
    """
    preset = next((name for name, preset_targets in LORA_TARGETS.items() if preset_targets == targets), None)
    names = adapter_targets(shape, preset) if preset else targets
    return tuple(each for each in wrappable(layer, shape.hidden) if any(each.called(name) for name in names))


def lora_parameters(shape: Architecture, rank: int, targets: tuple[str, ...]) -> int:
    """Trainable elements of LoRA: rank × (inputs + outputs) per wrapped matrix (Hu et al., arXiv 2106.09685).

    Targets as in `wrapped_matrices`. Raises KeyError when a target is not a matrix of this architecture.
    """
    missing = [] if targets in LORA_TARGETS.values() else sorted(_unknown_targets(shape, targets))
    if missing:
        raise KeyError(missing[0])
    return sum(
        group.count * matrix.copies * rank * (matrix.inputs + matrix.outputs)
        for group in shape.layer_groups
        for matrix in wrapped_matrices(shape, group.layer, targets)
    )


def _unknown_targets(shape: Architecture, targets: tuple[str, ...]) -> set[str]:
    matrices = [matrix for group in shape.layer_groups for matrix in wrappable(group.layer, shape.hidden)]
    return {name for name in targets if not any(matrix.called(name) for matrix in matrices)}
