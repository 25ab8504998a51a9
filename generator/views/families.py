"""The family table: models of one family that get the same advice share a row."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from generator.catalog import Catalog
from generator.catalog.records import Model
from generator.estimate.results import Estimate
from generator.verdict.results import Mode, RigReport, Rung, VerdictId

FINE_TUNING = ("full", "lora", "qlora")
"""Methods that the advice chooses from, the fullest first."""


@dataclass(frozen=True, slots=True)
class Member:
    """A model of a row."""

    model: str
    """Id."""
    label: str
    """Its name without what the row's `prefix` already says."""
    billions: float


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a mode of a row rests on."""

    method: str
    verdict: VerdictId
    ratio_low: float
    """Smallest r among the members, of the recipes that gave the verdicts."""
    ratio_high: float
    edge: str
    """The member with the largest r."""
    estimate: Estimate
    """Of that member."""
    recipes: tuple[str, ...]
    """Ids of the recipes, in the order of the members."""


@dataclass(frozen=True, slots=True)
class FamilyRow:
    """Models of one family with the same recommended modes."""

    family: str
    """Display name of the family."""
    prefix: str
    """What the names of the members begin with; empty for a single one."""
    members: tuple[Member, ...]
    modes: tuple[Mode, ...]
    """The recommendation: a fuller borderline method first where there is one. Empty: no method fits."""
    also: tuple[Mode, ...]
    """Methods that train less and are comfortable for every member too."""
    evidence: tuple[Evidence, ...]
    """One for each mode; for a row without modes what comes closest: the last method."""


@dataclass(frozen=True, slots=True)
class NameGroup:
    """Models of one family listed together: `Gemma 3 ` and `1B`, `4B`."""

    prefix: str
    members: tuple[Member, ...]


def name_groups(models: Mapping[str, Model], ids: Iterable[str]) -> tuple[NameGroup, ...]:
    """Models by family, what their names share written once; families in the order of their first model."""
    families: dict[str, list[str]] = {}
    for model_id in ids:
        families.setdefault(models[model_id].family, []).append(model_id)
    return tuple(NameGroup(*_members(models, group)) for group in families.values())


def named_models(catalog: Catalog, report: RigReport) -> tuple[str, ...]:
    """Models that the report names one by one: of the rig's families, and with any verdict known; in its order."""
    families = catalog.rigs[report.rig].families if report.rig in catalog.rigs else ()
    known = dict.fromkeys(model for (model, _), verdict in report.verdicts.items() if verdict.rungs)
    return tuple(model for model in known if not families or catalog.family_of(model) in families)


def family_rows(
    models: Mapping[str, Model], report: RigReport, named: Collection[str] | None = None
) -> tuple[FamilyRow, ...]:
    """Rows of the family table, the lightest first; only the models that are named, all by default."""
    groups: dict[tuple[str, tuple[Mode, ...]], list[str]] = {}
    for model_id, recommendation in report.recommended.items():
        if named is not None and model_id not in named:
            continue
        key = (models[model_id].family, recommendation.modes)
        groups.setdefault(key, []).append(model_id)
    rows = [
        FamilyRow(
            family,
            *_members(models, ids),
            modes=modes,
            also=_also(report, ids, modes),
            evidence=_evidence(report, ids, [mode.method for mode in modes] or [FINE_TUNING[-1]]),
        )
        for (family, modes), ids in groups.items()
    ]
    return tuple(sorted(rows, key=_order))


def _order(row: FamilyRow) -> tuple[float, float, str]:
    return (row.members[-1].billions, row.members[0].billions, row.family)


def _members(models: Mapping[str, Model], ids: Sequence[str]) -> tuple[str, tuple[Member, ...]]:
    ordered = sorted(ids, key=lambda model_id: (models[model_id].parameters.exact.value, model_id))
    prefix = common_prefix([models[model_id].name for model_id in ordered])
    members = tuple(
        Member(model_id, models[model_id].name[len(prefix) :], models[model_id].parameters.exact.value / 1e9)
        for model_id in ordered
    )
    return prefix, members


def common_prefix(names: Sequence[str]) -> str:
    """What several names share, cut after a space or a hyphen: `Gemma 3 ` for `Gemma 3 12B` and `Gemma 3 27B`.

    Empty for one name and where nothing is shared.
    """
    if len(names) < 2:
        return ""
    split = [re.split(r"(?<=[ -])", name) for name in names]
    shared: list[str] = []
    for parts in zip(*(pieces[:-1] for pieces in split), strict=False):
        if len(set(parts)) > 1:
            break
        shared.append(parts[0])
    return "".join(shared)


def _also(report: RigReport, ids: Iterable[str], modes: tuple[Mode, ...]) -> tuple[Mode, ...]:
    if not modes:
        return ()
    least = FINE_TUNING.index(modes[-1].method) if modes[-1].method in FINE_TUNING else len(FINE_TUNING)
    ids = tuple(ids)
    comfortable: VerdictId = "comfortable"
    return tuple(
        Mode(method, comfortable)
        for method in FINE_TUNING[least + 1 :]
        if all(_is(report, model_id, method, comfortable) for model_id in ids)
    )


def _evidence(report: RigReport, ids: Sequence[str], methods: Iterable[str]) -> tuple[Evidence, ...]:
    found = []
    for method in methods:
        rungs: dict[str, tuple[Rung, VerdictId]] = {}
        for model_id in ids:
            verdict = report.verdicts.get((model_id, method))
            if verdict is not None and verdict.rung is not None:
                rungs[model_id] = (verdict.rung, verdict.verdict)
        ratios = {model_id: rung.estimate.ratio for model_id, (rung, _) in rungs.items()}
        if not ratios:
            continue
        edge = max(ratios, key=lambda model_id: (ratios[model_id], model_id))
        recipes = dict.fromkeys(rung.recipe for rung, _ in rungs.values())
        found.append(
            Evidence(
                method=method,
                verdict=rungs[edge][1],
                ratio_low=min(ratios.values()),
                ratio_high=ratios[edge],
                edge=edge,
                estimate=rungs[edge][0].estimate,
                recipes=tuple(recipes),
            )
        )
    return tuple(found)


def _is(report: RigReport, model_id: str, method: str, verdict: VerdictId) -> bool:
    found = report.verdicts.get((model_id, method))
    return found is not None and found.verdict == verdict
