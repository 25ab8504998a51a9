from __future__ import annotations

import math
import re

import pytest

from generator.catalog import Catalog
from generator.estimate.inputs import FLAGS
from generator.estimate.layers import adapter_numbers, model_numbers
from generator.site.equations import Writer
from generator.site.messages import Messages
from generator.verdict.results import RigReport
from generator.views.worked import common_flags, recipe_flags, worked_examples

SIGNS = {"×": "*", "÷": "/", "−": "-", "⌈": "ceil(", "⌉": ")", "[": "pick(", "]": ")"}
WORDS = {"en": (", if ", "; otherwise "), "ru": (", если ", "; иначе ")}


def by_hand(text: str, language: str, known: dict[str, float]) -> float:
    """What a reader computes from a formula as it is printed; whatever is not listed is zero."""
    condition, otherwise = WORDS[language]
    for shown, meant in SIGNS.items():
        text = text.replace(shown, meant)
    text = text.replace(" ≠ 0" + otherwise, ", ").replace(condition, ", ")
    names = dict.fromkeys(re.findall(r"[a-z_][a-z0-9_]*", text), 0.0)
    functions = {"max": max, "min": min, "ceil": math.ceil, "pick": lambda then, test, other: then if test else other}
    return float(eval(text, {"__builtins__": {}}, {**names, **known, **functions}))


@pytest.mark.parametrize("language", ["en", "ru"])
def test_examples_can_be_redone_from_what_is_printed(catalog: Catalog, report: RigReport, language) -> None:
    writer = Writer(Messages(language))
    examples = worked_examples(catalog, report)
    assert [each.method for each in examples] == ["full", "qlora"]
    for each in examples:
        known = {item.name: item.value for item in each.inputs}
        for step in each.steps:
            known[step.name] = by_hand(writer.text(step.formula), language, known)
            assert known[step.name] == pytest.approx(step.value), step.name
        assert known["peak"] == pytest.approx(each.estimate.peak_gib.expected * 2**30)
        assert known["tokens_per_second"] == pytest.approx(each.estimate.tokens_per_sec_per_gpu.expected)
        assert each.hours == pytest.approx(1e7 / known["tokens_per_second"] / each.estimate.plan.n_gpus / 3600)
        for kind in each.kinds:
            layer = dict(kind.inputs)
            for step in kind.steps:
                layer[step.name] = by_hand(writer.text(step.formula), language, layer)
                assert layer[step.name] == pytest.approx(step.value), step.name
            if len(each.kinds) == 1 and "all_layer_mixer" in known:
                assert known["all_layer_mixer"] == kind.count * layer["layer_mixer"]


@pytest.mark.parametrize("model", ["llama-3.1-8b", "llama-3.3-70b", "qwen3-14b"])
def test_numbers_of_a_model_follow_from_its_dimensions_as_their_descriptions_say(catalog: Catalog, model) -> None:
    shape = catalog.models[model].architecture.shape()
    numbers = model_numbers(shape)
    block = shape.layer_groups[0].layer
    (attention,), (mlp,) = block.mixers, block.mlps
    hidden, query, kv, wide = shape.hidden, attention.query_width, attention.kv_width, mlp.intermediate
    unit = 2 * hidden * (query + kv) + 3 * hidden * wide
    assert numbers["unit_linear"] == unit
    assert numbers["linear_parameters"] == shape.layers * unit
    assert numbers["embedding"] == shape.vocab * hidden
    assert numbers["largest_matrix"] == hidden * wide
    assert numbers["multiplied_parameters"] == shape.layers * unit + shape.vocab * hidden
    assert numbers["attention_width"] == shape.layers * query
    assert numbers["unit_small"] == 2 * hidden + (2 * query // attention.heads if model.startswith("qwen3") else 0)
    wrapped = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
    adapters = adapter_numbers(shape, 16, wrapped)
    sides = 2 * (hidden + query) + 2 * (hidden + kv) + 3 * (hidden + wide)
    assert adapters["lora_parameters"] == shape.layers * 16 * sides
    assert adapters["one_adapter_inputs"] == 5 * hidden + query + wide
    assert adapters["all_adapter_inputs"] == shape.layers * adapters["one_adapter_inputs"]
    assert adapters["all_adapter_shared_inputs"] == shape.layers * wide


def test_recipes_set_one_flag_of_a_kind(catalog: Catalog, report: RigReport) -> None:
    recipes = recipe_flags(catalog, report.rig)
    assert [(each.method, each.recipe) for each in recipes] == [
        (id_, recipe.id) for id_, method in catalog.methods.items() for recipe in method.ladder
    ]
    assert "grad_checkpointing" in common_flags(recipes)
    for each in recipes:
        for field in ("precision", "sharding", "quant"):
            assert len(set(each.flags) & set(FLAGS[field].values())) <= 1
        recipe = next(one for one in catalog.methods[each.method].ladder if one.id == each.recipe)
        assert f"sharding_{recipe.settings.sharding}" in each.flags
    assert common_flags(()) == ()


def test_full_training_says_nothing_of_adapters(catalog: Catalog, report: RigReport) -> None:
    """As the table of recipes does: their precision changes nothing there."""
    flags = {each.method: {number.name for number in each.inputs} for each in worked_examples(catalog, report)}
    assert not any(name.startswith("adapter_") for name in flags["full"])
    assert any(name.startswith("adapter_") for name in flags["qlora"])
