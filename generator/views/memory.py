"""Bytes per trained parameter, by part, and what they come to for a whole model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from generator.catalog import Catalog
from generator.estimate import estimate
from generator.estimate.results import Estimate
from generator.units import gib_from_bytes
from generator.verdict.results import RigReport, Rung

Part = Literal["weights", "quantization-constants", "gradients", "optimizer-states", "transient"]
PARTS: tuple[Part, ...] = ("weights", "quantization-constants", "gradients", "optimizer-states", "transient")
"""What a parameter costs, in the order in which a bar shows it."""


@dataclass(frozen=True, slots=True)
class PerParameter:
    """Bytes that one parameter costs, before sharding."""

    kind: Literal["frozen-base", "training"]
    """A frozen base under adapters costs its weights only; a trained one everything."""
    method: str
    recipe: str
    """Id of the recipe that the bytes are of."""
    parts: Mapping[Part, float]
    """Non-zero parts without the transient."""
    transient_bytes: float
    """What an AdamW that updates all tensors at once (foreach) adds during its step."""

    @property
    def low_bytes(self) -> float:
        """With a fused optimizer."""
        return sum(self.parts.values())

    @property
    def high_bytes(self) -> float:
        """With a foreach optimizer."""
        return self.low_bytes + self.transient_bytes


def memory_per_parameter(catalog: Catalog, report: RigReport) -> tuple[PerParameter, ...]:
    """One row for each distinct cost on the ladders of fine-tuning, the lightest first.

    Read from the quantities of the estimates that gave the verdicts, so that a change of a recipe changes the row.
    """
    rows: dict[tuple[str, float], PerParameter] = {}
    for method in catalog.methods:
        if catalog.methods[method].goal != "fine-tuning":
            continue
        for rung in _rungs(report, method):
            row = _row(catalog, method, rung)
            rows.setdefault((row.kind, round(row.low_bytes, 6)), row)
    return tuple(sorted(rows.values(), key=lambda row: (row.low_bytes, row.kind)))


def cost_of_recipe(catalog: Catalog, report: RigReport, method: str, recipe: str) -> PerParameter | None:
    """Bytes per parameter of one recipe; none where the report never tried it."""
    rungs = _rungs(report, method)
    return next((_row(catalog, method, rung) for rung in rungs if rung.recipe == recipe), None)


def _rungs(report: RigReport, method: str) -> tuple[Rung, ...]:
    """The ladder as tried on the first model that has one: bytes per parameter are the same for all."""
    ladders = (verdict.rungs for (_, tried), verdict in report.verdicts.items() if tried == method and verdict.rungs)
    return next(ladders, ())


def _row(catalog: Catalog, method: str, rung: Rung) -> PerParameter:
    trains_all = catalog.methods[method].trains == "all"
    parts = {part: value for part, value in _parts(rung.estimate, trains_all).items() if value > 0}
    return PerParameter(
        kind="training" if trains_all else "frozen-base",
        method=method,
        recipe=rung.recipe,
        parts=parts,
        transient_bytes=_transient(catalog, rung.estimate) if trains_all else 0.0,
    )


def _parts(estimated: Estimate, trains_all: bool) -> Mapping[Part, float]:
    value = {name: quantity.value for name, quantity in estimated.quantities.items()}
    if not trains_all:
        return {
            "weights": value["linear_bytes"],
            "quantization-constants": value["quantization_constant_bytes"],
        }
    return {
        "weights": value["linear_bytes"],
        "gradients": value["gradient_bytes"],
        "optimizer-states": value["state_bytes"],
    }


def _transient(catalog: Catalog, estimated: Estimate) -> float:
    """What the same plan pays per parameter with a foreach optimizer; nothing where the states are offloaded."""
    if estimated.plan.cpu_offload != "none":
        return 0.0
    foreach = estimate(catalog, replace(estimated.plan, optimizer_impl="foreach"))
    return foreach.quantities["transient_bytes"].value


@dataclass(frozen=True, slots=True)
class Need:
    """What a whole model needs, all GPUs together, by bytes per parameter alone. GiB."""

    model: str
    parameters: int
    row: PerParameter

    @property
    def low_gib(self) -> float:
        """Parameters times the bytes with a fused optimizer."""
        return gib_from_bytes(self.parameters * self.row.low_bytes)

    @property
    def high_gib(self) -> float:
        """Parameters times the bytes with a foreach optimizer."""
        return gib_from_bytes(self.parameters * self.row.high_bytes)


def needs(catalog: Catalog, model: str, rows: tuple[PerParameter, ...]) -> tuple[Need, ...]:
    """What each way of training costs for one model."""
    parameters = catalog.models[model].parameters.exact.value
    return tuple(Need(model, parameters, row) for row in rows)


SMALL_GIB = 0.05
"""Terms below it would show as 0.0."""


def peak_terms(estimated: Estimate) -> tuple[tuple[str, float], ...]:
    """What the peak is made of: terms with their GiB per GPU, the largest first; the smallest are left out."""
    terms = estimated.phases_gib[estimated.peak_phase].items()
    return tuple(sorted(((t, gib) for t, gib in terms if gib >= SMALL_GIB), key=lambda item: -item[1]))
