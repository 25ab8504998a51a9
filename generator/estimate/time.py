"""Speed: FLOPs of the model, bytes over the link, and the slower of the two.

Model FLOPs count attention with the causal credit and leave recomputation out; the sustained TFLOPS of a card in
`data/gpus` are in the same unit (Kaplan et al., arXiv 2001.08361, section 2.1; Narayanan et al., arXiv 2104.04473).
"""

from __future__ import annotations

from generator.estimate.steps import Formulas, largest, where

TIME = Formulas()


@TIME.step("FLOPs per token")
def model_flops_per_token(multiplied_parameters: float, attention_width: float, seq_len: float) -> float:
    """Forward and backward of one token, causal attention included, recomputation not."""
    return 6 * multiplied_parameters + 6 * attention_width * seq_len


@TIME.step("FLOPs per token")
def timed_flops_per_token(trains_adapters: float, adapter_time_factor: float, model_flops_per_token: float) -> float:
    """The same, less what adapters really save of it."""
    return where(trains_adapters, adapter_time_factor, 1) * model_flops_per_token


@TIME.step("bytes")
def gathered_bytes_per_step(
    sharded: float,
    reshard: float,
    gathered_linear_bytes: float,
    compute_bytes: float,
    linear_parameters: float,
    text_parameters: float,
    grad_accum: float,
) -> float:
    """Weights gathered in one optimizer step: in each micro-step in forward and, where given back, in backward."""
    return (
        sharded
        * (1 + reshard)
        * grad_accum
        * (gathered_linear_bytes * linear_parameters + compute_bytes * (text_parameters - linear_parameters))
    )


@TIME.step("bytes")
def reduced_bytes_per_step(
    sharded: float,
    replicated: float,
    zero_stages: float,
    reduce_bytes: float,
    trained_bytes: float,
    trained_parameters: float,
    gradient_reductions: float,
) -> float:
    """Gradients sent in one optimizer step: scattered by sharding; twice the bytes in DDP, ZeRO-1 and ZeRO-2."""
    return (
        where(sharded, reduce_bytes, (replicated + zero_stages) * 2 * trained_bytes)
        * trained_parameters
        * gradient_reductions
    )


@TIME.step("bytes")
def sent_bytes_per_step(gathered_bytes_per_step: float, reduced_bytes_per_step: float, n_gpus: float) -> float:
    """Bytes that each GPU sends in one optimizer step of a ring of n GPUs."""
    return (gathered_bytes_per_step + reduced_bytes_per_step) * (n_gpus - 1) / n_gpus


@TIME.step("tokens")
def tokens_per_optimizer_step(tokens: float, grad_accum: float) -> float:
    """Tokens per GPU in one optimizer step."""
    return tokens * grad_accum


@TIME.step("seconds")
def link_seconds(sent_bytes_per_step: float, bus_bytes_per_second: float) -> float:
    """Time on the link in one optimizer step; none where the bandwidth is not stated."""
    return where(bus_bytes_per_second, sent_bytes_per_step / where(bus_bytes_per_second, bus_bytes_per_second, 1), 0)


@TIME.step("seconds")
def link_seconds_cautious(link_seconds: float, link_share_cautious: float) -> float:
    """The same where the link gives only a part of its stated bandwidth."""
    return link_seconds / link_share_cautious


@TIME.step("bytes")
def dequantized_bytes_per_step(
    quantized: float,
    grad_checkpointing: float,
    grad_accum: float,
    quantized_bytes: float,
    compute_bytes: float,
    linear_parameters: float,
) -> float:
    """Memory traffic of unpacking a quantised base in one optimizer step.

    Every pass reads the packed weights and writes them in the computing type: forward, backward, and recomputation.
    """
    return quantized * (2 + grad_checkpointing) * grad_accum * (quantized_bytes + compute_bytes) * linear_parameters


@TIME.step("seconds")
def dequantization_seconds_cautious(
    dequantized_bytes_per_step: float, memory_bytes_per_second: float, dequantization_share_cautious: float
) -> float:
    """Time to unpack in one optimizer step at the cautious share of the card's memory bandwidth."""
    return dequantized_bytes_per_step / (memory_bytes_per_second * dequantization_share_cautious)


