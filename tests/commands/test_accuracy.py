from __future__ import annotations

import json
from pathlib import Path

import pytest

from generator import cli
from generator.catalog import Catalog
from generator.commands.accuracy import as_text
from tests.support import tiny_catalog


def test_every_measured_run_is_shown(catalog: Catalog, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["accuracy", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {each["id"] for each in found} == {run.id for run in catalog.measurements}
    finished = [each for each in found if each["outcome"] == "finished"]
    errors = [abs(each["error"]) for each in finished]
    assert errors == sorted(errors, reverse=True)
    assert all(each["error"] is None for each in found if each["outcome"] == "failed")
    for each in finished:
        assert each["error"] == pytest.approx(each["estimated_gib"] / each["measured_gib"] - 1)


def test_the_summary(capsys: pytest.CaptureFixture[str], catalog: Catalog) -> None:
    assert cli.main(["accuracy"]) == 0
    shown = capsys.readouterr().out
    for method in ("full", "lora", "qlora"):
        assert f"fms-acceleration  {method}" in shown
    failed = sum(run.outcome == "failed" for run in catalog.measurements)
    assert f"of {failed} runs that failed: no {failed}, tight 0, yes 0" in shown


def test_without_runs_there_is_nothing_to_show(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["accuracy", "--data-dir", str(tiny_catalog(tmp_path))]) == 0
    assert capsys.readouterr().out == "no measured runs\n" == as_text([])
