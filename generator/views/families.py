"""The family table: models of one family that get the same advice share a row."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from generator.catalog.records import Model
from generator.verdict.results import Mode, RigReport, VerdictId

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


def family_rows(models: Mapping[str, Model], report: RigReport) -> tuple[FamilyRow, ...]:
    """Rows of the family table, the lightest first; only models that the report judges."""
    groups: dict[tuple[str, tuple[Mode, ...]], list[str]] = {}
    for model_id, recommendation in report.recommended.items():
        key = (models[model_id].family, recommendation.modes)
        groups.setdefault(key, []).append(model_id)
    rows = [
        FamilyRow(family, *_members(models, ids), modes=modes, also=_also(report, ids, modes))
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


def _is(report: RigReport, model_id: str, method: str, verdict: VerdictId) -> bool:
    found = report.verdicts.get((model_id, method))
    return found is not None and found.verdict == verdict
