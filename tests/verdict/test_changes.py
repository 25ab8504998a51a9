"""What would make a plan fit."""

from __future__ import annotations

from dataclasses import replace

import pytest

from generator.estimate import Plan, estimate
from generator.verdict.changes import changes_that_fit, fits, single_changes
from generator.verdict.ladder import memory_verdict
from generator.verdict.setup import plan_for, setup_of, subject_of
from tests.site.pages_support import whole_catalog

RIG = "4x-rtx-6000-ada"


def plan_of(model: str, method: str, recipe: int = 0) -> Plan:
    catalog = whole_catalog()
    return plan_for(
        catalog, subject_of(catalog, model), method, catalog.methods[method].ladder[recipe], setup_of(catalog, RIG)
    )


def test_nothing_is_proposed_where_the_plan_fits() -> None:
    assert changes_that_fit(whole_catalog(), plan_of("llama-3.1-8b", "full"), None) == ()


@pytest.mark.parametrize(
    ("model", "method"), [("qwen3-14b", "full"), ("llama-3.3-70b", "full"), ("llama-3.3-70b", "qlora")]
)
def test_every_proposed_change_makes_the_plan_fit_with_the_peak_it_states(model: str, method: str) -> None:
    catalog, plan = whole_catalog(), plan_of(model, method)
    assert not fits(memory_verdict(catalog.policy, estimate(catalog, plan)))
    changes = changes_that_fit(catalog, plan, 131_072)
    assert 1 <= len(changes) <= 4
    for change in changes:
        result = estimate(catalog, replace(plan, **change.settings))
        assert result.peak_gib.expected == change.peak_gib
        assert memory_verdict(catalog.policy, result) == change.memory
        assert fits(change.memory)


def test_a_change_names_only_what_differs() -> None:
    catalog, plan = whole_catalog(), plan_of("llama-3.3-70b", "full")
    for settings in single_changes(catalog, plan, 131_072):
        assert settings
        assert all(getattr(plan, name) != value for name, value in settings.items()), settings


def test_what_costs_nothing_comes_before_another_method() -> None:
    catalog = whole_catalog()
    plan = replace(plan_of("llama-3.1-8b", "full"), fused_ce=False, optimizer_impl="foreach")
    names = [next(iter(settings)) for settings in single_changes(catalog, plan, 131_072)]
    assert names[:2] == ["fused_ce", "optimizer_impl"]
    assert names[-1] == "method"


@pytest.mark.parametrize(
    ("settings", "cheaper"),
    [
        ({"precision": "bf16-mixed", "optimizer": "adamw"}, ["adamw-bf16", "adamw-8bit"]),
        ({"precision": "bf16-pure", "optimizer": "adamw-bf16"}, ["adamw-8bit"]),
        ({"precision": "fp32", "optimizer": "adamw"}, ["adamw-8bit"]),
        ({"precision": "bf16-mixed", "optimizer": "lion"}, []),
        ({"precision": "bf16-pure", "optimizer": "adamw-8bit"}, []),
    ],
)
def test_states_of_adamw_can_be_had_in_fewer_bits(settings: dict[str, str], cheaper: list[str]) -> None:
    plan = replace(plan_of("llama-3.1-8b", "full"), **settings)
    proposed = [each for each in single_changes(whole_catalog(), plan, 131_072) if "method" not in each]
    assert [each["optimizer"] for each in proposed if "optimizer" in each] == cheaper
    assert {each["precision"] for each in proposed if "optimizer" in each} <= {"bf16-pure"}


@pytest.mark.parametrize("sharding", ["ddp", "zero1", "zero2"])
def test_what_shards_less_than_everything_can_shard_everything(sharding: str) -> None:
    plan = replace(plan_of("llama-3.1-8b", "full"), sharding=sharding)
    assert {"sharding": "fsdp2"} in list(single_changes(whole_catalog(), plan, 131_072))


def test_several_settings_are_proposed_together_where_no_single_one_is_enough() -> None:
    """70B on cards of 24 GB: whole copies do not fit, and sharded ones not with everything stored at 16k tokens."""
    catalog = whole_catalog()
    plan = replace(
        plan_of("llama-3.3-70b", "qlora", 0),
        gpu="rtx-4090",
        seq_len=16_384,
        grad_checkpointing=False,
        attention="eager",
    )
    changes = changes_that_fit(catalog, plan, None)
    assert len(changes) == 1
    assert len(changes[0].settings) > 1
    assert fits(changes[0].memory)
    for name in changes[0].settings:
        fewer = {other: value for other, value in changes[0].settings.items() if other != name}
        assert not fits(memory_verdict(catalog.policy, estimate(catalog, replace(plan, **fewer)))), name


def test_nothing_is_proposed_where_nothing_helps() -> None:
    plan = replace(plan_of("llama-3.3-70b", "qlora", 0), n_gpus=1, sharding="none", gpu="rtx-4090")
    assert changes_that_fit(whole_catalog(), plan, None) == ()
