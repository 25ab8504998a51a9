"""Mixers whose state does not grow with the text: Gated DeltaNet and Mamba-2."""

from __future__ import annotations

from dataclasses import dataclass

from generator.architecture.matrices import Matrix


@dataclass(frozen=True, slots=True)
class GatedDeltaNet:
    """Linear attention with a gated delta rule (arXiv 2412.06464), as in Qwen3-Next and Qwen3.5."""

    key_heads: int
    value_heads: int
    key_dim: int
    value_dim: int
    conv_kernel: int
    fused: bool
    """Two input modules (Qwen3-Next) rather than four (Qwen3.5); the weights are as many."""

    @property
    def key_width(self) -> int:
        """Channels of the queries (and of the keys)."""
        return self.key_heads * self.key_dim

    @property
    def value_width(self) -> int:
        """Channels of the values."""
        return self.value_heads * self.value_dim

    @property
    def features(self) -> frozenset[str]:
        """Ids of what it is."""
        return frozenset({"linear-attention"})

    def matrices(self, hidden: int) -> tuple[Matrix, ...]:
        """Projections of q, k, v, of the output gate z, and of the two gates per head."""
        qkv, value, heads = 2 * self.key_width + self.value_width, self.value_width, self.value_heads
        output = Matrix("out_proj", value, hidden)
        if self.fused:
            return Matrix("in_proj_qkvz", hidden, qkv + value), Matrix("in_proj_ba", hidden, 2 * heads), output
        return (
            Matrix("in_proj_qkv", hidden, qkv),
            Matrix("in_proj_z", hidden, value),
            Matrix("in_proj_b", hidden, heads),
            Matrix("in_proj_a", hidden, heads),
            output,
        )

    def small(self, hidden: int) -> int:  # noqa: ARG002 # the same question to every part of a layer
        """The depthwise convolution over q, k, v without a bias, A and dt per head, the norm of one head."""
        return (2 * self.key_width + self.value_width) * self.conv_kernel + 2 * self.value_heads + self.value_dim


@dataclass(frozen=True, slots=True)
class Mamba2:
    """A state-space mixer (Mamba-2, arXiv 2405.21060), as in Granite 4.0 and Falcon-H1."""

    heads: int
    head_dim: int
    state: int
    groups: int
    conv_kernel: int
    conv_bias: bool
    input_bias: bool
    output_bias: bool
    norm: bool
    """A gated RMSNorm before the output projection."""

    @property
    def inner(self) -> int:
        """Channels inside."""
        return self.heads * self.head_dim

    @property
    def conv_width(self) -> int:
        """Channels of the convolution: x, B and C."""
        return self.inner + 2 * self.groups * self.state

    @property
    def features(self) -> frozenset[str]:
        """Ids of what it is."""
        return frozenset({"state-space"})

    def matrices(self, hidden: int) -> tuple[Matrix, ...]:
        """The projection to gate, x, B, C and a step per head, and the one back."""
        return (
            Matrix("in_proj", hidden, self.inner + self.conv_width + self.heads, self.input_bias),
            Matrix("out_proj", self.inner, hidden, self.output_bias),
        )

    def small(self, hidden: int) -> int:  # noqa: ARG002 # the same question to every part of a layer
        """The depthwise convolution, A, D and dt per head, and the norm."""
        conv = self.conv_width * (self.conv_kernel + self.conv_bias)
        return conv + 3 * self.heads + self.inner * self.norm
