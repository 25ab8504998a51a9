"""The report of the first rig, and what moves when the card changes: no verdict is typed in."""

from __future__ import annotations

from dataclasses import replace

import pytest

from generator.architecture.counts import count_parameters
from generator.catalog.fields import Cited
from generator.verdict import judge, judge_rig, judge_setup, setup_of, subject_of
from generator.verdict.levers import levers
from generator.verdict.results import VERDICTS
from tests.reduced import reduced_catalog

RIG = "4x-rtx-6000-ada"

FULL_COMFORTABLE = [
    "llama-3.1-8b", "qwen3-8b", "gemma-3-4b", "deepseek-r1-distill-qwen-7b", "deepseek-r1-distill-llama-8b",
]  # fmt: skip
FULL_BORDERLINE = ["qwen3-14b", "deepseek-r1-distill-qwen-14b"]
ADAPTERS_COMFORTABLE = [
    *FULL_BORDERLINE, "gemma-3-12b", "gemma-3-27b", "mistral-small-3.1-24b", "qwen3-32b",
    "deepseek-r1-distill-qwen-32b",
]  # fmt: skip
SEVENTY = ["llama-3.1-70b", "deepseek-r1-distill-llama-70b", "llama-3.3-70b"]


@pytest.fixture(scope="module")
def report(catalog):
    return judge_rig(catalog, RIG)


def with_card(catalog, visible_gib: float):
    """The catalogue as if the card showed this much memory, and nothing else were different."""
    gpu = catalog.gpu("rtx-6000-ada")
    value = Cited[float](value=visible_gib, kind="assumed", reason={"ru": "тест", "en": "test"})
    pair = gpu.framework_visible_gib.model_copy(update={"on": value, "off": value})
    other = gpu.model_copy(update={"framework_visible_gib": pair})
    return replace(catalog, gpus={**catalog.gpus, "rtx-6000-ada": other})


@pytest.mark.parametrize("model", FULL_COMFORTABLE)
def test_full_fine_tuning_is_comfortable(report, model: str) -> None:
    assert report.verdicts[model, "full"].verdict == "comfortable"


@pytest.mark.parametrize("model", FULL_BORDERLINE)
def test_full_fine_tuning_is_borderline(report, model: str) -> None:
    assert report.verdicts[model, "full"].verdict == "borderline"


@pytest.mark.parametrize("model", ADAPTERS_COMFORTABLE)
def test_adapters_are_comfortable(report, model: str) -> None:
    assert report.verdicts[model, "lora"].verdict == "comfortable"
    assert report.verdicts[model, "qlora"].verdict == "comfortable"


@pytest.mark.parametrize("model", SEVENTY)
def test_seventy_billion_needs_qlora(report, model: str) -> None:
    assert report.verdicts[model, "qlora"].verdict in ("comfortable", "borderline")
    assert report.verdicts[model, "lora"].verdict == "not-recommended"
    assert report.verdicts[model, "full"].verdict == "not-recommended"
    assert [mode.method for mode in report.recommended[model].modes] == ["qlora"]


def test_nothing_of_405b_is_recommended(report) -> None:
    assert report.recommended["llama-3.1-405b"].modes == ()


def test_pretraining_by_size(report) -> None:
    verdicts = {billions: verdict.verdict for billions, verdict in report.pretraining.items()}
    assert [verdicts[size] for size in (0.5, 1, 1.5)] == ["comfortable"] * 3
    assert verdicts[3] == "borderline"
    assert verdicts[7] == "not-recommended"


def test_headline(report) -> None:
    headline = report.headline
    assert (headline.full, headline.lora, headline.qlora) == ("7-8b", "24-32b", "70b")
    assert (headline.pretrain_from_billions, headline.pretrain_to_billions) == (0.5, 3)


def test_a_fuller_borderline_method_stands_before_the_comfortable_ones(report) -> None:
    modes = [(mode.method, mode.verdict) for mode in report.recommended["qwen3-14b"].modes]
    assert modes == [("full", "borderline"), ("lora", "comfortable"), ("qlora", "comfortable")]


def test_a_cell_is_the_worst_of_its_class(report) -> None:
    for (size, method), cell in report.capability.items():
        found = [report.verdicts[model, method].verdict for model in cell.models]
        assert found, (size, method)
        assert cell.verdict == max(found, key=VERDICTS.index)
        assert cell.best == min(found, key=VERDICTS.index)


def test_lora_is_never_harder_than_full_and_qlora_never_harder_than_lora(catalog, report) -> None:
    """Except where QLoRA quantises little: experts stay in bf16, and every process holds them in host memory."""
    order = VERDICTS.index
    for model in report.recommended:
        full, lora, qlora = (order(report.verdicts[model, method].verdict) for method in ("full", "lora", "qlora"))
        assert full >= lora, model
        assert lora >= qlora or count_parameters(catalog.models[model].architecture.shape()).experts, model


