"""What would change a verdict: other context lengths, accumulation, more cards, ECC."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from generator.catalog.catalogue import Catalog
from generator.estimate import Plan
from generator.estimate.run import memory_of
from generator.verdict.ladder import FITS_AS_VERDICT, best_of_ladder
from generator.verdict.results import VERDICTS, ContextVariant, Improvement, VerdictId
from generator.verdict.setup import Setup, Subject

CONTEXT_STEP = 256
"""Context lengths are looked for in multiples of it."""
CONTEXT_LIMIT = 131_072
"""Longest context looked for where a model states none."""
GPU_COUNTS = (1, 2, 4, 8)
"""Cards of one machine: what joins several machines is not modelled."""
GRAD_SYNCS: tuple[Literal["each", "last"], ...] = ("each", "last")


def is_better(one: VerdictId, other: VerdictId) -> bool:
    """Whether `one` is a better verdict than `other`."""
    return VERDICTS.index(one) < VERDICTS.index(other)


def context_variants(catalog: Catalog, plan: Plan) -> Iterator[ContextVariant]:
    """The plan at the policy's context lengths, then with its accumulation, gradients reduced each time or last."""
    workload = catalog.policy.workload
    variants = [(seq_len, plan.grad_accum, plan.grad_sync) for seq_len in workload.context_variants]
    variants += [(plan.seq_len, workload.grad_accum_variant, sync) for sync in GRAD_SYNCS]
    for seq_len, grad_accum, grad_sync in variants:
        result = memory_of(catalog, plan, seq_len, grad_accum, grad_sync)
        yield ContextVariant(
            seq_len=seq_len,
            grad_accum=grad_accum,
            grad_sync=grad_sync,
            ratio=result.ratio,
            peak_gib=result.peak_gib,
            memory=FITS_AS_VERDICT[result.fits],
        )


def max_seq_len(catalog: Catalog, plan: Plan, context_tokens: int | None) -> int | None:
    """Longest context that stays within the borderline memory limit, at most the model's own; None when none does.

    The peak never falls when the context grows, so that bisection finds it.
    """

    def fits(seq_len: int) -> bool:
        return memory_of(catalog, plan, seq_len).fits in ("yes", "tight")

    low, high = 0, (context_tokens or CONTEXT_LIMIT) // CONTEXT_STEP
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle * CONTEXT_STEP):
            low = middle
        else:
            high = middle - 1
    return low * CONTEXT_STEP or None


def improvements(
    catalog: Catalog, subject: Subject, method_id: str, setup: Setup, verdict: VerdictId
) -> Iterator[Improvement]:
    """Single changes that give a better verdict.

    The smallest number of cards that gives the best verdict, the largest smaller one where a part of the cards does
    better than all, the longest shorter context that helps, and ECC off.
    """
    yield from _more_gpus(catalog, subject, method_id, setup, verdict)
    yield from _fewer_gpus(catalog, subject, method_id, setup, verdict)
    yield from _shorter_context(catalog, subject, method_id, setup, verdict)
    if setup.ecc == "on":
        without = best_of_ladder(catalog, subject, method_id, replace(setup, ecc="off"))
        if is_better(without, verdict):
            yield Improvement("ecc-off", without, catalog.gpus[setup.gpu].framework_visible_gib.off.value)


def _more_gpus(
    catalog: Catalog, subject: Subject, method_id: str, setup: Setup, verdict: VerdictId
) -> Iterator[Improvement]:
    found: list[Improvement] = []
    for count in GPU_COUNTS:
        if count <= setup.count:
            continue
        other = best_of_ladder(catalog, subject, method_id, setup.with_gpus(count))
        if is_better(other, found[-1].verdict if found else verdict):
            found.append(Improvement("more-gpus", other, float(count)))
        if other == "comfortable":
            break
    yield from found[-1:]


def _fewer_gpus(
    catalog: Catalog, subject: Subject, method_id: str, setup: Setup, verdict: VerdictId
) -> Iterator[Improvement]:
    """The largest part of the cards that does better than all of them: it exchanges less over the same link.

    What is not recommended is not so because of the link, so that there nothing is looked for.
    """
    for count in reversed(GPU_COUNTS):
        if verdict == "borderline" and count < setup.count:
            other = best_of_ladder(catalog, subject, method_id, setup.with_gpus(count))
            if is_better(other, verdict):
                yield Improvement("fewer-gpus", other, float(count))
                return


def _shorter_context(
    catalog: Catalog, subject: Subject, method_id: str, setup: Setup, verdict: VerdictId
) -> Iterator[Improvement]:
    workload = catalog.policy.workload
    for seq_len in sorted(workload.context_variants, reverse=True):
        if seq_len >= workload.seq_len.value:
            continue
        other = _at_context(catalog, subject, method_id, setup, seq_len)
        if is_better(other, verdict):
            yield Improvement("shorter-context", other, float(seq_len))
            return


def _at_context(catalog: Catalog, subject: Subject, method_id: str, setup: Setup, seq_len: int) -> VerdictId:
    workload = catalog.policy.workload
    shorter = workload.model_copy(update={"seq_len": workload.seq_len.model_copy(update={"value": float(seq_len)})})
    policy = catalog.policy.model_copy(update={"workload": shorter})
    return best_of_ladder(replace(catalog, policy=policy), subject, method_id, setup)
