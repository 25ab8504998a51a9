"""What the files of the API say: the fields of the contract, the numbers of the report, everything sorted."""

from __future__ import annotations

import dataclasses
from types import MappingProxyType

import pytest
from pydantic import ValidationError

from generator.catalog import Catalog
from generator.verdict.results import RigReport
from generator.views.api import (
    VERDICT_COLUMNS,
    api_files,
    api_tables,
    generator_version,
    locked_rows,
    model_file,
    rig_file,
    rigs_file,
    schemas,
    sources_file,
)
from generator.views.api_records import FILES, Peak, RigFile
from generator.views.api_runs import RUNS_PATH

RIG = "4x-rtx-6000-ada"


def test_a_rig_has_the_fields_of_the_contract(catalog: Catalog, report: RigReport) -> None:
    content = rig_file(catalog, report).model_dump(mode="json")
    assert list(content) == ["schema_version", "data_date", "generator_version", "rig", "verdicts", "recommended"]
    assert set(content["verdicts"][0]) == {
        "model", "method", "verdict", "recipe", "peak_gib", "peak_phase", "usable_gib", "ratio", "max_seq_len",
        "host_ram_gib", "tokens_per_sec_per_gpu", "reasons",
    }  # fmt: skip
    assert set(content["verdicts"][0]["peak_gib"]) == {"low", "expected", "high"}
    assert set(content["recommended"][0]) == {"model", "modes"}
    assert {key for each in content["recommended"] for mode in each["modes"] for key in mode} == {"method", "verdict"}


def test_a_rig_says_what_the_report_says(catalog: Catalog, report: RigReport) -> None:
    content = rig_file(catalog, report)
    assert len(content.verdicts) == len(report.verdicts)
    for shown in content.verdicts:
        verdict = report.verdicts[shown.model, shown.method]
        rung = verdict.rung
        if rung is None:
            assert verdict.verdict == "unknown"
            assert (shown.verdict, shown.recipe, shown.peak_gib, shown.ratio) == ("unknown", None, None, None)
            continue
        assert (shown.verdict, shown.recipe, shown.max_seq_len) == (verdict.verdict, rung.recipe, verdict.max_seq_len)
        assert shown.peak_gib is not None
        assert shown.peak_gib.expected == pytest.approx(rung.estimate.peak_gib.expected, abs=1e-6)
        assert shown.ratio == pytest.approx(rung.estimate.ratio, abs=1e-6)
        assert [reason.id for reason in shown.reasons] == [reason.id for reason in verdict.reasons]
    for shown in content.recommended:
        modes = report.recommended[shown.model].modes
        assert [(mode.method, mode.verdict) for mode in shown.modes] == [(mode.method, mode.verdict) for mode in modes]


def test_everything_is_sorted(catalog: Catalog, report: RigReport) -> None:
    methods = list(catalog.methods)
    content = rig_file(catalog, report)
    keys = [(each.model, methods.index(each.method)) for each in content.verdicts]
    assert keys == sorted(keys)
    assert [each.model for each in content.recommended] == sorted(report.recommended)
    sources = [each.id for each in sources_file(catalog).sources]
    assert sources == sorted(catalog.sources)
    files = list(api_files(catalog, {RIG: report}))
    assert files == sorted(files)


def test_one_model_of_a_rig(catalog: Catalog, report: RigReport) -> None:
    content = rig_file(catalog, report, "qwen3-14b")
    assert {each.model for each in content.verdicts} == {"qwen3-14b"}
    assert [each.model for each in content.recommended] == ["qwen3-14b"]


def test_a_model_on_two_rigs(catalog: Catalog, report: RigReport) -> None:
    other = dataclasses.replace(report, rig="another")
    content = model_file(catalog, {RIG: report, "another": other}, "qwen3-14b")
    assert [each.rig for each in content.recommended] == [RIG, "another"]
    assert [each.rig for each in content.verdicts] == [RIG] * 4 + ["another"] * 4
    assert content.parameters == catalog.models["qwen3-14b"].parameters.exact.value
    assert content.family == "qwen3"


