"""One recipe, judged line by line of the policy."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from generator.verdict.ladder import _machine, best, choose, memory_verdict, try_ladder, try_recipe, worst
from generator.verdict.setup import ad_hoc_rig, setup_of, subject_of

RIG = "4x-rtx-6000-ada"


def rung(catalog, model: str, method: str, recipe: str, **machine: object):
    setup = replace(setup_of(catalog, RIG), **machine)
    return next(r for r in try_ladder(catalog, subject_of(catalog, model), method, setup) if r.recipe == recipe)


def reasons(a_rung) -> set[str]:
    return {reason.id for reason in a_rung.reasons}


def test_worst_and_best() -> None:
    assert worst(["comfortable", "borderline"]) == "borderline"
    assert worst([]) == "comfortable"
    assert best(["not-recommended", "borderline"]) == "borderline"
    assert best([]) == "unknown"


@pytest.mark.parametrize(
    ("ratio", "verdict"),
    [(0.80, "comfortable"), (0.801, "borderline"), (0.93, "borderline"), (0.931, "not-recommended")],
)
def test_memory_thresholds(catalog, ratio: float, verdict: str) -> None:
    result = rung(catalog, "llama-3.1-8b", "full", "full-fsdp2-adamw").estimate
    peak = replace(result.peak_gib, expected=ratio * result.usable_gib)
    assert memory_verdict(catalog.policy, replace(result, ratio=ratio, peak_gib=peak)) == verdict


def test_overhead_must_fit_beside_the_peak(catalog) -> None:
    result = rung(catalog, "llama-3.1-8b", "full", "full-fsdp2-adamw").estimate
    crowded = replace(result, ratio=0.9, overhead_gib=0.2 * result.usable_gib)
    crowded = replace(crowded, peak_gib=replace(result.peak_gib, expected=0.9 * result.usable_gib))
    assert memory_verdict(catalog.policy, crowded) == "not-recommended"


def test_a_compromise_is_at_best_borderline(catalog) -> None:
    small = rung(catalog, "qwen3-0.6b", "full", "full-fsdp2-bf16")
    assert small.estimate.ratio < 0.2
    assert small.verdict == "borderline"
    assert "compromise" in reasons(small)


def test_a_compromise_at_the_edge_of_memory_is_not_recommended(catalog) -> None:
    edge = rung(catalog, "mistral-small-3.1-24b", "full", "full-fsdp2-adam8bit")
    assert 0.80 < edge.estimate.ratio < 0.93
    assert edge.verdict == "not-recommended"
    assert "compromise-memory" in reasons(edge)


def test_offload_needs_host_memory(catalog) -> None:
    enough = rung(catalog, "qwen3-14b", "full", "full-zero3-offload")
    short = rung(catalog, "qwen3-14b", "full", "full-zero3-offload", host_memory_gib=128.0)
    assert enough.verdict == "borderline"
    assert "time-unknown" in reasons(enough)
    assert short.verdict == "not-recommended"
    assert "host-ram-exceeds" in reasons(short)


def test_a_machine_without_stated_host_memory_has_no_offload(catalog) -> None:
    setup = ad_hoc_rig(catalog, "rtx-6000-ada", 4)
    recipes = [r.recipe for r in try_ladder(catalog, subject_of(catalog, "qwen3-14b"), "full", setup)]
    assert "full-zero3-offload" not in recipes


@pytest.mark.parametrize(("stated", "needed", "found"), [(None, 0.5, 1), (None, 0.0, 0), (1.0, 1.0, 0), (1.0, 1.5, 1)])
def test_host_memory_that_is_not_stated_holds_nothing(catalog, stated: float | None, needed: float, found: int) -> None:
    setup = replace(ad_hoc_rig(catalog, "rtx-6000-ada", 4), host_memory_gib=stated)
    result = SimpleNamespace(host_ram_gib=needed, parameters_trainable=10**9)
    recipe = SimpleNamespace(compromise=False)
    given = [each.reason for each in _machine(recipe, result, setup, ())]  # type: ignore[arg-type]
    assert [reason.id for reason in given] == ["host-ram-exceeds"] * found
    assert all(reason.values["host_memory_gib"] == (stated or 0.0) for reason in given)


def test_a_quantised_base_waits_in_host_memory_where_that_holds_a_copy_for_each_process(catalog) -> None:
    enough = rung(catalog, "llama-3.3-70b", "qlora", "qlora-fsdp2")
    short = rung(catalog, "llama-3.3-70b", "qlora", "qlora-fsdp2", host_memory_gib=128.0)
    unknown = rung(catalog, "llama-3.3-70b", "qlora", "qlora-fsdp2", host_memory_gib=None)
    base = enough.estimate.host_loading_gib / 4
    assert 36 < base < 40  # 70.6 billion parameters at 4.127 bits, 2.1 billion of them at 16: 34.2 + 3.9 GiB
    assert (enough.verdict, enough.estimate.plan.load_on_card) == ("comfortable", False)
    assert unknown.verdict == "comfortable"
    assert short.estimate.plan.load_on_card
    assert short.estimate.host_loading_gib == 0
    assert short.estimate.peak_phase == "load"
    assert short.estimate.peak_gib.expected > 1.2 * base  # the whole base, and a quarter of it beside that
    assert (short.verdict, reasons(short) & {"memory-exceeds", "loads-on-card"}) == (
        "not-recommended",
        {"memory-exceeds", "loads-on-card"},
    )
    assert {"loads-on-card"} & (reasons(enough) | reasons(unknown)) == set()


def test_a_slow_link_caps_the_verdict(catalog) -> None:
    fast = rung(catalog, "llama-3.1-8b", "full", "full-fsdp2-adamw")
    slow = rung(catalog, "llama-3.1-8b", "full", "full-fsdp2-adamw", bus_gb_per_s=6.0)
    assert fast.verdict == "comfortable"
    assert "link-heavy" in reasons(fast)
    assert slow.verdict == "borderline"
    assert "link-bound" in reasons(slow)


def test_pretraining_of_8b_fits_but_takes_too_long(catalog) -> None:
    fits = rung(catalog, "llama-3.1-8b", "pretrain", "pretrain-fsdp2")
    assert memory_verdict(catalog.policy, fits.estimate) == "comfortable"
    assert fits.verdict == "not-recommended"
    assert "time-exceeds" in reasons(fits)


def test_one_card_shards_nothing(catalog) -> None:
    rungs = try_ladder(catalog, subject_of(catalog, "qwen3-8b"), "lora", ad_hoc_rig(catalog, "rtx-6000-ada", 1))
    assert [r.recipe for r in rungs] == ["lora-ddp"]
    assert rungs[0].estimate.plan.sharding == "none"


def test_the_first_of_the_best_recipes_is_chosen(catalog) -> None:
    rungs = try_ladder(catalog, subject_of(catalog, "qwen3-14b"), "full", setup_of(catalog, RIG))
    verdict, chosen = choose(rungs)
    assert verdict == "borderline"
    assert rungs[chosen].recipe == "full-fsdp2-bf16"


def test_the_platform_of_a_card_decides_whether_a_recipe_runs_there(catalog) -> None:
    subject = subject_of(catalog, "qwen3-0.6b")
    recipe = catalog.methods["lora"].ladder[0]
    by_platform = {}
    for gpu in ("a100-80-sxm", "mi300x", "gaudi3", "arc-pro-b60"):
        rung = try_recipe(catalog, subject, "lora", recipe, ad_hoc_rig(catalog, gpu, 1))
        by_platform[catalog.gpus[gpu].platform] = rung.verdict, "needs-platform" in {each.id for each in rung.reasons}
    assert by_platform == {
        "cuda": ("comfortable", False),
        "rocm": ("comfortable", False),
        "gaudi": ("not-recommended", True),
        "xpu": ("not-recommended", True),
    }
    anywhere = recipe.model_copy(update={"platforms": ()})
    assert try_recipe(catalog, subject, "lora", anywhere, ad_hoc_rig(catalog, "gaudi3", 1)).verdict == "comfortable"
