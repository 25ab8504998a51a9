"""What occupies the memory of one GPU, in bytes: states, gradients, gathered weights, activations, logits.

Symbols are spelled out; `data/constants.yml` holds every constant with its reason. The structure (states sharded by N,
one layer gathered at a time, checkpoints of block inputs, logits at the loss) follows ZeRO (arXiv 1910.02054),
Korthikanti et al. (arXiv 2205.05198) and PyTorch's FSDP2.
"""

from __future__ import annotations

from generator.estimate.steps import Formulas, ceil, largest, where

MEMORY = Formulas()
"""Terms of this module, then the moments that `phases` adds them up to."""


# --- parameters ---------------------------------------------------------------------------------------------------


@MEMORY.step("parameters")
def layer_parameters(linear_per_layer: float, small_per_layer: float) -> float:
    """One transformer layer: the unit that is gathered."""
    return linear_per_layer + small_per_layer


@MEMORY.step("parameters")
def linear_parameters(linear_per_layer: float, layers: float) -> float:
    """Weights of all matrices inside the layers: what NF4 quantises."""
    return linear_per_layer * layers


@MEMORY.step("parameters")
def text_parameters(embedding: float, head: float, layer_parameters: float, layers: float, final_norm: float) -> float:
    """The language model, tied tensors counted once."""
    return embedding + head + layer_parameters * layers + final_norm


@MEMORY.step("parameters")
def trained_parameters(trains_adapters: float, adapters: float, text_parameters: float) -> float:
    """What the optimizer updates."""
    return where(trains_adapters, adapters, text_parameters)


@MEMORY.step("parameters")
def root_parameters(root_separate: float, embedding: float, head: float, final_norm: float) -> float:
    """What is gathered beside the layers: embedding and head together, or the larger when each is its own unit."""
    return where(root_separate, largest(embedding, head), embedding + head + final_norm)


# --- resident all the time ----------------------------------------------------------------------------------------


@MEMORY.step("bytes")
def weights(
    linear_bytes: float,
    linear_parameters: float,
    other_bytes: float,
    text_parameters: float,
    tower: float,
    adapter_bytes: float,
    adapters: float,
    shards: float,
) -> float:
    """Weights of base, tower and adapters, divided by the shards."""
    return (
        linear_bytes * linear_parameters
        + other_bytes * (text_parameters - linear_parameters + tower)
        + adapter_bytes * adapters
    ) / shards


@MEMORY.step("bytes")
def quantization_constants(quantization_constant_bytes: float, linear_parameters: float) -> float:
    """Scales of the NF4 blocks: attributes, not parameters, so that sharding does not divide them."""
    return quantization_constant_bytes * linear_parameters


@MEMORY.step("bytes")
def optimizer_states(
    state_bytes: float,
    trained_parameters: float,
    embedding_state_extra_bytes: float,
    embedding: float,
    shards: float,
) -> float:
    """Optimizer states; 8-bit optimizers keep those of the embedding in fp32."""
    return (state_bytes * trained_parameters + embedding_state_extra_bytes * embedding) / shards


@MEMORY.step("bytes")
def reduce_buffers(
    replicated: float, gradient_bytes: float, trained_parameters: float, bucket_elements: float, reduce_bytes: float
) -> float:
    """Buckets of the gradient reduction: a copy of the gradients in DDP, one bucket in ZeRO."""
    return replicated * gradient_bytes * trained_parameters + bucket_elements * reduce_bytes


@MEMORY.step("bytes")
def resident(weights: float, quantization_constants: float, optimizer_states: float, reduce_buffers: float) -> float:
    """What never leaves the card during a step."""
    return weights + quantization_constants + optimizer_states + reduce_buffers


# --- gradients ----------------------------------------------------------------------------------------------------


@MEMORY.step("bytes")
def gradients(
    in_backward: float, gradient_bytes: float, layer_parameters: float, trained_parameters: float, shards: float
) -> float:
    """Gradients at the end of backward; one layer's where the optimizer steps inside backward."""
    return gradient_bytes * where(in_backward, layer_parameters, trained_parameters) / shards


@MEMORY.step("bytes")
def accumulated_gradients(
    accumulates: float,
    unsharded_accumulation: float,
    gradient_bytes: float,
    trained_parameters: float,
    gradients: float,
) -> float:
    """Gradients kept from earlier micro-batches; whole ones on every GPU where they are reduced only at the end."""
    return accumulates * where(unsharded_accumulation, gradient_bytes * trained_parameters, gradients)


@MEMORY.step("bytes")
def layer_gradients(
    trains_adapters: float,
    gradients: float,
    root_parameters: float,
    text_parameters: float,
    accumulated_gradients: float,
) -> float:
    """Gradients held when backward reaches the embedding: all but those of the root unit."""
    return largest(
        where(trains_adapters, gradients, gradients * (1 - root_parameters / text_parameters)), accumulated_gradients
    )


