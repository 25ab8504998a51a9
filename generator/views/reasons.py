"""Which of a recipe's reasons decided its verdict."""

from __future__ import annotations

from collections.abc import Mapping

from generator.estimate.results import Estimate
from generator.verdict.results import RULED_OUT_BY_MEMORY, Reason, ReasonId, Rung

SEVERITY: Mapping[ReasonId, int] = {
    "not-modelled": 3,
    "needs-bf16": 3,
    "needs-platform": 3,
    "memory-exceeds": 3,
    "overhead-exceeds": 3,
    "compromise-memory": 3,
    "host-ram-exceeds": 3,
    "time-exceeds": 3,
    "memory-borderline": 2,
    "compromise": 2,
    "link-bound": 2,
    "time-borderline": 2,
    "time-unknown": 2,
    "memory-comfortable": 1,
    "time-comfortable": 1,
    "loads-on-card": 0,
    "link-heavy": 0,
    "ecc-off-only": 0,
}
"""3 makes a verdict not recommended, 2 at best borderline, 1 is what is said of a comfortable one, 0 is a note."""


def deciding_reason(rung: Rung, goal: str) -> Reason | None:
    """The gravest reason of a recipe; of several equally grave ones the first, for pretraining a time before others."""

    def weight(reason: Reason) -> tuple[int, bool]:
        return SEVERITY[reason.id], goal == "pretraining" and reason.id.startswith("time-")

    return max(rung.reasons, key=weight, default=None)


def lacks_memory(rung: Rung) -> bool:
    """Whether memory rules a recipe out, and not only something else."""
    return any(reason.id in RULED_OUT_BY_MEMORY for reason in rung.reasons)


def experts_in_16_bit(estimated: Estimate) -> bool:
    """Whether the base is quantised but for its experts, which lie in 3-D tensors."""
    return estimated.plan.quant != "none" and estimated.quantities["expert_parameters"].value > 0
