"""Plain data as YAML text in the style of the files in data/."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from generator.catalog.yaml_positions import resolve

_PLAIN = re.compile(r"[A-Za-z](?:[\w ./()+×-]|:(?=/))*", re.ASCII)
_WORDS = ("true", "false", "null", "yes", "no", "on", "off", "y", "n")
"""Words that some reader of YAML takes for something else than text."""


def yaml_text(data: Mapping[str, Any]) -> str:
    """A mapping of mappings, lists and scalars as block YAML: two blanks per level, keys in the given order."""
    return "".join(f"{line}\n" for line in _mapping(data))


def scalar_text(value: str | float | bool | None) -> str:
    """One scalar; text in double quotes unless it is plainly a few words."""
    if value is None or isinstance(value, bool | int | float):
        return json.dumps(value)
    plain = _PLAIN.fullmatch(value) and not value.endswith(" ") and value.lower() not in _WORDS
    if plain and isinstance(resolve(value), str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _mapping(data: Mapping[str, Any]) -> Iterator[str]:
    for key, value in data.items():
        inline = _inline(value)
        if inline is not None:
            yield f"{scalar_text(key)}: {inline}"
        else:
            yield f"{scalar_text(key)}:"
            yield from (f"  {line}" for line in _block(value))


def _block(value: Any) -> Iterator[str]:
    """Lines of a mapping or a list that holds something."""
    if isinstance(value, Mapping):
        yield from _mapping(value)
        return
    for item in value:
        inline = _inline(item)
        first, *rest = [inline] if inline is not None else list(_block(item))
        yield f"- {first}"
        yield from (f"  {line}" for line in rest)


def _inline(value: Any) -> str | None:
    """What fits behind its key: scalars, lists of numbers, what is empty."""
    if isinstance(value, Mapping):
        return None if value else "{}"
    if isinstance(value, list | tuple):
        if all(isinstance(item, int) for item in value):
            return f"[{', '.join(map(scalar_text, value))}]"
        return None
    return scalar_text(value)
