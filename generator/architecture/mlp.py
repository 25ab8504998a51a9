"""Feed-forward parts of a layer: a gated or plain MLP, and experts with a router."""

from __future__ import annotations

from dataclasses import dataclass

from generator.architecture.matrices import Matrix, Storage

GATED_NAMES = ("gate_proj", "up_proj", "down_proj")
FUSED_NAMES = ("gate_up_proj", "down_proj")
"""Gate and up in one module (Phi-3, GLM-4)."""


@dataclass(frozen=True, slots=True)
class Mlp:
    """Down(act(gate) · up) when gated, down(act(up)) otherwise."""

    intermediate: int
    gated: bool = True
    bias: bool = False
    names: tuple[str, ...] = GATED_NAMES
    """Two names for a gated MLP mean that gate and up share one module."""
    composed: bool = False
    """The activation is several operations that each keep their input (GELU as GPT-2 wrote it)."""

    @property
    def features(self) -> frozenset[str]:
        """What distinguishes it from a gated MLP."""
        return frozenset() if self.gated else frozenset({"plain-mlp"})

    def matrices(self, hidden: int) -> tuple[Matrix, ...]:
        """Up (and gate) and down."""
        *first, down = self.names
        width = self.intermediate * (2 if self.gated else 1) // len(first)
        return (
            *(Matrix(name, hidden, width, self.bias) for name in first),
            Matrix(down, self.intermediate, hidden, self.bias),
        )

    def small(self, hidden: int) -> int:  # noqa: ARG002 # the same question to every part of a layer
        """Nothing beyond its biases."""
        return 0


@dataclass(frozen=True, slots=True)
class Experts:
    """A router that sends each token to `active` of `experts` gated MLPs, and experts that every token passes."""

    experts: int
    active: int
    intermediate: int
    shared_intermediate: int = 0
    """Summed width of the shared experts; 0 without any."""
    shared_names: tuple[str, ...] = GATED_NAMES
    shared_bias: bool = False
    shared_gate: bool = False
    """The shared expert's output is scaled by a learned gate (Qwen2-MoE and its successors)."""
    bias: bool = False
    """Of every expert (gpt-oss)."""
    router: str = "gate"
    """Module of the router."""
    router_is_linear: bool = False
    router_bias: bool = False
    as_modules: bool = False
    """Each expert is a module of its own, as in the code that some repositories bring with them."""
    router_in_fp32: bool = False
    """The router computes on an fp32 copy of its input (DeepSeek V3 and its like)."""
    small_weights: int = 0
    """Weights of the router that are no matrix, such as the scales of Gemma 4."""

    @property
    def features(self) -> frozenset[str]:
        """Ids of what it is."""
        return frozenset({"moe"})

    @property
    def shared(self) -> Mlp | None:
        """The shared experts as one MLP: several of equal width are the same as one of their sum."""
        if not self.shared_intermediate:
            return None
        return Mlp(self.shared_intermediate, bias=self.shared_bias, names=self.shared_names)

    def matrices(self, hidden: int) -> tuple[Matrix, ...]:
        """Router, routed experts (in two 3-D tensors, or as modules), shared experts and their gate."""
        kept = Storage.LINEAR if self.router_is_linear else Storage.PARAMETER
        inner = self.intermediate
        if self.as_modules:
            ends = [("gate_proj", hidden, inner), ("up_proj", hidden, inner), ("down_proj", inner, hidden)]
        else:
            ends = [("gate_up_proj", hidden, 2 * inner), ("down_proj", inner, hidden)]
        routed = (self._routed(f"experts.{name}", inputs, outputs) for name, inputs, outputs in ends)
        gate = (Matrix("shared_expert_gate", hidden, 1),) if self.shared_gate else ()
        shared = self.shared.matrices(hidden) if self.shared else ()
        return Matrix(self.router, hidden, self.experts, self.router_bias, storage=kept), *routed, *shared, *gate

    def _routed(self, name: str, inputs: int, outputs: int) -> Matrix:
        return Matrix(
            name,
            inputs,
            outputs,
            self.bias,
            storage=Storage.LINEAR if self.as_modules else Storage.STACKED,
            copies=self.experts,
            active=self.active,
        )

    def small(self, hidden: int) -> int:  # noqa: ARG002 # the same question to every part of a layer
        """Scales of the router."""
        return self.small_weights
