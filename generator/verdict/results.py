"""What a verdict says, as plain data: ids and numbers, no words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from generator.estimate.results import Band, Estimate

VerdictId = Literal["comfortable", "borderline", "not-recommended", "unknown"]
VERDICTS: tuple[VerdictId, ...] = ("comfortable", "borderline", "not-recommended", "unknown")
"""From best to worst."""
FEASIBLE: tuple[VerdictId, ...] = VERDICTS[:2]
"""Verdicts on what can be run, the best first."""

ReasonId = Literal[
    "memory-comfortable",
    "memory-borderline",
    "memory-exceeds",
    "overhead-exceeds",
    "compromise",
    "compromise-memory",
    "host-ram-exceeds",
    "loads-on-card",
    "link-bound",
    "link-heavy",
    "time-comfortable",
    "time-borderline",
    "time-exceeds",
    "time-unknown",
    "ecc-off-only",
    "needs-bf16",
    "needs-platform",
    "not-modelled",
]
"""compromise: the recipe gives something up; compromise-memory: it does, and even so needs more than its limit;
loads-on-card: host memory does not hold what is loaded there, so that every card takes the whole base before it is
split; link-bound / link-heavy: tokens per step below T* / below 2 T*; ecc-off-only: would be borderline or better with
ECC off."""


RULED_OUT_BY_MEMORY: frozenset[ReasonId] = frozenset(
    {"memory-exceeds", "overhead-exceeds", "compromise-memory", "host-ram-exceeds"}
)
"""Reasons by which a recipe does not fit the machine, however long it may take."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a rung or a verdict is what it is, with the numbers that a sentence about it needs."""

    id: ReasonId
    values: Mapping[str, float] = field(default_factory=dict)
    """For instance {"ratio": 0.87, "limit": 0.80, "peak_gib": 38.6, "usable_gib": 44.4}."""


@dataclass(frozen=True, slots=True)
class Rung:
    """One recipe of the ladder, tried."""

    recipe: str
    verdict: VerdictId
    """What this recipe alone would give."""
    estimate: Estimate
    time: Band | None
    """Fine-tuning: hours for the reference number of tokens. Pretraining: days to the compute-optimal tokens. None
    where time is not modelled."""
    reasons: tuple[Reason, ...]


def closest(rungs: tuple[Rung, ...]) -> Rung | None:
    """The first recipe that memory does not rule out, else the one that needs the smallest share of it."""
    fitting = (rung for rung in rungs if not any(reason.id in RULED_OUT_BY_MEMORY for reason in rung.reasons))
    return next(fitting, min(rungs, key=lambda rung: rung.estimate.ratio, default=None))


@dataclass(frozen=True, slots=True)
class ContextVariant:
    """The same recipe at another context length or with gradient accumulation."""

    seq_len: int
    grad_accum: int
    grad_sync: Literal["each", "last"]
    """When gradients are reduced: after each micro-batch, or after the last one only (whole gradients on every GPU)."""
    ratio: float
    peak_gib: float
    memory: VerdictId
    """Memory alone, by the thresholds of the verdict."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One method for one model on one rig."""

    model: str
    """Id of the model; `size-1.5` for a bare size of 1.5·10⁹ parameters."""
    method: str
    verdict: VerdictId
    chosen: int | None
    """Index in `rungs` of the recipe that gave the verdict; none where no recipe reached borderline."""
    rungs: tuple[Rung, ...]
    """Every recipe of the ladder, in its order; empty when unknown."""
    reasons: tuple[Reason, ...]
    max_seq_len: int | None
    """Longest context (multiple of 256, up to the model's own limit) at which the chosen recipe still is within the
    borderline memory limit; none when nothing fits."""
    contexts: tuple[ContextVariant, ...]
    """The chosen (else the closest) recipe at the policy's context variants, and with accumulation over 8
    micro-batches."""
    improvements: tuple[Improvement, ...] = ()

    @property
    def rung(self) -> Rung | None:
        """The recipe that gave the verdict, or where none did the one that comes closest."""
        if self.chosen is not None:
            return self.rungs[self.chosen]
        return closest(self.rungs)


@dataclass(frozen=True, slots=True)
class Improvement:
    """A single change that would make the verdict better."""

    kind: Literal["more-gpus", "fewer-gpus", "shorter-context", "ecc-off"]
    verdict: VerdictId
    """What the verdict would be."""
    value: float
    """GPUs, tokens, or GiB that the framework then sees."""


@dataclass(frozen=True, slots=True)
class Mode:
    """A method with its verdict."""

    method: str
    verdict: VerdictId


@dataclass(frozen=True, slots=True)
class Recommendation:
    """What to do with a model: the fullest comfortable method, after any fuller borderline one."""

    model: str
    modes: tuple[Mode, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of the capability map."""

    size_class: str
    method: str
    verdict: VerdictId
    """The worst among the dense text-generating models of the class."""
    best: VerdictId
    """The best among them: the range is best … verdict."""
    models: tuple[str, ...]
    """Ids in the class, smallest first (pretraining: bare sizes as `size-1.5`)."""


@dataclass(frozen=True, slots=True)
class Headline:
    """The report in one line: size classes by id, none where no class is comfortable throughout."""

    full: str | None
    lora: str | None
    qlora: str | None
    pretrain_from_billions: float | None
    pretrain_to_billions: float | None


@dataclass(frozen=True, slots=True)
class RigReport:
    """Everything that is said about a rig."""

    rig: str
    verdicts: Mapping[tuple[str, str], Verdict]
    """(model id, method id) → verdict, models by parameters, methods by order."""
    recommended: Mapping[str, Recommendation]
    pretraining: Mapping[float, Verdict]
    """Billions of parameters → pretraining verdict of the stand-in shape of that size."""
    capability: Mapping[tuple[str, str], Cell]
    """(size class id, method id) → cell."""
    headline: Headline
