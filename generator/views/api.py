"""The content of the API: records by file, and the rows of its tables. Sorted by id; the terminal shows the same."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from generator.catalog import Catalog
from generator.catalog.records import Source
from generator.verdict.report import verdicts_alone
from generator.verdict.results import RigReport, Verdict
from generator.views.api_records import (
    FILES,
    SCHEMA_VERSION,
    FileRecord,
    Head,
    HeadlineRecord,
    IndexFile,
    ModelFile,
    ModelModes,
    ModelVerdict,
    ModeRecord,
    Name,
    Package,
    Peak,
    ReasonRecord,
    RigFile,
    RigModes,
    RigsFile,
    RigSummary,
    RigVerdict,
    SourceRecord,
    SourcesFile,
    UseRecord,
)
from generator.views.api_runs import RUNS_PATH
from generator.views.rigs import methods_of
from generator.views.sources import source_views

DIGITS = 6
"""Digits after the point: more would say nothing, and would differ between machines."""
DIALECT = "https://json-schema.org/draft/2020-12/schema"

Reports = Mapping[str, RigReport]
"""Rig id → its report."""
Cell = str | int | float | None
"""A cell of a table, not formatted."""

ALL_TABLE_PATH = "verdicts.csv"
"""The table of all rigs together."""
VERDICT_COLUMNS = (
    "rig",
    "model",
    "method",
    "verdict",
    "recipe",
    "peak_gib_low",
    "peak_gib_expected",
    "peak_gib_high",
    "peak_phase",
    "usable_gib",
    "ratio",
    "max_seq_len",
    "host_ram_gib",
    "tokens_per_sec_per_gpu",
    "reasons",
)
"""Columns of the long table; `reasons` are ids joined by blanks."""


@cache
def generator_version() -> str:
    """Version of this package; `0` where it runs without having been installed."""
    try:
        return version("trainfit")
    except PackageNotFoundError:
        return "0"


def _head(catalog: Catalog) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA_VERSION,
        "data_date": catalog.data_date.isoformat(),
        "generator_version": generator_version(),
    }


def _rounded(value: float) -> float:
    if not math.isfinite(value):
        raise ValueError(f"expected a finite number, found {value}")
    return round(float(value), DIGITS)


def _numbers(verdict: Verdict) -> dict[str, Any]:
    """Fields of MethodVerdict; those of the estimate are None where no recipe was tried."""
    rung = verdict.rung
    result = rung.estimate if rung else None
    peak = result.peak_gib if result else None
    speed = result.tokens_per_sec_per_gpu if result else None
    return {
        "method": verdict.method,
        "verdict": verdict.verdict,
        "recipe": rung.recipe if rung else None,
        "peak_gib": Peak(**{name: _rounded(getattr(peak, name)) for name in Peak.model_fields}) if peak else None,
        "peak_phase": result.peak_phase if result else None,
        "usable_gib": _rounded(result.usable_gib) if result else None,
        "ratio": _rounded(result.ratio) if result else None,
        "max_seq_len": verdict.max_seq_len,
        "host_ram_gib": _rounded(result.host_ram_gib) if result else None,
        "tokens_per_sec_per_gpu": _rounded(speed.expected) if speed else None,
        "reasons": tuple(
            ReasonRecord(id=reason.id, values={name: _rounded(value) for name, value in sorted(reason.values.items())})
            for reason in verdict.reasons
        ),
    }


Numbers = Callable[[Verdict], Mapping[str, Any]]


def each_once() -> Numbers:
    """What works out the fields of a verdict once, for verdicts that live as long as this.

    A verdict stands in the file of its rig, in that of its model and in two tables.
    """
    known: dict[int, Mapping[str, Any]] = {}

    def numbers(verdict: Verdict) -> Mapping[str, Any]:
        if id(verdict) not in known:
            known[id(verdict)] = _numbers(verdict)
        return known[id(verdict)]

    return numbers


def _verdicts(catalog: Catalog, report: RigReport, model: str | None = None) -> Iterator[Verdict]:
    """Verdicts of a report by model id and in the order of the methods."""
    methods = methods_of(catalog)
    models = sorted({judged for judged, _ in report.verdicts}) if model is None else [model]
    keys = ((each, method) for each in models for method in methods)
    return (report.verdicts[key] for key in keys if key in report.verdicts)


def _modes(report: RigReport, model: str) -> tuple[ModeRecord, ...]:
    found = report.recommended[model].modes if model in report.recommended else ()
    return tuple(ModeRecord(method=mode.method, verdict=mode.verdict) for mode in found)


def rig_file(catalog: Catalog, report: RigReport, model: str | None = None, numbers: Numbers = _numbers) -> RigFile:
    """All verdicts on a rig, or those on one model."""
    return RigFile(
        **_head(catalog),
        rig=report.rig,
        verdicts=tuple(ModelVerdict(model=v.model, **numbers(v)) for v in _verdicts(catalog, report, model)),
        recommended=tuple(
            ModelModes(model=each, modes=_modes(report, each))
            for each in sorted(report.recommended)
            if model in (None, each)
        ),
    )


def model_file(catalog: Catalog, reports: Reports, model: str, numbers: Numbers = _numbers) -> ModelFile:
    """All verdicts on a model; raises KeyError for an unknown id."""
    record = catalog.models[model]
    return ModelFile(
        **_head(catalog),
        model=model,
        name=record.name,
        family=catalog.family_of(model),
        vendor=record.vendor,
        hugging_face=record.hugging_face,
        parameters=record.parameters.exact.value,
        verdicts=tuple(
            RigVerdict(rig=rig, **numbers(verdict))
            for rig in sorted(reports)
            for verdict in _verdicts(catalog, reports[rig], model)
        ),
        recommended=tuple(RigModes(rig=rig, modes=_modes(reports[rig], model)) for rig in sorted(reports)),
    )


def rigs_file(catalog: Catalog, reports: Reports) -> RigsFile:
    """All rigs that have a report."""
    return RigsFile(**_head(catalog), rigs=tuple(_rig(catalog, reports[rig]) for rig in sorted(reports)))


def _rig(catalog: Catalog, report: RigReport) -> RigSummary:
    rig = catalog.rigs[report.rig]
    usable = catalog.gpus[rig.gpu].framework_visible_gib.of(catalog.policy.workload.ecc)
    return RigSummary(
        id=report.rig,
        name=Name.of(rig.name),
        gpu=rig.gpu,
        count=rig.count,
        usable_gib=_rounded(usable.value),
        host_memory_gib=_rounded(rig.host_memory_gib.value),
        headline=HeadlineRecord(**{name: getattr(report.headline, name) for name in HeadlineRecord.model_fields}),
        page=f"rigs/{report.rig}/",
        file=rig_path(report.rig),
        table=rig_table_path(report.rig),
    )


def sources_file(catalog: Catalog) -> SourcesFile:
    """All sources with every use."""
    views = sorted(source_views(catalog), key=lambda view: view.source_id)
    return SourcesFile(
        **_head(catalog),
        sources=tuple(
            _source(
                view.source_id,
                view.source,
                tuple(UseRecord(kind=use.kind, id=use.record_id, field=use.field) for use in view.usages),
            )
            for view in views
        ),
    )


def _source(source_id: str, source: Source, uses: tuple[UseRecord, ...]) -> SourceRecord:
    package = source.package
    return SourceRecord(
        id=source_id,
        title=source.title,
        publisher=source.publisher,
        type=source.type,
        url=source.url,
        package=Package(registry=package.registry, name=package.name, version=package.version) if package else None,
        published=source.published,
        read=source.read.isoformat() if source.read else None,
        language=source.language,
        licence=source.licence,
        access=source.access,
        seen_at=source.seen_at,
        revision=source.revision,
        page=f"sources/{source_id}/",
        used_by=tuple(sorted(uses, key=lambda use: (use.kind, use.id, use.field))),
    )


def rig_path(rig: str) -> str:
    """File of a rig, relative to the folder of the API."""
    return f"rigs/{rig}.json"


def model_path(model: str) -> str:
    """File of a model, relative to the folder of the API."""
    return f"models/{model}.json"


def rig_table_path(rig: str) -> str:
    """Table of a rig, relative to the folder of the API."""
    return f"rigs/{rig}.csv"


def schema_path(kind: str) -> str:
    """Schema of a kind of file, relative to the folder of the API."""
    return f"schemas/{kind}.schema.json"


def schemas() -> dict[str, dict[str, Any]]:
    """Path → JSON Schema of each kind of file, made from the records."""
    return {
        schema_path(kind): {"$schema": DIALECT, **record.model_json_schema(mode="serialization")}
        for kind, record in sorted(FILES.items())
    }


def api_files(catalog: Catalog, reports: Reports, numbers: Numbers = _numbers) -> dict[str, tuple[str, Head]]:
    """Path → kind and content of each JSON file, sorted by path."""
    files: dict[str, tuple[str, Head]] = {
        "rigs.json": ("rigs", rigs_file(catalog, reports)),
        "sources.json": ("sources", sources_file(catalog)),
        **{rig_path(rig): ("rig", rig_file(catalog, report, None, numbers)) for rig, report in reports.items()},
        **{model_path(model): ("model", model_file(catalog, reports, model, numbers)) for model in catalog.models},
    }
    listed = {"index.json": "index", **{path: kind for path, (kind, _) in files.items()}}
    tables = [*map(rig_table_path, reports), ALL_TABLE_PATH, RUNS_PATH]
    index = IndexFile(
        **_head(catalog),
        files=tuple(
            FileRecord(
                path=path,
                media_type="text/csv" if path in tables else "application/json",
                schema_path=schema_path(listed[path]) if path in listed else None,
            )
            for path in sorted([*listed, *tables])
        ),
        rigs=tuple(sorted(reports)),
        models=tuple(sorted(catalog.models)),
        methods=tuple(methods_of(catalog)),
        licence="CC-BY-4.0",
    )
    return dict(sorted({**files, "index.json": ("index", index)}.items()))


def api_tables(catalog: Catalog, reports: Reports, numbers: Numbers = _numbers) -> dict[str, list[tuple[Cell, ...]]]:
    """Path → rows of VERDICT_COLUMNS of each table, all rigs together and each alone."""
    by_rig = {
        rig: [_row(rig, verdict, numbers(verdict)) for verdict in _verdicts(catalog, reports[rig])]
        for rig in sorted(reports)
    }
    everything = [row for rows in by_rig.values() for row in rows]
    return {**{rig_table_path(rig): rows for rig, rows in by_rig.items()}, ALL_TABLE_PATH: everything}


def _row(rig: str, verdict: Verdict, values: Mapping[str, Any]) -> tuple[Cell, ...]:
    peak: Peak | None = values["peak_gib"]
    flat = {
        **values,
        "rig": rig,
        "model": verdict.model,
        "peak_gib_low": peak.low if peak else None,
        "peak_gib_expected": peak.expected if peak else None,
        "peak_gib_high": peak.high if peak else None,
        "reasons": " ".join(reason.id for reason in verdict.reasons),
    }
    return tuple(flat[column] for column in VERDICT_COLUMNS)


def locked_rows(catalog: Catalog) -> tuple[tuple[str, ...], dict[tuple[str, str], tuple[str, ...]]]:
    """Methods, and (rig id, model id) → verdict by method, sorted: what `data/verdicts.csv` keeps."""
    methods = tuple(methods_of(catalog))
    rows: dict[tuple[str, str], tuple[str, ...]] = {}
    for rig in sorted(catalog.rigs):
        found = verdicts_alone(catalog, rig)
        rows |= {
            (rig, model): tuple(found[model, method] for method in methods)
            for model in sorted({model for model, _ in found})
        }
    return methods, rows
