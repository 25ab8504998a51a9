"""One plan in, one estimate out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from generator.architecture import count_parameters
from generator.catalog.catalogue import Catalog
from generator.catalog.records import Constants, Policy
from generator.estimate.assumptions import assumptions_of
from generator.estimate.inputs import FLAGS, card_numbers, inputs_of, kinds_of, link_numbers, name_of
from generator.estimate.phases import MEMORY, PHASE_STEPS, phase_terms
from generator.estimate.plan import Plan
from generator.estimate.recipe import RECIPE
from generator.estimate.remembered import remembered
from generator.estimate.results import Band, Estimate, Fits, Later, Quantity
from generator.estimate.steps import Formulas, joined, outside
from generator.estimate.time import TIME
from generator.units import gb_from_bytes, gib_from_bytes, gib_from_mib

FORMULAS: tuple[Formulas, ...] = (RECIPE, MEMORY, TIME)
"""All steps from the inputs of a plan to its peak and speed, in groups, in the order of computation."""


NAMED = frozenset(name for group in FORMULAS for step in group.steps.values() for name in step.inputs)
"""Everything that some formula starts from: a choice that none of them asks about is no input."""


ALL = joined(FORMULAS)
"""The same as one group."""

BEFORE_TIME = joined((RECIPE, MEMORY))

HANDED_ON = (
    "peak", "peak_low", "peak_high", "overhead_gib", "host_memory", "host_loading", "trained_parameters",
    *PHASE_STEPS.values(),
    *(name for name in outside(TIME.steps) if not name.startswith(("sustained_flops", "bus_", "memory_bytes"))),
)  # fmt: skip
"""What an estimate takes from the formulas before time: results, and what the formulas of time ask for."""


def _trace(plan: Plan, catalog: Catalog) -> dict[str, float]:
    """Every input and every step of one plan."""
    return ALL.evaluate(inputs_of(plan, catalog.constants, catalog.gpus[catalog.resolve_gpu(plan.gpu)]))


LATER_FIRST = (*(phase for phase in PHASE_STEPS if phase != "load"), "load")
"""Phases in the order in which the first that reaches the peak is named: loading only when nothing later does."""


def _peak_phase(values: Mapping[str, float]) -> str:
    return max(LATER_FIRST, key=lambda phase: values[PHASE_STEPS[phase]])


def _phases_gib(values: Mapping[str, float]) -> dict[str, Mapping[str, float]]:
    return {
        phase: {term.replace("_", "-"): gib_from_bytes(values[term]) for term in phase_terms(phase) if values[term] > 0}
        for phase in PHASE_STEPS
    }


def _quantities(plan: Plan, catalog: Catalog, values: Mapping[str, float]) -> dict[str, Quantity]:
    kinds = kinds_of(plan, catalog.constants, catalog.gpus[catalog.resolve_gpu(plan.gpu)])
    ids = {name_of(id_): id_ for id_ in catalog.constants.constants}
    found = {
        name: Quantity(name, values[name], "", "", (), kind, ids.get(name, ""))
        for name, kind in kinds.items()
        if name in NAMED
    }
    for group in FORMULAS:
        found |= group.quantities(values, catalog.constants.formula_sources)
    return found


def _speed(plan: Plan, values: Mapping[str, float]) -> Band | None:
    """Nothing with offload: the optimizer step on the CPU and its traffic are not modelled."""
    if plan.cpu_offload != "none":
        return None
    return Band(values["tokens_per_second_cautious"], values["tokens_per_second"], values["tokens_per_second_best"])


def fits_of(ratio: float, peak_gib: float, overhead_gib: float, usable_gib: float, limits: tuple[float, float]) -> Fits:
    """`yes`, `tight` or `no` by the comfortable and the borderline ratio of the policy."""
    comfortable, borderline = limits
    if ratio > borderline or peak_gib + overhead_gib > usable_gib:
        return "no"
    return "yes" if ratio <= comfortable else "tight"


def limits_of(policy: Policy) -> tuple[float, float]:
    """The comfortable and the borderline ratio of peak to usable memory."""
    return policy.comfortable_ratio.value, policy.borderline_ratio.value


@dataclass(frozen=True, slots=True)
class MemoryOnly:
    """Peak and room of one plan on its card: what searches ask hundreds of times. GiB."""

    peak_gib: float
    ratio: float
    fits: Fits


@remembered
def memory_values(constants: Constants, plan: Plan) -> dict[str, float]:
    """The values of HANDED_ON for a plan, which do not depend on its card."""
    values = BEFORE_TIME.evaluate(inputs_of(plan, constants), HANDED_ON)
    return {name: values[name] for name in HANDED_ON}


@remembered
def peak_and_overhead(
    constants: Constants, plan: Plan, seq_len: int, grad_accum: int, grad_sync: str
) -> tuple[float, float]:
    """Peak in bytes and overhead in GiB of a plan with another sequence length and accumulation."""
    inputs = inputs_of(plan, constants) | {"seq_len": float(seq_len), "grad_accum": float(grad_accum)}
    inputs |= {flag: float(choice == grad_sync) for choice, flag in FLAGS["grad_sync"].items()}
    values = BEFORE_TIME.evaluate(inputs, ("peak", "overhead_gib"))
    return values["peak"], values["overhead_gib"]


def usable_gib_of(catalog: Catalog, plan: Plan) -> float:
    """What the framework sees of the plan's card, in GiB; raises UnknownIdError."""
    return catalog.gpus[catalog.resolve_gpu(plan.gpu)].framework_visible_gib.of(plan.ecc).value


