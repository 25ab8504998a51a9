"""Moments of a training step: which terms are alive together; the peak is the largest moment."""

from __future__ import annotations

from generator.estimate.loss import MEMORY
from generator.estimate.results import PHASES
from generator.estimate.steps import largest, where

__all__ = ["MEMORY", "PHASE_STEPS", "RESIDENT_TERMS", "phase_terms"]


@MEMORY.step("bytes")
def loading_layer(quantized: float, compute_bytes: float, unit_linear: float) -> float:
    """One layer still in the computing type while a quantised base is loaded."""
    return quantized * compute_bytes * unit_linear


@MEMORY.step("bytes")
def loading_copy(quantized: float, sharded: float, load_on_card: float, whole_weights: float) -> float:
    """The whole quantised base on every card while it is split there.

    Source: transformers 5.24.0, quantizers/quantizer_bnb_4bit.py, update_device_map puts it on the card of every
    process; Accelerate 1.15.0, utils/fsdp_utils.py, fsdp2_prepare_model keeps it until all of it is split.
    """
    return quantized * sharded * load_on_card * whole_weights


@MEMORY.step("bytes")
def phase_load(weights: float, quantization_constants: float, loading_layer: float, loading_copy: float) -> float:
    """Loading: the base, the layer that is being quantised, and the whole base where it is split on the card."""
    return weights + quantization_constants + loading_layer + loading_copy


@MEMORY.step("bytes")
def phase_forward_end(
    resident: float,
    gathered_root: float,
    autocast_weights: float,
    checkpoints: float,
    final_hidden: float,
    logits: float,
    beside_logits: float,
    head_gradient: float,
    accumulated_gradients: float,
) -> float:
    """The loss: all checkpoints are stored and the logits exist."""
    return (
        resident
        + gathered_root
        + autocast_weights
        + checkpoints
        + final_hidden
        + logits
        + beside_logits
        + head_gradient
        + accumulated_gradients
    )


@MEMORY.step("bytes")
def phase_backward_start(
    resident: float,
    gathered_head: float,
    autocast_weights: float,
    checkpoint_copies: float,
    activations: float,
    gathered_layer: float,
    waiting_head_gradient: float,
    matrix_gradient: float,
    reduced_before: float,
    dequantized_matrix: float,
    accumulated_gradients: float,
) -> float:
    """Backward through the last layer: nearly all checkpoints and one layer's working set."""
    return (
        resident
        + gathered_head
        + autocast_weights
        + checkpoint_copies
        + activations
        + gathered_layer
        + waiting_head_gradient
        + matrix_gradient
        + reduced_before
        + dequantized_matrix
        + accumulated_gradients
    )


@MEMORY.step("bytes")
def phase_backward_end(
    resident: float,
    layer_gradients: float,
    gathered_root: float,
    activations: float,
    gathered_first: float,
    waiting_head_gradient: float,
    matrix_gradient: float,
    reduced_layer: float,
    dequantized_matrix: float,
) -> float:
    """Backward through the first layer: nearly all gradients and one layer's working set."""
    return (
        resident
        + layer_gradients
        + gathered_root
        + activations
        + gathered_first
        + waiting_head_gradient
        + matrix_gradient
        + reduced_layer
        + dequantized_matrix
    )


@MEMORY.step("bytes")
def root_gradient_buffers(
    trains_adapters: float, sharded: float, compute_bytes: float, reduce_bytes: float, root_parameters: float,
    head: float, trained_bytes: float, vocab: float, hidden: float,
) -> float:  # fmt: skip
    """Whole gradient of the root unit and the buffer that it is reduced from.

    Where nothing is sharded, the two gradients of a tied embedding that are about to be summed.
    """
    return (1 - trains_adapters) * where(
        sharded,
        (compute_bytes + reduce_bytes) * root_parameters,
        (1 - where(head, 1, 0)) * 2 * trained_bytes * vocab * hidden,
    )


@MEMORY.step("bytes")
def phase_root_reduce(
    resident: float, layer_gradients: float, head_gradient_reduced: float, root_gradient_buffers: float
) -> float:
    """Reduction of the gradients of embedding and head, the last of backward."""
    return resident + layer_gradients + head_gradient_reduced + root_gradient_buffers


