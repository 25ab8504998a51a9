from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from generator.architecture import QkNorm, count_parameters
from generator.catalog import Catalog
from generator.catalog.hugging_face import shape_of, shape_of_config
from generator.errors import UnsupportedArchitecture

QWEN3_8B: dict[str, Any] = {
    "model_type": "qwen3",
    "num_hidden_layers": 36,
    "hidden_size": 4096,
    "intermediate_size": 12288,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "head_dim": 128,
    "vocab_size": 151936,
    "tie_word_embeddings": False,
    "attention_bias": False,
}


@pytest.mark.parametrize(
    ("model", "model_type"),
    [
        ("qwen3-8b", "qwen3"),
        ("llama-3.1-8b", "llama"),
        ("llama-3.2-1b", "llama"),
        ("gemma-3-1b", "gemma3_text"),
        ("deepseek-r1-distill-qwen-7b", "qwen2"),
        ("deepseek-r1-distill-llama-70b", "llama"),
    ],
)
def test_the_shapes_of_the_catalogue(catalog: Catalog, model: str, model_type: str) -> None:
    shape = catalog.models[model].architecture.shape()
    config = {
        "model_type": model_type,
        "num_hidden_layers": shape.layers,
        "hidden_size": shape.hidden,
        "intermediate_size": shape.intermediate,
        "num_attention_heads": shape.heads,
        "num_key_value_heads": shape.kv_heads,
        "head_dim": shape.head_dim,
        "vocab_size": shape.vocab,
        "tie_word_embeddings": shape.tied_embeddings,
    }
    assert shape_of(config) == shape


def test_defaults_of_the_classes() -> None:
    config = {key: value for key, value in QWEN3_8B.items() if key not in ("head_dim", "tie_word_embeddings")}
    assert shape_of(config) == shape_of(QWEN3_8B)
    llama = {**config, "model_type": "llama", "num_key_value_heads": None, "attention_bias": True}
    shape = shape_of(llama)
    assert (shape.head_dim, shape.kv_heads, shape.qk_norm) == (128, 32, QkNorm.NONE)
    assert (shape.qkv_bias, shape.output_bias) == (True, True)


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(QWEN3_8B))
    assert count_parameters(shape_of_config(path)).total == 8_190_735_360


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model_type": "bert"}, "model_type: expected one of the "),
        ({"model_type": None}, "found nothing"),
        ({"model_type": ["llama"]}, "found `['llama']`"),
        ({"vision_config": {}}, "expected a text_config beside the tower, found none"),
        ({"num_key_value_heads": 5}, "num_key_value_heads: expected a divisor of 32, found `5`"),
        ({"hidden_size": "4096"}, "hidden_size: expected a whole number above 0, found `4096`"),
        ({"hidden_size": True}, "hidden_size: expected a whole number above 0, found `True`"),
        ({"vocab_size": 0}, "vocab_size: expected a whole number above 0, found `0`"),
        ({"vocab_size": 10**30}, "vocab_size: expected a whole number above 0"),
        ({"num_hidden_layers": None}, "num_hidden_layers: expected a whole number above 0, found nothing"),
        ({"tie_word_embeddings": "yes"}, "tie_word_embeddings: expected true or false, found `yes`"),
    ],
)
def test_what_is_not_modelled_is_refused_by_name(change: dict[str, Any], message: str) -> None:
    with pytest.raises(UnsupportedArchitecture) as caught:
        shape_of({**QWEN3_8B, **change})
    assert message in str(caught.value)


@pytest.mark.parametrize("raw", [b"", b"[]", b"\xff", b"{", b"[" * 100_000, b" " * 2_000_000, b"null", b"NaN"])
def test_what_is_no_config(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(raw)
    with pytest.raises(UnsupportedArchitecture, match="expected"):
        shape_of_config(path)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(UnsupportedArchitecture, match="expected a readable file, found No such file"):
        shape_of_config(tmp_path / "config.json")
