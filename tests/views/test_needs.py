"""What a model needs, and two rigs side by side."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

from generator.catalog import Catalog
from generator.verdict import judge_rig
from generator.verdict.results import VERDICTS
from generator.views.compare import pairs, rig_rows
from generator.views.needs import needs_of, rig_groups
from tests.site.pages_support import whole_catalog

RIG, GPU = "4x-rtx-6000-ada", "rtx-6000-ada"
COUNTS = {"2x-rtx-6000-ada": 2, RIG: 4, "8x-rtx-6000-ada": 8}
MODELS = ("qwen3-0.6b", "qwen3-14b", "llama-3.3-70b")


def three_rigs() -> Catalog:
    catalog = whole_catalog()
    first = catalog.rigs[RIG]
    rigs = {rig: first.model_copy(update={"count": count}) for rig, count in COUNTS.items()}
    return replace(
        catalog,
        models=MappingProxyType({model: catalog.models[model] for model in MODELS}),
        rigs=MappingProxyType(rigs),
        names=MappingProxyType({**catalog.names, "rig": MappingProxyType({rig: rig for rig in rigs})}),
    )


CATALOG = three_rigs()
REPORTS = {rig: judge_rig(CATALOG, rig) for rig in CATALOG.rigs}


def test_the_fewest_cards_are_the_fewest() -> None:
    for model in MODELS:
        [need] = needs_of(CATALOG, REPORTS, model)
        assert (need.gpu, need.largest) == (GPU, 8)
        for method, found in need.by_method.items():
            by_count = {COUNTS[rig]: report.verdicts[model, method].verdict for rig, report in REPORTS.items()}
            comfortable = [count for count, verdict in by_count.items() if verdict == "comfortable"]
            enough = [count for count, verdict in by_count.items() if verdict in ("comfortable", "borderline")]
            counts = [fewest.count for fewest in found]
            assert counts == sorted(set(counts))
            assert bool(found) == bool(enough)
            if enough:
                assert counts[0] == min(enough)
                assert counts[-1] == (min(comfortable) if comfortable else min(enough))
            assert all(by_count[fewest.count] == fewest.verdict for fewest in found)
            assert [VERDICTS.index(fewest.verdict) for fewest in found] == sorted(
                (VERDICTS.index(fewest.verdict) for fewest in found), reverse=True
            )


def test_what_lies_between_two_rigs_may_do_as_well() -> None:
    assert CATALOG.rigs.keys() == COUNTS.keys()
    tried = sorted(COUNTS.values())
    for model in MODELS:
        [need] = needs_of(CATALOG, REPORTS, model)
        for fewest in (each for found in need.by_method.values() for each in found):
            below = [count for count in tried if count < fewest.count]
            assert fewest.least == (below[-1] + 1 if below else 1)
    two = {rig: REPORTS[rig] for rig in ("2x-rtx-6000-ada", "8x-rtx-6000-ada")}
    found = needs_of(CATALOG, two, "llama-3.3-70b")[0].by_method["lora"]
    assert (found[-1].count, found[-1].least) == (8, 3)


def test_what_a_card_lacks_is_said_and_not_its_number() -> None:
    whole = whole_catalog()
    reports = {
        rig: judge_rig(replace(CATALOG, rigs=whole.rigs, names=whole.names), rig) for rig in ("1x-t4", "8x-gaudi2")
    }
    found = {need.gpu: need for need in needs_of(whole, reports, "qwen3-0.6b")}
    assert {gpu: need.never for gpu, need in found.items()} == {"t4": "needs-bf16", "gaudi2": "needs-platform"}
    assert not any(need.any for need in found.values())
    [need] = needs_of(CATALOG, REPORTS, "llama-3.3-70b")
    assert need.never is None
    assert need.barred == {}


def test_more_cards_are_needed_for_more() -> None:
    needs = {model: needs_of(CATALOG, REPORTS, model)[0].by_method["full"] for model in MODELS}
    assert needs["qwen3-0.6b"][0].count == 2
    assert needs["llama-3.3-70b"] == () or needs["llama-3.3-70b"][0].count > needs["qwen3-14b"][0].count


def test_two_rigs_side_by_side() -> None:
    rows = pairs(CATALOG, REPORTS["2x-rtx-6000-ada"], REPORTS["8x-rtx-6000-ada"])
    assert {row.model for row in rows} == set(MODELS)
    assert all(row.same for row in pairs(CATALOG, REPORTS[RIG], REPORTS[RIG]))
    fourteen = next(row for row in rows if row.model == "qwen3-14b")
    assert not fourteen.same
    assert fourteen.verdicts["full"] == tuple(
        REPORTS[rig].verdicts["qwen3-14b", "full"].verdict for rig in REPORTS if rig != RIG
    )


def test_a_row_of_a_rig_counts_what_is_comfortable() -> None:
    rows = {row.rig: row for row in rig_rows(CATALOG, REPORTS)}
    assert list(rows) == list(COUNTS)
    assert rows[RIG].comfortable["lora"] == sum(
        verdict.verdict == "comfortable" for (_, method), verdict in REPORTS[RIG].verdicts.items() if method == "lora"
    )
    assert rows["8x-rtx-6000-ada"].comfortable["full"] >= rows["2x-rtx-6000-ada"].comfortable["full"]


def test_what_was_tried_is_said() -> None:
    [need] = needs_of(CATALOG, REPORTS, "qwen3-0.6b")
    assert need.smallest == min(COUNTS.values())
    assert need.any
    assert not replace(need, by_method={"full": (), "lora": ()}).any


def test_groups_of_rigs_count_their_verdicts() -> None:
    for model in MODELS:
        groups = rig_groups(CATALOG, REPORTS, model)
        assert [group.count for group in groups] == sorted(COUNTS.values())
        assert {rig for group in groups for rig in group.verdicts} == set(COUNTS)
        for group in groups:
            for method in CATALOG.methods:
                counted = {verdict: group.of(method, verdict) for verdict in VERDICTS}
                assert sum(counted.values()) == len(group.verdicts)
                shown = {REPORTS[rig].verdicts[model, method].verdict for rig in group.verdicts}
                assert {verdict for verdict, count in counted.items() if count} == shown
    assert rig_groups(CATALOG, {}, MODELS[0]) == ()