# --- gathered for a moment ----------------------------------------------------------------------------------------


@MEMORY.step("bytes")
def gathered_root(sharded: float, compute_bytes: float, root_parameters: float) -> float:
    """Embedding and head as gathered for computing."""
    return sharded * compute_bytes * root_parameters


@MEMORY.step("bytes")
def gathered_layer(
    sharded: float, gathered_linear_bytes: float, linear_per_layer: float, compute_bytes: float, small_per_layer: float
) -> float:
    """The current layer and the one prefetched."""
    return sharded * 2 * (gathered_linear_bytes * linear_per_layer + compute_bytes * small_per_layer)


@MEMORY.step("bytes")
def dequantized_matrix(quantized: float, hidden: float, intermediate: float) -> float:
    """The largest matrix of a layer unpacked to bf16."""
    return quantized * 2 * hidden * intermediate


# --- activations --------------------------------------------------------------------------------------------------


@MEMORY.step("bytes")
def attention_scores(eager: float, heads: float, seq_len: float, tokens: float) -> float:
    """Scores, softmax and its copy that eager attention stores: 8 bytes per head and pair of tokens."""
    return eager * 8 * heads * seq_len * tokens


@MEMORY.step("bytes per token")
def stored_per_token_layer(
    norms: float,
    norm_bytes: float,
    hidden: float,
    query_width: float,
    kv_width: float,
    heads: float,
    qk_norm: float,
    intermediate: float,
) -> float:
    """What one layer stores per token without checkpointing.

    Norms, q k v and output, statistics, expanded keys and values, norms of q and k, four tensors of the gated MLP,
    block output.
    """
    return (
        norms * norm_bytes * hidden
        + 4 * (query_width + kv_width)
        + 4 * heads
        + 4 * query_width
        + qk_norm * 6 * (query_width + kv_width)
        + 8 * intermediate
        + 2 * hidden
    )


@MEMORY.step("ratio")
def activation_scale(stored_per_token_layer: float, reference_activation_units: float, hidden: float) -> float:
    """How much more a layer of this architecture stores than the layer that the working set was measured on."""
    return stored_per_token_layer / (reference_activation_units * 2 * hidden)


@MEMORY.step("bytes")
def checkpoints(
    checkpointing: float,
    compute_bytes: float,
    hidden: float,
    layers: float,
    tokens: float,
    stored_per_token_layer: float,
    attention_scores: float,
) -> float:
    """Block inputs of all layers; everything that they store without checkpointing."""
    return where(
        checkpointing,
        compute_bytes * hidden * layers * tokens,
        layers * (stored_per_token_layer * tokens * compute_bytes / 2 + attention_scores),
    )


@MEMORY.step("bytes")
def checkpoint_copies(
    checkpoints: float,
    checkpointing: float,
    extra_checkpoint_copies: float,
    compute_bytes: float,
    hidden: float,
    layers: float,
    tokens: float,
) -> float:
    """Checkpoints with the second copy that sharded adapter stacks hold for all layers but two."""
    return checkpoints + (
        checkpointing * extra_checkpoint_copies * compute_bytes * hidden * largest(layers - 2, 0) * tokens
    )


@MEMORY.step("bytes")
def activations(
    checkpointing: float,
    activation_units: float,
    compute_bytes: float,
    hidden: float,
    tokens: float,
    activation_scale: float,
    attention_scores: float,
) -> float:
    """Working set of the layer that backward recomputes, temporaries included."""
    return checkpointing * (activation_units * compute_bytes * hidden * tokens * activation_scale + attention_scores)


@MEMORY.step("tokens")
def logits_tokens(fused_loss: float, tokens: float, vocab: float, hidden: float) -> float:
    """Tokens whose logits exist at once: all, or one chunk of a fused linear cross-entropy."""
    return where(fused_loss, ceil(tokens / ceil(vocab / hidden)), tokens)


@MEMORY.step("bytes")
def logits(
    logits_bytes: float,
    logits_tokens: float,
    vocab: float,
    fused_loss: float,
    compute_bytes: float,
    tokens: float,
    hidden: float,
) -> float:
    """Logits, their fp32 copies and gradient; the fused loss keeps the gradient of its input instead."""
    return logits_bytes * logits_tokens * vocab + fused_loss * compute_bytes * tokens * hidden


@MEMORY.step("bytes")
def head_gradient(
    fused_loss: float, trains_adapters: float, compute_bytes: float, vocab: float, hidden: float
) -> float:
    """Gradient of a trained head, which a fused loss computes already in forward."""
    return fused_loss * (1 - trains_adapters) * compute_bytes * vocab * hidden
