"""What a `config.json` gives, and what it is refused for."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest

from generator.architecture import KeyValue, QkNorm, count_parameters
from generator.catalog.config_families import FAMILIES
from generator.catalog.hugging_face import TEXT_PART, shape_of, shape_of_config
from generator.catalog.towers import TOWERS
from generator.errors import UnsupportedArchitecture

LLAMA = {
    "model_type": "llama",
    "num_hidden_layers": 2,
    "hidden_size": 8,
    "intermediate_size": 16,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 100,
}
DEEPSEEK = {
    **{key: value for key, value in LLAMA.items() if key != "num_key_value_heads"},
    "model_type": "deepseek_v3",
    "n_routed_experts": 4,
    "num_experts_per_tok": 2,
}
GEMMA = {"model_type": "gemma4_text", **{key: value for key, value in LLAMA.items() if key != "model_type"}}
PIXTRAL = {"hidden_size": 1024, "num_hidden_layers": 24, "intermediate_size": 4096, "patch_size": 14}


def refusal(config: Any) -> str:
    with pytest.raises(UnsupportedArchitecture) as caught:
        shape_of(config)
    return str(caught.value)


def test_defaults_of_the_class() -> None:
    shape = shape_of(LLAMA)
    assert (shape.head_dim, shape.tied_embeddings, shape.qkv_bias, shape.groups) == (2, False, False, ())
    qwen = shape_of({**LLAMA, "model_type": "qwen3"})
    assert (qwen.head_dim, qwen.qk_norm) == (128, QkNorm.PER_HEAD)
    assert shape_of({**LLAMA, "model_type": "gemma"}).tied_embeddings


def test_biases_of_attention_and_mlp() -> None:
    plain, biased = shape_of(LLAMA), shape_of({**LLAMA, "attention_bias": True, "mlp_bias": True})
    # q 8, k 4, v 4, o 8; gate 16, up 16, down 8
    assert count_parameters(biased).total == count_parameters(plain).total + 2 * (24 + 40)
    assert not biased.unmodelled


def test_null_is_not_the_same_as_nothing() -> None:
    compressed = count_parameters(shape_of(DEEPSEEK)).total
    whole = count_parameters(shape_of({**DEEPSEEK, "q_lora_rank": None})).total
    query = 4 * (128 + 64)
    assert compressed - whole == 2 * (8 * 1536 + 1536 + 1536 * query - 8 * query)


def test_the_last_layer_of_gemma_4_sees_everything() -> None:
    kinds = ["sliding_attention"] * 2
    shape = shape_of({**GEMMA, "layer_types": kinds, "global_head_dim": 512, "attention_k_eq_v": True})
    first, last = (group.layer.mixers[0] for group in shape.groups)
    assert (first.head_dim, last.head_dim) == (256, 512)
    assert (first.key_value, last.key_value) == (KeyValue.OWN, KeyValue.KEY_IS_VALUE)


def test_the_text_part_of_a_model_with_a_tower() -> None:
    text = {**LLAMA, "model_type": "mistral"}
    shape = shape_of({"model_type": "mistral3", "text_config": text, "vision_config": PIXTRAL})
    assert count_parameters(shape).text == count_parameters(shape_of(text)).total
    assert shape.tower_parameters == 403_305_472 + 1024 + 4 * 1024 * 1024 + 1024 * 8 + 8 * 8


def test_what_the_whole_says_of_tying_wins() -> None:
    text = {**LLAMA, "model_type": "mistral", "tie_word_embeddings": True}
    whole = {"model_type": "mistral3", "text_config": text, "vision_config": PIXTRAL}
    assert shape_of(whole).tied_embeddings
    assert not shape_of({**whole, "tie_word_embeddings": False}).tied_embeddings


def test_gemma_without_a_tower_has_none() -> None:
    assert shape_of({"model_type": "gemma4", "text_config": GEMMA, "audio_config": None}).tower_parameters == 0


def test_an_embedding_model_is_known_by_its_class() -> None:
    assert not shape_of({**LLAMA, "architectures": ["LlamaModel"]}).output_head
    assert shape_of({**LLAMA, "architectures": ["LlamaForCausalLM"]}).output_head
    assert "a causal language model" in refusal({**LLAMA, "architectures": ["LlamaForSequenceClassification"]})


def test_all_towers_belong_to_a_model() -> None:
    assert set(TOWERS) == set(TEXT_PART)
    assert set(TEXT_PART.values()) <= set(FAMILIES)


@pytest.mark.parametrize("key", ["num_hidden_layers", "hidden_size", "num_attention_heads", "vocab_size"])
def test_what_is_missing_is_named(key: str) -> None:
    config = {name: value for name, value in LLAMA.items() if name != key}
    assert refusal(config) == f"{key}: expected a whole number above 0, found nothing"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"num_hidden_layers": 0}, "num_hidden_layers: expected a whole number above 0, found `0`"),
        ({"num_hidden_layers": 10**9}, "num_hidden_layers: expected a whole number above 0, found `1000000000`"),
        ({"num_hidden_layers": 10**5}, "num_hidden_layers: expected at most 10000 layers, found `100000`"),
        ({"num_hidden_layers": True}, "num_hidden_layers: expected a whole number above 0, found `True`"),
        ({"hidden_size": 8.0}, "hidden_size: expected a whole number above 0, found `8.0`"),
        ({"vocab_size": "100"}, "vocab_size: expected a whole number above 0, found `100`"),
        ({"num_key_value_heads": 3}, "num_key_value_heads: expected a divisor of 4, found `3`"),
        ({"tie_word_embeddings": 1}, "tie_word_embeddings: expected true or false, found `1`"),
        (
            {"model_type": "mixtral", "num_local_experts": 2, "num_experts_per_tok": 3},
            "num_experts_per_tok: expected at most the 2 experts, found `3`",
        ),
        ({"model_type": "qwen3_moe", "mlp_only_layers": "all"}, "mlp_only_layers: expected a list, found `all`"),
        (
            {"model_type": "qwen3_5_text", "layer_types": ["full_attention"]},
            "layer_types: expected a list of 2, found `1 items`",
        ),
        (
            {"model_type": "qwen3_5_text", "layer_types": ["full_attention", "retention"]},
            "layer_types: expected words from linear_attention, mamba, full_attention, attention, found `retention`",
        ),
        (
            {"model_type": "gemma3n_text", "num_kv_shared_layers": 0, "intermediate_size": [1, 2, 3]},
            "expected a list of 2, found `3 items`",
        ),
        ({"model_type": "deepseek", "moe_layer_freq": 2, "moe_intermediate_size": 4}, "moe_layer_freq: expected 1"),
        ({"model_type": "qwen", "no_bias": False}, "no_bias: expected true, found `False`"),
        ({"model_type": "gpt2", "hidden_size": 9}, "num_attention_heads: expected a divisor of 9, found `4`"),
        ({"model_type": "granitemoehybrid", "mamba_n_heads": 5}, "mamba_n_heads: expected heads whose sizes add up to"),
        ({"model_type": "deepseek_v4", "compress_ratios": [0, 7]}, "layer_types: expected words from"),
        ({"model_type": "deepseek_v4", "compress_ratios": [[0], 4]}, "layer_types: expected words from"),
        ({"model_type": "deepseek_v4", "layer_types": "sliding"}, "layer_types: expected a kind for each of 2 layers"),
        ({"model_type": "glm_moe_dsa", "index_topk_pattern": "FX"}, "index_topk_pattern: expected 2 letters F or S"),
    ],
)
def test_wrong_values_are_named(change: dict[str, Any], message: str) -> None:
    assert message in refusal({**LLAMA, **change})


def test_an_unknown_family_is_refused_with_a_hint() -> None:
    assert refusal({**LLAMA, "model_type": "qwen3-moe"}).endswith("did you mean qwen3_moe, qwen2_moe, qwen3?")
    assert refusal({**LLAMA, "model_type": "rwkv5"}).endswith("found `rwkv5`")
    assert refusal({**LLAMA, "model_type": ["llama"]}).startswith("model_type: expected one of the")
    assert refusal([LLAMA]) == "expected a JSON object, found something else"


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"vision_config": PIXTRAL}, "expected a text_config beside the tower, found none"),
        ({"text_config": LLAMA, "model_type": "llava"}, "expected a model with a tower of model_type gemma3"),
        ({"text_config": "llama", "model_type": "mistral3"}, "text_config: expected a JSON object, found `llama`"),
        ({"text_config": LLAMA, "model_type": "mistral3"}, "vision_config: expected the dimensions of the tower"),
        (
            {"text_config": LLAMA, "model_type": "mistral3", "vision_config": {**PIXTRAL, "patch_size": 16}},
            "vision_config: expected a tower that was counted (hidden_size 1024, num_hidden_layers 24",
        ),
        (
            {"text_config": LLAMA, "model_type": "mistral3", "vision_config": {}},
            "vision_config: expected a tower that was counted",
        ),
        (
            {"text_config": {**LLAMA, "hidden_size": 0}, "model_type": "mistral3", "vision_config": PIXTRAL},
            "text_config.hidden_size: expected a whole number above 0, found `0`",
        ),
    ],
)
def test_towers_that_nobody_counted(config: dict[str, Any], message: str) -> None:
    assert message in refusal(config)


BROKEN = (None, [], {}, "x", -1, 10**30, 0.5, float("nan"), "", [None], {"a": 1})


@pytest.mark.parametrize("model_type", sorted(FAMILIES))
def test_no_value_makes_more_than_a_refusal(model_type: str) -> None:
    for key in (*LLAMA, "layer_types", "n_routed_experts", "num_experts", "mlp_layer_types", "tie_word_embeddings"):
        for broken in BROKEN:
            with contextlib.suppress(UnsupportedArchitecture):
                shape_of({**LLAMA, "model_type": model_type, key: broken})


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(LLAMA), "utf-8")
    assert shape_of_config(path) == shape_of(LLAMA)
    path.write_text("{", "utf-8")
    with pytest.raises(UnsupportedArchitecture, match=r"expected JSON, found an error: .* at line 1, column 2"):
        shape_of_config(path)
    path.write_text(json.dumps({**LLAMA, "vocab_size": None}), "utf-8")
    with pytest.raises(UnsupportedArchitecture, match=r"config\.json: vocab_size: expected a whole number"):
        shape_of_config(path)
    with pytest.raises(UnsupportedArchitecture, match="expected a readable file"):
        shape_of_config(tmp_path / "none.json")
    path.write_text(" " * (1024 * 1024 + 1), "utf-8")
    with pytest.raises(UnsupportedArchitecture, match="expected at most 1024 KiB"):
        shape_of_config(path)
