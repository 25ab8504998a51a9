"""From the choices of a plan to bytes per parameter and to what is split over how many cards.

Every choice is a flag, 1 or 0, called `<field>_<choice>` (`optimizer_adamw_8bit`, `sharding_fsdp2`): names become
numbers here and nowhere else. Bytes of states follow ZeRO (arXiv 1910.02054, section 3.1).
"""

from __future__ import annotations

from generator.estimate.steps import Formulas, where

RECIPE = Formulas()
"""What MEMORY and TIME need of a recipe."""


# --- what is trained, and in which types --------------------------------------------------------------------------


@RECIPE.step("yes or no")
def trains_adapters(method_lora: float, method_qlora: float) -> float:
    """The base is frozen, adapters are trained."""
    return method_lora + method_qlora


@RECIPE.step("bytes")
def compute_bytes(precision_fp32: float) -> float:
    """A number in the computing type: 2, or 4 in fp32."""
    return 2 + 2 * precision_fp32


@RECIPE.step("yes or no")
def pure_16_bit(precision_bf16_pure: float, precision_fp16_pure: float) -> float:
    """Weights, gradients and states are all in 16 bits."""
    return precision_bf16_pure + precision_fp16_pure


@RECIPE.step("yes or no")
def zero_stages(sharding_zero1: float, sharding_zero2: float, sharding_zero3: float) -> float:
    """DeepSpeed splits something over the cards."""
    return sharding_zero1 + sharding_zero2 + sharding_zero3


@RECIPE.step("yes or no")
def sharded(sharding_zero3: float, sharding_fsdp1: float, sharding_fsdp2: float) -> float:
    """Weights are split over the cards and gathered for computing."""
    return sharding_zero3 + sharding_fsdp1 + sharding_fsdp2


@RECIPE.step("yes or no")
def deepspeed(zero_stages: float, sharded: float, cpu_offload_none: float) -> float:
    """DeepSpeed's optimizer steps: under its stages, and on one card where the optimizer lies in host memory."""
    return where(zero_stages + (1 - sharded) * (1 - cpu_offload_none), 1, 0)


@RECIPE.step("yes or no")
def separate_master(
    deepspeed: float, trains_adapters: float, precision_bf16_mixed: float, precision_fp16_mixed: float
) -> float:
    """DeepSpeed keeps 16-bit weights and gradients beside an fp32 master, which counts as a state."""
    return deepspeed * (1 - trains_adapters) * (precision_bf16_mixed + precision_fp16_mixed)


@RECIPE.step("bytes per parameter")
def trained_bytes(
    trains_adapters: float, adapter_dtype_bf16: float, pure_16_bit: float, separate_master: float
) -> float:
    """A trained weight, and a gradient: 4, or 2 in 16 bits."""
    return 4 - 2 * where(trains_adapters, adapter_dtype_bf16, where(separate_master, 1, pure_16_bit))


@RECIPE.step("bytes per parameter")
def state_number_bytes(trained_bytes: float, separate_master: float) -> float:
    """One number of an optimizer that keeps its states in the type of the weights that it updates."""
    return where(separate_master, 4, trained_bytes)


@RECIPE.step("bytes per parameter")
def state_bytes(
    state_number_bytes: float, separate_master: float, adam_8bit_state_bytes: float, optimizer_adamw: float,
    optimizer_adamw_bf16: float, optimizer_adamw_8bit: float, optimizer_lion: float,
    optimizer_muon: float, optimizer_sgd_momentum: float, cpu_offload_none: float,
) -> float:  # fmt: skip
    """Optimizer states: two for AdamW, one for Lion, Muon and momentum, none for plain SGD and (nearly) for Adafactor.

    DeepSpeed's fp32 master belongs to them. Offload takes them to the host; paged states lie in managed memory, which
    PyTorch's allocator does not hold and which leaves for the host when the card is full.
    """
    return cpu_offload_none * (
        optimizer_adamw * 2 * state_number_bytes
        + optimizer_adamw_bf16 * 4
        + optimizer_adamw_8bit * adam_8bit_state_bytes
        + (optimizer_lion + optimizer_muon + optimizer_sgd_momentum) * state_number_bytes
        + separate_master * 4
    )


@RECIPE.step("bytes per parameter")
def embedding_state_extra_bytes(
    optimizer_adamw_8bit: float, trains_adapters: float, cpu_offload_none: float,
    adam_8bit_state_bytes: float, optimizer_muon: float, state_number_bytes: float,
) -> float:  # fmt: skip
    """8-bit optimizers keep the states of the embedding in fp32; Muon leaves it to AdamW, which has a second state."""
    return (
        (1 - trains_adapters)
        * cpu_offload_none
        * (optimizer_adamw_8bit * (8 - adam_8bit_state_bytes) + optimizer_muon * state_number_bytes)
    )


