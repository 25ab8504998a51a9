"""Addresses of the calculator."""

from __future__ import annotations

from dataclasses import fields
from urllib.parse import parse_qsl

import pytest

from generator.commands.plans import COLUMNS
from generator.estimate import Plan
from generator.site.calculator_url import PARAMETERS, calculator_path


def test_a_bare_address() -> None:
    assert calculator_path() == "calculator/"


def test_parameters_stand_in_their_order_whatever_the_order_of_the_call() -> None:
    path = calculator_path(method="lora", rig="4x-rtx-6000-ada", model="qwen3-14b")
    assert path == "calculator/?model=qwen3-14b&rig=4x-rtx-6000-ada&method=lora"


def test_values_are_texts_that_a_browser_reads_back() -> None:
    path = calculator_path(params_b=1.5, fused_ce=True, grad_checkpointing=False, seq_len=4096, lora_targets="q+v")
    query = dict(parse_qsl(path.partition("?")[2]))
    assert query == {"params_b": "1.5", "fused_ce": "y", "grad_checkpointing": "n", "seq_len": "4096"} | {
        "lora_targets": "q+v"
    }


def test_nothing_is_left_out_silently() -> None:
    with pytest.raises(ValueError, match="sequence_length"):
        calculator_path(sequence_length=4096)
    assert calculator_path(model="qwen3-14b", rig=None) == "calculator/?model=qwen3-14b"


def test_hostile_values_stay_values() -> None:
    path = calculator_path(model="a&gpu=b#c <d>")
    assert dict(parse_qsl(path.partition("?")[2])) == {"model": "a&gpu=b#c <d>"}


def test_every_setting_of_a_plan_is_a_parameter_under_its_own_name() -> None:
    assert {each.name for each in fields(Plan)} - {"shape"} <= set(PARAMETERS)


def test_every_column_of_a_case_is_a_parameter() -> None:
    assert set(COLUMNS) - {"model_config"} <= set(PARAMETERS)
