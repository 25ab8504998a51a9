"""Counts from `config.json` against integers that were verified elsewhere, for every family."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from generator.architecture import Architecture, ParameterCounts, adapter_targets, count_parameters, lora_parameters
from generator.catalog.hugging_face import shape_of

HERE = Path(__file__).parent
VERIFIED: list[dict[str, Any]] = yaml.safe_load((HERE / "verified_counts.yml").read_text("utf-8"))
REAL: list[dict[str, Any]] = yaml.safe_load((HERE / "real_configs.yml").read_text("utf-8"))
BY_ID = {model_id: entry for entry in VERIFIED for model_id in entry["ids"]}


def shape_of_entry(entry: dict[str, Any]) -> Architecture:
    shape = shape_of(entry["config"])
    return shape if entry.get("head", True) else replace(shape, output_head=False)


def counts_of(model_id: str) -> ParameterCounts:
    return count_parameters(shape_of_entry(BY_ID[model_id]))


def test_there_are_all_of_them() -> None:
    assert len(BY_ID) == sum(len(entry["ids"]) for entry in VERIFIED) == 147


@pytest.mark.parametrize("entry", VERIFIED, ids=lambda entry: entry["ids"][0])
def test_the_count_is_the_verified_integer(entry: dict[str, Any]) -> None:
    counts = count_parameters(shape_of_entry(entry))
    assert counts.total == entry["total"]
    assert counts.text == entry.get("text", entry["total"])
    assert counts.active == entry.get("active", counts.text)


@pytest.mark.parametrize("entry", REAL, ids=lambda entry: entry["file"].rpartition("/")[2])
def test_real_files_give_what_transformers_builds(entry: dict[str, Any]) -> None:
    assert count_parameters(shape_of(entry["config"])).total == entry["total"]


@pytest.mark.parametrize("entry", VERIFIED + REAL, ids=lambda entry: str(entry.get("ids") or entry["file"])[-50:])
def test_parts_add_up(entry: dict[str, Any]) -> None:
    shape = shape_of_entry(entry)
    counts = count_parameters(shape)
    assert counts.layers == shape.layers
    assert counts.total == counts.text + counts.tower
    assert counts.active <= counts.text
    assert counts.layer == max(group.total for group in counts.groups)
    assert 0 < counts.matmul <= counts.text + counts.embedding
    assert lora_parameters(shape, 8, adapter_targets(shape, "all-linear")) > 0


def test_a_model_without_a_head_multiplies_none() -> None:
    shape = shape_of_entry(BY_ID["Qwen/Qwen3-Embedding-8B"])
    assert count_parameters(shape).head == 0
    with_head = replace(shape, output_head=True)
    assert count_parameters(with_head).matmul == count_parameters(shape).matmul + shape.vocab * shape.hidden


def test_plain_models_have_no_features_and_others_say_theirs() -> None:
    plain = {"llama", "qwen2", "qwen3", "mistral", "gemma2", "gemma3_text", "gemma3", "mistral3", "phi3", "glm", "glm4"}
    plain |= {"granite", "olmo2", "olmo3", "exaone", "exaone4", "smollm3"}
    for entry in VERIFIED:
        shape = shape_of_entry(entry)
        assert (shape.features == frozenset()) == (entry["config"]["model_type"] in plain or _is_dense(entry)), entry


def _is_dense(entry: dict[str, Any]) -> bool:
    """Granite 4.0 micro: the class of the hybrids, without any."""
    config = entry["config"]
    return config["model_type"] == "granitemoehybrid" and "mamba" not in config["layer_types"]


@pytest.mark.parametrize(
    ("model_id", "features"),
    [
        ("mistralai/Mixtral-8x7B-Instruct-v0.1", {"moe"}),
        ("deepseek-ai/DeepSeek-V3", {"moe", "mla", "several-kinds-of-layers"}),
        ("openai/gpt-oss-20b", {"moe", "attention-sinks"}),
        (
            "Qwen/Qwen3-Next-80B-A3B-Instruct",
            {"moe", "linear-attention", "attention-gate", "several-kinds-of-layers"},
        ),
        ("ibm-granite/granite-4.0-h-micro", {"state-space", "several-kinds-of-layers"}),
        ("EleutherAI/pythia-1b", {"plain-mlp", "layer-norm"}),
        ("google/gemma-4-31B-it", {"key-is-value", "several-kinds-of-layers"}),
    ],
)
def test_features(model_id: str, features: set[str]) -> None:
    shape = shape_of_entry(BY_ID[model_id])
    assert shape.features == features
    assert set(shape.unmodelled) <= features


def test_experts_stay_apart_from_what_is_quantised() -> None:
    counts = counts_of("Qwen/Qwen3-30B-A3B")
    # 48 layers × 128 experts × 3 matrices of 2,048 × 768; q, o 2,048 × 4,096 and k, v 2,048 × 512
    assert counts.experts == 48 * 128 * 3 * 2048 * 768
    assert counts.linear == 48 * (2 * 2048 * 4096 + 2 * 2048 * 512)
    # the router multiplies, and 8 of the experts do
    assert counts.matmul == counts.linear + counts.experts // 16 + 48 * 2048 * 128 + counts.head


def test_experts_that_are_modules_are_quantised() -> None:
    counts = counts_of("ai-sage/GigaChat-20B-A3B-instruct")
    assert counts.experts == 0
    assert counts.linear > 0.95 * counts.total - counts.embedding - counts.head


@pytest.mark.parametrize("model_id", sorted(BY_ID))
def test_the_catalogue_has_it_with_the_same_layers(catalog, model_id: str) -> None:
    entry, record = BY_ID[model_id], catalog.model(model_id)
    shape = record.architecture.shape()
    assert count_parameters(shape).total == record.parameters.exact.value == entry["total"]
    verified = shape_of_entry(entry)
    assert [(group.count, group.layer.features) for group in shape.layer_groups] == [
        (group.count, group.layer.features) for group in verified.layer_groups
    ]
    assert count_parameters(shape).active == count_parameters(verified).active
    assert record.objective != "embedding" or not shape.output_head
