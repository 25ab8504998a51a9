"""What occupies the memory of one GPU, in bytes: states, gradients, gathered weights, activations, logits.

Symbols are spelled out; `data/constants.yml` holds every constant with its reason. The structure (states sharded by N,
one layer gathered at a time, checkpoints of block inputs, logits at the loss) follows ZeRO (arXiv 1910.02054),
Korthikanti et al. (arXiv 2205.05198) and PyTorch's FSDP2.
"""

from __future__ import annotations

from generator.estimate.steps import Formulas, largest, where

MEMORY = Formulas()
"""Terms of this module, then the moments that `phases` adds them up to."""


# --- parameters ---------------------------------------------------------------------------------------------------


@MEMORY.step("parameters")
def layer_parameters(unit_linear: float, unit_experts: float, unit_small: float) -> float:
    """One transformer layer, the largest: the unit that is gathered."""
    return unit_linear + unit_experts + unit_small


@MEMORY.step("parameters")
def text_parameters(
    embedding: float,
    head: float,
    linear_parameters: float,
    expert_parameters: float,
    small_parameters: float,
    final_norm: float,
    outside: float,
) -> float:
    """The language model, tied tensors counted once."""
    return embedding + head + linear_parameters + expert_parameters + small_parameters + final_norm + outside


@MEMORY.step("parameters")
def saved_modules(trains_adapters: float, train_embeddings: float, embedding: float, head: float) -> float:
    """Embedding and head, where adapters train copies of them."""
    return trains_adapters * train_embeddings * (embedding + head)


@MEMORY.step("parameters")
def trained_parameters(
    trains_adapters: float, lora_parameters: float, saved_modules: float, text_parameters: float
) -> float:
    """What the optimizer updates."""
    return where(trains_adapters, lora_parameters + saved_modules, text_parameters)


@MEMORY.step("parameters")
def root_parameters(
    root_wrap_separate: float, embedding: float, head: float, final_norm: float, outside: float
) -> float:
    """What is gathered beside the layers: all of it together, or the largest part when each is a unit of its own."""
    return where(root_wrap_separate, largest(embedding, head, outside), embedding + head + final_norm + outside)


# --- resident all the time ----------------------------------------------------------------------------------------


@MEMORY.step("parameters")
def packed_parameters(linear_parameters: float, fabric_quantization: float, head: float) -> float:
    """What a quantised base packs: the matrices inside the layers; Fabric packs the output head as well."""
    return linear_parameters + fabric_quantization * head


@MEMORY.step("bytes")
def whole_weights(
    linear_bytes: float,
    packed_parameters: float,
    other_bytes: float,
    text_parameters: float,
    tower: float,
    compute_bytes: float,
    adapter_bytes: float,
    lora_parameters: float,
    saved_modules: float,
) -> float:
    """Weights of base, frozen tower and adapters."""
    return (
        linear_bytes * packed_parameters
        + other_bytes * (text_parameters - packed_parameters)
        + compute_bytes * tower
        + adapter_bytes * (lora_parameters + saved_modules)
    )


@MEMORY.step("bytes")
def weights(whole_weights: float, shards: float, weights_on_host: float, sharded: float, whole_copy: float) -> float:
    """Weights on one card: divided by the shards; none where they wait in host memory; a whole copy where one stays."""
    return (1 - weights_on_host) * whole_weights / shards + sharded * whole_copy * whole_weights


@MEMORY.step("bytes")
def quantization_constants(quantization_constant_bytes: float, packed_parameters: float) -> float:
    """Scales of quantised blocks: attributes, not parameters, so that sharding does not divide them."""
    return quantization_constant_bytes * packed_parameters


@MEMORY.step("bytes")
def optimizer_states(
    state_bytes: float,
    trained_parameters: float,
    embedding_state_extra_bytes: float,
    embedding: float,
    state_shards: float,
) -> float:
    """Optimizer states; those of the embedding are kept wider by some optimizers."""
    return (state_bytes * trained_parameters + embedding_state_extra_bytes * embedding) / state_shards


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


# --- gathered for a moment ----------------------------------------------------------------------------------------


