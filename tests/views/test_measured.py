from __future__ import annotations

from dataclasses import replace

from generator.catalog import Catalog
from generator.estimate.accuracy import compare, finished, plan_of
from generator.views.measured import by_sharding, kind_of_run, measured_kinds


def test_readings_are_those_that_the_estimate_is_compared_with(catalog: Catalog) -> None:
    kinds = measured_kinds(catalog)
    rows = finished(compare(catalog).comparisons)
    assert sum(kinds.values()) == len(rows)
    assert kinds == {
        kind: sum(kind_of_run(each.plan) == kind for each, _ in rows)
        for kind in {kind_of_run(each.plan) for each, _ in rows}
    }
    trained = {kind.trained for kind in kinds}
    assert trained == {"all", "lora", "qlora"}
    assert sum(sum(by_sharding(kinds, each).values()) for each in trained) == len(rows)


def test_a_run_of_another_sharding_is_another_kind(catalog: Catalog) -> None:
    run = next(run for run in catalog.measurements if run.id == "fms-accel-189")
    plan = plan_of(run)
    kinds = measured_kinds(catalog)
    assert kinds[kind_of_run(plan)] > 0
    other = kind_of_run(replace(plan, sharding="fsdp2"))
    assert other != kind_of_run(plan)
    assert kind_of_run(replace(plan, seq_len=512)) == kind_of_run(plan)


def test_a_reading_makes_a_kind_measured(catalog: Catalog) -> None:
    """Whether FSDP2 counts as measured depends on the data alone."""
    run = next(run for run in catalog.measurements if run.id == "fms-accel-189")
    moved = replace(run, settings=run.settings.model_copy(update={"sharding": "fsdp2"}))
    changed = replace(catalog, measurements=(moved,))
    assert list(measured_kinds(changed).values()) == [1]
    (kind,) = measured_kinds(changed)
    assert kind.sharding == "fsdp2"
