"""What a model needs: by kind of card and method, the fewest cards of a rig of the catalogue that do it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from generator.catalog import Catalog
from generator.verdict.results import VERDICTS, RigReport, VerdictId
from generator.views.rigs import methods_of

GOOD_ENOUGH: tuple[VerdictId, ...] = ("comfortable", "borderline")


@dataclass(frozen=True, slots=True)
class Fewest:
    """The smallest rig of a kind of card that trains a model by one method."""

    rig: str
    count: int
    verdict: VerdictId


@dataclass(frozen=True, slots=True)
class CardNeeds:
    """What a model needs of one kind of card."""

    gpu: str
    largest: int
    """Cards of the largest rig that was tried."""
    by_method: Mapping[str, tuple[Fewest, ...]]
    """Method → the fewest cards for comfortable, and fewer ones for borderline before it; empty where none do."""


def needs_of(catalog: Catalog, reports: Mapping[str, RigReport], model: str) -> tuple[CardNeeds, ...]:
    """Every kind of card of which the catalogue has a rig, in the order of the catalogue."""
    rigs: dict[str, list[tuple[int, str]]] = {}
    for rig_id in reports:
        rig = catalog.rigs[rig_id]
        rigs.setdefault(rig.gpu, []).append((rig.count, rig_id))
    return tuple(
        CardNeeds(
            gpu=gpu,
            largest=max(count for count, _ in rigs[gpu]),
            by_method={method: _fewest(reports, sorted(rigs[gpu]), model, method) for method in methods_of(catalog)},
        )
        for gpu in catalog.gpus
        if gpu in rigs
    )


def _fewest(
    reports: Mapping[str, RigReport], rigs: list[tuple[int, str]], model: str, method: str
) -> tuple[Fewest, ...]:
    found: list[Fewest] = []
    for count, rig in rigs:
        verdict = reports[rig].verdicts.get((model, method))
        if verdict is None or verdict.verdict not in GOOD_ENOUGH:
            continue
        if not found or VERDICTS.index(verdict.verdict) < VERDICTS.index(found[-1].verdict):
            found.append(Fewest(rig, count, verdict.verdict))
    return tuple(found)