@MEMORY.step("bytes")
def gathered_root(sharded: float, compute_bytes: float, root_parameters: float) -> float:
    """Embedding and head as gathered for computing."""
    return sharded * compute_bytes * root_parameters


@MEMORY.step("yes or no")
def head_apart(root_wrap_separate: float, head: float) -> float:
    """The head is a unit of its own; one that is tied to the embedding shares its unit."""
    return root_wrap_separate * where(head, 1, 0)


@MEMORY.step("bytes")
def gathered_head(head_apart: float, gathered_root: float) -> float:
    """The root unit while backward passes through the last layers: a head that is a unit of its own is given back."""
    return (1 - head_apart) * gathered_root


@MEMORY.step("bytes")
def gathered_unit(
    sharded: float,
    gathered_linear_bytes: float,
    unit_linear: float,
    compute_bytes: float,
    unit_experts: float,
    unit_small: float,
) -> float:
    """One layer, the largest, as gathered for computing."""
    return sharded * (gathered_linear_bytes * unit_linear + compute_bytes * (unit_experts + unit_small))


@MEMORY.step("bytes")
def gathered_layers(
    sharded: float,
    gathered_linear_bytes: float,
    linear_parameters: float,
    compute_bytes: float,
    expert_parameters: float,
    small_parameters: float,
) -> float:
    """All layers, where they are not given back after forward."""
    return sharded * (
        gathered_linear_bytes * linear_parameters + compute_bytes * (expert_parameters + small_parameters)
    )


@MEMORY.step("bytes")
def gathered_layer(reshard: float, gathered_unit: float, gathered_layers: float) -> float:
    """The current layer and the one prefetched."""
    return where(reshard, 2 * gathered_unit, gathered_layers)


@MEMORY.step("bytes")
def gathered_first(reshard: float, gathered_unit: float, gathered_layers: float) -> float:
    """The first layer, the last in backward: nothing comes after it to be prefetched."""
    return where(reshard, gathered_unit, gathered_layers)


@MEMORY.step("bytes")
def autocast_weights(
    autocast_copies: float, compute_bytes: float, linear_parameters: float, expert_parameters: float, vocab: float,
    hidden: float,
) -> float:  # fmt: skip
    """16-bit copies of the fp32 matrices that autocast keeps from forward to backward."""
    return autocast_copies * compute_bytes * (linear_parameters + expert_parameters + vocab * hidden)


@MEMORY.step("bytes")
def dequantized_matrix(quantized: float, unpacked_bytes: float, largest_matrix: float) -> float:
    """The largest matrix of a layer unpacked to the computing type."""
    return quantized * unpacked_bytes * largest_matrix


# --- activations --------------------------------------------------------------------------------------------------


@MEMORY.step("bytes per token")
def all_norms(
    trains_adapters: float, fused_norms: float, all_layer_norms: float, all_layer_norms_fused: float,
    all_layer_norms_frozen: float, all_layer_norms_frozen_fused: float,
) -> float:  # fmt: skip
    """What the norms of all layers store: trained or frozen, stock or fused."""
    return where(
        trains_adapters,
        where(fused_norms, all_layer_norms_frozen_fused, all_layer_norms_frozen),
        where(fused_norms, all_layer_norms_fused, all_layer_norms),
    )


@MEMORY.step("bytes per token")
def one_norms(
    trains_adapters: float, fused_norms: float, one_layer_norms: float, one_layer_norms_fused: float,
    one_layer_norms_frozen: float, one_layer_norms_frozen_fused: float,
) -> float:  # fmt: skip
    """The same in the layer that stores most."""
    return where(
        trains_adapters,
        where(fused_norms, one_layer_norms_frozen_fused, one_layer_norms_frozen),
        where(fused_norms, one_layer_norms_fused, one_layer_norms),
    )


