"""What single settings of full fine-tuning save, one after the other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from generator.catalog.catalogue import Catalog
from generator.estimate import Estimate, estimate
from generator.verdict.setup import plan_for, setup_of, subject_of

STEPS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "foreach": {"optimizer_impl": "foreach", "reduce_dtype": "fp32", "root_wrap": "root"},
        "fused-optimizer": {"optimizer_impl": "fused"},
        "bf16-reduce": {"reduce_dtype": "bf16"},
        "separate-root": {"root_wrap": "separate"},
    }
)
"""Settings in the order in which they are added: from what most guides run to the first recipe of the ladder."""


@dataclass(frozen=True, slots=True)
class Lever:
    """A setting and the estimate with it and all before it."""

    id: str
    estimate: Estimate


def levers(catalog: Catalog, model: str, rig: str) -> tuple[Lever, ...]:
    """The first recipe of full fine-tuning, built up step by step; raises UnknownIdError."""
    recipe = catalog.methods["full"].ladder[0]
    plan = plan_for(catalog, subject_of(catalog, model), "full", recipe, setup_of(catalog, rig))
    found = []
    for lever_id, change in STEPS.items():
        plan = replace(plan, **change)
        found.append(Lever(lever_id, estimate(catalog, plan)))
    return tuple(found)
