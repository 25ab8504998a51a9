"""The estimate against published measured runs: runs that finished by their peak, runs that failed by one side."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal

from generator.architecture import LORA_TARGETS, Architecture, Experts, Mlp
from generator.catalog.catalogue import Catalog
from generator.catalog.measurements import LeftOut, MeasuredRun, Measurement, Reading
from generator.errors import PlanError, UnknownIdError
from generator.estimate.plan import Plan
from generator.estimate.results import Band, Fits
from generator.estimate.run import estimate, memory_band

LOW = -0.10
"""An estimate that is lower than the measurement by more than this share is too low to rely on."""
EDGE, NEAR = 0.93, 0.05
"""A run is near the edge when its expected peak ÷ usable memory is within NEAR of EDGE."""
ALLOCATOR: tuple[Reading, ...] = ("max-allocated",)
"""Readings of what the estimate computes; the others are printed beside them. `max-reserved` holds cache as well:
runs of fsdp-qlora that print both reserved up to a quarter more than they had allocated."""

NEEDED = ("precision", "optimizer", "sharding", "seq_len", "micro_batch", "grad_checkpointing", "fused_ce")
"""Settings without which nobody can say what a run needed; n_gpus and method are in every row."""
NEEDED_FOR_SPEED = ("precision", "sharding", "seq_len", "micro_batch", "grad_checkpointing")
NEEDED_BY_ADAPTERS = ("lora_rank", "lora_targets")
NEUTRAL: dict[str, object] = {
    "optimizer": "adamw",
    "optimizer_impl": "foreach",
    "cpu_offload": "none",
    "grad_accum": 1,
    "grad_sync": "each",
    "attention": "sdpa",
    "compile": False,
    "fused_ce": False,
    "kernels": "stock",
    "reduce_dtype": "bf16",
    "root_wrap": "root",
    "quant": "none",
    "lora_rank": 1,
    "adapter_dtype": "fp32",
    "frozen_dtype": "bf16",
    "ecc": "on",
}
"""What the libraries do by themselves, for settings that neither a row nor its source says anything of."""

TARGETS = {**LORA_TARGETS, "qkv+mlp": tuple(name for name in LORA_TARGETS["all-linear"] if name != "o_proj")}
"""What adapters of measured runs stand on, by the names of data/measurements."""
REFINEMENTS = (
    "lora_dropout", "reshard", "kbit_preparation", "shifted_logits", "chunked_ce", "whole_copy", "matmul_keeps_input",
    "fabric_quantization", "fp32_logits", "keeps_last_step",
)  # fmt: skip
"""Settings that only refine an estimate."""

Reason = Literal[LeftOut, "not-stated", "not-modelled", "unknown-card"]
"""Why a run is not compared."""


@dataclass(frozen=True, slots=True)
class Left:
    """A run that is kept in the data and not compared."""

    run: MeasuredRun
    reason: Reason
    detail: str = ""
    """Settings that are not stated, or what is not modelled, in the words of the program."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A measured run and what the estimate says of it."""

    run: MeasuredRun
    plan: Plan
    band: Band
    """Allocator peak per GPU, GiB."""
    fits: Fits | None
    """What the estimate says of the card that it ran on; None for a card that the catalogue does not have."""
    ratio: float | None
    """Expected peak ÷ memory that the framework sees; None where the card is not known."""
    speed: Band | None
    """Tokens per second and GPU; None where the card is not known."""

    @property
    def measurement(self) -> Measurement:
        """The row with the defaults of its source."""
        return self.run.settings

    @property
    def peak_gib(self) -> float:
        """Expected allocator peak per GPU, GiB."""
        return self.band.expected

    @property
    def error(self) -> float | None:
        """Estimate ÷ measurement − 1: positive where the estimate is too high; None without a reading."""
        measured = self.measurement.peak_gib
        return None if measured is None else self.peak_gib / measured - 1

    @property
    def inside(self) -> bool | None:
        """Whether the reading lies between low and high; None without a reading."""
        measured = self.measurement.peak_gib
        return None if measured is None else self.band.low <= measured <= self.band.high


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Everything that was measured, with what the estimate says."""

    comparisons: tuple[Comparison, ...]
    left: tuple[Left, ...]


@dataclass(frozen=True, slots=True)
class Summary:
    """The errors of one source, method and kind of reading."""

    source: str
    method: str
    reading: Reading
    runs: int
    median: float
    """Median error: above 0 where the estimate is rather too high."""
    median_absolute: float
    ninetieth_percentile: float
    """Of the absolute errors, linear between two runs."""
    worst: float
    """The error that is farthest from 0."""
    too_low: int
    """Runs estimated more than 10 % too low."""
    inside: int
    """Runs whose reading lies between low and high."""


@dataclass(frozen=True, slots=True)
class Failures:
    """Runs by what the estimate says of the card that they ran on."""

    no: int
    tight: int
    yes: int

    @property
    def runs(self) -> int:
        """All of them."""
        return self.no + self.tight + self.yes


def plan_of(run: MeasuredRun) -> Plan:
    """The plan of a measured run; raises PlanError where it is not modelled or contradicts itself."""
    row = run.settings
    known = {each.name for each in fields(Plan)}
    settings = {name: value for name, value in _settings(row) if value is not None}
    for name, value in settings.items():
        if name not in known and name not in REFINEMENTS and value not in (NEUTRAL.get(name, False), "none"):
            raise PlanError(f"{name}: expected a setting that is modelled, found {value}")
    adapters = row.method in ("lora", "qlora")
    return Plan(
        model=row.model,
        shape=_shape_of(run),
        gpu=row.gpu,
        lora_targets=TARGETS[row.lora_targets] if adapters and row.lora_targets else (),
        **{name: value for name, value in settings.items() if name in known},  # type: ignore[arg-type]
    )


def _shape_of(run: MeasuredRun) -> Architecture:
    """The shape as the framework of the run built it."""
    shape, row = run.shape, run.settings
    if row.tied_embeddings is False:
        shape = replace(shape, tied_embeddings=False)
    if row.loss_upcast is False:
        shape = replace(shape, loss_in_16_bits=True)
    if row.experts_as_modules:
        shape = _with_mlps(shape, lambda mlp: replace(mlp, as_modules=True) if isinstance(mlp, Experts) else mlp)
    if row.gelu_kernel:
        shape = _with_mlps(shape, lambda mlp: replace(mlp, composed=False) if isinstance(mlp, Mlp) else mlp)
    return shape


def _with_mlps(shape: Architecture, changed: Callable[[Mlp | Experts], Mlp | Experts]) -> Architecture:
    groups = tuple(
        replace(group, layer=replace(group.layer, mlps=tuple(map(changed, group.layer.mlps)))) for group in shape.groups
    )
    return replace(shape, groups=groups)


def _settings(row: Measurement) -> Iterator[tuple[str, object]]:
    """Settings by the names of a plan; those that nobody stated as the libraries have them."""
    if row.grad_checkpointing == "selective":
        raise PlanError("grad_checkpointing: expected a setting that is modelled, found selective")
    for name in ("method", "n_gpus", "precision", "sharding", "seq_len", "micro_batch", *NEUTRAL):
        value = getattr(row, name)
        yield name, NEUTRAL.get(name) if value is None else value
    yield "grad_checkpointing", row.grad_checkpointing == "y"
    for name in ("train_embeddings", *REFINEMENTS):
        yield name, getattr(row, name)


def not_stated(row: Measurement) -> tuple[str, ...]:
    """Settings that neither the row nor a documented default of its source states."""
    needed = NEEDED if row.peak is not None or row.outcome == "failed" else NEEDED_FOR_SPEED
    adapters = NEEDED_BY_ADAPTERS if row.method in ("lora", "qlora") else ()
    quantised = ("quant",) if row.method == "qlora" else ()
    return tuple(name for name in (*needed, *adapters, *quantised) if getattr(row, name) is None)


def _compare(catalog: Catalog, run: MeasuredRun) -> Comparison | Left:
    row = run.settings
    if row.left_out:
        return Left(run, row.left_out)
    if missing := not_stated(row):
        return Left(run, "not-stated", ", ".join(missing))
    try:
        plan = plan_of(run)
        band = memory_band(catalog.constants, plan)
    except (PlanError, KeyError) as error:
        return Left(run, "not-modelled", str(error).strip("'"))
    try:
        result = estimate(catalog, replace(plan, gpu=catalog.resolve_gpu(plan.gpu)))
    except UnknownIdError:
        if row.peak is None:
            return Left(run, "unknown-card", row.gpu)
        return Comparison(run, plan, band, None, None, None)
    return Comparison(run, plan, band, result.fits, result.ratio, result.tokens_per_sec_per_gpu)


def compare(catalog: Catalog) -> Accuracy:
    """Every measured run of the catalogue with its estimate or the reason why there is none, as in the data."""
    every = [_compare(catalog, run) for run in catalog.measurements]
    return Accuracy(
        tuple(each for each in every if isinstance(each, Comparison)),
        tuple(each for each in every if isinstance(each, Left)),
    )


def finished(comparisons: Iterable[Comparison]) -> tuple[tuple[Comparison, float], ...]:
    """Runs with a reading of their memory, each with its error."""
    return tuple((each, each.error) for each in comparisons if each.error is not None)


def summaries(comparisons: Sequence[Comparison]) -> tuple[Summary, ...]:
    """Errors by source, method and reading, sorted by all three."""
    groups: dict[tuple[str, str, Reading], list[Comparison]] = {}
    for each, _ in finished(comparisons):
        key = (each.run.source, each.measurement.method, each.measurement.reading or "unspecified")
        groups.setdefault(key, []).append(each)
    return tuple(summary_of(*key, groups[key]) for key in sorted(groups))


def summary_of(source: str, method: str, reading: Reading, group: Sequence[Comparison]) -> Summary:
    """The errors of a group of runs; raises StatisticsError for none."""
    errors = [error for _, error in finished(group)]
    return summary_of_errors(source, method, reading, errors, sum(bool(each.inside) for each in group))


def summary_of_errors(source: str, method: str, reading: Reading, errors: Sequence[float], inside: int = 0) -> Summary:
    """The same from errors alone; raises StatisticsError for none."""
    absolute = sorted(abs(error) for error in errors)
    return Summary(
        source=source,
        method=method,
        reading=reading,
        runs=len(errors),
        median=statistics.median(errors),
        median_absolute=statistics.median(absolute),
        ninetieth_percentile=percentile(absolute, 0.9),
        worst=max(errors, key=abs),
        too_low=sum(error < LOW for error in errors),
        inside=inside,
    )


@dataclass(frozen=True, slots=True)
class Overall:
    """The errors of one method over readings of the allocator, as the mean over sources and over rows."""

    method: str
    sources: int
    runs: int
    over_sources: float
    """Mean over sources of the median absolute error of each."""
    over_rows: float
    """Median absolute error of all rows together."""
    ninetieth_percentile: float
    too_low_share: float
    judging_runs: int
    """Of the runs those whose source the formulas were not written by."""
    judging: float | None
    """Median absolute error of these alone; None without any."""


def overall(comparisons: Sequence[Comparison], fitting: Collection[str] = ()) -> tuple[Overall, ...]:
    """A line for each method, sorted. `fitting` are the sources that the formulas were written by."""
    rows = [(each, error) for each, error in finished(comparisons) if each.measurement.reading in ALLOCATOR]
    found = []
    for method in sorted({each.measurement.method for each, _ in rows}):
        errors: dict[str, list[float]] = {}
        for each, error in rows:
            if each.measurement.method == method:
                errors.setdefault(each.run.source, []).append(error)
        every = [error for group in errors.values() for error in group]
        absolute = sorted(abs(error) for error in every)
        judging = [abs(error) for source, group in errors.items() if source not in fitting for error in group]
        medians = [statistics.median([abs(error) for error in group]) for group in errors.values()]
        found.append(
            Overall(
                method=method,
                sources=len(errors),
                runs=len(every),
                over_sources=statistics.fmean(medians),
                over_rows=statistics.median(absolute),
                ninetieth_percentile=percentile(absolute, 0.9),
                too_low_share=sum(error < LOW for error in every) / len(every),
                judging_runs=len(judging),
                judging=statistics.median(judging) if judging else None,
            )
        )
    return tuple(found)


@dataclass(frozen=True, slots=True)
class SpeedSummary:
    """Measured tokens per second beside the band, by source, card and method."""

    source: str
    gpu: str
    method: str
    runs: int
    median: float
    """Median of expected ÷ measured − 1."""
    inside: int
    """Runs between the cautious and the best speed."""
    too_fast: int
    """Runs slower than the cautious speed."""


def speeds(comparisons: Sequence[Comparison]) -> tuple[SpeedSummary, ...]:
    """Speed of the runs whose source prints it, sorted by source, card and method."""
    groups: dict[tuple[str, str, str], list[tuple[Band, float]]] = {}
    for each in comparisons:
        measured = each.measurement.tokens_per_sec_per_gpu
        if measured is not None and each.speed is not None:
            key = (each.run.source, each.measurement.gpu, each.measurement.method)
            groups.setdefault(key, []).append((each.speed, measured))
    return tuple(
        SpeedSummary(
            source=source,
            gpu=gpu,
            method=method,
            runs=len(rows),
            median=statistics.median([band.expected / measured - 1 for band, measured in rows]),
            inside=sum(band.low <= measured <= band.high for band, measured in rows),
            too_fast=sum(measured < band.low for band, measured in rows),
        )
        for (source, gpu, method), rows in sorted(groups.items())
    )


def near_the_edge(comparisons: Iterable[Comparison]) -> tuple[Comparison, ...]:
    """Runs whose expected peak is within NEAR of the borderline, the fullest first."""
    judged = (each for each in comparisons if each.measurement.peak or each.measurement.outcome == "failed")
    found = [each for each in judged if each.ratio is not None and abs(each.ratio - EDGE) <= NEAR]
    return tuple(sorted(found, key=lambda each: (-(each.ratio or 0.0), each.run.id)))


def percentile(ascending: Sequence[float], share: float) -> float:
    """Value below which `share` of the sorted values lie, linear between neighbours; raises IndexError for none."""
    place = share * (len(ascending) - 1)
    below = int(place)
    above = min(below + 1, len(ascending) - 1)
    return ascending[below] + (place - below) * (ascending[above] - ascending[below])


def failures(comparisons: Iterable[Comparison]) -> Failures:
    """What the estimate says of the runs that failed: `no` is right, `yes` is wrong."""
    return _by_fits(each for each in comparisons if each.measurement.outcome == "failed")


def successes(comparisons: Iterable[Comparison]) -> Failures:
    """What the estimate says of the runs that finished: `no` is wrong."""
    return _by_fits(each for each in comparisons if each.measurement.outcome == "finished" and each.measurement.peak)


def finished_unmeasured(comparisons: Iterable[Comparison]) -> Failures:
    """The same of runs that finished and of which the speed alone was published."""
    return _by_fits(
        each
        for each in comparisons
        if each.measurement.outcome == "finished" and not each.measurement.peak and each.fits
    )


def _by_fits(comparisons: Iterable[Comparison]) -> Failures:
    found = [each.fits for each in comparisons]
    return Failures(no=found.count("no"), tight=found.count("tight"), yes=found.count("yes"))
