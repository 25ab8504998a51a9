"""Results that plans share: memory does not depend on the card, and a site judges the same plans on dozens of rigs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from operator import attrgetter
from typing import Any, TypeVar

from generator.catalog.records import Constants
from generator.estimate.plan import Plan

R = TypeVar("R")

OF_THE_CARD = ("model", "gpu", "ecc", "bus_gb_per_s")
"""Fields of a plan that its memory does not depend on."""

_key = attrgetter(*(field.name for field in fields(Plan) if field.name not in OF_THE_CARD))


def remembered(function: Callable[..., R]) -> Callable[..., R]:
    """`function(constants, plan, *numbers)`, worked out once for all plans that differ in the card alone."""

    @wraps(function)
    def once(constants: Constants, plan: Plan, *numbers: Any) -> R:
        key = (function.__name__, _key(plan), numbers)
        found = constants.memo.get(key)
        if found is None:
            found = constants.memo[key] = function(constants, plan, *numbers)
        result: R = found
        return result

    return once
