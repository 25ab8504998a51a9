from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from generator import cli
from generator.catalog import Catalog
from generator.commands.accuracy import as_text
from generator.estimate.accuracy import Accuracy
from tests.support import tiny_catalog


def test_every_measured_run_is_shown(catalog: Catalog, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["accuracy", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {each["id"] for each in found} == {run.id for run in catalog.measurements}
    finished = [each for each in found if each.get("error") is not None]
    assert len(finished) >= 200
    errors = [abs(each["error"]) for each in finished]
    assert errors == sorted(errors, reverse=True)
    assert all(each["error"] is None for each in found if each["outcome"] == "failed" and "error" in each)
    assert all(each["left_out"] for each in found if "error" not in each)
    for each in finished:
        assert each["error"] == pytest.approx(each["estimated_gib"] / each["measured_gib"] - 1)


def test_the_summary(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["accuracy"]) == 0
    shown = capsys.readouterr().out
    for method in ("full", "lora", "qlora"):
        assert re.search(rf"fms-acceleration +{method} +max-allocated", shown)
    assert "runs that failed: no " in shown
    assert "runs that finished: no " in shown
    assert "not-stated: fused_ce" in shown
    assert "variable-length" in shown


def test_without_runs_there_is_nothing_to_show(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["accuracy", "--data-dir", str(tiny_catalog(tmp_path))]) == 0
    assert capsys.readouterr().out == "no measured runs\n" == as_text(Accuracy((), ()))
