"""Attention: grouped-query with its variants, latent (DeepSeek V2 and V3), compressed (DeepSeek V4)."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from generator.architecture.matrices import Matrix


class QkNorm(StrEnum):
    """How queries and keys are normalised before attention."""

    NONE = "none"
    PER_HEAD = "per-head"
    """One weight per head dimension, shared by the heads: 2 × head_dim a layer (Qwen3, Gemma 3)."""
    FULL = "full"
    """One weight per query and key channel (OLMo 2)."""
    UNWEIGHTED = "unweighted"
    """A norm without weights (Llama 4)."""


class KeyValue(StrEnum):
    """Where a layer has its keys and values from."""

    OWN = "own"
    KEY_IS_VALUE = "key-is-value"
    """One projection serves as both (global layers of Gemma 4)."""
    BORROWED = "borrowed"
    """An earlier layer's are used again: no projections (last layers of Gemma 3n and 4)."""


@dataclass(frozen=True, slots=True)
class GroupedQueryAttention:
    """Queries of `heads` heads on keys and values of `kv_heads`: multi-head where they are equal, multi-query at 1."""

    heads: int
    kv_heads: int
    head_dim: int
    qkv_bias: bool = False
    output_bias: bool = False
    qk_norm: QkNorm = QkNorm.NONE
    qk_norm_bias: bool = False
    key_value: KeyValue = KeyValue.OWN
    output_gate: bool = False
    """The query projection is doubled: its second half gates the output (Qwen3-Next)."""
    sinks: bool = False
    """One learned logit per head (gpt-oss)."""
    rotary: bool = True
    """Positions turn queries and keys; otherwise they were added to the embedding."""
    fused_name: str = ""
    """Name of the one module that holds q, k and v; empty where each has its own."""
    output_name: str = "o_proj"

    @property
    def query_width(self) -> int:
        """Channels of the queries."""
        return self.heads * self.head_dim

    @property
    def kv_width(self) -> int:
        """Channels of the keys (and of the values)."""
        return self.kv_heads * self.head_dim

    @property
    def features(self) -> frozenset[str]:
        """What distinguishes it from plain grouped-query attention."""
        found = {
            "attention-gate": self.output_gate,
            "attention-sinks": self.sinks,
            "key-is-value": self.key_value is KeyValue.KEY_IS_VALUE,
            "borrowed-keys-and-values": self.key_value is KeyValue.BORROWED,
        }
        return frozenset(name for name, is_so in found.items() if is_so)

    def matrices(self, hidden: int) -> tuple[Matrix, ...]:
        """The projections."""
        query = self.query_width * (2 if self.output_gate else 1)
        kv = self.kv_width
        output = Matrix(self.output_name, self.query_width, hidden, self.output_bias, "o")
        if self.fused_name:
            return Matrix(self.fused_name, hidden, query + 2 * kv, self.qkv_bias, "qkv"), output
        own = [Matrix("q_proj", hidden, query, self.qkv_bias, "q")]
        if self.key_value is not KeyValue.BORROWED:
            roles = "kv" if self.key_value is KeyValue.KEY_IS_VALUE else "k"
            own.append(Matrix("k_proj", hidden, kv, self.qkv_bias, roles))
        if self.key_value is KeyValue.OWN:
            own.append(Matrix("v_proj", hidden, kv, self.qkv_bias, "v"))
        return *own, output

    def small(self, hidden: int) -> int:  # noqa: ARG002 # the same question to every part of a layer
        """Norm weights of queries and keys, and the sinks."""
        keys = self.key_value is not KeyValue.BORROWED
        norm = {
            QkNorm.NONE: 0,
            QkNorm.UNWEIGHTED: 0,
            QkNorm.PER_HEAD: self.head_dim * (1 + keys),
            QkNorm.FULL: self.query_width + self.kv_width * keys,
        }[self.qk_norm]
        return norm * (1 + self.qk_norm_bias) + self.heads * self.sinks


@dataclass(frozen=True, slots=True)
class Indexer:
    """The small attention that picks what sparse attention looks at (DeepSeek V3.2, GLM-5)."""

    heads: int
    head_dim: int


