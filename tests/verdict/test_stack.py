"""Which option of the stack is taken: each condition alone, on a plan that meets it and on one that does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from generator.catalog import Catalog
from generator.catalog.stack_records import Choice, Option, When
from generator.estimate import Plan
from generator.verdict.setup import plan_for, setup_of, subject_of
from generator.verdict.stack import answer, holds, recommended_stack

ADA, AMPERE, BLACKWELL, AMD = "rtx-6000-ada", "a100-80-sxm", "rtx-pro-6000-ws", "mi300x"
"""Compute capability 8.9, 8.0 and 12.0, and a card that has none."""


@pytest.fixture(scope="module")
def full(catalog: Catalog) -> Plan:
    """All weights of 8B on four cards."""
    subject, method = subject_of(catalog, "llama-3.1-8b"), catalog.methods["full"]
    return plan_for(catalog, subject, "full", method.ladder[0], setup_of(catalog, "4x-rtx-6000-ada"))


@pytest.mark.parametrize(
    ("condition", "meets", "fails"),
    [
        ({"goal": "fine-tuning"}, {}, {"method": "pretrain"}),
        ({"goal": "pretraining"}, {"method": "pretrain"}, {}),
        ({"trains": "all"}, {}, {"method": "lora"}),
        ({"trains": "adapters"}, {"method": "qlora", "quant": "nf4"}, {}),
        ({"quantised": True}, {"method": "qlora", "quant": "nf4"}, {"method": "lora"}),
        ({"quantised": False}, {}, {"method": "qlora", "quant": "nf4"}),
        ({"gpus": "one"}, {"n_gpus": 1, "sharding": "none"}, {"n_gpus": 2}),
        ({"gpus": "several"}, {"n_gpus": 2}, {"n_gpus": 1, "sharding": "none"}),
        ({"sharding": ["ddp", "fsdp2"]}, {"sharding": "fsdp2"}, {"sharding": "zero3"}),
        ({"optimizer": ["adamw-8bit"]}, {"optimizer": "adamw-8bit"}, {"optimizer": "adamw"}),
        ({"attention": ["sdpa"]}, {"attention": "sdpa"}, {"attention": "flash"}),
        ({"offload": True}, {"sharding": "zero3", "cpu_offload": "all"}, {"cpu_offload": "none"}),
        ({"offload": False}, {"cpu_offload": "none"}, {"sharding": "zero3", "cpu_offload": "optimizer"}),
        ({"vendor": "NVIDIA"}, {"gpu": ADA}, {"gpu": AMD}),
        ({"capability_from": 8.9}, {"gpu": ADA}, {"gpu": AMPERE}),
        ({"capability_from": 9.0}, {"gpu": BLACKWELL}, {"gpu": AMD}),
        ({"capability_below": 8.9}, {"gpu": AMPERE}, {"gpu": ADA}),
        ({"capability_below": 99.0}, {"gpu": BLACKWELL}, {"gpu": AMD}),
    ],
)
def test_a_condition(
    catalog: Catalog, full: Plan, condition: dict[str, Any], meets: dict[str, Any], fails: dict[str, Any]
) -> None:
    def plan(changes: dict[str, Any]) -> Plan:
        adapters = changes.get("method") in ("lora", "qlora")
        return replace(full, **{"lora_targets": ("q_proj",) if adapters else (), **changes})

    when = When.model_validate(condition)
    assert holds(catalog, when, plan(meets), None)
    assert not holds(catalog, when, plan(fails), None)


def test_p2p_is_asked_of_the_rig(catalog: Catalog, full: Plan) -> None:
    found = {
        (asked, of_rig): holds(catalog, When(p2p=asked), full, of_rig)
        for asked in (None, True, False)
        for of_rig in (None, True, False)
    }
    assert {key for key, held in found.items() if not held} == {
        (True, None), (True, False), (False, None), (False, True),
    }  # fmt: skip


def test_all_conditions_must_hold(catalog: Catalog, full: Plan) -> None:
    assert holds(catalog, When(goal="fine-tuning", gpus="several"), full, None)
    assert not holds(catalog, When(goal="fine-tuning", gpus="one"), full, None)


def option(id_: str, when: When, second: str | None = None) -> Option:
    return Option.model_construct(id=id_, when=when, second=second)


def test_the_first_option_that_holds_is_taken_and_its_own_second_named(catalog: Catalog, full: Plan) -> None:
    options = (
        option("one", When(gpus="one"), second="many"),
        option("many", When(gpus="several"), second="any"),
        option("any", When()),
    )
    choice = Choice.model_construct(options=options)
    several = answer(catalog, "split", choice, full, None)
    assert several.second is not None
    assert (several.choice, several.option.id, several.second.id) == ("split", "many", "any")
    alone = answer(catalog, "split", choice, replace(full, n_gpus=1, sharding="none"), None)
    assert alone.second is not None
    assert (alone.option.id, alone.second.id) == ("one", "many")
    no_second = answer(catalog, "split", Choice.model_construct(options=options[2:]), full, None)
    assert (no_second.option.id, no_second.second) == ("any", None)


def test_every_question_has_an_answer_in_its_order(catalog: Catalog, full: Plan) -> None:
    found = recommended_stack(catalog, full)
    assert [each.choice for each in found] == list(catalog.choices)
