"""What an estimate takes for granted because nobody said otherwise."""

from __future__ import annotations

from typing import Literal, get_args

from generator.estimate.plan import Plan

AssumptionId = Literal[
    "full-length-sequences",
    "expandable-segments",
    "overlap",
    "link-not-stated",
    "sharded-adapters-as-fsdp1",
    "experts-on-every-card",
    "sinks-run-eager",
    "frozen-tower",
    "offload-speed-unknown",
]
ASSUMPTIONS: tuple[AssumptionId, ...] = get_args(AssumptionId)
"""In the order in which they are listed."""


def assumptions_of(plan: Plan) -> tuple[AssumptionId, ...]:
    """The assumptions of this plan: always packed sequences and little fragmentation, the others where they matter."""
    several = plan.n_gpus > 1
    holds: dict[AssumptionId, bool] = {
        "full-length-sequences": True,
        "expandable-segments": True,
        "overlap": several and plan.bus_gb_per_s is not None,
        "link-not-stated": several and plan.bus_gb_per_s is None,
        "sharded-adapters-as-fsdp1": plan.trains_adapters and plan.sharded,
        "experts-on-every-card": "moe" in plan.shape.features,
        "sinks-run-eager": plan.attention == "sdpa" and "attention-sinks" in plan.shape.features,
        "frozen-tower": plan.shape.tower_parameters > 0,
        "offload-speed-unknown": plan.cpu_offload != "none",
    }
    return tuple(assumption for assumption in ASSUMPTIONS if holds[assumption])
