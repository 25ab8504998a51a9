"""One recipe tried on one machine, and the best of a ladder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from generator.catalog.catalogue import Catalog
from generator.catalog.records import Policy, Recipe
from generator.estimate import Band, Estimate, Plan, estimate
from generator.estimate.results import Fits
from generator.estimate.run import fits_of, memory_of
from generator.units import billions, bytes_from_gib, days_from_seconds, hours_from_seconds
from generator.verdict.results import FEASIBLE, VERDICTS, Reason, ReasonId, Rung, VerdictId
from generator.verdict.setup import Setup, Subject, applies, missing, plan_for


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of the policy, applied: the verdict that it allows at best, and why."""

    verdict: VerdictId
    reason: Reason | None


def worst(verdicts: Iterable[VerdictId]) -> VerdictId:
    """The worst of `verdicts`; comfortable for none."""
    return max(verdicts, key=VERDICTS.index, default="comfortable")


def best(verdicts: Iterable[VerdictId]) -> VerdictId:
    """The best of `verdicts`; unknown for none."""
    return min(verdicts, key=VERDICTS.index, default="unknown")


FITS_AS_VERDICT: Mapping[Fits, VerdictId] = MappingProxyType(
    {"yes": "comfortable", "tight": "borderline", "no": "not-recommended", "unknown": "unknown"}
)
"""What a plan's `fits` is called as a verdict on memory alone."""


def memory_verdict(policy: Policy, result: Estimate) -> VerdictId:
    """Memory alone, by the ratio of peak to usable memory and the room for what lies outside the allocator."""
    limits = (policy.comfortable_ratio.value, policy.borderline_ratio.value)
    fits = fits_of(result.ratio, result.peak_gib.expected, result.overhead_gib, result.usable_gib, limits)
    return FITS_AS_VERDICT[fits]


def _memory(policy: Policy, result: Estimate, compromise: bool) -> Finding:
    numbers = {
        "ratio": result.ratio,
        "peak_gib": result.peak_gib.expected,
        "usable_gib": result.usable_gib,
        "overhead_gib": result.overhead_gib,
    }
    verdict = memory_verdict(policy, result)
    if compromise and result.ratio > policy.compromise_ratio.value:
        return Finding(
            "not-recommended", Reason("compromise-memory", {**numbers, "limit": policy.compromise_ratio.value})
        )
    if verdict == "comfortable":
        return Finding(verdict, Reason("memory-comfortable", {**numbers, "limit": policy.comfortable_ratio.value}))
    if verdict == "borderline":
        return Finding(verdict, Reason("memory-borderline", {**numbers, "limit": policy.comfortable_ratio.value}))
    over_ratio = result.ratio > policy.borderline_ratio.value
    return Finding(
        verdict,
        Reason(
            "memory-exceeds" if over_ratio else "overhead-exceeds", {**numbers, "limit": policy.borderline_ratio.value}
        ),
    )


def _link(policy: Policy, result: Estimate) -> Finding:
    if result.tokens_per_sec_per_gpu is None:
        return Finding("comfortable", None)
    break_even, tokens = result.break_even_tokens, result.plan.tokens
    numbers = {
        "tokens": float(tokens),
        "break_even_tokens": break_even,
        "needed_bandwidth": result.needed_bus_gb_per_s,
    }
    if tokens < policy.link_bound_below.value * break_even:
        return Finding("borderline", Reason("link-bound", numbers))
    if tokens < policy.link_note_below.value * break_even:
        return Finding("comfortable", Reason("link-heavy", numbers))
    return Finding("comfortable", None)


def training_time(policy: Policy, result: Estimate, goal: str) -> Band | None:
    """Hours for the reference fine-tuning, or days to the compute-optimal tokens; None where time is not modelled."""
    if goal == "fine-tuning":
        tokens, convert = policy.finetune_tokens.value, hours_from_seconds
    else:
        tokens, convert = policy.pretrain_tokens_per_parameter.value * result.parameters_total, days_from_seconds
    seconds = result.seconds_for(tokens)
    return seconds and Band(convert(seconds.low), convert(seconds.expected), convert(seconds.high))


