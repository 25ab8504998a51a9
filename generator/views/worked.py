"""Estimates worked from the first number to the last: what the methodology page shows so that it can be redone by hand.

Also which flags each recipe sets, because the formulas start from them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from generator.catalog import Catalog
from generator.estimate.inputs import NO_FLAGS, PLAN_NUMBERS, plan_numbers
from generator.estimate.layer import LAYER
from generator.estimate.layers import layer_numbers
from generator.estimate.plan import Plan
from generator.estimate.results import Estimate, Quantity
from generator.estimate.run import ALL, NAMED
from generator.estimate.steps import Formulas, needed
from generator.verdict.results import RigReport
from generator.verdict.setup import plan_for, setup_of, subject_of_size
from generator.views.families import named_models
from generator.views.measured import by_sharding, kind_of_run, measured_kinds

CONFIG_FIELDS: Mapping[str, str] = {
    "hidden": "hidden_size",
    "layers": "num_hidden_layers",
    "heads": "num_attention_heads",
    "query_width": "num_attention_heads × head_dim",
    "kv_width": "num_key_value_heads × head_dim",
    "gated_width": "intermediate_size",
    "vocab": "vocab_size",
    "head": "tie_word_embeddings",
    "experts": "num_experts, num_local_experts",
    "active_experts": "num_experts_per_tok",
    "expert_width": "moe_intermediate_size",
}
"""Quantity → the fields of a config.json of the Llama kind that it is read from."""
WORKED_METHODS = ("full", "qlora")
"""Methods with an example: the two whose arithmetic differs most."""
SEVERAL = 4
"""Cards that the flags of a recipe are given for; on one card nothing is sharded."""
CHOSEN = frozenset(NO_FLAGS) & NAMED
"""Flags of a recipe: those that are 1 are listed even where only steps that come to 0 ask for them."""
RESULTS = ("peak", "tokens_per_second", "break_even_tokens")
"""What an example arrives at."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Layers of a model that are alike, with what one of them stores."""

    count: int
    inputs: Mapping[str, float]
    """Dimensions that are not 0."""
    steps: tuple[Quantity, ...]


@dataclass(frozen=True, slots=True)
class Worked:
    """One estimate with everything that it rests on. What is not listed is 0."""

    method: str
    estimate: Estimate
    kinds: tuple[Kind, ...]
    inputs: tuple[Quantity, ...]
    steps: tuple[Quantity, ...]
    hours: float | None
    """Of the reference run of fine-tuning; None where the verdict has no time."""


def worked_examples(catalog: Catalog, report: RigReport) -> tuple[Worked, ...]:
    """For each of WORKED_METHODS the largest text model of the report that is comfortable on the rig, if any is."""
    named = set(named_models(catalog, report))
    found = []
    for method in WORKED_METHODS:
        fitting = [
            verdict.rung
            for (model, of), verdict in report.verdicts.items()
            if of == method
            and verdict.verdict == "comfortable"
            and verdict.rung is not None
            and not verdict.rung.estimate.plan.shape.tower_parameters
            and model in named
        ]
        if fitting:
            rung = max(reversed(fitting), key=lambda each: each.estimate.parameters_total)
            found.append(_worked(method, rung.estimate, rung.time.expected if rung.time else None))
    return tuple(found)


def _worked(method: str, estimated: Estimate, hours: float | None) -> Worked:
    quantities = estimated.quantities
    idle = _idle(trains_adapters=estimated.plan.trains_adapters)
    steps = [quantities[step.name] for step in needed(ALL.steps, RESULTS)]
    shown = tuple(step for step in steps if step.value)
    asked = {name for step in shown for name in step.inputs}
    inputs = tuple(
        each
        for name, each in quantities.items()
        if (name in asked or name in CHOSEN) and each.kind != "step" and each.value and not name.startswith(idle)
    )
    return Worked(method, estimated, tuple(_kinds(estimated.plan)), inputs, shown, hours)


def _idle(*, trains_adapters: bool) -> str:
    """How flags begin that say nothing where no adapters are trained."""
    return "-" if trains_adapters else "adapter_"


def _kinds(plan: Plan) -> Iterator[Kind]:
    shape = plan.shape
    for group in shape.layer_groups:
        numbers = layer_numbers(group.layer, shape.hidden, norm_weight_in_fp32=shape.fp32_norm)
        yield Kind(group.count, {name: value for name, value in numbers.items() if value}, _evaluated(LAYER, numbers))


def _evaluated(formulas: Formulas, numbers: Mapping[str, float]) -> tuple[Quantity, ...]:
    """Steps that are not 0."""
    found = formulas.quantities(formulas.evaluate(numbers), {})
    return tuple(each for each in found.values() if each.value)


@dataclass(frozen=True, slots=True)
class RecipeFlags:
    """What a recipe hands to the formulas."""

    method: str
    recipe: str
    flags: tuple[str, ...]
    """Flags and answers that are 1; all others are 0."""
    readings: int
    """Published readings of memory of runs of this kind."""
    near: Mapping[str, int]
    """Sharding → readings of runs that train the same in any precision and with any optimizer."""


def recipe_flags(catalog: Catalog, rig: str) -> tuple[RecipeFlags, ...]:
    """Every recipe of every method on several cards, in the order of the ladders; raises UnknownIdError."""
    setup, subject = setup_of(catalog, rig).with_gpus(SEVERAL), subject_of_size(1.0)
    kinds = measured_kinds(catalog)
    found = []
    for method_id, method in catalog.methods.items():
        for recipe in method.ladder:
            plan = plan_for(catalog, subject, method_id, recipe, setup)
            numbers = plan_numbers(plan)
            idle = _idle(trains_adapters=method.trains != "all")
            flags = (
                name
                for name, value in numbers.items()
                if value and name in NAMED and name not in PLAN_NUMBERS and not name.startswith(idle)
            )
            kind = kind_of_run(plan)
            near = by_sharding(kinds, kind.trained)
            found.append(RecipeFlags(method_id, recipe.id, tuple(sorted(flags)), kinds.get(kind, 0), near))
    return tuple(found)


def common_flags(recipes: tuple[RecipeFlags, ...]) -> tuple[str, ...]:
    """Flags that every recipe sets."""
    shared = set.intersection(*(set(each.flags) for each in recipes)) if recipes else set()
    return tuple(sorted(shared))
