"""What a model needs: the rigs that train it, and by kind of card the fewest cards of a rig that do it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from generator.catalog import Catalog
from generator.verdict.results import FEASIBLE, VERDICTS, ReasonId, RigReport, Verdict, VerdictId
from generator.views.hardware import rigs_by_count
from generator.views.rigs import methods_of

LACKS: frozenset[ReasonId] = frozenset({"needs-bf16", "needs-platform"})
"""Reasons that are the card's own: no number of cards does away with them."""


@dataclass(frozen=True, slots=True)
class Fewest:
    """The smallest rig of a kind of card that trains a model by one method."""

    rig: str
    count: int
    verdict: VerdictId
    least: int
    """Fewest cards that may do as well: one more than the largest rig below it, which does not do."""


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
    barred: Mapping[str, ReasonId]
    """Methods of which no recipe runs on such cards, however many there are → what the cards lack."""

    @property
    def any(self) -> bool:
        """Whether some method works on some number of these cards."""
        return any(self.by_method.values())

    @property
    def never(self) -> ReasonId | None:
        """What the cards lack for every method; none where more cards could help some."""
        return next(iter(self.barred.values())) if self.barred.keys() == self.by_method.keys() else None


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
            barred=_barred(catalog, reports[max(rigs[gpu])[1]], model),
        )
        for gpu in catalog.gpus
        if gpu in rigs
    )


def _fewest(
    reports: Mapping[str, RigReport], rigs: list[tuple[int, str]], model: str, method: str
) -> tuple[Fewest, ...]:
    found: list[Fewest] = []
    below = 0
    for count, rig in rigs:
        verdict = reports[rig].verdicts.get((model, method))
        better = verdict is not None and (
            not found or VERDICTS.index(verdict.verdict) < VERDICTS.index(found[-1].verdict)
        )
        if verdict is not None and verdict.verdict in FEASIBLE and better:
            found.append(Fewest(rig, count, verdict.verdict, min(below + 1, count)))
        below = count
    return tuple(found)


def _barred(catalog: Catalog, report: RigReport, model: str) -> Mapping[str, ReasonId]:
    """Method → the reason of its last recipe, where every recipe of it lacks something that more cards do not bring."""
    found: dict[str, ReasonId] = {}
    for method in catalog.methods:
        verdict = report.verdicts.get((model, method))
        rungs = verdict.rungs if verdict is not None else ()
        lacks = [[reason.id for reason in rung.reasons if reason.id in LACKS] for rung in rungs]
        if lacks and all(lacks):
            found[method] = lacks[-1][0]
    return found


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
