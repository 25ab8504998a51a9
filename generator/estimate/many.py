"""Many plans at once: the same formulas over columns, some thirty times as fast as one plan after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from generator.architecture import count_parameters
from generator.catalog.catalogue import Catalog
from generator.estimate.inputs import FLAGS, PLAN_ANSWERS, PLAN_NUMBERS, card_numbers, link_numbers
from generator.estimate.layers import adapter_numbers, model_numbers
from generator.estimate.phases import PHASE_STEPS
from generator.estimate.plan import Plan
from generator.estimate.results import Fits
from generator.estimate.run import ALL, LATER_FIRST, limits_of, usable_gib_of
from generator.units import gib_from_bytes

Numbers = npt.NDArray[np.float64]

WANTED = (
    "peak", "peak_low", "peak_high", "overhead_gib", "host_memory", "trained_parameters", "tokens_per_second",
    *PHASE_STEPS.values(),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Many:
    """The main results of many plans, in their order: as in `Estimate`, an array each."""

    parameters_total: npt.NDArray[np.int64]
    parameters_trainable: Numbers
    peak_gib_low: Numbers
    peak_gib: Numbers
    peak_gib_high: Numbers
    peak_phase: Sequence[str]
    usable_gib: Numbers
    fits: Sequence[Fits]
    host_ram_gib: Numbers
    tokens_per_sec_per_gpu: Numbers
    """Expected; nan with CPU offload, whose time is not modelled."""


def estimate_many(catalog: Catalog, plans: Sequence[Plan]) -> Many:
    """Memory and time of all plans; raises UnknownIdError for an unknown GPU. Equal to `estimate` to the last bit."""
    values = ALL.evaluate_columns(_inputs(catalog, plans), WANTED)
    spread = {name: np.broadcast_to(values[name], len(plans)) for name in WANTED}
    usable = np.array([usable_gib_of(catalog, plan) for plan in plans], dtype=np.float64)
    peak = _gib(spread["peak"])
    offloaded = np.array([plan.cpu_offload != "none" for plan in plans])
    phases = np.array([spread[PHASE_STEPS[phase]] for phase in LATER_FIRST])
    return Many(
        parameters_total=np.array([count_parameters(plan.shape).total for plan in plans], dtype=np.int64),
        parameters_trainable=spread["trained_parameters"],
        peak_gib_low=_gib(spread["peak_low"]),
        peak_gib=peak,
        peak_gib_high=_gib(spread["peak_high"]),
        peak_phase=[LATER_FIRST[index] for index in np.argmax(phases, axis=0)],
        usable_gib=usable,
        fits=_fits(peak, spread["overhead_gib"], usable, limits_of(catalog.policy)),
        host_ram_gib=_gib(spread["host_memory"]),
        tokens_per_sec_per_gpu=np.where(offloaded, np.nan, spread["tokens_per_second"]),
    )


def _gib(values_bytes: Numbers) -> Numbers:
    found: Numbers = gib_from_bytes(values_bytes)  # type: ignore[arg-type,assignment]  # it divides, columns too
    return found


def _fits(peak: Numbers, overhead: Numbers, usable: Numbers, limits: tuple[float, float]) -> list[Fits]:
    """As `run.fits_of`."""
    comfortable, borderline = limits
    ratio = peak / usable
    no = (ratio > borderline) | (peak + overhead > usable)
    found: list[Fits] = np.where(no, "no", np.where(ratio <= comfortable, "yes", "tight")).tolist()
    return found


def _inputs(catalog: Catalog, plans: Sequence[Plan]) -> dict[str, Any]:
    """What `inputs_of` gives, a column each; constants stay single numbers."""
    inputs: dict[str, Any] = dict(catalog.constants.numbers)
    inputs |= _columns(
        [(plan.shape, plan.lora_rank, plan.lora_targets if plan.trains_adapters else ()) for plan in plans],
        lambda key: model_numbers(key[0]) | adapter_numbers(*key),
    )
    inputs |= _columns([plan.gpu for plan in plans], lambda gpu: card_numbers(catalog.gpus[catalog.resolve_gpu(gpu)]))
    inputs |= _columns([plan.bus_gb_per_s for plan in plans], link_numbers)
    for field, flags in FLAGS.items():
        chosen = [getattr(plan, field) for plan in plans]
        for choice, flag in flags.items():
            inputs[flag] = np.array([found == choice for found in chosen], dtype=np.float64)
    for name in (*PLAN_NUMBERS, *PLAN_ANSWERS):
        field = "compile" if name == "compiled" else name
        inputs[name] = np.array([getattr(plan, field) for plan in plans], dtype=np.float64)
    return inputs


def _columns(keys: Sequence[Any], numbers_of: Callable[[Any], Mapping[str, float]]) -> dict[str, Numbers]:
    """Numbers that depend on a key alone, worked out once for each key, as columns."""
    places: dict[Any, int] = {}
    index = np.array([places.setdefault(key, len(places)) for key in keys])
    found = [numbers_of(key) for key in places]
    return {name: np.array([each[name] for each in found], dtype=np.float64)[index] for name in found[0]}
