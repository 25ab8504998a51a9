"""The shape of a model from its Hugging Face `config.json`.

What a file leaves out takes the default of the `transformers` configuration class of its `model_type`.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from generator.architecture import Architecture
from generator.catalog.config_families import FAMILIES, NESTED_DEFAULTS
from generator.catalog.config_values import ConfigValues, shown
from generator.catalog.towers import tower_parameters_of
from generator.errors import UnsupportedArchitecture

MAX_BYTES = 1024 * 1024
"""Largest config.json that is read."""

TEXT_PART: Mapping[str, str] = {
    "gemma3": "gemma3_text",
    "gemma3n": "gemma3n_text",
    "gemma4": "gemma4_text",
    "gemma4_unified": "gemma4_unified_text",
    "llama4": "llama4_text",
    "mistral3": "mistral",
    "qwen3_5": "qwen3_5_text",
    "qwen3_5_moe": "qwen3_5_moe_text",
}
"""`model_type` of a model with towers → that of its text part where `text_config` does not say."""
TOWERS = ("vision_config", "audio_config")


def shape_of_config(path: Path) -> Architecture:
    """The shape in a `config.json`; raises UnsupportedArchitecture, saying what it lacks."""
    config = read_config(path)
    try:
        return shape_of(config)
    except UnsupportedArchitecture as error:
        raise UnsupportedArchitecture(f"{path}: {error}") from error


def read_config(path: Path) -> Any:
    """The content of a `config.json`; raises UnsupportedArchitecture where it cannot be read."""
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
        if len(raw) > MAX_BYTES:
            raise UnsupportedArchitecture(f"{path}: expected at most {MAX_BYTES // 1024} KiB, found a larger file")
        return json.loads(raw.decode("utf-8"))
    except OSError as error:
        raise UnsupportedArchitecture(f"{path}: expected a readable file, found {error.strerror}") from error
    except json.JSONDecodeError as error:
        found = f"{error.msg[:1].lower()}{error.msg[1:]} at line {error.lineno}, column {error.colno}"
        raise UnsupportedArchitecture(f"{path}: expected JSON, found an error: {found}") from error
    except (ValueError, RecursionError) as error:
        raise UnsupportedArchitecture(f"{path}: expected JSON in UTF-8, found {type(error).__name__}") from error


def shape_of(config: Any) -> Architecture:
    """The shape in the content of a `config.json`; raises UnsupportedArchitecture, saying what it lacks.

    A model with towers is its text part and the towers as one number; towers that nobody counted are refused.
    """
    model_type, values = text_values(config)
    shape = _text_shape(model_type, values)
    if not values.prefix:
        return _with_or_without_head(config, shape)
    return replace(shape, tower_parameters=tower_parameters_of(config["model_type"], config, shape.hidden))


def text_values(config: Any) -> tuple[object, ConfigValues]:
    """`model_type` and fields of the text part, with what the class of the whole model gives it.

    The fields have the prefix `text_config.` where they stand in an object of their own. Raises
    UnsupportedArchitecture.
    """
    if not isinstance(config, Mapping):
        raise UnsupportedArchitecture("expected a JSON object, found something else")
    text = config.get("text_config")
    if text is None:
        if any(config.get(key) is not None for key in TOWERS):
            raise UnsupportedArchitecture("expected a text_config beside the tower, found none")
        return config.get("model_type"), ConfigValues(config)
    if not isinstance(text, Mapping):
        raise UnsupportedArchitecture(f"text_config: expected a JSON object, found {shown(text)}")
    outer = config.get("model_type")
    if not isinstance(outer, str) or outer not in TEXT_PART:
        raise UnsupportedArchitecture(
            f"expected a model with a tower of model_type {', '.join(TEXT_PART)}, found {shown(outer)}"
        )
    model_type = text.get("model_type") or TEXT_PART[outer]
    given = {key: value for key, value in text.items() if value is not None}
    if isinstance(config.get("tie_word_embeddings"), bool):
        given["tie_word_embeddings"] = config["tie_word_embeddings"]
    raw = {**NESTED_DEFAULTS.get(str(model_type), {}), **given}
    return model_type, ConfigValues(raw, "text_config.")


def _with_or_without_head(config: Mapping[str, Any], shape: Architecture) -> Architecture:
    """A language model, or its body alone where `architectures` names that: an embedding model."""
    names = config.get("architectures")
    name = names[0] if isinstance(names, list) and len(names) == 1 else None
    if not isinstance(name, str):
        return shape
    if name.endswith("Model") and not name.endswith("LMHeadModel"):  # GPT2LMHeadModel has its head
        return replace(shape, output_head=False)
    if name.endswith(("Classification", "QuestionAnswering", "MaskedLM")):
        raise UnsupportedArchitecture(f"architectures: expected a causal language model, found {shown(name)}")
    return shape


def nearest(model_type: str) -> list[str]:
    """The classes that are counted with the names most like this one, at most three."""
    return difflib.get_close_matches(model_type, FAMILIES, n=3, cutoff=0.7)


def _text_shape(model_type: object, values: ConfigValues) -> Architecture:
    family = FAMILIES.get(model_type) if isinstance(model_type, str) else None
    if family is None:
        near = nearest(str(model_type))
        hint = f"; did you mean {', '.join(near)}?" if near else ""
        raise UnsupportedArchitecture(
            f"{values.prefix}model_type: expected one of the {len(FAMILIES)} that are counted, such as llama, qwen3 or "
            f"gemma3_text, found {shown(model_type)}{hint}"
        )
    return family(values)
