from __future__ import annotations

import pytest

from generator.catalog import Catalog
from generator.verdict.results import RigReport
from generator.views.rigs import capability_rows, context_rows, matrix, methods_of, pools, sync_loss


def test_four_labels_are_192_gib_and_180_with_ecc_on(catalog: Catalog) -> None:
    rig = catalog.rigs["4x-rtx-6000-ada"]
    have = pools(rig, catalog.gpus[rig.gpu])
    assert have.label_total_gib == 192
    assert have.total_off_gib == pytest.approx(191.95, abs=0.01)
    assert have.total_on_gib == pytest.approx(179.95, abs=0.01)
    assert have.visible_total_on_gib == pytest.approx(4 * have.visible_on_gib)
    assert have.visible_on_gib < have.device_on_gib < have.device_off_gib


def test_the_map_has_a_row_for_every_class(catalog: Catalog, report: RigReport) -> None:
    rows = capability_rows(catalog, report, tuple(methods_of(catalog)))
    assert [row.size_class for row in rows] == [item.id for item in catalog.policy.size_classes]
    for row in rows:
        assert set(row.cells) == set(catalog.methods)


def test_a_cell_names_the_largest_model_with_its_verdict(catalog: Catalog, report: RigReport) -> None:
    for row in capability_rows(catalog, report, tuple(methods_of(catalog))):
        for method, view in row.cells.items():
            if view.exemplar is None:
                continue
            found = report.verdicts[view.exemplar, method]
            assert found.verdict == view.cell.verdict
            assert found.rung is not None
            assert view.ratio == found.rung.estimate.ratio
            assert (view.days is not None) == (catalog.methods[method].goal == "pretraining")


def test_the_spread_of_a_cell_covers_its_models(catalog: Catalog, report: RigReport) -> None:
    for row in capability_rows(catalog, report, tuple(methods_of(catalog))):
        for view in row.cells.values():
            if view.cell.models:
                assert min(part.from_billions for part in view.spread) == view.range_from_billions
                assert max(part.to_billions for part in view.spread) == view.range_to_billions
                assert view.mixed == (len(view.spread) > 1)
                assert view.spread[-1].verdict == view.cell.verdict


def test_the_matrix_holds_every_verdict(catalog: Catalog, report: RigReport) -> None:
    rows = matrix(catalog, report)
    assert sum(len(row.verdicts) for row in rows) == len(report.verdicts)
    assert [row.billions for row in rows] == sorted(row.billions for row in rows)


def test_contexts_and_accumulation_of_the_8b_class(catalog: Catalog, report: RigReport) -> None:
    models = report.capability["7-8b", "full"].models
    rows = context_rows(report, models, "full")
    assert [row.model for row in rows] == list(models)
    for row in rows:
        lengths = sorted(row.by_tokens)
        assert set(catalog.policy.workload.context_variants) <= set(lengths)
        ratios = [row.by_tokens[tokens][0] for tokens in lengths]
        assert ratios == sorted(ratios)
        assert row.grad_accum == catalog.policy.workload.grad_accum_variant
        assert row.accumulated["last"][0] > row.accumulated["each"][0] > row.by_tokens[4096][0]


def test_whole_gradients_cost_a_comfortable_model_its_place(report: RigReport) -> None:
    models = report.capability["7-8b", "full"].models
    lost = sync_loss(report, models, "full")
    assert lost is not None
    usable = report.verdicts[lost.model, "full"].rungs[0].estimate.usable_gib
    assert lost.peak_gib > 0.93 * usable
    assert sync_loss(report, (), "full") is None
