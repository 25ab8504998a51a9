"""The end of forward: logits with their copies, the norm before the head, the gradient of a fused loss. Bytes."""

from __future__ import annotations

from generator.estimate.memory import MEMORY
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
    compiled: float, loss_in_16_bits: float, own_logits_bytes: float,
) -> float:  # fmt: skip
    """Logits, their copies and gradient: fewer where a kernel or the compiler joins them.

    In chunks only what is 16-bit stays: the logits, and without the compiler their log-softmax, which every chunk
    keeps until backward.
    """
    return where(
        chunked_ce,
        2 + 2 * (1 - compiled),
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
def final_hidden(fused_norms: float, hidden: float, tokens: float) -> float:
    """What the norm before the head keeps: an fp32 copy and its output, or input and output with a fused kernel."""
    return (6 - 2 * fused_norms) * hidden * tokens


@MEMORY.step("bytes")
def head_gradient(fused_ce: float, trains_adapters: float, compute_bytes: float, vocab: float, hidden: float) -> float:
    """Gradient of a trained head, which a fused loss computes already in forward."""
    return fused_ce * (1 - trains_adapters) * compute_bytes * vocab * hidden
