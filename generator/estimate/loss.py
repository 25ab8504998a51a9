"""The end of forward: logits with their copies, the norm before the head, the gradient of a fused loss. Bytes."""

from __future__ import annotations

from generator.estimate.gradients import MEMORY
from generator.estimate.steps import ceil, largest, where

__all__ = ["MEMORY"]


@MEMORY.step("bytes per token and vocabulary entry")
def own_logits_bytes(pure_16_bit: float, fused_norms: float) -> float:
    """A loss of 16-bit logits: they, their log-softmax and gradient, and under autocast an fp32 copy.

    The copy makes log-softmax and gradient fp32 as well, and one more gradient is in 16 bits. A fused kernel keeps no
    log-softmax.
    """
    return where(pure_16_bit, 6 - 2 * fused_norms, 16 - 4 * fused_norms)


@MEMORY.step("bytes per token and vocabulary entry")
def logits_bytes(
    fused_norms: float, logits_bytes_fused: float, logits_bytes_stock: float, shifted_logits: float, chunked_ce: float,
    compiled: float, fp32_logits: float, loss_in_16_bits: float, own_logits_bytes: float,
) -> float:  # fmt: skip
    """Logits, their copies and gradient: fewer where a kernel or the compiler joins them.

    In chunks only the logits stay, and without the compiler their log-softmax, which every chunk keeps until backward;
    both in 16 bits, or in fp32 where the model puts out fp32.
    """
    return where(
        chunked_ce,
        (2 + 2 * (1 - compiled)) * (1 + fp32_logits),
        where(loss_in_16_bits, own_logits_bytes, where(fused_norms, logits_bytes_fused, logits_bytes_stock))
        + 2 * shifted_logits,
    )


@MEMORY.step("tokens")
def logits_tokens(fused_ce: float, tokens: float, vocab: float, hidden: float) -> float:
    """Tokens whose logits exist at once: all, or one chunk of a fused linear cross-entropy."""
    return where(fused_ce, ceil(tokens / largest(ceil(vocab / hidden), 1)), tokens)


@MEMORY.step("bytes")
def logits(
    logits_bytes: float, logits_tokens: float, vocab: float, fused_ce: float, compute_bytes: float, tokens: float,
    hidden: float,
) -> float:  # fmt: skip
    """Logits, their fp32 copies and gradient; the fused loss keeps the gradient of its input instead."""
    return logits_bytes * logits_tokens * vocab + fused_ce * compute_bytes * tokens * hidden


@MEMORY.step("bytes")
def final_hidden(fused_norms: float, trains_adapters: float, hidden: float, tokens: float) -> float:
    """What the norm before the head keeps: an fp32 copy and its output, or input and output with a fused kernel.

    A norm that is trained keeps the normalised values as well, unless it is fused.
    """
    return (6 - 2 * fused_norms + 2 * (1 - trains_adapters) * (1 - fused_norms)) * hidden * tokens


@MEMORY.step("bytes")
def head_gradient(fused_ce: float, trains_adapters: float, compute_bytes: float, vocab: float, hidden: float) -> float:
    """Gradient of a trained head, which a fused loss computes already in forward."""
    return fused_ce * (1 - trains_adapters) * compute_bytes * vocab * hidden


@MEMORY.step("bytes")
def unpacked_head(
    quantized: float, fabric_quantization: float, unpacked_bytes: float, vocab: float, hidden: float
) -> float:
    """The output head unpacked, where it is quantised: before every multiplication by it."""
    return quantized * fabric_quantization * unpacked_bytes * vocab * hidden


@MEMORY.step("bytes")
def held_step(
    keeps_last_step: float, fp32_logits: float, logits_tokens: float, vocab: float, grad_checkpointing: float,
    matrix_input_kept: float, compute_bytes: float, all_layer_matrix_inputs: float, tokens: float,
) -> float:  # fmt: skip
    """What the step before still holds while forward runs: its logits, and through their graph the inputs of matrices.

    Backward frees what autograd saved, not what a node keeps by itself, as MatMul4Bit of bitsandbytes did. The graph
    that checkpointing builds again is gone with its layer.
    """
    return keeps_last_step * (
        (2 + 2 * fp32_logits) * logits_tokens * vocab
        + (1 - grad_checkpointing) * matrix_input_kept * compute_bytes * all_layer_matrix_inputs * tokens
    )


@MEMORY.step("bytes")
def logits_made(
    held_step: float, unpacked_head: float, fp32_logits: float, logits_tokens: float, vocab: float
) -> float:
    """When the logits are made, before the loss: they in 16 bits, beside them the head or their fp32 copies."""
    return held_step + 2 * logits_tokens * vocab + largest(unpacked_head, 4 * fp32_logits * logits_tokens * vocab)


@MEMORY.step("bytes")
def beside_logits(unpacked_head: float, logits_made: float, logits: float) -> float:
    """What the end of forward holds beside the logits of the loss: the head in backward, or what came before the loss.

    Of the two moments the one that needs more.
    """
    return largest(unpacked_head, logits_made - logits)
