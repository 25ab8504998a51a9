"""What a rig has and how its report reads: pools of memory, capability map, pretraining sizes, matrix."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from generator.catalog import Catalog
from generator.catalog.records import Gpu, Method, Rig
from generator.units import gib_from_mib
from generator.verdict.results import VERDICTS, Cell, Reason, RigReport, Verdict, VerdictId
from generator.views.reasons import deciding_reason


@dataclass(frozen=True, slots=True)
class Pools:
    """Memory of a rig, which is several pools and not one. All GiB."""

    count: int
    label_gib: float
    """What the label of one card prints as GB."""
    device_on_gib: float
    """One card as nvidia-smi reports it, ECC on."""
    device_off_gib: float
    visible_on_gib: float
    """One card as PyTorch reports it, ECC on."""
    visible_off_gib: float

    @property
    def ecc_takes_memory(self) -> bool:
        """Whether it matters for memory that ECC is on: many cards have none, or keep it apart."""
        return self.device_on_gib != self.device_off_gib

    @property
    def label_total_gib(self) -> float:
        """The sum of the labels."""
        return self.count * self.label_gib

    @property
    def total_on_gib(self) -> float:
        """All cards with ECC on, as nvidia-smi reports them."""
        return self.count * self.device_on_gib

    @property
    def total_off_gib(self) -> float:
        """All cards with ECC off, as nvidia-smi reports them."""
        return self.count * self.device_off_gib

    @property
    def visible_total_on_gib(self) -> float:
        """All cards with ECC on, as PyTorch reports them."""
        return self.count * self.visible_on_gib

    @property
    def visible_total_off_gib(self) -> float:
        """All cards with ECC off, as PyTorch reports them."""
        return self.count * self.visible_off_gib


def pools(rig: Rig, gpu: Gpu) -> Pools:
    """The memory of a rig."""
    return Pools(
        count=rig.count,
        label_gib=gpu.memory_label_gib.value,
        device_on_gib=gib_from_mib(gpu.usable_mib.on.value),
        device_off_gib=gib_from_mib(gpu.usable_mib.off.value),
        visible_on_gib=gpu.framework_visible_gib.on.value,
        visible_off_gib=gpu.framework_visible_gib.off.value,
    )


@dataclass(frozen=True, slots=True)
class Spread:
    """The models of a cell that share a verdict, by size."""

    verdict: VerdictId
    from_billions: float
    to_billions: float


@dataclass(frozen=True, slots=True)
class CellView:
    """A cell of the capability map, with what it takes to explain it."""

    cell: Cell
    range_from_billions: float | None
    """Smallest model of the cell; none where the class has no model."""
    range_to_billions: float | None
    exemplar: str | None
    """The model that gives the cell its verdict: of the worst ones the largest."""
    ratio: float | None
    """r of that model."""
    days: float | None
    """Pretraining: expected days of that model."""
    recipe: str | None
    """Id of the recipe that r is of."""
    reason: Reason | None
    """What decided the verdict of that model."""
    spread: tuple[Spread, ...]
    """The verdicts that occur, from best to worst, with the sizes that get them."""

    @property
    def mixed(self) -> bool:
        """Whether models of the class differ in their verdict."""
        return self.cell.best != self.cell.verdict


@dataclass(frozen=True, slots=True)
class MapRow:
    """A size class with its cells in the order of the methods."""

    size_class: str
    models: tuple[str, ...]
    """Ids of the dense text models of the class, the smallest first."""
    cells: Mapping[str, CellView]


def capability_rows(catalog: Catalog, report: RigReport, methods: tuple[str, ...]) -> tuple[MapRow, ...]:
    """Rows of the capability map, the smallest class first."""
    rows = []
    for size_class in catalog.policy.size_classes:
        cells = {
            method: _cell_view(catalog, report, report.capability[size_class.id, method])
            for method in methods
            if (size_class.id, method) in report.capability
        }
        named = (
            cell.cell.models for cell in cells.values() if any(model in catalog.models for model in cell.cell.models)
        )
        rows.append(MapRow(size_class.id, next(named, ()), cells))
    return tuple(rows)


def _cell_view(catalog: Catalog, report: RigReport, cell: Cell) -> CellView:
    sizes = {model: size_billions(catalog, model) for model in cell.models}
    verdicts = {model: _verdict(report, model, cell.method) for model in cell.models}
    deciding = [model for model, verdict in verdicts.items() if verdict is not None and verdict.verdict == cell.verdict]
    exemplar = max(deciding, key=lambda model: (sizes[model], model)) if deciding else None
    chosen = verdicts[exemplar] if exemplar is not None else None
    rung = chosen.rung if chosen is not None else None
    pretraining = catalog.methods[cell.method].goal == "pretraining"
    return CellView(
        cell,
        min(sizes.values(), default=None),
        max(sizes.values(), default=None),
        exemplar,
        rung.estimate.ratio if rung is not None else None,
        rung.time.expected if rung is not None and rung.time is not None and pretraining else None,
        rung.recipe if rung is not None else None,
        deciding_reason(rung, catalog.methods[cell.method].goal) if rung is not None else None,
        tuple(_spread(sizes, verdicts)),
    )


def _spread(sizes: Mapping[str, float], verdicts: Mapping[str, Verdict | None]) -> Iterator[Spread]:
    for verdict_id in VERDICTS:
        found = [sizes[model] for model, verdict in verdicts.items() if verdict and verdict.verdict == verdict_id]
        if found:
            yield Spread(verdict_id, min(found), max(found))


def size_billions(catalog: Catalog, model: str) -> float:
    """Billions of parameters of a model id or of a bare size such as `size-1.5`."""
    if model in catalog.models:
        return catalog.models[model].parameters.exact.value / 1e9
    return float(model.removeprefix("size-"))


def _verdict(report: RigReport, model: str, method: str) -> Verdict | None:
    if model.startswith("size-"):
        return report.pretraining.get(float(model.removeprefix("size-")))
    return report.verdicts.get((model, method))


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """A model with its verdict by method."""

    model: str
    billions: float
    verdicts: Mapping[str, Verdict]


def matrix(catalog: Catalog, report: RigReport) -> tuple[MatrixRow, ...]:
    """Model × method, in the order of the report."""
    rows: dict[str, dict[str, Verdict]] = {}
    for (model, method), verdict in report.verdicts.items():
        rows.setdefault(model, {})[method] = verdict
    return tuple(MatrixRow(model, size_billions(catalog, model), verdicts) for model, verdicts in rows.items())


def verdict_counts(report: RigReport, method: str) -> Mapping[VerdictId, int]:
    """How many models get which verdict for a method."""
    counts: dict[VerdictId, int] = {}
    for (_, verdict_method), verdict in report.verdicts.items():
        if verdict_method == method:
            counts[verdict.verdict] = counts.get(verdict.verdict, 0) + 1
    return counts


@dataclass(frozen=True, slots=True)
class ContextRow:
    """How r of one model moves with the context and with accumulation, one method."""

    model: str
    method: str
    verdict: Verdict
    by_tokens: Mapping[int, tuple[float, VerdictId]]
    """Context length → r and what memory alone says, without accumulation."""
    accumulated: Mapping[str, tuple[float, VerdictId]]
    """When gradients are reduced, `each` or `last` → r and what memory alone says, with accumulation at the reference
    context."""
    grad_accum: int | None


def context_rows(report: RigReport, models: tuple[str, ...], method: str) -> tuple[ContextRow, ...]:
    """The rows of these models that the report has a rung for."""
    rows = []
    for model in models:
        verdict = report.verdicts.get((model, method))
        if verdict is None or verdict.rung is None:
            continue
        rung = verdict.rung
        plain = {v.seq_len: (v.ratio, v.memory) for v in verdict.contexts if v.grad_accum == 1}
        accumulated = [v for v in verdict.contexts if v.grad_accum > 1]
        rows.append(
            ContextRow(
                model=model,
                method=method,
                verdict=verdict,
                by_tokens={rung.estimate.plan.seq_len: (rung.estimate.ratio, rung.verdict), **plain},
                accumulated={v.grad_sync: (v.ratio, v.memory) for v in accumulated},
                grad_accum=accumulated[0].grad_accum if accumulated else None,
            )
        )
    return tuple(rows)


@dataclass(frozen=True, slots=True)
class SyncLoss:
    """A model that is comfortable with accumulation while gradients are reduced each time, and does not fit else."""

    model: str
    method: str
    peak_gib: float
    """Peak where gradients are reduced after the last micro-batch only."""


def sync_loss(report: RigReport, models: tuple[str, ...], method: str) -> SyncLoss | None:
    """Of these models the one that loses most when whole gradients are kept; none where all keep a place."""
    comfortable = [
        verdict
        for model in models
        if (verdict := report.verdicts.get((model, method))) is not None and verdict.verdict == "comfortable"
    ]
    lost = (
        SyncLoss(verdict.model, method, variant.peak_gib)
        for verdict in comfortable
        for variant in verdict.contexts
        if variant.grad_accum > 1 and variant.grad_sync == "last" and variant.memory == "not-recommended"
    )
    return max(lost, key=lambda item: item.peak_gib, default=None)


def methods_of(catalog: Catalog) -> Mapping[str, Method]:
    """Methods in their order."""
    return dict(sorted(catalog.methods.items(), key=lambda item: item[1].order))