@RECIPE.step("bytes per parameter")
def gradient_bytes(trained_bytes: float, cpu_offload_none: float) -> float:
    """A gradient; offload takes it to the host as soon as it is reduced."""
    return trained_bytes * cpu_offload_none


@RECIPE.step("bytes per parameter")
def transient_bytes(
    optimizer_impl_foreach: float, optimizer_adamw: float, optimizer_adamw_bf16: float, zero_stages: float,
    trained_bytes: float, separate_master: float, cpu_offload_none: float,
) -> float:  # fmt: skip
    """Temporary of the step: one copy where all tensors are updated at once (foreach); fp32 gradients in DeepSpeed."""
    return cpu_offload_none * where(
        zero_stages,
        4 * separate_master,
        optimizer_impl_foreach * (optimizer_adamw + optimizer_adamw_bf16) * trained_bytes,
    )


# --- the frozen base ----------------------------------------------------------------------------------------------


@RECIPE.step("bytes per parameter")
def quantized_bytes(quant_int8: float, quant_nf4: float, quant_nf4_dq: float, quant_gptq_int4: float) -> float:
    """A quantised weight: 1, or a half in four bits; 0 where nothing is quantised."""
    return quant_int8 + 0.5 * (quant_nf4 + quant_nf4_dq + quant_gptq_int4)


@RECIPE.step("yes or no")
def quantized(method_qlora: float) -> float:
    """The base is quantised."""
    return method_qlora


@RECIPE.step("bytes per parameter")
def other_bytes(trains_adapters: float, compute_bytes: float, trained_bytes: float) -> float:
    """A weight that is not quantised: of a frozen base in the computing type, of trained weights as they are kept."""
    return where(trains_adapters, compute_bytes, trained_bytes)


@RECIPE.step("bytes per parameter")
def linear_bytes(quantized: float, quantized_bytes: float, other_bytes: float) -> float:
    """A weight of the matrices inside the layers."""
    return where(quantized, quantized_bytes, other_bytes)


@RECIPE.step("bytes per parameter")
def gathered_linear_bytes(quantized: float, quantized_bytes: float, compute_bytes: float) -> float:
    """The same while it is gathered for computing."""
    return where(quantized, quantized_bytes, compute_bytes)


@RECIPE.step("bytes per parameter")
def quantization_constant_bytes(
    quant_nf4: float, quant_nf4_dq: float, quant_gptq_int4: float, quantization_constant_bytes_nf4: float,
    quantization_constant_bytes_nf4_dq: float, quantization_constant_bytes_gptq: float,
) -> float:  # fmt: skip
    """Scales of the blocks of quantised weights."""
    return (
        quant_nf4 * quantization_constant_bytes_nf4
        + quant_nf4_dq * quantization_constant_bytes_nf4_dq
        + quant_gptq_int4 * quantization_constant_bytes_gptq
    )


@RECIPE.step("bytes per parameter")
def adapter_bytes(trains_adapters: float, trained_bytes: float) -> float:
    """A weight of the adapters."""
    return trains_adapters * trained_bytes


# --- what is split ------------------------------------------------------------------------------------------------


@RECIPE.step("cards")
def shards(sharded: float, n_gpus: float) -> float:
    """Cards that one copy of the weights is split over."""
    return where(sharded, n_gpus, 1)


@RECIPE.step("cards")
def gradient_shards(sharded: float, sharding_zero2: float, n_gpus: float) -> float:
    """Cards that gradients are split over: also in ZeRO-2."""
    return where(sharded + sharding_zero2, n_gpus, 1)


@RECIPE.step("cards")
def state_shards(sharded: float, zero_stages: float, n_gpus: float) -> float:
    """Cards that optimizer states are split over: in every stage of ZeRO."""
    return where(sharded + zero_stages, n_gpus, 1)


@RECIPE.step("yes or no")
def replicated(sharding_ddp: float) -> float:
    """Every card holds everything (DDP)."""
    return sharding_ddp


@RECIPE.step("elements")
def bucket_elements(deepspeed: float, trains_adapters: float, zero_bucket_elements: float) -> float:
    """A bucket of DeepSpeed's reduction; adapters do not fill one."""
    return deepspeed * (1 - trains_adapters) * zero_bucket_elements


@RECIPE.step("bytes")
def reduce_bytes(reduce_dtype_fp32: float) -> float:
    """A number in the type in which gradients are reduced."""
    return 2 + 2 * reduce_dtype_fp32


@RECIPE.step("yes or no")
def weights_on_host(cpu_offload_all: float) -> float:
    """Weights wait in host memory and come to the card when they are gathered."""
    return cpu_offload_all


# --- the step -----------------------------------------------------------------------------------------------------


