"""The recommended stack of one run: for each question of data/stack/choices the answer, and what comes second."""

from __future__ import annotations

from dataclasses import dataclass

from generator.catalog.catalogue import Catalog
from generator.catalog.stack_records import Choice, Option, When
from generator.estimate import Plan


@dataclass(frozen=True, slots=True)
class Answer:
    """What to take for one question, and why; the reasons are texts of the options."""

    choice: str
    """Id of the question."""
    option: Option
    second: Option | None
    """The runner-up; `option.second_because` says when it is the better one."""


def recommended_stack(catalog: Catalog, plan: Plan, p2p: bool | None = None) -> tuple[Answer, ...]:
    """An answer to every question, in their order, for the plan of a verdict on a rig with or without P2P."""
    return tuple(answer(catalog, choice_id, choice, plan, p2p) for choice_id, choice in catalog.choices.items())


def answer(catalog: Catalog, choice_id: str, choice: Choice, plan: Plan, p2p: bool | None) -> Answer:
    """The first option whose conditions hold; the rules of the catalogue see to it that one does."""
    chosen = next(option for option in choice.options if holds(catalog, option.when, plan, p2p))
    second = next((option for option in choice.options if option.id == chosen.second), None)
    return Answer(choice_id, chosen, second)


def holds(catalog: Catalog, when: When, plan: Plan, p2p: bool | None) -> bool:
    """Whether all conditions hold for this plan."""
    method, gpu = catalog.methods[plan.method], catalog.gpus[plan.gpu]
    capability = _capability(gpu.compute_capability.value if gpu.compute_capability else None)
    return all(
        (
            when.goal in (None, method.goal),
            when.trains in (None, method.trains),
            when.quantised in (None, plan.quant != "none"),
            when.gpus in (None, "one" if plan.n_gpus == 1 else "several"),
            not when.sharding or plan.sharding in when.sharding,
            not when.optimizer or plan.optimizer in when.optimizer,
            not when.attention or plan.attention in when.attention,
            when.offload in (None, plan.cpu_offload != "none"),
            when.vendor in (None, gpu.vendor),
            when.capability_from is None or (capability is not None and capability >= when.capability_from),
            when.capability_below is None or (capability is not None and capability < when.capability_below),
            when.p2p in (None, p2p),
        )
    )


def _capability(text: str | None) -> float | None:
    """The compute capability as a number: `8.9`, `12.0`; none where the card has none, or a word for it."""
    try:
        return float(text) if text else None
    except ValueError:
        return None
