"""What an estimate says, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeVar

from generator.estimate.plan import Plan

Fits = Literal["yes", "tight", "no", "unknown"]

PHASES = ("load", "forward-end", "backward-start", "backward-end", "root-reduce", "optimizer-step")
"""Moments of a training step whose memory is added up, in their order."""

TERMS = (
    "weights", "quantization-constants", "optimizer-states", "reduce-buffers", "layer-gradients", "held-gradients",
    "accumulated-gradients", "gathered-root", "gathered-head", "gathered-layer", "gathered-first", "autocast-weights",
    "checkpoints", "checkpoint-copies", "activations", "final-hidden", "logits", "beside-logits", "head-gradient",
    "waiting-head-gradient", "head-gradient-reduced", "matrix-gradient", "reduced-layer", "reduced-before",
    "dequantized-matrix", "root-gradient-buffers", "optimizer-transient", "loading-layer", "loading-copy",
)  # fmt: skip
"""What occupies memory: the keys inside a phase of `Estimate.phases_gib`."""


@dataclass(frozen=True, slots=True)
class Band:
    """A low, an expected and a high value in one unit."""

    low: float
    expected: float
    high: float


@dataclass(frozen=True, slots=True)
class Quantity:
    """One named step of the computation: what `explain` and the methodology page show."""

    name: str
    value: float
    unit: str
    formula: str
    """The expression as written, in names of other quantities; empty for an input."""
    inputs: tuple[str, ...]
    """Names in the formula, in their order."""
    kind: Literal["step", "constant", "plan", "model", "gpu", "rig"]
    source: str
    """Reference of the formula, or the constant's id in data/constants.yml; empty where it needs none."""


V = TypeVar("V")


class Later(Mapping[str, V]):
    """A mapping that is worked out when it is first looked at: searches make thousands of estimates and read one."""

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], Mapping[str, V]]) -> None:
        self._make = make
        self._made: Mapping[str, V] | None = None

    def _mapping(self) -> Mapping[str, V]:
        if self._made is None:
            self._made = self._make()
        return self._made

    @property
    def worked_out(self) -> bool:
        """Whether somebody has looked at it."""
        return self._made is not None

    def __getitem__(self, key: str) -> V:
        return self._mapping()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._mapping())

    def __len__(self) -> int:
        return len(self._mapping())

    def __reduce__(self) -> tuple[type[dict[str, V]], tuple[dict[str, V]]]:
        """Another process gets a plain dictionary."""
        return dict, (dict(self._mapping()),)


@dataclass(frozen=True, slots=True)
class Estimate:
    """Memory and time of one plan on one kind of GPU. GiB are per GPU unless the name says otherwise."""

    plan: Plan
    parameters_total: int
    parameters_trainable: int
    peak_gib: Band
    """What the framework's allocator would report as its maximum."""
    peak_phase: str
    """One of PHASES."""
    phases_gib: Mapping[str, Mapping[str, float]]
    """phase → term → GiB; terms that are zero are left out."""
    usable_gib: float
    """What the framework sees of the card, with the plan's ECC setting."""
    device_gib: float
    """What nvidia-smi reports as the card's total."""
    overhead_gib: float
    """CUDA context and communicators: outside the allocator."""
    ratio: float
    """r: expected peak ÷ usable."""
    headroom_gib: float
    """usable − expected peak; negative where it does not fit."""
    fits: Fits
    host_ram_gib: float
    """Host memory that the whole machine needs for offloaded states; 0 without offload."""
    host_loading_gib: float
    """Host memory that the whole machine needs while a quantised base is loaded that is to be split; 0 otherwise."""
    tokens_per_step_per_gpu: int
    tokens_per_sec_per_gpu: Band | None
    """Cautious, expected and best sustained speed; None with CPU offload, whose time is not modelled."""
    break_even_tokens: float
    """Tokens per GPU and micro-step below which the link is the limit, at the expected speed; 0 where nothing is
    sent, and where unpacking a quantised base alone outlasts the link."""
    needed_bus_gb_per_s: float
    """Bandwidth of the link below which communication decides the expected speed; 0 where there is no link. The step
    `needed_bytes_per_second`."""
    bound: Literal["compute", "link"]
    """What limits a step at the expected speed."""
    quantities: Mapping[str, Quantity]
    """Every quantity by name, in the order of computation."""
    assumptions: tuple[str, ...]
    """Ids of what was assumed because nobody said otherwise, such as `expandable-segments`."""

    def seconds_for(self, tokens: float) -> Band | None:
        """Seconds to train on `tokens` tokens on all GPUs: low is at the best speed, high at the cautious one."""
        speed, n = self.tokens_per_sec_per_gpu, self.plan.n_gpus
        if speed is None:
            return None
        return Band(tokens / speed.high / n, tokens / speed.expected / n, tokens / speed.low / n)
