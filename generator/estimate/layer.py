"""What one layer keeps per token for its backward pass when nothing is checkpointed, in bytes.

The rules were read off the tensors that autograd saves (transformers 5.24.0, PyTorch 2.13, saved-tensor hooks, every
storage counted once) with stock modules in bf16 and a flash or memory-efficient attention kernel. For a Llama block
they come to the traced form 16h + 8i + 4q + 4kv + 4·heads + 8. Each kind of layer of a model is evaluated by itself.
"""

from __future__ import annotations

from generator.estimate.steps import Formulas, largest

LAYER = Formulas()
"""From the dimensions of one layer to what it stores."""


@LAYER.step("bytes per token")
def layer_norms(
    rms_norms: float, hidden: float, norm_weight_in_fp32: float, norms_after: float, layer_norm_count: float,
    layer_norm_input_bytes: float,
) -> float:  # fmt: skip
    """Norms on the residual path.

    RMSNorm: an fp32 copy of its input (4), the normalised values (2, or 4 where the weight is applied in fp32), its
    output (2) where a matrix takes it in, and one fp32 number. LayerNorm is one kernel: its input, its output, two
    numbers.
    """
    return (
        rms_norms * ((8 + 2 * norm_weight_in_fp32) * hidden + 4)
        - norms_after * 2 * hidden
        + layer_norm_count * ((layer_norm_input_bytes + 2) * hidden + 2 * layer_norm_input_bytes)
    )


@LAYER.step("bytes per token")
def layer_norms_fused(rms_norms: float, hidden: float, norms_after: float, layer_norm_count: float) -> float:
    """The same with a fused kernel: input and output in bf16, one number."""
    return (rms_norms + layer_norm_count) * (4 * hidden + 4) - norms_after * 2 * hidden


@LAYER.step("bytes per token")
def layer_norms_frozen(layer_norms: float, rms_norms: float, norm_weight_in_fp32: float, hidden: float) -> float:
    """The same where the norms are frozen: the normalised values serve the gradient of their weight alone."""
    return layer_norms - rms_norms * (2 + 2 * norm_weight_in_fp32) * hidden


@LAYER.step("bytes per token")
def layer_norms_frozen_fused(rms_norms: float, layer_norm_count: float, hidden: float) -> float:
    """Frozen norms with a fused kernel: their input alone."""
    return (rms_norms + layer_norm_count) * (2 * hidden + 4)


@LAYER.step("bytes per token")
def layer_autocast(
    hidden: float, rms_norms: float, norm_weight_in_fp32: float, layer_norm_count: float, layer_norm_input_bytes: float,
    residual_readers: float, norms_after: float,
) -> float:  # fmt: skip
    """What autocast adds over a residual stream in fp32.

    Normalised values, and the input of LayerNorm, in fp32 where they were in 16 bits, and a 16-bit copy for every
    matrix that reads the stream beyond those that the norms put out anyway: autocast casts for each matrix anew.
    """
    return (
        2 * hidden * rms_norms * (1 - norm_weight_in_fp32)
        + (4 - layer_norm_input_bytes) * hidden * layer_norm_count
        + 2 * hidden * largest(residual_readers - (rms_norms - norms_after + layer_norm_count), 0)
    )


@LAYER.step("bytes per token")
def layer_attention(
    query_width: float, own_kv_width: float, heads: float, fused_projection: float, kv_width: float, output_gate: float
) -> float:
    """Grouped-query attention: queries, keys, values and output in bf16 and a log-sum-exp per head in fp32.

    A fused projection is kept whole by the values that are a view of it; a gate keeps its sigmoid and the gated output.
    """
    return (
        4 * (query_width + own_kv_width)
        + 4 * heads
        + fused_projection * 2 * (query_width + kv_width)
        + output_gate * 4 * query_width
    )


@LAYER.step("bytes per token")
def layer_qk_norm(
    qk_normed: float, qk_norm_weighted: float, norm_weight_in_fp32: float, query_width: float, own_kv_width: float,
    qk_vectors: float,
) -> float:  # fmt: skip
    """Norms of queries and keys: an fp32 copy, the normalised values where they have weights, a number per vector."""
    return qk_normed * (
        (4 + qk_norm_weighted * (2 + 2 * norm_weight_in_fp32)) * (query_width + own_kv_width) + 4 * qk_vectors
    )


@LAYER.step("bytes per token")
def layer_repeated_keys(grouped: float, query_width: float) -> float:
    """Keys and values repeated for every query head, where the kernel does not group by itself."""
    return grouped * 4 * query_width


