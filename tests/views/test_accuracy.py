"""What the pages say of published runs."""

from __future__ import annotations

from generator.catalog import Catalog
from generator.estimate.accuracy import compare
from generator.views.accuracy import SHOWN, runs_on


def test_runs_on_a_machine_are_those_of_its_cards_and_their_number(catalog: Catalog) -> None:
    accuracy = compare(catalog)
    two, four = (runs_on(catalog, accuracy, "rtx-6000-ada", count) for count in (2, 4))
    assert "fsdp-qlora-029" in [each.run.id for each in four.shown]
    assert "fsdp-qlora-028" in [each.run.id for each in two.shown]
    assert {each.measurement.n_gpus for each in two.shown} == {2}
    assert {each.measurement.n_gpus for each in four.shown} == {4}
    assert runs_on(catalog, accuracy, "rtx-6000-ada", 3).shown == ()


def test_the_longest_step_of_each_model_and_method_the_largest_model_first(catalog: Catalog) -> None:
    accuracy = compare(catalog)
    found = runs_on(catalog, accuracy, "a100-80-sxm", 4)
    assert found.total > len(found.shown) == SHOWN
    pairs = [(each.measurement.model, each.measurement.method) for each in found.shown]
    assert len(set(pairs)) == len(pairs)
    largest = [each for each in accuracy.comparisons if each.run.id in {one.run.id for one in found.shown}]
    assert all(each.measurement.outcome == "finished" for each in largest)
    first = found.shown[0]
    tokens = [
        each.plan.micro_batch * each.plan.seq_len
        for each in accuracy.comparisons
        if (each.measurement.model, each.measurement.method, each.measurement.n_gpus)
        == (first.measurement.model, first.measurement.method, 4)
        and each.measurement.outcome == "finished"
        and each.plan.gpu == first.plan.gpu
    ]
    assert first.plan.micro_batch * first.plan.seq_len == max(tokens)
