"""Which kinds of run somebody has measured: what an estimate for a recipe rests on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from generator.catalog import Catalog
from generator.errors import PlanError
from generator.estimate.accuracy import not_stated, plan_of
from generator.estimate.plan import Plan


@dataclass(frozen=True, slots=True)
class Kind:
    """What the memory of a run is made up of: plans of one kind differ in model, length and number of cards alone."""

    trained: str
    """`all`, or the method that trains adapters; pretraining takes the memory of full fine-tuning."""
    sharding: str
    precision: str
    optimizer: str
    quant: str
    """With or without double quantisation is the same kind."""
    cpu_offload: str


def kind_of_run(plan: Plan) -> Kind:
    """The kind of a planned or a measured run."""
    return Kind(
        trained=plan.method if plan.trains_adapters else "all",
        sharding=plan.sharding,
        precision=plan.precision,
        optimizer=plan.optimizer,
        quant="nf4" if plan.quant.startswith("nf4") else plan.quant,
        cpu_offload=plan.cpu_offload,
    )


def by_sharding(kinds: Mapping[Kind, int], trained: str) -> Mapping[str, int]:
    """Sharding → readings of runs that train the same, the most frequent first."""
    found: Counter[str] = Counter()
    for kind, readings in kinds.items():
        if kind.trained == trained:
            found[kind.sharding] += readings
    return dict(found.most_common())


def measured_kinds(catalog: Catalog) -> Mapping[Kind, int]:
    """Kind of run → published readings of memory of it that the estimate is compared with."""
    found: Counter[Kind] = Counter()
    for run in catalog.measurements:
        row = run.settings
        if row.peak is None or row.left_out or not_stated(row):
            continue
        try:
            found[kind_of_run(plan_of(run))] += 1
        except (PlanError, KeyError):
            continue
    return found
