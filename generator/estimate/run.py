"""One plan in, one estimate out."""

from __future__ import annotations

from collections.abc import Mapping

from generator.architecture import count_parameters
from generator.catalog.catalogue import Catalog
from generator.catalog.records import Constants
from generator.estimate.inputs import Kind, chosen_constants, inputs_of
from generator.estimate.phases import MEMORY, PHASE_STEPS, phase_terms
from generator.estimate.plan import Plan
from generator.estimate.results import Band, Estimate, Fits, Quantity
from generator.estimate.time import TIME
from generator.units import gib_from_bytes, gib_from_mib


def _peak_phase(values: dict[str, float]) -> str:
    """The first phase that reaches the peak; loading only when nothing later does."""
    later = [phase for phase in PHASE_STEPS if phase != "load"]
    return max([*later, "load"], key=lambda phase: values[PHASE_STEPS[phase]])


def _phases_gib(values: dict[str, float]) -> dict[str, dict[str, float]]:
    return {
        phase: {term.replace("_", "-"): gib_from_bytes(values[term]) for term in phase_terms(phase) if values[term] > 0}
        for phase in PHASE_STEPS
    }


def _quantities(
    values: dict[str, float], kinds: dict[str, Kind], chosen: dict[str, str], sources: Mapping[str, str]
) -> dict[str, Quantity]:
    inputs = {
        name: Quantity(name, values[name], "", "", (), kind, chosen.get(name, "")) for name, kind in kinds.items()
    }
    return inputs | MEMORY.quantities(values, sources) | TIME.quantities(values, sources)


def _speed(plan: Plan, values: dict[str, float]) -> Band | None:
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


def peak_gib(constants: Constants, plan: Plan) -> float:
    """Expected allocator peak of `plan` per GPU in GiB: memory alone, which does not depend on the card."""
    inputs, _ = inputs_of(plan, constants, None)
    return gib_from_bytes(MEMORY.evaluate(inputs)["peak"])


def memory_band(constants: Constants, plan: Plan) -> Band:
    """Allocator peak of `plan` per GPU in GiB with its uncertainty: like the peak, it does not depend on the card."""
    inputs, _ = inputs_of(plan, constants, None)
    values = MEMORY.evaluate(inputs)
    peak = gib_from_bytes(values["peak"])
    return Band(peak * (1 - values["error_low"]), peak, peak * (1 + values["error_high"]))


def estimate(catalog: Catalog, plan: Plan) -> Estimate:
    """Memory and time of `plan`; raises UnknownIdError for an unknown GPU."""
    gpu = catalog.gpus[catalog.resolve_gpu(plan.gpu)]
    inputs, kinds = inputs_of(plan, catalog.constants, gpu)
    values = TIME.evaluate(MEMORY.evaluate(inputs))
    peak = gib_from_bytes(values["peak"])
    usable = gpu.framework_visible_gib.of(plan.ecc).value
    policy = catalog.policy
    limits = (policy.comfortable_ratio.value, policy.borderline_ratio.value)
    link, compute = values["link_seconds"], values["compute_seconds"]
    return Estimate(
        plan=plan,
        parameters_total=count_parameters(plan.shape).total,
        parameters_trainable=int(values["trained_parameters"]),
        peak_gib=Band(peak * (1 - values["error_low"]), peak, peak * (1 + values["error_high"])),
        peak_phase=_peak_phase(values),
        phases_gib=_phases_gib(values),
        usable_gib=usable,
        device_gib=gib_from_mib(gpu.usable_mib.of(plan.ecc).value),
        overhead_gib=values["overhead_gib"],
        ratio=peak / usable,
        headroom_gib=usable - peak,
        fits=fits_of(peak / usable, peak, values["overhead_gib"], usable, limits),
        host_ram_gib=gib_from_bytes(values["host_memory"]),
        tokens_per_step_per_gpu=plan.tokens,
        tokens_per_sec_per_gpu=_speed(plan, values),
        break_even_tokens=values["break_even_tokens"],
        bound="link" if link > compute else "compute",
        quantities=_quantities(values, kinds, chosen_constants(plan), catalog.constants.formula_sources),
        assumptions=(),
    )