@MEMORY.step("bytes")
def optimizer_transient(transient_bytes: float, trained_parameters: float, state_shards: float) -> float:
    """Temporary of the update of all tensors at once."""
    return transient_bytes * trained_parameters / state_shards


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
def host_memory(
    cpu_offload_none: float,
    host_bytes_per_parameter: float,
    trained_parameters: float,
    weights_on_host: float,
    trains_adapters: float,
    separate_master: float,
    whole_weights: float,
    optimizer_paged_adamw_8bit: float,
    adam_8bit_state_bytes: float,
) -> float:
    """Host memory of the machine: offloaded states, fp32 weights and gradients of what is trained.

    With it all other weights, where they wait there as well, and paged states, which may leave the card.
    """
    return (
        (1 - cpu_offload_none) * host_bytes_per_parameter * trained_parameters
        + weights_on_host * (trains_adapters + separate_master) * whole_weights
        + cpu_offload_none * optimizer_paged_adamw_8bit * adam_8bit_state_bytes * trained_parameters
    )


@MEMORY.step("bytes")
def host_loading(
    quantized: float,
    sharded: float,
    load_on_card: float,
    n_gpus: float,
    whole_weights: float,
    quantization_constants: float,
) -> float:
    """Host memory while a quantised base is loaded that is to be split: every process holds all of it there."""
    return quantized * sharded * (1 - load_on_card) * n_gpus * (whole_weights + quantization_constants)


# --- around the peak ----------------------------------------------------------------------------------------------


@MEMORY.step("ratio")
def error_low(
    method_qlora: float, method_lora: float, error_low_qlora: float, error_low_lora: float, error_low_full: float
) -> float:
    """How far below the expected peak runs were measured."""
    return where(method_qlora, error_low_qlora, where(method_lora, error_low_lora, error_low_full))


@MEMORY.step("ratio")
def error_high(
    method_qlora: float, method_lora: float, error_high_qlora: float, error_high_lora: float, error_high_full: float
) -> float:
    """How far above it."""
    return where(method_qlora, error_high_qlora, where(method_lora, error_high_lora, error_high_full))


@MEMORY.step("bytes")
def peak_without_copies(
    phase_load: float, phase_forward_end: float, phase_backward_start: float, phase_backward_end: float,
    phase_root_reduce: float, phase_optimizer_step: float, sharding_fsdp1: float, checkpoint_copies: float,
    checkpoints: float,
) -> float:  # fmt: skip
    """The peak if no sharding but FSDP1, where it was measured, holds second copies of the checkpoints.

    One step of PEFT adapters under FSDP2 and under FSDP1 of PyTorch 2.13, traced by counting every storage, holds none.
    """
    return largest(
        phase_load,
        phase_forward_end,
        phase_backward_start - (1 - sharding_fsdp1) * (checkpoint_copies - checkpoints),
        phase_backward_end,
        phase_root_reduce,
        phase_optimizer_step,
    )


@MEMORY.step("bytes")
def peak_low(peak_without_copies: float, error_low: float) -> float:
    """The peak where everything goes well."""
    return peak_without_copies * (1 - error_low)


@MEMORY.step("bytes")
def peak_high(peak: float, error_high: float) -> float:
    """The peak to be prepared for."""
    return peak * (1 + error_high)


@MEMORY.step("GiB")
def overhead_gib(n_gpus: float, overhead_gib_one_gpu: float, overhead_gib_several_gpus: float) -> float:
    """Outside the allocator: the CUDA context, and with several cards the communicators."""
    return where(n_gpus - 1, overhead_gib_several_gpus, overhead_gib_one_gpu)


PHASE_STEPS: dict[str, str] = {phase: f"phase_{phase.replace('-', '_')}" for phase in PHASES}
"""phase → the step that adds it up."""

RESIDENT_TERMS = MEMORY.steps["resident"].inputs


def phase_terms(phase: str) -> tuple[str, ...]:
    """Names of the steps whose sum a phase is, what is resident listed by part."""
    inputs = MEMORY.steps[PHASE_STEPS[phase]].inputs
    return tuple(term for name in inputs for term in (RESIDENT_TERMS if name == "resident" else (name,)))
