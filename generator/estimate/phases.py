"""Moments of a training step: which terms are alive together; the peak is the largest moment."""

from __future__ import annotations

from generator.estimate.memory import MEMORY
from generator.estimate.results import PHASES
from generator.estimate.steps import largest

__all__ = ["MEMORY", "PHASE_STEPS", "RESIDENT_TERMS", "phase_terms"]


@MEMORY.step("bytes")
def loading_layer(quantized: float, linear_per_layer: float) -> float:
    """One layer still in bf16 while a quantised base is loaded."""
    return quantized * 2 * linear_per_layer


@MEMORY.step("bytes")
def phase_load(weights: float, quantization_constants: float, loading_layer: float) -> float:
    """Loading: the base, and the layer that is being quantised."""
    return weights + quantization_constants + loading_layer


@MEMORY.step("bytes")
def phase_forward_end(
    resident: float,
    gathered_root: float,
    checkpoints: float,
    logits: float,
    head_gradient: float,
    accumulated_gradients: float,
) -> float:
    """The loss: all checkpoints are stored and the logits exist."""
    return resident + gathered_root + checkpoints + logits + head_gradient + accumulated_gradients


@MEMORY.step("bytes")
def phase_backward_start(
    resident: float,
    gathered_root: float,
    checkpoint_copies: float,
    activations: float,
    gathered_layer: float,
    dequantized_matrix: float,
    accumulated_gradients: float,
) -> float:
    """Backward through the last layer: nearly all checkpoints and one layer's working set."""
    return (
        resident
        + gathered_root
        + checkpoint_copies
        + activations
        + gathered_layer
        + dequantized_matrix
        + accumulated_gradients
    )


@MEMORY.step("bytes")
def phase_backward_end(
    resident: float,
    layer_gradients: float,
    gathered_root: float,
    activations: float,
    gathered_layer: float,
    dequantized_matrix: float,
) -> float:
    """Backward through the first layer: nearly all gradients and one layer's working set."""
    return resident + layer_gradients + gathered_root + activations + gathered_layer + dequantized_matrix


@MEMORY.step("bytes")
def root_gradient_buffers(
    sharded: float, trains_adapters: float, compute_bytes: float, reduce_bytes: float, root_parameters: float
) -> float:
    """Whole gradient of the root unit and the buffer that it is reduced from."""
    return sharded * (1 - trains_adapters) * (compute_bytes + reduce_bytes) * root_parameters


@MEMORY.step("bytes")
def phase_root_reduce(resident: float, layer_gradients: float, root_gradient_buffers: float) -> float:
    """Reduction of the gradients of embedding and head, the last of backward."""
    return resident + layer_gradients + root_gradient_buffers


@MEMORY.step("bytes")
def optimizer_transient(transient_bytes: float, trained_parameters: float, shards: float) -> float:
    """Temporary of an AdamW that updates all tensors at once (foreach)."""
    return transient_bytes * trained_parameters / shards


@MEMORY.step("bytes")
def held_gradients(gradients: float, accumulated_gradients: float) -> float:
    """All gradients at the end of backward."""
    return largest(gradients, accumulated_gradients)


@MEMORY.step("bytes")
def phase_optimizer_step(resident: float, held_gradients: float, optimizer_transient: float) -> float:
    """The update: states and all gradients."""
    return resident + held_gradients + optimizer_transient


@MEMORY.step("bytes")
def peak(
    phase_load: float,
    phase_forward_end: float,
    phase_backward_start: float,
    phase_backward_end: float,
    phase_root_reduce: float,
    phase_optimizer_step: float,
) -> float:
    """The largest moment: what the allocator reports as its maximum."""
    return largest(
        phase_load,
        phase_forward_end,
        phase_backward_start,
        phase_backward_end,
        phase_root_reduce,
        phase_optimizer_step,
    )


@MEMORY.step("bytes")
def host_memory(offloaded: float, host_bytes: float, trained_parameters: float) -> float:
    """Host memory of the machine for offloaded optimizer states, fp32 weights and gradients."""
    return offloaded * host_bytes * trained_parameters


PHASE_STEPS: dict[str, str] = {phase: f"phase_{phase.replace('-', '_')}" for phase in PHASES}
"""phase → the step that adds it up."""

RESIDENT_TERMS = MEMORY.steps["resident"].inputs


def phase_terms(phase: str) -> tuple[str, ...]:
    """Names of the steps whose sum a phase is, what is resident listed by part."""
    inputs = MEMORY.steps[PHASE_STEPS[phase]].inputs
    return tuple(term for name in inputs for term in (RESIDENT_TERMS if name == "resident" else (name,)))
