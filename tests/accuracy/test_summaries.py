"""Summaries of comparisons on a handful of made-up runs, every figure by hand."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from generator.estimate.accuracy import Comparison, near_the_edge, overall, speeds, summary_of_errors
from generator.estimate.bands import Residual, band_of, quantile
from generator.estimate.results import Band


def run(
    name: str, source: str = "a", ratio: float | None = None, speed: Band | None = None, **row: object
) -> Comparison:
    """A run estimated at 10 GiB."""
    base = {"method": "full", "reading": "max-allocated", "peak_gib": None, "peak": None, "outcome": "finished"}
    settings = SimpleNamespace(**{**base, "gpu": "card", "tokens_per_sec_per_gpu": None, **row})
    measured = SimpleNamespace(id=name, source=source, settings=settings, held_out=False)
    return Comparison(measured, None, Band(9, 10, 11), None, ratio, speed)  # type: ignore[arg-type]


def test_overall_counts_a_source_once_and_a_row_once() -> None:
    # errors: a: 0, 0.25, 0.25; b: 1; another method: −0.2; readings of the driver and of the cache count for nothing
    rows = [
        *(run(str(number), "a", peak_gib=peak) for number, peak in enumerate((10, 8, 8))),
        run("3", "b", peak_gib=5),
        run("4", "b", peak_gib=12.5, method="lora"),
        run("5", "c", peak_gib=1, reading="nvidia-smi"),
        run("7", "c", peak_gib=1, reading="max-reserved"),
        run("6", "c"),
    ]
    full, lora = overall(rows)
    assert (full.method, full.sources, full.runs) == ("full", 2, 4)
    assert full.over_sources == pytest.approx((0.25 + 1) / 2)
    assert full.over_rows == pytest.approx(0.25)
    assert full.ninetieth_percentile == pytest.approx(0.25 + 0.7 * 0.75)
    assert full.too_low_share == 0
    assert (lora.method, lora.sources, lora.runs) == ("lora", 1, 1)
    assert (lora.over_rows, lora.too_low_share) == (pytest.approx(0.2), 1)


def test_near_the_edge_are_judged_runs_about_93_percent_full() -> None:
    rows = [
        run("half", ratio=0.5, peak=5),
        run("low", ratio=0.89, peak=5),
        run("over", ratio=0.97, outcome="failed"),
        run("far", ratio=1.2, outcome="failed"),
        run("unknown", ratio=None, peak=5),
        run("speed alone", ratio=0.93),
        run("b", ratio=0.93, peak=5),
        run("a", ratio=0.93, peak=5),
    ]
    assert [each.run.id for each in near_the_edge(rows)] == ["over", "a", "b", "low"]


def test_speeds_by_hand() -> None:
    band = Band(50, 100, 120)
    measured = (49, 50, 80, 120, 125)
    rows = [run(str(number), speed=band, tokens_per_sec_per_gpu=speed) for number, speed in enumerate(measured)]
    (found,) = speeds([*rows, run("no speed", speed=band), run("no card", tokens_per_sec_per_gpu=5)])
    assert (found.runs, found.inside, found.too_fast) == (5, 3, 1)
    assert found.median == pytest.approx(100 / 80 - 1)


def test_errors_alone_say_nothing_of_the_band() -> None:
    found = summary_of_errors("a", "full", "max-allocated", [0.1, -0.3, -0.1])
    assert (found.runs, found.inside, found.too_low, found.worst) == (3, 0, 1, -0.3)
    assert (found.median, found.median_absolute) == (-0.1, 0.1)


def test_a_share_past_all_weight_is_the_greatest_value() -> None:
    assert quantile([(1.0, 1), (3.0, 1), (2.0, 1)], 1.1) == 3.0


def test_a_source_weighs_as_much_as_another_however_many_its_runs() -> None:
    """Fifty runs of one source and one of another: by source, the one is half of the weight."""
    many = [Residual("a", 0.0, -0.1, 0.1)] * 50
    assert band_of([*many, Residual("b", 0.4, -0.1, 0.1)])[1] == pytest.approx(0.4, abs=0.01)
