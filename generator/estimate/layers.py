"""From an architecture to the numbers that the formulas start from: of each kind of layer, then of the whole model."""

from __future__ import annotations

from functools import lru_cache

from generator.architecture import Architecture, Experts, GroupedQueryAttention, LatentAttention, Mlp, PerLayerInput
from generator.architecture.attention import KeyValue, QkNorm
from generator.architecture.counts import count_parameters, lora_parameters, wrapped_matrices
from generator.architecture.layers import Layer, Norm
from generator.architecture.matrices import Matrix
from generator.estimate.layer import LAYER

BLOCK_NORMS = 2
"""Norms whose output goes into a matrix; further ones (Gemma 2 and later, GLM-4) end in the residual sum."""

PER_LAYER = (
    "layer_norms", "layer_norms_fused", "layer_norms_frozen", "layer_norms_frozen_fused", "layer_mixer",
    "layer_repeated_keys", "layer_mlp", "layer_mlp_frozen", "layer_experts", "layer_recomputable_width",
    "layer_score_heads", "layer_temporaries", "layer_matrix_inputs", "layer_autocast",
)  # fmt: skip
"""What a model hands on of its layers: summed over all (`all_…`) and of the one that stores most (`one_…`)."""

NOTHING: dict[str, float] = dict.fromkeys(
    (
        "rms_norms", "norms_after", "layer_norm_count", "layer_norm_input_bytes", "query_width", "own_kv_width",
        "kv_width", "heads", "fused_projection", "output_gate", "qk_normed", "qk_norm_weighted", "qk_vectors",
        "grouped", "latent_ranks", "latent_vectors", "latent_query_width", "latent_up_width", "latent_value_width",
        "latent_heads", "gated_width", "plain_width", "composed_width", "active_experts", "expert_width", "experts",
        "router_in_fp32", "shared_gates", "per_layer_inputs", "per_layer_width", "residual_readers",
    ),
    0.0,
)  # fmt: skip
"""A layer without any part."""


def layer_numbers(layer: Layer, hidden: int, *, norm_weight_in_fp32: bool) -> dict[str, float]:
    """Dimensions of one layer: the inputs of LAYER. Parts without a rule add nothing (their models are `unknown`)."""
    rms = layer.norm is Norm.RMS
    numbers = NOTHING | {
        "hidden": hidden,
        "norm_weight_in_fp32": float(norm_weight_in_fp32),
        "rms_norms": layer.norms * rms,
        "norms_after": max(layer.norms - BLOCK_NORMS, 0) * rms,
        "layer_norm_count": layer.norms * (not rms),
        "layer_norm_input_bytes": 4.0 if layer.norm is Norm.LAYER_UNWEIGHTED else 2.0,
        "residual_readers": sum(_readers(part) for part in layer.parts),
    }
    for part in layer.parts:
        if isinstance(part, GroupedQueryAttention):
            numbers |= _attention(part)
        elif isinstance(part, LatentAttention):
            numbers |= _latent(part)
        elif isinstance(part, Mlp):
            _add_mlp(numbers, part)
        elif isinstance(part, Experts):
            _add_experts(numbers, part)
        elif isinstance(part, PerLayerInput):
            numbers |= {"per_layer_inputs": 1.0, "per_layer_width": part.width}
    return {name: float(value) for name, value in numbers.items()}


def _readers(part: object) -> int:
    """Matrices of a part that read the residual stream; experts read their copy of it."""
    if isinstance(part, GroupedQueryAttention):
        kinds = {KeyValue.OWN: 3, KeyValue.KEY_IS_VALUE: 2, KeyValue.BORROWED: 1}
        return 1 if part.fused_name else kinds[part.key_value]
    if isinstance(part, Experts):
        return 1 + (_readers(part.shared) if part.shared else 0)
    if isinstance(part, Mlp):
        return len(part.names) - 1
    return 2 if isinstance(part, LatentAttention) else 0


def _attention(part: GroupedQueryAttention) -> dict[str, float]:
    own = part.key_value is not KeyValue.BORROWED
    return {
        "query_width": part.query_width,
        "own_kv_width": part.kv_width * own,
        "kv_width": part.kv_width,
        "heads": part.heads,
        # Without rotary positions queries and keys are views of a fused projection as well: nothing is kept twice.
        "fused_projection": bool(part.fused_name) and part.rotary,
        "output_gate": part.output_gate,
        "qk_normed": part.qk_norm is not QkNorm.NONE,
        "qk_norm_weighted": part.qk_norm not in (QkNorm.NONE, QkNorm.UNWEIGHTED),
        "qk_vectors": 1 + own if part.qk_norm is QkNorm.FULL else part.heads + part.kv_heads * own,
        "grouped": part.kv_heads < part.heads,
    }