def _time(policy: Policy, time: Band | None, goal: str) -> Finding:
    if time is None:
        return Finding("borderline", Reason("time-unknown"))
    comfortable, borderline = (
        (policy.finetune_comfortable_hours, policy.finetune_borderline_hours)
        if goal == "fine-tuning"
        else (policy.pretrain_comfortable_days, policy.pretrain_borderline_days)
    )
    numbers = {"expected": time.expected, "comfortable": comfortable.value, "borderline": borderline.value}
    if time.expected <= comfortable.value:
        return Finding("comfortable", Reason("time-comfortable", numbers))
    if time.expected <= borderline.value:
        return Finding("borderline", Reason("time-borderline", numbers))
    return Finding("not-recommended", Reason("time-exceeds", numbers))


def _machine(recipe: Recipe, result: Estimate, setup: Setup, lacks: tuple[ReasonId, ...]) -> Iterable[Finding]:
    for reason in lacks:
        yield Finding("not-recommended", Reason(reason))
    if result.host_ram_gib > (setup.host_memory_gib or 0.0):
        numbers = {
            "host_ram_gib": result.host_ram_gib,
            "host_memory_gib": setup.host_memory_gib or 0.0,
            "trained_billions": billions(result.parameters_trainable),
            "bytes_each": bytes_from_gib(result.host_ram_gib) / result.parameters_trainable,
        }
        yield Finding("not-recommended", Reason("host-ram-exceeds", numbers))
    if recipe.compromise:
        yield Finding("borderline", Reason("compromise"))


def loaded(catalog: Catalog, plan: Plan, host_memory_gib: float | None) -> tuple[Estimate, Reason | None]:
    """The plan's estimate, and why every card takes the whole base where host memory cannot hold what waits there."""
    result = estimate(catalog, plan)
    if host_memory_gib is None or result.host_loading_gib <= host_memory_gib:
        return result, None
    numbers = {"host_loading_gib": result.host_loading_gib, "host_memory_gib": host_memory_gib}
    return estimate(catalog, replace(plan, load_on_card=True)), Reason("loads-on-card", numbers)


def try_recipe(catalog: Catalog, subject: Subject, method_id: str, recipe: Recipe, setup: Setup) -> Rung:
    """What this recipe alone gives."""
    policy, goal = catalog.policy, catalog.methods[method_id].goal
    plan = plan_for(catalog, subject, method_id, recipe, setup)
    result, crowded = loaded(catalog, plan, setup.host_memory_gib)
    time = training_time(policy, result, goal)
    findings = [
        _memory(policy, result, recipe.compromise),
        Finding("comfortable", crowded),
        *_machine(recipe, result, setup, missing(recipe, catalog.gpus[setup.gpu])),
        _link(policy, result),
        _time(policy, time, goal),
    ]
    return Rung(
        recipe=recipe.id,
        verdict=worst(finding.verdict for finding in findings),
        estimate=result,
        time=time,
        reasons=tuple(finding.reason for finding in findings if finding.reason),
    )


def try_ladder(catalog: Catalog, subject: Subject, method_id: str, setup: Setup) -> tuple[Rung, ...]:
    """Every recipe of the method that makes sense on the machine, tried, in the ladder's order."""
    return tuple(
        try_recipe(catalog, subject, method_id, recipe, setup)
        for recipe in catalog.methods[method_id].ladder
        if applies(recipe, setup)
    )


def best_of_ladder(catalog: Catalog, subject: Subject, method_id: str, setup: Setup) -> VerdictId:
    """The verdict that `choose` gives the whole ladder: recipes after the first comfortable one are not tried."""
    found: list[VerdictId] = []
    for recipe in catalog.methods[method_id].ladder:
        if not applies(recipe, setup):
            continue
        # Most recipes are ruled out by memory alone, which plans on other cards share and which is looked up.
        if memory_of(catalog, plan_for(catalog, subject, method_id, recipe, setup)).fits == "no":
            found.append("not-recommended")
            continue
        found.append(try_recipe(catalog, subject, method_id, recipe, setup).verdict)
        if found[-1] == "comfortable":
            break
    return best(found)


def choose(rungs: tuple[Rung, ...]) -> tuple[VerdictId, int | None]:
    """The ladder's verdict and the first recipe that reaches it; no recipe where none reaches borderline."""
    verdict = best(rung.verdict for rung in rungs)
    if verdict in FEASIBLE:
        return verdict, next(index for index, rung in enumerate(rungs) if rung.verdict == verdict)
    return verdict, None
