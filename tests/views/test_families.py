from __future__ import annotations

from dataclasses import replace

import pytest

from generator.catalog import Catalog
from generator.verdict.results import Mode, Recommendation, RigReport
from generator.views.families import common_prefix, family_rows, name_groups


@pytest.mark.parametrize(
    ("names", "prefix"),
    [
        (["Gemma 3 12B", "Gemma 3 27B"], "Gemma 3 "),
        (["Qwen3-0.6B", "Qwen3-8B"], "Qwen3-"),
        (["DeepSeek-R1-Distill-Qwen-7B", "DeepSeek-R1-Distill-Llama-8B"], "DeepSeek-R1-Distill-"),
        (["Qwen3-8B"], ""),
        (["Qwen3-8B", "Qwen3-8B-Base"], "Qwen3-"),
        (["Gemma 3 4B", "Llama 3.2 3B"], ""),
        (["Same", "Same"], ""),
        ([], ""),
    ],
)
def test_what_names_share_is_cut_at_a_word(names: list[str], prefix: str) -> None:
    assert common_prefix(names) == prefix


def test_every_judged_model_stands_in_one_row(catalog: Catalog, report: RigReport) -> None:
    members = [member.model for row in family_rows(catalog.models, report) for member in row.members]
    assert sorted(members) == sorted(report.recommended)


def test_members_of_a_row_share_family_and_advice(catalog: Catalog, report: RigReport) -> None:
    rows = family_rows(catalog.models, report)
    for row in rows:
        assert {catalog.models[member.model].family for member in row.members} == {row.family}
        assert all(report.recommended[member.model].modes == row.modes for member in row.members)
        assert all(catalog.models[m.model].name == row.prefix + m.label for m in row.members)
    assert len({(row.family, row.modes) for row in rows}) == len(rows)


def test_models_of_one_family_come_together_when_their_advice_agrees(catalog: Catalog, report: RigReport) -> None:
    both = (Mode("lora", "comfortable"), Mode("qlora", "comfortable"))
    same = replace(
        report,
        recommended={model: Recommendation(model, both) for model in ("gemma-3-12b", "gemma-3-27b", "qwen3-32b")},
    )
    rows = family_rows(catalog.models, same)
    assert [(row.prefix, [member.label for member in row.members]) for row in rows] == [
        ("Gemma 3 ", ["12B", "27B"]),
        ("", ["Qwen3-32B"]),
    ]


def test_evidence_is_what_the_verdicts_say(catalog: Catalog, report: RigReport) -> None:
    for row in family_rows(catalog.models, report):
        for item in row.evidence:
            ratios = [
                rung.estimate.ratio
                for member in row.members
                if (rung := report.verdicts[member.model, item.method].rung) is not None
            ]
            assert (item.ratio_low, item.ratio_high) == (min(ratios), max(ratios))
            assert report.verdicts[item.edge, item.method].verdict == item.verdict


def test_a_row_without_advice_shows_what_comes_closest(catalog: Catalog, report: RigReport) -> None:
    row = next(row for row in family_rows(catalog.models, report) if row.members[0].model == "llama-3.1-405b")
    assert row.modes == ()
    assert [item.method for item in row.evidence] == ["qlora"]
    assert row.evidence[0].ratio_low > 1


def test_names_are_grouped_in_the_order_given(catalog: Catalog) -> None:
    groups = name_groups(catalog.models, ["gemma-3-4b", "qwen3-4b", "gemma-3-1b"])
    assert [(g.prefix, [m.label for m in g.members]) for g in groups] == [
        ("Gemma 3 ", ["1B", "4B"]),
        ("", ["Qwen3-4B"]),
    ]
