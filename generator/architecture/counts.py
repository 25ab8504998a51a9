"""Parameter counts in closed form, from the dimensions alone."""

from __future__ import annotations

from dataclasses import dataclass

from generator.architecture.shape import Architecture, QkNorm


@dataclass(frozen=True, slots=True)
class ParameterCounts:
    """Elements of a model by the part that treats them alike in training."""

    embedding: int
    """Input embedding, vocab × hidden."""
    head: int
    """Output head; 0 when it is tied to the embedding."""
    linear_per_layer: int
    """Weights of the matrices of one layer: what LoRA wraps and NF4 quantises."""
    small_per_layer: int
    """Norm weights and biases of one layer."""
    final_norm: int
    layers: int
    tower: int
    """Frozen vision or audio tower."""

    @property
    def linear(self) -> int:
        """Weights of all matrices inside the layers."""
        return self.linear_per_layer * self.layers

    @property
    def layer(self) -> int:
        """Everything in one layer: the unit that sharding gathers."""
        return self.linear_per_layer + self.small_per_layer

    @property
    def text(self) -> int:
        """The language model, tied tensors counted once."""
        return self.embedding + self.head + self.layer * self.layers + self.final_norm

    @property
    def total(self) -> int:
        """The language model and its tower."""
        return self.text + self.tower

    @property
    def matmul(self) -> int:
        """Weights multiplied for every token: the layers' matrices and the head, which counts also when tied."""
        return self.linear + (self.head or self.embedding)


def linear_shapes(shape: Architecture) -> dict[str, tuple[int, int]]:
    """(inputs, outputs) of each matrix of one layer, by the name that Hugging Face gives it."""
    hidden, query, kv, inner = shape.hidden, shape.query_width, shape.kv_width, shape.intermediate
    return {
        "q_proj": (hidden, query),
        "k_proj": (hidden, kv),
        "v_proj": (hidden, kv),
        "o_proj": (query, hidden),
        "gate_proj": (hidden, inner),
        "up_proj": (hidden, inner),
        "down_proj": (inner, hidden),
    }


def count_parameters(shape: Architecture) -> ParameterCounts:
    """Counts of `shape`. Checked against the verified integer of every model in the catalogue."""
    linear = sum(inputs * outputs for inputs, outputs in linear_shapes(shape).values())
    qk_norm = {
        QkNorm.NONE: 0,
        QkNorm.PER_HEAD: 2 * shape.head_dim,
        QkNorm.FULL: shape.query_width + shape.kv_width,
    }[shape.qk_norm]
    biases = (shape.query_width + 2 * shape.kv_width) * shape.qkv_bias + shape.hidden * shape.output_bias
    embedding = shape.vocab * shape.hidden
    return ParameterCounts(
        embedding=embedding,
        head=0 if shape.tied_embeddings else embedding,
        linear_per_layer=linear,
        small_per_layer=shape.norms_per_layer * shape.hidden + qk_norm + biases,
        final_norm=shape.hidden,
        layers=shape.layers,
        tower=shape.tower_parameters,
    )


LORA_TARGETS: dict[str, tuple[str, ...]] = {
    "q+v": ("q_proj", "v_proj"),
    "qkvo": ("q_proj", "k_proj", "v_proj", "o_proj"),
    "all-linear": ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"),
}


def lora_parameters(shape: Architecture, rank: int, targets: tuple[str, ...]) -> int:
    """Trainable elements of LoRA: rank × (inputs + outputs) per wrapped matrix (Hu et al., arXiv 2106.09685).

    Raises KeyError when a target is not a matrix of this architecture.
    """
    shapes = linear_shapes(shape)
    return shape.layers * sum(rank * sum(shapes[target]) for target in targets)
