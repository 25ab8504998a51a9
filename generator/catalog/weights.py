"""How many elements a checkpoint holds, as the files of its weights beside a `config.json` say.

A count made from `config.json` always agrees with that file. The weights are what can contradict it: a vocabulary of
32,016 rows where the file says 32,000.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

INDEX = "model.safetensors.index.json"
SINGLE = "model.safetensors"
MAX_BYTES = 32 * 1024 * 1024
"""Largest index or header that is read."""
BYTES = {"float32": 4, "float16": 2, "bfloat16": 2, "float64": 8}
"""Element types of `config.json` → bytes."""


@dataclass(frozen=True, slots=True)
class Stored:
    """The elements of all tensors of a checkpoint."""

    elements: int
    file: str
    where: str
    """Where the number stands in the file."""
    as_printed: str | None = None
    """The number, where the file prints it."""


def stored_beside(path: Path, config: Any) -> Stored | None:
    """What the weights beside a `config.json` say; none where there are none, or none that say it.

    An index gives the bytes of all tensors, which are elements only where all have one type. Never raises for what
    the files hold.
    """
    return _of_index(path.parent / INDEX, config) or _of_header(path.parent / SINGLE)


def _of_index(path: Path, config: Any) -> Stored | None:
    try:
        if not 0 < path.stat().st_size <= MAX_BYTES:
            return None
        index = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    metadata = index.get("metadata") if isinstance(index, Mapping) else None
    if not isinstance(metadata, Mapping):
        return None
    elements = metadata.get("total_parameters")
    if type(elements) is int and elements > 0:
        return Stored(elements, INDEX, "metadata.total_parameters", str(elements))
    size, width = metadata.get("total_size"), _bytes_per_element(config)
    if type(size) is not int or size <= 0 or width is None or size % width:
        return None
    return Stored(size // width, INDEX, f"metadata.total_size: {size} bytes, {width} per element")


def _bytes_per_element(config: Any) -> int | None:
    """None where the weights are not all of the one type that the file names."""
    if not isinstance(config, Mapping) or config.get("quantization_config"):
        return None
    text = config.get("text_config")
    parts = [config, text] if isinstance(text, Mapping) else [config]
    named = {part[key] for part in parts for key in ("dtype", "torch_dtype") if isinstance(part.get(key), str)}
    return BYTES.get(named.pop()) if len(named) == 1 else None


def _of_header(path: Path) -> Stored | None:
    """The header of a safetensors file: eight bytes of its length, then JSON with the shape of each tensor."""
    try:
        with path.open("rb") as file:
            length = int.from_bytes(file.read(8), "little")
            if not 0 < length <= MAX_BYTES:
                return None
            header = json.loads(file.read(length))
        shapes = [tensor["shape"] for name, tensor in header.items() if name != "__metadata__"]
        elements = sum(math.prod(shape) for shape in shapes)
    except (OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError):
        return None
    if type(elements) is not int or elements <= 0:
        return None
    return Stored(elements, SINGLE, "shapes of all tensors in the header")
