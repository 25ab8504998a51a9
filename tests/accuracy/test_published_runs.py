"""The estimate against runs that somebody measured and published."""

from __future__ import annotations

import pytest

from generator.estimate.accuracy import compare

LIMIT = 0.05
"""Full fine-tuning of 8B under FSDP: within 5 %."""


@pytest.mark.parametrize("run", ["fms-accel-189", "fms-accel-190", "fms-accel-193", "fms-accel-194", "fms-accel-195"])
def test_full_fine_tuning_of_8b_on_four_cards(catalog, run: str) -> None:
    found = {comparison.measurement.id: comparison for comparison in compare(catalog)}
    assert abs(found[run].error) <= LIMIT, f"{found[run].peak_gib:.2f} GiB against {found[run].measurement.peak_gib}"


def test_comparisons_can_be_wrong(catalog) -> None:
    comparison = compare(catalog)[0]
    wrong = type(comparison)(comparison.measurement, comparison.measurement.peak_gib * 1.2)
    assert wrong.error == pytest.approx(0.2)