def _latent(part: LatentAttention) -> dict[str, float]:
    ranks = [rank for rank in (part.query_rank, part.kv_rank) if rank]
    return {
        "latent_ranks": sum(ranks),
        "latent_vectors": len(ranks),
        "latent_query_width": part.query_width,
        "latent_up_width": part.heads * (part.nope_dim + part.value_dim),
        "latent_value_width": part.value_width,
        "latent_heads": part.heads,
    }


def _add_mlp(numbers: dict[str, float], part: Mlp) -> None:
    kind = "gated_width" if part.gated else "composed_width" if part.composed else "plain_width"
    numbers[kind] += part.intermediate


def _add_experts(numbers: dict[str, float], part: Experts) -> None:
    numbers |= {
        "active_experts": part.active,
        "expert_width": part.intermediate,
        "experts": part.experts,
        "router_in_fp32": part.router_in_fp32,
        "shared_gates": part.shared_gate,
    }
    if part.shared:
        _add_mlp(numbers, part.shared)


@lru_cache(maxsize=4096)
def model_numbers(shape: Architecture) -> dict[str, float]:
    """Everything that the formulas ask of a model: parameters by part, what its layers store, widths.

    The dictionary is shared between calls: do not change it.
    """
    counts = count_parameters(shape)
    kinds = [
        (group.count, LAYER.evaluate(layer_numbers(group.layer, shape.hidden, norm_weight_in_fp32=shape.fp32_norm)))
        for group in shape.layer_groups
    ]
    heaviest = max((values for _, values in kinds), key=lambda values: values["layer_working_set"])
    largest = counts.largest
    attention_width = sum(
        group.count * sum(_score_width(part) for part in group.layer.mixers) for group in shape.layer_groups
    )
    numbers = {
        "linear_parameters": counts.linear,
        "expert_parameters": counts.experts,
        "small_parameters": counts.in_layers - counts.linear - counts.experts,
        "unit_linear": largest.linear,
        "unit_experts": largest.experts,
        "unit_small": largest.small,
        "largest_matrix": max(group.largest_matrix for group in counts.groups),
        "embedding": counts.embedding,
        "head": counts.head,
        "final_norm": counts.final_norm,
        "outside": counts.outside,
        "tower": counts.tower,
        "multiplied_parameters": counts.matmul,
        "attention_width": attention_width,
        "layers": shape.layers,
        "hidden": shape.hidden,
        "vocab": shape.vocab if shape.output_head else 0,
        "loss_in_16_bits": shape.loss_in_16_bits,
        "sinks": any(getattr(part, "sinks", False) for group in shape.layer_groups for part in group.layer.mixers),
    }
    numbers |= {f"all_{name}": sum(count * values[name] for count, values in kinds) for name in PER_LAYER}
    numbers |= {f"one_{name}": heaviest[name] for name in PER_LAYER}
    return {name: float(value) for name, value in numbers.items()}


def _score_width(part: object) -> float:
    """Channels that scores and their products with the values multiply: the mean of the widths of query and value."""
    if isinstance(part, LatentAttention):
        return (part.query_width + part.value_width) / 2
    return part.query_width if isinstance(part, GroupedQueryAttention) else 0


@lru_cache(maxsize=4096)
def adapter_numbers(shape: Architecture, rank: int, targets: tuple[str, ...]) -> dict[str, float]:
    """Parameters of LoRA and the summed widths of the inputs that it wraps, over all layers and in the widest one.

    Raises KeyError when a target is not a matrix of this architecture.
    """
    if not targets:
        return dict.fromkeys(ADAPTER_NUMBERS, 0.0)
    wrapped = [(group.count, wrapped_matrices(shape, group.layer, targets)) for group in shape.layer_groups]
    widths = [(count, sum(matrix.inputs for matrix in matrices)) for count, matrices in wrapped]
    return {
        "lora_parameters": float(lora_parameters(shape, rank, targets)),
        "all_adapter_inputs": float(sum(count * width for count, width in widths)),
        "one_adapter_inputs": float(max(width for _, width in widths)),
        "all_adapter_shared_inputs": float(sum(count * shared_inputs(matrices) for count, matrices in wrapped)),
    }


ADAPTER_NUMBERS = ("lora_parameters", "all_adapter_inputs", "one_adapter_inputs", "all_adapter_shared_inputs")


def shared_inputs(matrices: tuple[Matrix, ...]) -> int:
    """Width of what wrapped matrices of one layer read and a frozen layer would not store.

    That is the product inside the MLP: outputs of norms and of attention are stored anyway.
    """
    return max((matrix.inputs for matrix in matrices if not matrix.roles and matrix.outputs < matrix.inputs), default=0)
