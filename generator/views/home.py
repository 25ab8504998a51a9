"""The report of a rig in ten seconds: how far each method goes, who is at the edge, what comes next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from generator.catalog import Catalog
from generator.verdict.results import RigReport, Verdict, VerdictId
from generator.views.light import what_is_not_modelled
from generator.views.reasons import lacks_memory
from generator.views.rigs import CellView, MapRow, capability_rows, methods_of


@dataclass(frozen=True, slots=True)
class Beyond:
    """Neighbouring size classes with one verdict."""

    verdict: VerdictId
    classes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reach:
    """How far a method goes on a rig."""

    method: str
    size_class: str | None
    """The largest class in which dense text models are comfortable, but for the exceptions."""
    edge: str | None
    """The model of that class that comes closest to the limit, the exceptions aside."""
    edge_verdict: Verdict | None
    exceptions: tuple[str, ...]
    """Dense text models of that class and of those below it that are not comfortable, in the order of their size."""
    beyond: tuple[Beyond, ...]
    """The classes after it."""


def reaches(catalog: Catalog, report: RigReport) -> Mapping[str, Reach]:
    """How far each fine-tuning method goes, in the order of the methods."""
    methods = tuple(name for name, method in methods_of(catalog).items() if method.goal == "fine-tuning")
    rows = capability_rows(catalog, report, methods)
    limits = {"full": report.headline.full, "lora": report.headline.lora, "qlora": report.headline.qlora}
    return {method: _reach(report, method, limits.get(method), rows) for method in methods}


def _reach(report: RigReport, method: str, limit: str | None, rows: tuple[MapRow, ...]) -> Reach:
    classes = [row.size_class for row in rows]
    start = classes.index(limit) + 1 if limit is not None else 0
    within = rows[start - 1].cells.get(method) if start else None
    covered = [row.cells[method].cell.models for row in rows[:start] if method in row.cells]
    exceptions = tuple(
        model for models in covered for model in models if report.verdicts[model, method].verdict != "comfortable"
    )
    edge = _edge(report, method, within, exceptions) if within else None
    beyond: list[Beyond] = []
    for row in rows[start:]:
        view = row.cells.get(method)
        if view is None or not view.cell.models:
            continue
        if beyond and beyond[-1].verdict == view.cell.verdict:
            beyond[-1] = Beyond(view.cell.verdict, (*beyond[-1].classes, row.size_class))
        else:
            beyond.append(Beyond(view.cell.verdict, (row.size_class,)))
    return Reach(method, limit, edge, report.verdicts[edge, method] if edge else None, exceptions, tuple(beyond))


def _edge(report: RigReport, method: str, view: CellView, exceptions: tuple[str, ...]) -> str | None:
    """The comfortable model of a cell with the largest r."""
    tried = [
        (model, report.verdicts[model, method])
        for model in view.cell.models
        if (model, method) in report.verdicts and model not in exceptions
    ]
    ratios = {model: verdict.rung.estimate.ratio for model, verdict in tried if verdict.rung is not None}
    return max(ratios, key=lambda model: (ratios[model], model)) if ratios else None


def out_of_reach(report: RigReport, method: str) -> tuple[str, ...]:
    """Models that the method is not recommended for because they do not fit, the smallest first."""
    return tuple(
        model
        for (model, tried), verdict in report.verdicts.items()
        if tried == method
        and verdict.verdict == "not-recommended"
        and verdict.rung is not None
        and lacks_memory(verdict.rung)
    )


@dataclass(frozen=True, slots=True)
class Judged:
    """Which models of the catalogue a report has verdicts for."""

    total: int
    """Models of the catalogue."""
    rows: int
    """Those of them that generate text: the rows of the matrix."""
    judged: int
    """Those of the rows that are counted."""
    apart: tuple[str, ...]
    """Those of the judged ones that stand in no size class: MoE, and embeddings per layer."""
    without: Mapping[tuple[str, ...], int]
    """Why the others have no verdict, as ids of `models.feature.*` → how many, the most frequent first."""


def judged_models(catalog: Catalog, report: RigReport) -> Judged:
    """How many models a report judges, and what keeps the others from it."""
    rows = dict.fromkeys(model for model, _ in report.verdicts)
    judged = [model for model in rows if any(report.verdicts[model, method].rungs for method in methods_of(catalog))]
    classed = {model for cell in report.capability.values() for model in cell.models}
    without = Counter(
        what_is_not_modelled(catalog.models[model]) for model in catalog.models if model not in set(judged)
    )
    return Judged(
        total=len(catalog.models),
        rows=len(rows),
        judged=len(judged),
        apart=tuple(model for model in judged if model not in classed),
        without=dict(without.most_common()),
    )


def example_of_class(report: RigReport, size_class: str, method: str) -> str | None:
    """The largest model of a class on the capability map; none where the class is empty."""
    cell = report.capability.get((size_class, method))
    return cell.models[-1] if cell is not None and cell.models else None


@dataclass(frozen=True, slots=True)
class PretrainingGroup:
    """Neighbouring sizes with one verdict."""

    verdict: VerdictId
    sizes: tuple[float, ...]
    """Billions of parameters."""
    first_days: float | None
    """Expected days of the smallest."""
    last_days: float | None
    """Expected days of the largest."""


def pretraining_groups(report: RigReport) -> tuple[PretrainingGroup, ...]:
    """The pretraining sizes of a report, neighbours with one verdict together."""
    groups: list[list[tuple[float, Verdict]]] = []
    for size, verdict in sorted(report.pretraining.items()):
        if groups and groups[-1][-1][1].verdict == verdict.verdict:
            groups[-1].append((size, verdict))
        else:
            groups.append([(size, verdict)])
    return tuple(
        PretrainingGroup(
            verdict=group[0][1].verdict,
            sizes=tuple(size for size, _ in group),
            first_days=_days(group[0][1]),
            last_days=_days(group[-1][1]),
        )
        for group in groups
    )


@dataclass(frozen=True, slots=True)
class PretrainingReach:
    """How far pretraining goes, in billions of parameters."""

    smallest: float
    comfortable: float | None
    """The largest size that is comfortable, as all smaller ones are; none where the smallest is not."""
    borderline: float | None
    """The largest size that is at least borderline; none where that is the comfortable one."""


def pretraining_reach(report: RigReport) -> PretrainingReach | None:
    """How far pretraining goes on a rig; none where no size is at least borderline."""
    line = report.headline
    if line.pretrain_from_billions is None or line.pretrain_to_billions is None:
        return None
    first = pretraining_groups(report)[0]
    comfortable = first.sizes[-1] if first.verdict == "comfortable" else None
    beyond = line.pretrain_to_billions if line.pretrain_to_billions != comfortable else None
    return PretrainingReach(line.pretrain_from_billions, comfortable, beyond)


def _days(verdict: Verdict) -> float | None:
    return verdict.rung.time.expected if verdict.rung is not None and verdict.rung.time is not None else None
