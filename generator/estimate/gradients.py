"""Gradients in backward: what is held of them, where, and the buffers that they are reduced from. Bytes.

What is alive beside the working set of a layer was read off traced steps of FSDP2 (PyTorch 2.13, every storage
counted) and agrees with measured full runs of FSDP1, whose peak leaves room for one matrix, not for a whole layer.
"""

from __future__ import annotations

from generator.estimate.memory import MEMORY
from generator.estimate.steps import largest, where

__all__ = ["MEMORY"]


@MEMORY.step("bytes")
def gradients(
    optimizer_impl_in_backward: float,
    gradient_bytes: float,
    layer_parameters: float,
    trained_parameters: float,
    gradient_shards: float,
) -> float:
    """Gradients at the end of backward; one layer's where the optimizer steps inside backward."""
    return gradient_bytes * where(optimizer_impl_in_backward, layer_parameters, trained_parameters) / gradient_shards


@MEMORY.step("bytes")
def accumulated_gradients(
    accumulates: float,
    unsharded_accumulation: float,
    sharding_fsdp2: float,
    reduce_bytes: float,
    gradient_bytes: float,
    trained_parameters: float,
    gradients: float,
) -> float:
    """Gradients kept from earlier micro-batches; whole ones on every GPU where they are reduced only at the end.

    FSDP2 keeps these in the type in which it reduces (`FSDPParam.to_accumulated_grad_if_needed` of PyTorch 2.13).
    """
    return accumulates * where(
        unsharded_accumulation, where(sharding_fsdp2, reduce_bytes, gradient_bytes) * trained_parameters, gradients
    )


@MEMORY.step("bytes")
def layer_gradients(
    trains_adapters: float,
    gradients: float,
    linear_parameters: float,
    expert_parameters: float,
    small_parameters: float,
    text_parameters: float,
    accumulated_gradients: float,
) -> float:
    """Gradients held when backward reaches the embedding: those of all layers."""
    return largest(
        gradients
        * where(trains_adapters, 1, (linear_parameters + expert_parameters + small_parameters) / text_parameters),
        accumulated_gradients,
    )


@MEMORY.step("bytes")
def matrix_gradient(trains_adapters: float, compute_bytes: float, largest_matrix: float, unit_experts: float) -> float:
    """Gradient beside the working set: of the largest matrix, or of all experts of a layer, which are one tensor."""
    return (1 - trains_adapters) * compute_bytes * largest(largest_matrix, unit_experts)


@MEMORY.step("bytes")
def reduced_layer(sharding_fsdp2: float, trains_adapters: float, reduce_bytes: float, layer_parameters: float) -> float:
    """Buffer that the gradient of the layer before is reduced from: FSDP2 keeps it until the next reduction."""
    return sharding_fsdp2 * (1 - trains_adapters) * reduce_bytes * layer_parameters


@MEMORY.step("bytes")
def reduced_before(
    sharding_fsdp2: float, trains_adapters: float, head_apart: float, reduce_bytes: float, vocab: float,
    hidden: float, reduced_layer: float, accumulates: float, gradient_bytes: float, layer_parameters: float,
    gradient_shards: float, checkpoints: float, layers: float,
) -> float:  # fmt: skip
    """What the reductions before add early in backward: in the last layer or in the one before it, where it is more.

    In the last layer the buffer of the head, where that is a unit of its own. One layer on, the buffer and the gradient
    of the last layer, whose checkpoint is gone.
    """
    return largest(
        sharding_fsdp2 * (1 - trains_adapters) * head_apart * reduce_bytes * vocab * hidden,
        reduced_layer
        + sharding_fsdp2
        * (1 - trains_adapters)
        * (1 - accumulates)
        * gradient_bytes
        * layer_parameters
        / gradient_shards
        - checkpoints / layers,
        0,
    )


@MEMORY.step("bytes")
def waiting_head_gradient(
    trains_adapters: float, sharding_fsdp1: float, sharding_fsdp2: float, head_apart: float,
    compute_bytes: float, accumulates: float, optimizer_impl_in_backward: float, gradient_bytes: float,
    gradient_shards: float, head: float, vocab: float, hidden: float,
) -> float:  # fmt: skip
    """Gradient of the head while backward passes through the layers: whole where FSDP reduces it with the embedding.

    A head that is a unit of its own is reduced at once, and without sharding its gradient is one like the others: a sum
    over micro-batches holds either anyway. An optimizer inside
    backward uses it up at once, unless it has to wait for that of a tied embedding.
    """
    return (
        (1 - trains_adapters)
        * vocab
        * hidden
        * where(
            (sharding_fsdp1 + sharding_fsdp2) * (1 - head_apart),
            compute_bytes,
            (1 - accumulates) * (1 - optimizer_impl_in_backward * where(head, 1, 0)) * gradient_bytes / gradient_shards,
        )
    )


@MEMORY.step("bytes")
def head_gradient_reduced(head_apart: float, waiting_head_gradient: float) -> float:
    """The same when the embedding is reduced, where the head was a unit of its own."""
    return head_apart * waiting_head_gradient