@LAYER.step("bytes per token")
def layer_latent_attention(
    latent_ranks: float, latent_vectors: float, latent_query_width: float, latent_up_width: float,
    latent_value_width: float, latent_heads: float,
) -> float:  # fmt: skip
    """MLA expanded for training.

    Norms of the compressed vectors, queries and expanded keys, the up-projection that holds the values, the output,
    the log-sum-exp.
    """
    return (
        8 * latent_ranks
        + 4 * latent_vectors
        + 2 * (2 * latent_query_width + latent_up_width + latent_value_width)
        + 4 * latent_heads
    )


@LAYER.step("bytes per token")
def layer_mlp(gated_width: float, plain_width: float, composed_width: float) -> float:
    """Gated MLP: gate, up, activated gate and product.

    Plain: input and output of the activation; more where the activation is composed of several operations.
    """
    return 8 * gated_width + 4 * plain_width + 10 * composed_width


@LAYER.step("bytes per token")
def layer_mlp_frozen(gated_width: float, plain_width: float, composed_width: float) -> float:
    """The same where the weights are frozen: nobody needs the input of the last matrix."""
    return 6 * gated_width + 2 * plain_width + 8 * composed_width


@LAYER.step("bytes per token")
def layer_experts(
    active_experts: float, expert_width: float, hidden: float, experts: float, router_in_fp32: float,
    shared_gates: float,
) -> float:  # fmt: skip
    """Experts: for each active one a gated MLP, its copied input and its output; the router."""
    return (
        active_experts * (8 * expert_width + 4 * hidden)
        + 8 * experts
        + router_in_fp32 * 4 * hidden
        + shared_gates * 2 * hidden
    )


@LAYER.step("bytes per token")
def layer_per_layer_input(
    per_layer_inputs: float, per_layer_width: float, hidden: float, norm_weight_in_fp32: float
) -> float:
    """The layer's own embedding: projected, normed and added before the layers, gated inside, and a norm."""
    return per_layer_inputs * (2 * hidden + 16 * per_layer_width + (6 + 2 * norm_weight_in_fp32) * hidden + 4)


@LAYER.step("bytes per token")
def layer_mixer(
    layer_attention: float, layer_qk_norm: float, layer_latent_attention: float, layer_per_layer_input: float
) -> float:
    """Everything between the norms that is no MLP."""
    return layer_attention + layer_qk_norm + layer_latent_attention + layer_per_layer_input


@LAYER.step("channels")
def layer_mlp_width(
    gated_width: float, plain_width: float, composed_width: float, active_experts: float, expert_width: float
) -> float:
    """Width of what a token passes in MLPs: dense, shared and active experts."""
    return gated_width + plain_width + composed_width + active_experts * expert_width


@LAYER.step("channels")
def layer_matrix_inputs(
    hidden: float, rms_norms: float, norms_after: float, layer_norm_count: float, query_width: float,
    latent_ranks: float, latent_value_width: float, gated_width: float, plain_width: float, composed_width: float,
) -> float:  # fmt: skip
    """Width of what the matrices of a layer read, every tensor once.

    That is what the norms before them put out, the output of attention, and the product inside the MLP; what routed
    experts read aside.
    """
    return (
        hidden * (rms_norms - norms_after + layer_norm_count)
        + query_width
        + latent_ranks
        + latent_value_width
        + gated_width
        + plain_width
        + composed_width
    )


@LAYER.step("channels")
def layer_recomputable_width(gated_width: float, active_experts: float, expert_width: float) -> float:
    """Width of gated MLPs: a fused kernel computes their product again instead of keeping it."""
    return gated_width + active_experts * expert_width


@LAYER.step("bytes per token")
def layer_temporaries(layer_mlp_width: float) -> float:
    """What backward adds at its height: two gradients of the MLP's width."""
    return 4 * layer_mlp_width


@LAYER.step("heads")
def layer_score_heads(heads: float, latent_heads: float) -> float:
    """Heads whose scores eager attention keeps."""
    return heads + latent_heads


@LAYER.step("bytes per token")
def layer_stored(layer_norms: float, layer_mixer: float, layer_mlp: float, layer_experts: float) -> float:
    """All that the layer keeps with stock modules."""
    return layer_norms + layer_mixer + layer_mlp + layer_experts


@LAYER.step("bytes per token")
def layer_working_set(layer_stored: float, layer_temporaries: float, hidden: float) -> float:
    """All that is alive while backward passes through a trained layer: with it the gradient of the block's output."""
    return layer_stored + layer_temporaries + 2 * hidden
