from __future__ import annotations

from dataclasses import replace

from generator.catalog import Catalog
from generator.verdict.results import Headline, RigReport
from generator.views.home import (
    example_of_class,
    judged_models,
    out_of_reach,
    pretraining_groups,
    pretraining_reach,
    reaches,
)


def test_reach_is_the_headline_with_the_model_at_the_edge(catalog: Catalog, report: RigReport) -> None:
    found = reaches(catalog, report)
    assert list(found) == ["full", "lora", "qlora"]
    assert found["full"].size_class == report.headline.full
    for method, reach in found.items():
        assert reach.edge is not None
        assert reach.size_class is not None
        cell = report.capability[reach.size_class, method]
        ratios = {
            model: report.verdicts[model, method].rung.estimate.ratio
            for model in cell.models
            if model not in reach.exceptions
        }  # type: ignore[union-attr]
        assert ratios[reach.edge] == max(ratios.values())


def test_what_is_not_comfortable_within_reach_is_named(catalog: Catalog, report: RigReport) -> None:
    for method, reach in reaches(catalog, report).items():
        within = [cell.models for (_, tried), cell in report.capability.items() if tried == method]
        named = set(reach.exceptions)
        for models in within:
            verdicts = {model: report.verdicts[model, method].verdict for model in models}
            if named & set(models):
                assert set(verdicts.values()) == {"comfortable", "borderline"}
                assert named & set(models) == {model for model, found in verdicts.items() if found == "borderline"}
    assert reaches(catalog, report)["full"].exceptions == ("gemma-7b",)


def test_beyond_the_reach_come_the_other_classes(catalog: Catalog, report: RigReport) -> None:
    reach = reaches(catalog, report)["full"]
    ids = [item.id for item in catalog.policy.size_classes]
    after = [name for group in reach.beyond for name in group.classes]
    assert reach.size_class is not None
    assert after == ids[ids.index(reach.size_class) + 1 :]
    assert all(one.verdict != other.verdict for one, other in zip(reach.beyond, reach.beyond[1:], strict=False))


def test_a_method_that_reaches_nothing_says_so(catalog: Catalog, report: RigReport) -> None:
    nothing = replace(report, headline=Headline(None, None, None, None, None))
    reach = reaches(catalog, nothing)["full"]
    assert reach.size_class is None
    assert reach.edge is None
    assert reach.beyond[0].classes[0] == catalog.policy.size_classes[0].id


def test_pretraining_sizes_are_grouped_by_verdict(report: RigReport) -> None:
    groups = pretraining_groups(report)
    assert [size for group in groups for size in group.sizes] == sorted(report.pretraining)
    assert [group.verdict for group in groups] == ["comfortable", "borderline", "not-recommended"]
    assert groups[1].sizes == (3.0,)


def test_out_of_reach_is_what_qlora_cannot_hold(report: RigReport) -> None:
    found = out_of_reach(report, "qlora")
    assert {"llama-3.1-405b", "qwen3-235b-a22b"} <= set(found)
    for (model, method), verdict in report.verdicts.items():
        if method == "qlora" and verdict.rung is not None:
            too_large = verdict.verdict == "not-recommended" and verdict.rung.estimate.ratio > 1
            assert (model in found) == too_large, model


def test_every_model_is_judged_or_has_a_reason(catalog: Catalog, report: RigReport) -> None:
    found = judged_models(catalog, report)
    assert found.total == len(catalog.models)
    assert found.judged + sum(found.without.values()) == found.total
    assert all(found.without)
    assert found.rows == len({model for model, _ in report.verdicts})
    assert "qwen3-235b-a22b" in found.apart
    assert "llama-3.1-8b" not in found.apart


def test_the_example_is_the_largest_of_its_class(report: RigReport) -> None:
    assert example_of_class(report, "70b", "full") == report.capability["70b", "full"].models[-1]
    assert example_of_class(report, "none", "full") is None


def test_the_reach_of_pretraining_is_what_is_comfortable_and_what_is_borderline_beyond(report: RigReport) -> None:
    reach = pretraining_reach(report)
    assert reach is not None
    assert (reach.smallest, reach.comfortable, reach.borderline) == (0.5, 1.5, 3.0)
    verdicts = {size: verdict.verdict for size, verdict in report.pretraining.items()}
    assert verdicts[1.5] == "comfortable"
    assert verdicts[3.0] == "borderline"


def test_pretraining_that_nothing_is_comfortable_in_has_no_comfortable_size(report: RigReport) -> None:
    borderline = {size: verdict for size, verdict in report.pretraining.items() if verdict.verdict != "comfortable"}
    line = replace(report.headline, pretrain_from_billions=3.0, pretrain_to_billions=3.0)
    reach = pretraining_reach(replace(report, pretraining=borderline, headline=line))
    assert reach is not None
    assert (reach.comfortable, reach.borderline) == (None, 3.0)
    nothing = replace(report.headline, pretrain_from_billions=None, pretrain_to_billions=None)
    assert pretraining_reach(replace(report, headline=nothing)) is None