def test_a_verdict_without_a_recipe_has_no_numbers(catalog: Catalog, report: RigReport) -> None:
    key = ("qwen3-14b", "full")
    unknown = dataclasses.replace(report.verdicts[key], verdict="unknown", chosen=None, rungs=(), max_seq_len=None)
    changed = dataclasses.replace(report, verdicts=MappingProxyType({**report.verdicts, key: unknown}))
    (shown,) = (each for each in rig_file(catalog, changed, key[0]).verdicts if each.method == "full")
    assert shown.verdict == "unknown"
    assert (shown.recipe, shown.peak_gib, shown.ratio, shown.usable_gib) == (None, None, None, None)
    (row,) = (row for row in api_tables(catalog, {RIG: changed})["verdicts.csv"] if row[1:3] == key)
    assert row[3:14] == ("unknown", *[None] * 10)


def test_the_long_table_has_a_row_for_each_rig_model_and_method(catalog: Catalog, report: RigReport) -> None:
    tables = api_tables(catalog, {RIG: report})
    rows = [dict(zip(VERDICT_COLUMNS, row, strict=True)) for row in tables["verdicts.csv"]]
    assert {(row["model"], row["method"]): row["verdict"] for row in rows} == {
        key: verdict.verdict for key, verdict in report.verdicts.items()
    }
    assert tables[f"rigs/{RIG}.csv"] == tables["verdicts.csv"]


def test_sources_count_every_use(catalog: Catalog) -> None:
    sources = sources_file(catalog).sources
    assert sum(len(each.used_by) for each in sources) == len(list(catalog.citations()))
    assert all(each.url or each.package for each in sources)


def test_rigs_lead_to_their_files(catalog: Catalog, report: RigReport) -> None:
    (rig,) = rigs_file(catalog, {RIG: report}).rigs
    files = api_files(catalog, {RIG: report})
    assert rig.file in files
    assert rig.table in api_tables(catalog, {RIG: report})
    assert rig.headline.full == report.headline.full
    assert rig.usable_gib == catalog.gpus[rig.gpu].framework_visible_gib.on.value


def test_the_index_lists_all_files_and_their_schemas(catalog: Catalog, report: RigReport) -> None:
    reports = {RIG: report}
    files, tables = api_files(catalog, reports), api_tables(catalog, reports)
    index = files["index.json"][1].model_dump()
    assert [each["path"] for each in index["files"]] == sorted([*files, *tables, RUNS_PATH])
    assert {each["schema_path"] for each in index["files"]} - {None} == set(schemas())
    assert {kind for kind, _ in files.values()} == set(FILES)


def test_every_file_says_what_it_was_made_of(catalog: Catalog, report: RigReport) -> None:
    for path, (_, content) in api_files(catalog, {RIG: report}).items():
        assert content.schema_version == 1, path
        assert content.data_date == catalog.data_date.isoformat(), path
        assert content.generator_version == generator_version(), path


def test_records_take_nothing_else() -> None:
    with pytest.raises(ValidationError):
        Peak.model_validate({"low": 1, "expected": 2, "high": 3, "median": 2})
    with pytest.raises(ValidationError):
        RigFile.model_validate({"rig": RIG})


def test_the_locked_table_has_a_column_for_each_method(catalog: Catalog, report: RigReport) -> None:
    """Worked out on a short way, the verdicts are those of the report."""
    methods, rows = locked_rows(catalog)
    assert methods == tuple(catalog.methods)
    assert list(rows) == [(rig, model) for rig in sorted(catalog.rigs) for model in sorted(report.recommended)]
    for model in report.recommended:
        assert rows[RIG, model] == tuple(report.verdicts[model, method].verdict for method in methods)