@RECIPE.step("tokens")
def tokens(seq_len: float, micro_batch: float) -> float:
    """Tokens per card in one micro-step."""
    return seq_len * micro_batch


@RECIPE.step("yes or no")
def accumulates(grad_accum: float) -> float:
    """Gradients of several micro-steps are summed up."""
    return where(grad_accum - 1, 1, 0)


@RECIPE.step("yes or no")
def unsharded_accumulation(
    accumulates: float, grad_sync_last: float, sharding_fsdp1: float, sharding_fsdp2: float
) -> float:
    """Gradients are reduced after the last micro-step alone, so that until then each card keeps them whole.

    DeepSpeed reduces after every micro-step.
    """
    return accumulates * grad_sync_last * (sharding_fsdp1 + sharding_fsdp2)


@RECIPE.step("reductions")
def gradient_reductions(grad_sync_last: float, zero_stages: float, grad_accum: float) -> float:
    """Reductions of the gradients in one optimizer step."""
    return where(grad_sync_last * (1 - zero_stages), 1, grad_accum)


@RECIPE.step("yes or no")
def eager(attention_eager: float, attention_sdpa: float, sinks: float) -> float:
    """Attention keeps its scores: the eager code, and SDPA for a model with sinks, which it cannot run."""
    return where(attention_eager + attention_sdpa * sinks, 1, 0)


@RECIPE.step("yes or no")
def autocast_copies(
    trains_adapters: float, sharded: float, separate_master: float, precision_bf16_mixed: float,
    precision_fp16_mixed: float,
) -> float:  # fmt: skip
    """Autocast keeps a 16-bit copy of every fp32 matrix until backward; sharding casts what it gathers instead."""
    return (1 - trains_adapters) * (1 - sharded) * (1 - separate_master) * (precision_bf16_mixed + precision_fp16_mixed)


@RECIPE.step("yes or no")
def fp32_residual(kbit_preparation: float, quantized: float, sharded: float, autocast_copies: float) -> float:
    """The residual stream runs in fp32: k-bit preparation of an unsharded base, or embeddings whole and in fp32.

    Autocast leaves embeddings and sums alone.
    """
    return where(kbit_preparation * quantized * (1 - sharded) + autocast_copies, 1, 0)


@RECIPE.step("yes or no")
def fused_norms(kernels_fused: float, compiled: float) -> float:
    """Norms keep no copies: a fused kernel, or the compiler."""
    return where(kernels_fused + compiled, 1, 0)


@RECIPE.step("bytes per token and channel")
def adapter_input_bytes(
    trains_adapters: float, adapter_dtype_fp32: float, precision_fp32: float, kernels_stock: float, sharded: float,
    lora_dropout: float, compute_bytes: float, precision_bf16_mixed: float, precision_fp16_mixed: float,
) -> float:  # fmt: skip
    """What adapters keep of the input of each wrapped matrix for themselves.

    A copy where they are in fp32 (PEFT; sharding casts the adapters instead, fused kernels do without): PEFT makes it
    in fp32, and what is kept is that, or under autocast the 16-bit copy that the product is made of. With dropout the
    dropped input and a mask of one byte.
    """
    return trains_adapters * where(
        adapter_dtype_fp32 * (1 - precision_fp32) * kernels_stock * (1 - sharded),
        where(precision_bf16_mixed + precision_fp16_mixed, compute_bytes, 4) + where(lora_dropout, 1, 0),
        where(lora_dropout, compute_bytes + 1, 0),
    )


@RECIPE.step("yes or no")
def matrix_input_kept(quantized: float, quant_int8: float, quant_gptq_int4: float, matmul_keeps_input: float) -> float:
    """A quantised matrix keeps its input: bitsandbytes in int8, GPTQ to be safe; NF4 in bitsandbytes before 0.43.2.

    Source: bitsandbytes 0.42.0, autograd/_functions.py, MatMul4Bit.forward: `ctx.tensors = (A, B)`.
    """
    return quantized * where(quant_int8 + quant_gptq_int4 + matmul_keeps_input, 1, 0)


@RECIPE.step("bytes per token and channel")
def shared_input_bytes(
    trains_adapters: float, matrix_input_kept: float, adapter_input_bytes: float, compute_bytes: float
) -> float:
    """Inputs that adapters read from the base, where neither they nor a quantised matrix keep a copy."""
    return trains_adapters * (1 - matrix_input_kept) * where(adapter_input_bytes, 0, compute_bytes)


@RECIPE.step("bytes per parameter")
def unpacked_bytes(compute_bytes: float, fabric_quantization: float) -> float:
    """A weight of a matrix that is being unpacked; what was quantised from fp16 is unpacked to fp16 and copied."""
    return compute_bytes + 2 * fabric_quantization
