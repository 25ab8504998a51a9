"""The estimate against runs that somebody measured and published."""

from __future__ import annotations

from dataclasses import replace

import pytest

from generator.catalog import Catalog
from generator.estimate.accuracy import (
    compare,
    failures,
    finished_unmeasured,
    not_stated,
    percentile,
    successes,
    summaries,
)
from generator.estimate.results import Band

EXACT = "fms-acceleration"
"""The source whose readings are exact bytes of the allocator."""
LIMIT = 0.05
"""Full fine-tuning of 8B under FSDP: within 5 %."""


@pytest.mark.parametrize("run", ["fms-accel-189", "fms-accel-190", "fms-accel-193", "fms-accel-194", "fms-accel-195"])
def test_full_fine_tuning_of_8b_on_four_cards(catalog: Catalog, run: str) -> None:
    found = {comparison.run.id: comparison for comparison in compare(catalog).comparisons}
    assert abs(found[run].error) <= LIMIT, f"{found[run].peak_gib:.2f} GiB against {found[run].measurement.peak_gib}"


@pytest.mark.parametrize(("method", "limit"), [("full", 0.03), ("lora", 0.05), ("qlora", 0.06)])
def test_median_absolute_error_of_exact_readings(catalog: Catalog, method: str, limit: float) -> None:
    found = next(
        each for each in summaries(compare(catalog).comparisons) if each.source == EXACT and each.method == method
    )
    assert found.runs >= 40
    assert found.median_absolute <= limit


def test_runs_that_failed_do_not_fit(catalog: Catalog) -> None:
    found = failures(compare(catalog).comparisons)
    assert found.runs >= 70
    assert found.no >= 0.9 * found.runs


def test_runs_that_finished_are_not_refused(catalog: Catalog) -> None:
    found = successes(compare(catalog).comparisons)
    assert found.runs >= 300
    assert found.no <= 0.02 * found.runs


def test_runs_that_finished_with_their_speed_alone_are_not_refused(catalog: Catalog) -> None:
    found = finished_unmeasured(compare(catalog).comparisons)
    assert found.runs >= 160
    assert found.no <= 0.01 * found.runs


def test_a_loss_of_16_bit_logits(catalog: Catalog) -> None:
    runs = [each for each in compare(catalog).comparisons if each.measurement.loss_upcast is False]
    errors = [each.error for each in runs if each.error is not None]
    assert len(errors) == 16
    assert max(map(abs, errors)) <= 0.04


def test_every_row_is_compared_or_left_out_with_a_reason(catalog: Catalog) -> None:
    accuracy = compare(catalog)
    compared, left = {each.run.id for each in accuracy.comparisons}, {each.run.id for each in accuracy.left}
    assert not compared & left
    assert compared | left == {run.id for run in catalog.measurements}
    assert all(each.detail for each in accuracy.left if each.reason in ("not-stated", "not-modelled"))


def test_what_nobody_states_leaves_a_run_out(catalog: Catalog) -> None:
    run = next(run for run in catalog.measurements if run.id == "fms-accel-189")
    assert not_stated(run.settings) == ()
    assert not_stated(run.settings.model_copy(update={"fused_ce": None, "optimizer": None})) == (
        "optimizer",
        "fused_ce",
    )
    speed = {"peak": None, "fused_ce": None, "optimizer": None}
    assert not_stated(run.settings.model_copy(update=speed)) == ()


def test_summary_by_hand(catalog: Catalog) -> None:
    comparisons = compare(catalog).comparisons
    two = [each for each in comparisons if each.run.id in ("fms-accel-189", "fms-accel-193")]
    wrong = [
        replace(each, band=Band(0.0, each.measurement.peak_gib * factor, 1000.0))
        for each, factor in zip(two, (1.2, 0.8), strict=True)
    ]
    (found,) = summaries(wrong)
    assert found.median == pytest.approx(0.0)
    assert found.median_absolute == pytest.approx(0.2)
    assert (found.too_low, found.inside, found.reading) == (1, 2, "max-allocated")


def test_percentile_lies_between_neighbours() -> None:
    assert percentile([1.0, 2.0, 3.0], 0.5) == 2.0
    assert percentile([1.0, 2.0], 0.9) == pytest.approx(1.9)
    assert percentile([5.0], 0.9) == 5.0


def test_the_thresholds_tell_of_the_runs_as_they_are(catalog: Catalog) -> None:
    """The reasons of the policy count published runs: when these or the estimate change, so do the words."""
    judged = [
        (each.ratio, each.run.published.outcome) for each in compare(catalog).comparisons if each.ratio is not None
    ]
    low = [outcome for ratio, outcome in judged if ratio <= 0.8]
    high = [outcome for ratio, outcome in judged if ratio > 0.95]
    policy = catalog.policy
    assert f"Of {len(low)} published runs" in policy.comfortable_ratio.reason.en
    assert f"{low.count('finished')} finished" in policy.comfortable_ratio.reason.en
    assert f"of {len(high)} published runs" in policy.borderline_ratio.reason.en
    assert high.count("finished") == 0
    assert "none finished" in policy.borderline_ratio.reason.en


def test_runs_that_judge_alone(catalog: Catalog) -> None:
    runs = {each.run.id: each for each in compare(catalog).comparisons if each.run.held_out}
    assert {each.run.source for each in runs.values()} >= {"fsdp-qlora", "peft-fsdp"}
    assert not catalog.fitting_sources & {each.run.source for each in runs.values()}
    allocated = [each.error for each in runs.values() if each.measurement.reading == "max-allocated"]
    assert len(allocated) == 2
    assert max(map(abs, allocated)) <= 0.05


def test_qlora_of_70b_ran_on_the_first_rig(catalog: Catalog) -> None:
    """Four RTX 6000 Ada, micro-batch 3 of 2,048 tokens: it fits, and the measured speed lies in the band."""
    found = next(each for each in compare(catalog).comparisons if each.run.id == "fsdp-qlora-029")
    assert (found.measurement.n_gpus, catalog.resolve_gpu(found.plan.gpu), found.fits) == (4, "rtx-6000-ada", "yes")
    assert found.speed.low <= found.measurement.tokens_per_sec_per_gpu <= found.speed.high


def test_a_card_that_is_not_in_the_catalogue_is_left_out_only_where_its_speed_alone_was_published(
    catalog: Catalog,
) -> None:
    """Memory is the same on every card; speed is not."""
    measured = {each.run.id: each for each in compare(catalog).comparisons}
    run = measured["fms-accel-189"].run
    elsewhere = replace(run, settings=run.settings.model_copy(update={"gpu": "of-nobody"}))
    speed_alone = replace(run, settings=elsewhere.settings.model_copy(update={"peak": None}))
    found = compare(replace(catalog, measurements=(elsewhere, speed_alone)))
    (kept,), (left,) = found.comparisons, found.left
    assert kept.peak_gib == measured["fms-accel-189"].peak_gib
    assert (kept.fits, kept.ratio, kept.speed) == (None, None, None)
    assert (left.reason, left.detail) == ("unknown-card", "of-nobody")
