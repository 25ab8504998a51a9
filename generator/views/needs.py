"""What a model needs: the rigs that train it, and by kind of card the fewest cards of a rig that do it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from generator.catalog import Catalog
from generator.verdict.results import FEASIBLE, VERDICTS, RigReport, Verdict, VerdictId
from generator.views.hardware import rigs_by_count
from generator.views.rigs import methods_of


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
    smallest: int
    """Cards of the smallest rig that was tried: that it works there does not say that fewer would not do."""
    largest: int
    """Cards of the largest rig that was tried."""
    by_method: Mapping[str, tuple[Fewest, ...]]
    """Method → the fewest cards for comfortable, and fewer ones for borderline before it; empty where none do."""

    @property
    def any(self) -> bool:
        """Whether some method works on some number of these cards."""
        return any(self.by_method.values())


def needs_of(catalog: Catalog, reports: Mapping[str, RigReport], model: str) -> tuple[CardNeeds, ...]:
    """Every kind of card of which the catalogue has a rig, in the order of the catalogue."""
    rigs: dict[str, list[tuple[int, str]]] = {}
    for rig_id in reports:
        rig = catalog.rigs[rig_id]
        rigs.setdefault(rig.gpu, []).append((rig.count, rig_id))
    return tuple(
        CardNeeds(
            gpu=gpu,
            smallest=min(count for count, _ in rigs[gpu]),
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
        if verdict is None or verdict.verdict not in FEASIBLE:
            continue
        if not found or VERDICTS.index(verdict.verdict) < VERDICTS.index(found[-1].verdict):
            found.append(Fewest(rig, count, verdict.verdict))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class RigGroup:
    """Rigs of one number of cards, with their verdicts on a model."""

    count: int
    verdicts: Mapping[str, Mapping[str, Verdict]]
    """Rig → method → verdict, in the order of `rigs_by_count`."""

    def of(self, method: str, verdict: VerdictId) -> int:
        """How many rigs of the group get this verdict."""
        return sum(found[method].verdict == verdict for found in self.verdicts.values() if method in found)


def rig_groups(catalog: Catalog, reports: Mapping[str, RigReport], model: str) -> tuple[RigGroup, ...]:
    """The rigs that judge a model, those with the fewest cards first; none where the model is not judged."""
    methods = methods_of(catalog)
    groups = []
    for count, rigs in rigs_by_count(catalog).items():
        judged = {
            rig: {method: found for method in methods if (found := reports[rig].verdicts.get((model, method)))}
            for rig in rigs
            if rig in reports
        }
        if any(judged.values()):
            groups.append(RigGroup(count, {rig: verdicts for rig, verdicts in judged.items() if verdicts}))
    return tuple(groups)
