"""The estimate against published measured runs."""

from __future__ import annotations

from dataclasses import dataclass

from generator.catalog.catalogue import Catalog
from generator.catalog.measurements import Measurement
from generator.estimate.plan import Plan
from generator.estimate.run import peak_gib


@dataclass(frozen=True, slots=True)
class Comparison:
    """A measured run and what the estimate says of it."""

    measurement: Measurement
    peak_gib: float
    """Expected allocator peak per GPU."""

    @property
    def error(self) -> float:
        """Estimate ÷ measurement − 1: positive where the estimate is too high."""
        return self.peak_gib / self.measurement.peak_gib - 1


def plan_of(catalog: Catalog, run: Measurement) -> Plan:
    """The plan of a measured run; raises PlanError where its settings contradict each other."""
    own = run.model_dump(exclude={"id", "source", "where", "model", "shape", "peak_gib"})
    return Plan(
        model=run.model,
        shape=catalog.models[run.shape].architecture.shape(),
        **own,
    )


def compare(catalog: Catalog) -> tuple[Comparison, ...]:
    """Every measured run of the catalogue with its estimate, in the order of the data."""
    return tuple(Comparison(run, peak_gib(catalog.constants, plan_of(catalog, run))) for run in catalog.measurements)
