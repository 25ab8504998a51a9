from __future__ import annotations

import pytest

from generator.catalog import Catalog
from generator.verdict.results import RigReport
from generator.views.memory import cost_of_recipe, memory_per_parameter, needs, peak_terms


def test_bytes_per_parameter_are_those_of_the_chart(catalog: Catalog, report: RigReport) -> None:
    rows = {(row.method, row.recipe): row for row in memory_per_parameter(catalog, report)}
    qlora = rows["qlora", "qlora-ddp"]
    assert qlora.low_bytes == qlora.high_bytes == pytest.approx(0.516, abs=0.001)
    assert rows["lora", "lora-ddp"].low_bytes == 2
    full = rows["full", "full-fsdp2-adamw"]
    assert (full.low_bytes, full.high_bytes) == (16, 20)
    assert full.parts == {"weights": 4, "gradients": 4, "optimizer-states": 8}
    pure = rows["full", "full-fsdp2-bf16"]
    assert (pure.low_bytes, pure.high_bytes) == (8, 10)


def test_the_chart_goes_from_light_to_heavy_without_repetitions(catalog: Catalog, report: RigReport) -> None:
    rows = memory_per_parameter(catalog, report)
    assert [row.low_bytes for row in rows] == sorted(row.low_bytes for row in rows)
    assert len({(row.kind, row.low_bytes) for row in rows}) == len(rows)


def test_full_training_of_70b_needs_more_than_a_thousand_gib(catalog: Catalog, report: RigReport) -> None:
    found = {need.row.recipe: need for need in needs(catalog, "llama-3.1-70b", memory_per_parameter(catalog, report))}
    heaviest = found["full-fsdp2-adamw"]
    assert heaviest.low_gib == pytest.approx(heaviest.parameters * 16 / 2**30)
    assert heaviest.low_gib > 1000
    assert heaviest.high_gib == pytest.approx(heaviest.low_gib * 20 / 16)


def test_every_recipe_that_was_tried_has_its_cost(catalog: Catalog, report: RigReport) -> None:
    for method_id, method in catalog.methods.items():
        for recipe in method.ladder:
            assert cost_of_recipe(catalog, report, method_id, recipe.id) is not None
    assert cost_of_recipe(catalog, report, "full", "nothing-of-the-kind") is None


def test_the_terms_of_a_peak_add_up_to_it(report: RigReport) -> None:
    rung = report.verdicts["llama-3.1-70b", "lora"].rung
    assert rung is not None
    terms = peak_terms(rung.estimate)
    assert [gib for _, gib in terms] == sorted((gib for _, gib in terms), reverse=True)
    assert sum(gib for _, gib in terms) == pytest.approx(rung.estimate.peak_gib.expected, abs=0.3)