def memory_of(
    catalog: Catalog,
    plan: Plan,
    seq_len: int | None = None,
    grad_accum: int | None = None,
    grad_sync: str | None = None,
) -> MemoryOnly:
    """Memory of the plan on its card, with another sequence length or accumulation where one is given."""
    changed = seq_len or plan.seq_len, grad_accum or plan.grad_accum, grad_sync or plan.grad_sync
    peak_bytes, overhead = peak_and_overhead(catalog.constants, plan, *changed)
    peak = gib_from_bytes(peak_bytes)
    usable = usable_gib_of(catalog, plan)
    fits = fits_of(peak / usable, peak, overhead, usable, limits_of(catalog.policy))
    return MemoryOnly(peak_gib=peak, ratio=peak / usable, fits=fits)


def peak_gib(constants: Constants, plan: Plan) -> float:
    """Expected allocator peak of `plan` per GPU in GiB: memory alone, which does not depend on the card."""
    return gib_from_bytes(ALL.evaluate(inputs_of(plan, constants), ("peak",))["peak"])


def memory_band(constants: Constants, plan: Plan) -> Band:
    """Allocator peak of `plan` per GPU in GiB with its uncertainty: like the peak, it does not depend on the card."""
    values = ALL.evaluate(inputs_of(plan, constants), ("peak_low", "peak", "peak_high"))
    return Band(*(gib_from_bytes(values[name]) for name in ("peak_low", "peak", "peak_high")))


def estimate(catalog: Catalog, plan: Plan) -> Estimate:
    """Memory and time of `plan`; raises UnknownIdError for an unknown GPU."""
    gpu = catalog.gpus[catalog.resolve_gpu(plan.gpu)]
    known = memory_values(catalog.constants, plan)
    values = TIME.evaluate(known | card_numbers(gpu) | link_numbers(plan.bus_gb_per_s))
    peak = gib_from_bytes(values["peak"])
    usable = gpu.framework_visible_gib.of(plan.ecc).value
    link, compute = values["link_seconds"], values["compute_seconds"]
    return Estimate(
        plan=plan,
        parameters_total=count_parameters(plan.shape).total,
        parameters_trainable=int(values["trained_parameters"]),
        peak_gib=Band(gib_from_bytes(values["peak_low"]), peak, gib_from_bytes(values["peak_high"])),
        peak_phase=_peak_phase(values),
        phases_gib=Later(lambda: _phases_gib(_trace(plan, catalog))),
        usable_gib=usable,
        device_gib=gib_from_mib(gpu.usable_mib.of(plan.ecc).value),
        overhead_gib=values["overhead_gib"],
        ratio=peak / usable,
        headroom_gib=usable - peak,
        fits=fits_of(peak / usable, peak, values["overhead_gib"], usable, limits_of(catalog.policy)),
        host_ram_gib=gib_from_bytes(values["host_memory"]),
        host_loading_gib=gib_from_bytes(values["host_loading"]),
        tokens_per_step_per_gpu=plan.tokens,
        tokens_per_sec_per_gpu=_speed(plan, values),
        break_even_tokens=values["break_even_tokens"],
        needed_bus_gb_per_s=gb_from_bytes(values["needed_bytes_per_second"]) if plan.bus_gb_per_s else 0.0,
        bound="link" if link > compute else "compute",
        quantities=Later(lambda: _quantities(plan, catalog, _trace(plan, catalog))),
        assumptions=assumptions_of(plan),
    )
