"""The `architecture` of a model's file from its `config.json`: the shortest that gives the same shape."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from generator.architecture import Architecture
from generator.catalog.architecture_record import LAYER_WORDS, OWN_NAMES, ArchitectureRecord, ConfigRecord
from generator.catalog.hugging_face import shape_of, text_values
from generator.errors import UnsupportedArchitecture

ALWAYS = ("layers", "hidden", "heads", "vocab", "tied_embeddings")
"""Fields that a record must have, also where the file leaves them to the class."""


def architecture_block(config: Any, source: str) -> dict[str, Any]:
    """The fields as they stand in the file, read in `source`.

    What config.json leaves out and the record needs is marked as computed from its class. Raises
    UnsupportedArchitecture for a shape that cannot be counted, or that the record has no words for.
    """
    shape = shape_of(config)
    model_type, values = text_values(config)
    given = {key: value for key, value in values.raw.items() if value is not None or key == "q_lora_rank"}
    block: dict[str, Any] = {"source": source, "where": f"config.json{', text_config' if values.prefix else ''}"}
    block["model_type"] = model_type
    for field, keys in OWN_NAMES.items():
        known = next((given[key] for key in keys if key in given), None)
        if isinstance(known, bool | int):
            block[field] = known
        elif field in ALWAYS:
            block[field] = _of_class(getattr(shape, field), source, str(model_type))
    block |= _full_attention(given, str(model_type))
    block |= _head_and_tower(shape, source)
    extras = {key: _extra(given[key]) for key in ConfigRecord.model_fields if key in given}
    extras = {key: value for key, value in extras.items() if isinstance(value, bool | int | str)}
    if not _gives(shape, block, extras):  # words for layers that the record has none for, where the class decides alone
        block.pop("full_attention_layers", None)
    if not _gives(shape, block, extras):
        raise UnsupportedArchitecture(_lacking(config, shape, {*extras, *_own_keys()}))
    return _shortest(shape, block, extras)


def _extra(value: object) -> object:
    return 0 if value is None else value


def _of_class(value: object, source: str, model_type: str) -> dict[str, Any]:
    where = f"left out of config.json: what the class of {model_type} takes then"
    return {"value": value, "kind": "computed", "source": source, "where": where}


def _full_attention(given: Mapping[str, Any], model_type: str) -> dict[str, Any]:
    words = given.get("layer_types")
    if not isinstance(words, list):
        return {}
    full, _ = LAYER_WORDS.get(model_type, ("full_attention", ""))
    return {"full_attention_layers": [index for index, word in enumerate(words) if word == full]}


def _head_and_tower(shape: Architecture, source: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if not shape.output_head:
        found["output_head"] = {"value": False, "source": source, "where": "config.json, architectures"}
    if shape.tower_parameters:
        where = "config.json, dimensions of the towers: elements of encoder and projector"
        found["tower_parameters"] = {
            "value": shape.tower_parameters, "kind": "computed", "source": source, "where": where,
        }  # fmt: skip
    return found


def _gives(shape: Architecture, block: Mapping[str, Any], extras: Mapping[str, Any]) -> bool:
    """Whether a record of these fields has the shape."""
    try:
        return ArchitectureRecord.model_validate({**block, "config": extras or None}).shape() == shape
    except (ValidationError, ValueError):
        return False


def _shortest(shape: Architecture, block: dict[str, Any], extras: dict[str, Any]) -> dict[str, Any]:
    """The block without fields that decide nothing: those that the class does not read, flags that it has anyway."""
    kept = {}
    for key, value in extras.items():
        fewer = {name: other for name, other in extras.items() if name != key}
        changed = {**extras, key: value + 1} if type(value) is int else fewer
        if not _gives(shape, block, fewer) or not _gives(shape, block, changed):
            kept[key] = value
    for field in ("full_attention_layers", "intermediate"):
        less = {name: value for name, value in block.items() if name != field}
        if field in block and (field != "intermediate" or not shape.intermediate) and _gives(shape, less, kept):
            block = less
    return {**block, "config": kept} if kept else block


def _own_keys() -> set[str]:
    return {key for keys in OWN_NAMES.values() for key in keys} | {"layer_types", "model_type"}


def _lacking(config: Any, shape: Architecture, placed: set[str]) -> str:
    """Names the fields of the file that decide its shape and have no place in data/."""
    text = config.get("text_config")
    part = text if isinstance(text, Mapping) else config
    deciding = []
    for key in part:
        if key in placed:
            continue
        less = {name: value for name, value in part.items() if name != key}
        try:
            same = shape_of({**config, "text_config": less} if part is text else less) == shape
        except UnsupportedArchitecture:
            same = False
        if not same:
            deciding.append(key)
    if not deciding:
        per_layer = (key for key, value in part.items() if isinstance(value, list) and len(value) == shape.layers)
        deciding = [key for key in per_layer if key not in placed]
    named = ", ".join(deciding) or "fields that it has no words for"
    return (
        f"expected a shape that the fields of data/ can say, found one that also rests on {named}"
        " (a field in generator/catalog/architecture_record.py is needed: please open an issue)"
    )