@dataclass(frozen=True, slots=True)
class LatentAttention:
    """Keys and values from one compressed vector per token (MLA, DeepSeek-V2, arXiv 2405.04434, section 2.1)."""

    heads: int
    query_rank: int | None
    """Width of the compressed query; none where queries are projected at once (V2-Lite)."""
    kv_rank: int
    nope_dim: int
    """Dimensions of a query or key head without positions."""
    rope_dim: int
    """Dimensions with rotary positions; the key's are shared by all heads."""
    value_dim: int
    bias: bool = False
    """Of the projections into the compressed vectors, and of the output."""
    indexer: Indexer | None = None

    @property
    def head_dim(self) -> int:
        """Dimensions of a query head."""
        return self.nope_dim + self.rope_dim

    @property
    def query_width(self) -> int:
        """Channels of the queries (and of the expanded keys)."""
        return self.heads * self.head_dim

    @property
    def value_width(self) -> int:
        """Channels of the expanded values."""
        return self.heads * self.value_dim

    @property
    def features(self) -> frozenset[str]:
        """Ids of what it is."""
        return frozenset({"mla"} | ({"sparse-attention"} if self.indexer else set()))

    def matrices(self, hidden: int) -> tuple[Matrix, ...]:
        """The projections down to the compressed vectors and up from them."""
        rank = self.query_rank
        query = (
            (Matrix("q_proj", hidden, self.query_width, roles="q"),)
            if rank is None
            else (
                Matrix("q_a_proj", hidden, rank, self.bias),
                Matrix("q_b_proj", rank, self.query_width, roles="q"),
            )
        )
        return (
            *query,
            Matrix("kv_a_proj_with_mqa", hidden, self.kv_rank + self.rope_dim, self.bias),
            Matrix("kv_b_proj", self.kv_rank, self.heads * (self.nope_dim + self.value_dim), roles="kv"),
            Matrix("o_proj", self.value_width, hidden, self.bias, "o"),
            *self._indexer_matrices(hidden),
        )

    def _indexer_matrices(self, hidden: int) -> tuple[Matrix, ...]:
        if self.indexer is None:
            return ()
        width = self.indexer.heads * self.indexer.head_dim
        return (
            Matrix("indexer.wq_b", self.query_rank or hidden, width),
            Matrix("indexer.wk", hidden, self.indexer.head_dim),
            Matrix("indexer.weights_proj", hidden, self.indexer.heads),
        )

    def small(self, hidden: int) -> int:  # noqa: ARG002 # the same question to every part of a layer
        """Norms of the compressed vectors; the indexer's key has a LayerNorm with a bias."""
        indexer = 2 * self.indexer.head_dim if self.indexer else 0
        return (self.query_rank or 0) + self.kv_rank + indexer


@dataclass(frozen=True, slots=True)
class Compressor:
    """What shortens the keys of a DeepSeek V4 layer: `rate` tokens become one."""

    rate: int
    overlaps: bool = False
    """Windows overlap, which doubles the projections (the sparse layers)."""
    indexer: Indexer | None = None


@dataclass(frozen=True, slots=True)
class CompressedAttention:
    """One shared key-value head, compressed queries, output in groups (DeepSeek V4 as transformers builds it)."""

    heads: int
    head_dim: int
    query_rank: int
    output_groups: int
    output_rank: int
    compressor: Compressor | None = None
    """None for the layers with a sliding window alone."""

    @property
    def query_width(self) -> int:
        """Channels of the queries."""
        return self.heads * self.head_dim

    @property
    def features(self) -> frozenset[str]:
        """Ids of what it is."""
        return frozenset({"compressed-attention"})

    def matrices(self, hidden: int) -> tuple[Matrix, ...]:
        """The projections; the first half of the output's works within groups of heads."""
        within_group = self.query_width // self.output_groups
        return (
            Matrix("q_a_proj", hidden, self.query_rank),
            Matrix("q_b_proj", self.query_rank, self.query_width, roles="q"),
            Matrix("self_attn.kv_proj", hidden, self.head_dim, roles="kv"),
            Matrix("o_a_proj", within_group, self.output_groups * self.output_rank),
            Matrix("o_b_proj", self.output_groups * self.output_rank, hidden, roles="o"),
            *self._compressor_matrices(hidden),
        )

    def _compressor_matrices(self, hidden: int) -> tuple[Matrix, ...]:
        if self.compressor is None:
            return ()
        width = self.head_dim * (1 + self.compressor.overlaps)
        own = (Matrix("compressor.kv_proj", hidden, width), Matrix("compressor.gate_proj", hidden, width))
        index = self.compressor.indexer
        if index is None:
            return own
        return (
            *own,
            Matrix("indexer.kv_proj", hidden, 2 * index.head_dim),
            Matrix("indexer.gate_proj", hidden, 2 * index.head_dim),
            Matrix("indexer.q_b_proj", self.query_rank, index.heads * index.head_dim),
            Matrix("indexer.scorer.weights_proj", hidden, index.heads),
        )

    def small(self, hidden: int) -> int:  # noqa: ARG002 # the same question to every part of a layer
        """Sinks, norms of query and key, positions and norms of the compressor and its indexer."""
        own = self.heads + self.query_rank + self.head_dim
        if self.compressor is None:
            return own
        rate, index = self.compressor.rate, self.compressor.indexer
        positions = rate * self.head_dim * (1 + self.compressor.overlaps)
        indexer = rate * 2 * index.head_dim + index.head_dim if index else 0
        return own + positions + self.head_dim + indexer
