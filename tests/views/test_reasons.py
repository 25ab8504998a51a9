from __future__ import annotations

from typing import get_args

from generator.catalog import Catalog
from generator.verdict.results import ReasonId, RigReport
from generator.views.reasons import SEVERITY, deciding_reason


def test_every_reason_has_its_weight() -> None:
    assert set(SEVERITY) == set(get_args(ReasonId))


def test_the_deciding_reason_agrees_with_the_verdict(catalog: Catalog, report: RigReport) -> None:
    wanted = {"comfortable": 1, "borderline": 2, "not-recommended": 3}
    for (_, method), verdict in report.verdicts.items():
        for rung in verdict.rungs:
            reason = deciding_reason(rung, catalog.methods[method].goal)
            assert reason is not None
            assert SEVERITY[reason.id] == wanted[rung.verdict]


def test_pretraining_is_decided_by_time_where_both_decide(report: RigReport) -> None:
    rung = report.pretraining[70.0].rung
    assert rung is not None
    reason = deciding_reason(rung, "pretraining")
    assert reason is not None
    assert reason.id == "time-exceeds"
