"""One matrix of a layer: its sides, how many there are, and how the library keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Storage(StrEnum):
    """How a matrix is kept, which decides what reaches it."""

    LINEAR = "linear"
    """A linear module of its own: LoRA wraps it by name, bitsandbytes quantises it to NF4."""
    STACKED = "stacked"
    """One 3-D tensor that holds the matrices of all experts: neither LoRA by module name nor NF4 reaches it."""
    PARAMETER = "parameter"
    """A bare 2-D parameter, such as a router: stays in 16 bits."""


@dataclass(frozen=True, slots=True)
class Matrix:
    """A weight of `inputs` × `outputs`, perhaps one of several alike."""

    name: str
    """End of the module's name in transformers; dotted where the last word alone is ambiguous (`mlp.c_proj`)."""
    inputs: int
    outputs: int
    bias: bool = False
    roles: str = ""
    """Letters of the attention projections that it holds: some of `q`, `k`, `v`, `o`; empty for all else."""
    storage: Storage = Storage.LINEAR
    copies: int = 1
    active: int = 1
    """How many of the copies are multiplied for one token."""

    @property
    def weights(self) -> int:
        """Elements of all copies, without biases."""
        return self.inputs * self.outputs * self.copies

    @property
    def biases(self) -> int:
        """Elements of the biases of all copies."""
        return self.outputs * self.copies if self.bias else 0

    @property
    def multiplied(self) -> int:
        """Weights that one token is multiplied with."""
        return self.inputs * self.outputs * self.active

    @property
    def idle(self) -> int:
        """Weights and biases that one token does not touch."""
        return (self.inputs * self.outputs + (self.outputs if self.bias else 0)) * (self.copies - self.active)

    def called(self, target: str) -> bool:
        """Whether a LoRA target names this matrix: the whole name, or its end after a dot, as in PEFT."""
        return self.name == target or self.name.endswith(f".{target}")