@MEMORY.step("bytes per token")
def stored_per_token(
    all_norms: float, kernels_fused: float, eager: float, all_layer_mixer: float, all_layer_repeated_keys: float,
    trains_adapters: float, matrix_input_kept: float, all_layer_mlp_frozen: float, all_layer_mlp: float,
    all_layer_experts: float,
    all_layer_recomputable_width: float, autocast_copies: float, all_layer_autocast: float, compute_bytes: float,
    adapter_input_bytes: float, all_adapter_inputs: float,
    shared_input_bytes: float, all_adapter_shared_inputs: float,
) -> float:  # fmt: skip
    """What all layers store per token without checkpointing.

    Norms, mixers, keys repeated by eager attention, MLPs (with fused kernels they compute their product again), and the
    inputs that adapters read. Where quantised matrices keep their input, that of the MLP's last one is added; the
    others are stored anyway.
    """
    return (
        (
            all_norms
            + all_layer_mixer
            + eager * all_layer_repeated_keys
            + where(
                trains_adapters * (1 - matrix_input_kept),
                all_layer_mlp_frozen,
                all_layer_mlp - kernels_fused * 2 * all_layer_recomputable_width,
            )
            + all_layer_experts
            + autocast_copies * all_layer_autocast
        )
        * compute_bytes
        / 2
        + adapter_input_bytes * all_adapter_inputs
        + shared_input_bytes * all_adapter_shared_inputs
    )


@MEMORY.step("bytes per token")
def working_set_per_token(
    one_norms: float, one_layer_mixer: float, eager: float, one_layer_repeated_keys: float, one_layer_mlp: float,
    one_layer_experts: float, one_layer_temporaries: float, autocast_copies: float, one_layer_autocast: float,
    trains_adapters: float, hidden: float,
    compute_bytes: float, adapter_input_bytes: float, one_adapter_inputs: float,
) -> float:  # fmt: skip
    """What is alive in one layer while backward passes through it: what it stores, and temporaries.

    Of these the gradient of the block's output counts where the norms are trained.
    """
    return (
        one_norms
        + one_layer_mixer
        + eager * one_layer_repeated_keys
        + one_layer_mlp
        + one_layer_experts
        + one_layer_temporaries
        + autocast_copies * one_layer_autocast
        + (1 - trains_adapters) * 2 * hidden
    ) * compute_bytes / 2 + adapter_input_bytes * one_adapter_inputs


@MEMORY.step("bytes per pair of tokens")
def scores_per_layer(eager: float, one_layer_score_heads: float) -> float:
    """Scores, softmax and its copy that eager attention stores: 8 bytes per head and pair of tokens."""
    return eager * 8 * one_layer_score_heads


@MEMORY.step("bytes")
def block_inputs(compute_bytes: float, fp32_residual: float, hidden: float, layers: float, tokens: float) -> float:
    """Inputs of all blocks, which checkpointing keeps; fp32 where the residual stream is."""
    return (compute_bytes + fp32_residual * (4 - compute_bytes)) * hidden * layers * tokens


@MEMORY.step("bytes")
def checkpoints(
    grad_checkpointing: float, block_inputs: float, stored_per_token: float, eager: float, all_layer_score_heads: float,
    seq_len: float, tokens: float,
) -> float:  # fmt: skip
    """Block inputs of all layers; everything that they store without checkpointing."""
    return where(
        grad_checkpointing,
        block_inputs,
        stored_per_token * tokens + eager * 8 * all_layer_score_heads * seq_len * tokens,
    )


@MEMORY.step("bytes")
def checkpoint_copies(
    checkpoints: float, grad_checkpointing: float, trains_adapters: float, sharded: float,
    extra_checkpoint_copies_sharded_adapter: float, compute_bytes: float, hidden: float, layers: float, tokens: float,
) -> float:  # fmt: skip
    """Checkpoints with the second copy that sharded adapter stacks hold for all layers but two."""
    return checkpoints + (
        grad_checkpointing
        * trains_adapters
        * sharded
        * extra_checkpoint_copies_sharded_adapter
        * compute_bytes
        * hidden
        * largest(layers - 2, 0)
        * tokens
    )


@MEMORY.step("bytes")
def activations(
    grad_checkpointing: float, working_set_per_token: float, one_layer_temporaries: float, compute_bytes: float,
    tokens: float, scores_per_layer: float, seq_len: float,
) -> float:  # fmt: skip
    """Working set of the layer that backward recomputes; its temporaries alone where nothing is recomputed."""
    return tokens * where(
        grad_checkpointing,
        working_set_per_token + scores_per_layer * seq_len,
        one_layer_temporaries * compute_bytes / 2,
    )
