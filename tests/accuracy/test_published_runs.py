"""The estimate against runs that somebody measured and published."""

from __future__ import annotations

from dataclasses import replace

import pytest

from generator.estimate.accuracy import compare, failures, percentile, summaries

LIMIT = 0.05
"""Full fine-tuning of 8B under FSDP: within 5 %."""


@pytest.mark.parametrize("run", ["fms-accel-189", "fms-accel-190", "fms-accel-193", "fms-accel-194", "fms-accel-195"])
def test_full_fine_tuning_of_8b_on_four_cards(catalog, run: str) -> None:
    found = {comparison.measurement.id: comparison for comparison in compare(catalog)}
    assert abs(found[run].error) <= LIMIT, f"{found[run].peak_gib:.2f} GiB against {found[run].measurement.peak_gib}"


@pytest.mark.parametrize(("method", "limit"), [("full", 0.03), ("lora", 0.05), ("qlora", 0.06)])
def test_median_absolute_error_by_method(catalog, method: str, limit: float) -> None:
    found = next(each for each in summaries(compare(catalog)) if each.method == method)
    assert found.runs >= 8
    assert found.median_absolute <= limit
    assert found.ninetieth_percentile <= 0.15
    assert found.too_low <= 0.03 * found.runs


def test_runs_that_failed_do_not_fit(catalog) -> None:
    found = failures(compare(catalog))
    assert found.runs == 30
    assert found.no >= 0.9 * found.runs
    assert found.yes == 0


def test_summaries_by_hand(catalog) -> None:
    comparisons = compare(catalog)
    full = [each for each in comparisons if each.measurement.id in ("fms-accel-189", "fms-accel-193")]
    wrong = [
        replace(each, peak_gib=each.measurement.peak_gib * factor)
        for each, factor in zip(full, (1.2, 0.8), strict=True)
    ]
    (found,) = summaries(wrong)
    assert found.median == pytest.approx(0.0)
    assert found.median_absolute == pytest.approx(0.2)
    assert found.too_low == 1


def test_percentile_lies_between_neighbours() -> None:
    assert percentile([1.0, 2.0, 3.0], 0.5) == 2.0
    assert percentile([1.0, 2.0], 0.9) == pytest.approx(1.9)
    assert percentile([5.0], 0.9) == 5.0