@TIME.step("seconds")
def dequantization_seconds(
    dequantized_bytes_per_step: float, memory_bytes_per_second: float, dequantization_share: float
) -> float:
    """Time to unpack in one optimizer step at the expected share of the card's memory bandwidth."""
    return dequantized_bytes_per_step / (memory_bytes_per_second * dequantization_share)


@TIME.step("seconds")
def dequantization_seconds_best(dequantized_bytes_per_step: float, memory_bytes_per_second: float) -> float:
    """Time to unpack in one optimizer step at the card's whole memory bandwidth."""
    return dequantized_bytes_per_step / memory_bytes_per_second


@TIME.step("seconds")
def launch_seconds_cautious(launch_seconds_per_layer: float, layers: float, grad_accum: float) -> float:
    """Least time in which the host can launch the kernels of one optimizer step, however few tokens there are."""
    return launch_seconds_per_layer * layers * grad_accum


@TIME.step("seconds")
def compute_seconds_cautious(
    timed_flops_per_token: float, tokens_per_optimizer_step: float, sustained_flops_cautious: float,
    dequantization_seconds_cautious: float, launch_seconds_cautious: float,
) -> float:  # fmt: skip
    """Time to compute one optimizer step at the cautious speed; launching kernels and computing overlap."""
    return largest(
        timed_flops_per_token * tokens_per_optimizer_step / sustained_flops_cautious + dequantization_seconds_cautious,
        launch_seconds_cautious,
    )


@TIME.step("seconds")
def compute_seconds(
    timed_flops_per_token: float,
    tokens_per_optimizer_step: float,
    sustained_flops: float,
    dequantization_seconds: float,
) -> float:
    """Time to compute one optimizer step at the expected speed."""
    return timed_flops_per_token * tokens_per_optimizer_step / sustained_flops + dequantization_seconds


@TIME.step("seconds")
def compute_seconds_best(
    timed_flops_per_token: float,
    tokens_per_optimizer_step: float,
    sustained_flops_best: float,
    dequantization_seconds_best: float,
) -> float:
    """Time to compute one optimizer step at the best speed seen."""
    return timed_flops_per_token * tokens_per_optimizer_step / sustained_flops_best + dequantization_seconds_best


@TIME.step("tokens per second")
def tokens_per_second_cautious(
    tokens_per_optimizer_step: float, compute_seconds_cautious: float, link_seconds_cautious: float
) -> float:
    """Cautious speed of one GPU: computing and sending overlap, the slower one decides."""
    return tokens_per_optimizer_step / largest(compute_seconds_cautious, link_seconds_cautious)


@TIME.step("tokens per second")
def tokens_per_second(tokens_per_optimizer_step: float, compute_seconds: float, link_seconds: float) -> float:
    """Expected speed of one GPU."""
    return tokens_per_optimizer_step / largest(compute_seconds, link_seconds)


@TIME.step("tokens per second")
def tokens_per_second_best(tokens_per_optimizer_step: float, compute_seconds_best: float, link_seconds: float) -> float:
    """Best speed of one GPU."""
    return tokens_per_optimizer_step / largest(compute_seconds_best, link_seconds)


@TIME.step("tokens")
def break_even_tokens(
    tokens: float, link_seconds: float, compute_seconds: float, dequantization_seconds: float
) -> float:
    """Tokens per GPU and micro-step at which the link takes as long as the expected computing.

    Unpacking takes as long however many tokens there are; where it alone outlasts the link, none are needed.
    """
    return tokens * largest(link_seconds - dequantization_seconds, 0) / (compute_seconds - dequantization_seconds)


@TIME.step("bytes per second")
def needed_bytes_per_second(sent_bytes_per_step: float, compute_seconds: float) -> float:
    """Bandwidth of the link below which communication decides the expected speed."""
    return sent_bytes_per_step / compute_seconds