MOVES_AT_24_GIB = {
    ("qwen3-8b", "full"): ("comfortable", "borderline"),
    ("qwen3-14b", "full"): ("borderline", "borderline"),
    ("qwen3-32b", "lora"): ("comfortable", "not-recommended"),
    ("qwen3-32b", "qlora"): ("comfortable", "comfortable"),
    ("llama-3.1-70b", "qlora"): ("comfortable", "not-recommended"),
}
MOVES_AT_80_GIB = {
    ("qwen3-14b", "full"): ("borderline", "comfortable"),
    ("mistral-small-3.1-24b", "full"): ("not-recommended", "borderline"),
    ("llama-3.1-70b", "lora"): ("not-recommended", "comfortable"),
    ("llama-3.1-405b", "qlora"): ("not-recommended", "not-recommended"),
}


@pytest.mark.parametrize(("visible_gib", "moves"), [(23.5, MOVES_AT_24_GIB), (79.2, MOVES_AT_80_GIB)])
def test_verdicts_follow_the_memory_of_the_card(catalog, report, visible_gib: float, moves) -> None:
    changed = with_card(catalog, visible_gib)
    for (model, method), (before, after) in moves.items():
        assert report.verdicts[model, method].verdict == before, (model, method)
        setup = setup_of(changed, RIG)
        assert judge(changed, subject_of(changed, model), method, setup).verdict == after, (model, method)


def test_more_memory_never_makes_a_verdict_worse() -> None:
    catalog = reduced_catalog()
    previous: dict[tuple[str, str], int] = {}
    for visible_gib in (12.0, 23.5, 32.0, 44.4, 48.0, 79.2, 141.0):
        report = judge_setup(with_card(catalog, visible_gib), setup_of(catalog, RIG))
        for key, verdict in report.verdicts.items():
            rank = VERDICTS.index(verdict.verdict)
            assert rank <= previous.get(key, rank), (visible_gib, key)
            previous[key] = rank


def test_longest_context_is_where_memory_ends(catalog, report) -> None:
    from generator.estimate.run import peak_gib

    verdict = report.verdicts["llama-3.1-8b", "full"]
    plan, usable = verdict.rung.estimate.plan, verdict.rung.estimate.usable_gib
    limit = catalog.policy.borderline_ratio.value * usable
    assert peak_gib(catalog.constants, replace(plan, seq_len=verdict.max_seq_len)) <= limit
    assert peak_gib(catalog.constants, replace(plan, seq_len=verdict.max_seq_len + 256)) > limit


def test_accumulating_whole_gradients_is_a_squeeze_for_8b(report) -> None:
    variants = report.verdicts["llama-3.1-8b", "full"].contexts
    memory = {variant.grad_sync: variant.memory for variant in variants if variant.grad_accum > 1}
    assert memory == {"each": "comfortable", "last": "borderline"}


def test_what_only_takes_too_long_is_shown_by_the_first_recipe_that_fits(report) -> None:
    verdict = report.verdicts["llama-3.1-8b", "pretrain"]
    assert verdict.verdict == "not-recommended"
    assert verdict.rung.recipe == "pretrain-fsdp2"


def test_judging_leaves_what_only_explanations_show_unworked(catalog) -> None:
    """A rig is thousands of estimates and a page shows a few of them; working all out multiplies the time by five."""
    judged = judge(catalog, subject_of(catalog, "qwen3-8b"), "full", setup_of(catalog, "4x-rtx-6000-ada"))
    assert judged.rungs
    for rung in judged.rungs:
        assert not rung.estimate.quantities.worked_out
        assert not rung.estimate.phases_gib.worked_out
    assert judged.rungs[0].estimate.quantities["peak"].value
    assert judged.rungs[0].estimate.quantities.worked_out


def test_improvements_are_better_verdicts(report) -> None:
    order = VERDICTS.index
    seen = set()
    for verdict in report.verdicts.values():
        for change in verdict.improvements:
            assert order(change.verdict) < order(verdict.verdict)
            seen.add(change.kind)
    assert "more-gpus" in seen


def test_what_single_settings_save_for_8b(catalog) -> None:
    peaks = {lever.id: lever.estimate.peak_gib.expected for lever in levers(catalog, "llama-3.1-8b", RIG)}
    assert list(peaks) == ["foreach", "fused-optimizer", "bf16-reduce", "separate-root"]
    assert sorted(peaks.values(), reverse=True) == list(peaks.values())
    assert peaks["foreach"] == pytest.approx(37.4, abs=0.05)
    assert peaks["fused-optimizer"] == pytest.approx(34.8, abs=0.05)
