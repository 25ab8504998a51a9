"""What a layer keeps per token for its backward pass when nothing is checkpointed.

All results are bytes per token of stock transformers modules in bf16, frozen and trained weights alike. The rules were
read off the tensors that autograd saves (transformers 5.24.0, PyTorch 2.13, saved-tensor hooks, every storage counted
once) and agree with the traced form of Llama, 16h + 8i + 4q + 4kv + 4·heads + 8. Scores of eager attention come on top,
as does what data-parallel or adapter libraries add. Architectures without a rule are refused, not guessed.
"""

from __future__ import annotations

from generator.architecture.attention import GroupedQueryAttention, KeyValue, LatentAttention, QkNorm
from generator.architecture.layers import Layer, Norm, PerLayerInput
from generator.architecture.mlp import Experts, Mlp
from generator.errors import UnsupportedArchitecture

BF16, FP32 = 2, 4
BLOCK_NORMS = 2
"""Norms whose output goes into a matrix; further ones (Gemma 2 and later, GLM-4) end in the residual sum."""


def stored_by_norms(count: int, width: int, norm: Norm = Norm.RMS, *, fp32: bool = False) -> int:
    """Norms on the residual path.

    RMSNorm: an fp32 copy of its input (4), the normalised values (2, or 4 where the weight is applied in fp32), its
    output (2) where a matrix takes it in, and one fp32 number. LayerNorm is one kernel: its input (2), its output (2),
    two numbers; the first OLMo gives it an fp32 copy.
    """
    after = max(count - BLOCK_NORMS, 0)
    if norm is not Norm.RMS:
        taken = FP32 if norm is Norm.LAYER_UNWEIGHTED else BF16
        return count * ((taken + BF16) * width + 2 * taken)
    normalised = FP32 if fp32 else BF16
    return count * ((FP32 + normalised + BF16) * width + FP32) - after * BF16 * width


def stored_by_attention(
    attention: GroupedQueryAttention, *, fp32_norm: bool = False, repeated_keys: bool = False
) -> int:
    """Grouped-query attention with a flash or memory-efficient kernel.

    Queries, keys, values and output in bf16 and the log-sum-exp of each head in fp32: 4q + 4kv + 4·heads. Repeating
    keys and values for the query heads adds 4q (stored once per query head; not where the kernel groups by itself). A
    fused projection is kept whole by the values that are a view of it; without rotary positions queries and keys are
    views of it too. Norms of q and k keep an fp32 copy and, where they have weights, the normalised values; a gate
    keeps its sigmoid and the gated output.
    """
    query, kv, heads = attention.query_width, attention.kv_width, attention.heads
    own = attention.key_value is not KeyValue.BORROWED
    stored = 2 * BF16 * (query + kv * own) + FP32 * heads
    if repeated_keys and attention.kv_heads < heads:
        stored += 2 * BF16 * query
    elif attention.fused_name and attention.rotary:
        stored += BF16 * (query + kv)
    if attention.qk_norm is not QkNorm.NONE:
        weighted = attention.qk_norm is not QkNorm.UNWEIGHTED
        normalised = (FP32 if fp32_norm else BF16) * weighted
        normed = (FP32 + normalised) * (query + kv * own)
        per_vector = 1 + own if attention.qk_norm is QkNorm.FULL else heads + attention.kv_heads * own
        stored += normed + FP32 * per_vector
    if attention.output_gate:
        stored += 2 * BF16 * query
    return stored


def stored_by_latent_attention(attention: LatentAttention) -> int:
    """MLA expanded for training (arXiv 2405.04434): queries and keys of all heads, values inside the up-projection.

    Each compressed vector passes a norm (8 bytes a channel and one number). Queries and expanded keys 2 bytes each,
    the up-projection kept whole by the values that are a view of it, the output, the log-sum-exp. Raises
    UnsupportedArchitecture for an indexer.
    """
    if attention.indexer is not None:
        raise UnsupportedArchitecture("activations: expected attention without an indexer, found sparse attention")
    ranks = [rank for rank in (attention.query_rank, attention.kv_rank) if rank]
    norms = sum(8 * rank + FP32 for rank in ranks)
    up = attention.heads * (attention.nope_dim + attention.value_dim)
    return norms + BF16 * (2 * attention.query_width + up + attention.value_width) + FP32 * attention.heads


def stored_by_mlp(mlp: Mlp) -> int:
    """Gated: gate, up, activated gate and product, 8 bytes a channel. Plain: input and output of the activation, 4.

    An activation that is composed of several operations keeps 10 instead.
    """
    if mlp.gated:
        return 4 * BF16 * mlp.intermediate
    return (5 if mlp.composed else 2) * BF16 * mlp.intermediate


def stored_by_experts(experts: Experts, hidden: int, *, imbalance: float = 1.0) -> float:
    """Per active expert a gated MLP, its copied input and its output; the shared ones; the router.

    m·8·i + m·2·2·h + 8·shared + 8·experts, 4h where the router copies its input to fp32, and 2h where the shared
    experts' output is gated. `imbalance` is the load of this card's experts over the mean.
    """
    routed = experts.active * (4 * BF16 * experts.intermediate + 2 * BF16 * hidden)
    shared = stored_by_mlp(experts.shared) + BF16 * hidden * experts.shared_gate if experts.shared else 0
    router = 8 * experts.experts + FP32 * hidden * experts.router_in_fp32
    return imbalance * routed + shared + router


def stored_by_per_layer_input(part: PerLayerInput, hidden: int, *, fp32_norm: bool = True) -> int:
    """Inside the layer its input, the gate before and after its activation, the embedding, their product, and a norm.

    Before the layers the embedding of this layer is projected, normed and added: as many bytes per channel again.
    """
    norm = (FP32 + (FP32 if fp32_norm else BF16)) * hidden + FP32
    return BF16 * hidden + 2 * 4 * BF16 * part.width + norm


def stored_per_token(
    layer: Layer, hidden: int, *, fp32_norm: bool = False, repeated_keys: bool = False, imbalance: float = 1.0
) -> float:
    """Bytes per token that one layer keeps: norms, mixers and MLPs, parallel or one after the other alike.

    Raises UnsupportedArchitecture, naming what has no rule (linear attention, state spaces, several residual streams).
    """
    stored: float = stored_by_norms(layer.norms, hidden, layer.norm, fp32=fp32_norm)
    for part in layer.parts:
        if isinstance(part, GroupedQueryAttention):
            stored += stored_by_attention(part, fp32_norm=fp32_norm, repeated_keys=repeated_keys)
        elif isinstance(part, LatentAttention):
            stored += stored_by_latent_attention(part)
        elif isinstance(part, Mlp):
            stored += stored_by_mlp(part)
        elif isinstance(part, Experts):
            stored += stored_by_experts(part, hidden, imbalance=imbalance)
        elif isinstance(part, PerLayerInput):
            stored += stored_by_per_layer_input(part, hidden, fp32_norm=fp32_norm)
        else:
            found = ", ".join(sorted(part.features))
            raise UnsupportedArchitecture(f"activations: expected a part with a rule, found {found}")
    return stored
