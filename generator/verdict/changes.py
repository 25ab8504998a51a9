"""What would make one plan fit: single changes of its settings, and where none is enough, several together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from generator.architecture import LORA_TARGETS
from generator.catalog.catalogue import Catalog
from generator.estimate import Plan, estimate
from generator.verdict.advice import GPU_COUNTS, max_seq_len
from generator.verdict.ladder import memory_verdict
from generator.verdict.results import FEASIBLE, VerdictId

FREE: Mapping[str, Any] = {
    "fused_ce": True,
    "optimizer_impl": "fused",
    "grad_sync": "each",
    "root_wrap": "separate",
    "reduce_dtype": "bf16",
    "grad_checkpointing": True,
    "attention": "sdpa",
    "kernels": "fused",
}
"""Settings that cost little or nothing, the ones that cost nothing first."""
PLAIN_ATTENTION = "eager"
"""The only attention that keeps whole scores: any other needs no change."""


@dataclass(frozen=True, slots=True)
class Change:
    """Settings to change, and what the plan then needs."""

    settings: Mapping[str, Any]
    """Field of the plan → new value."""
    peak_gib: float
    memory: VerdictId
    """Memory alone, by the thresholds of the verdict."""


def fits(verdict: VerdictId) -> bool:
    """Whether a plan with this verdict on its memory runs."""
    return verdict in FEASIBLE


def single_changes(catalog: Catalog, plan: Plan, context_tokens: int | None) -> Iterator[dict[str, Any]]:
    """Changes to try, from those that cost least to another method of training."""
    for name, value in FREE.items():
        if name == "attention" and plan.attention != PLAIN_ATTENTION:
            continue
        if name == "optimizer_impl" and plan.optimizer_impl != "foreach":
            continue
        if getattr(plan, name) != value:
            yield {name: value}
    if plan.sharding in ("ddp", "zero1", "zero2"):
        yield {"sharding": "fsdp2"}
    if plan.micro_batch > 1:
        yield {"micro_batch": 1}
    longest = max_seq_len(catalog, plan, context_tokens)
    if longest is not None and longest < plan.seq_len:
        yield {"seq_len": longest}
    if not plan.trains_adapters:
        yield from _cheaper_states(plan)
    if plan.n_gpus > 1:
        yield from ({"n_gpus": count} for count in GPU_COUNTS if count > plan.n_gpus)
    yield from _other_methods(plan)


def _cheaper_states(plan: Plan) -> Iterator[dict[str, Any]]:
    """Compromises of training all weights."""
    if plan.precision == "bf16-mixed" and plan.optimizer == "adamw":
        yield {"precision": "bf16-pure", "optimizer": "adamw-bf16"}
    if plan.optimizer in ("adamw", "adamw-bf16"):
        yield {"precision": "bf16-pure", "optimizer": "adamw-8bit"}


def _other_methods(plan: Plan) -> Iterator[dict[str, Any]]:
    """Adapters in the place of all weights, and a quantised base under adapters."""
    targets = plan.lora_targets or LORA_TARGETS["all-linear"]
    adapters = {"precision": "bf16-mixed", "optimizer": "adamw", "cpu_offload": "none", "lora_targets": targets}
    differing = {name: value for name, value in adapters.items() if getattr(plan, name) != value}
    if plan.method == "full":
        yield {"method": "lora", **differing}
    if plan.method in ("full", "lora"):
        yield {"method": "qlora", "quant": "nf4-dq", **differing}


def changed(catalog: Catalog, plan: Plan, settings: dict[str, Any]) -> Change:
    """The plan with these settings."""
    result = estimate(catalog, replace(plan, **settings))
    return Change(settings, result.peak_gib.expected, memory_verdict(catalog.policy, result))


def changes_that_fit(catalog: Catalog, plan: Plan, context_tokens: int | None, limit: int = 4) -> tuple[Change, ...]:
    """Up to `limit` single changes after which the plan fits, the one that costs least first.

    Where no single one is enough: one change of several settings at once, as few as suffice. Nothing where not even
    all of them together are, or where the plan fits as it is.
    """
    if fits(memory_verdict(catalog.policy, estimate(catalog, plan))):
        return ()
    tried = [changed(catalog, plan, settings) for settings in single_changes(catalog, plan, context_tokens)]
    enough = [change for change in tried if fits(change.memory)]
    if enough:
        return tuple(enough[:limit])
    return _together(catalog, plan, context_tokens)


def _together(catalog: Catalog, plan: Plan, context_tokens: int | None) -> tuple[Change, ...]:
    """Changes of the same method added up until the plan fits, then those taken out again that are not needed.

    A shorter context comes last, as long as it can be with all the others.
    """
    taken: list[dict[str, Any]] = []
    merged: dict[str, Any] = {}
    for settings in single_changes(catalog, plan, context_tokens):
        if "n_gpus" in settings or "method" in settings:
            continue
        merged = {**merged, **settings}
        taken.append(settings)
        if fits(changed(catalog, plan, merged).memory):
            return (_without_the_needless(catalog, plan, taken),)
    longest = max_seq_len(catalog, replace(plan, **merged), context_tokens)
    if longest is None or longest >= plan.seq_len:
        return ()
    return (_without_the_needless(catalog, plan, [*taken, {"seq_len": longest}]),)


def _without_the_needless(catalog: Catalog, plan: Plan, taken: list[dict[str, Any]]) -> Change:
    kept = taken
    for settings in taken:
        fewer = [each for each in kept if each is not settings]
        if fits(changed(catalog, plan, _merged(fewer)).memory):
            kept = fewer
    return changed(catalog, plan, _merged(kept))


def _merged(changes: list[dict[str, Any]]) -> dict[str, Any]:
    return {name: value for settings in changes for name, value in settings.items()}
