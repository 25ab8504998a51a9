"""What a checkpoint holds, by the files of its weights beside a `config.json`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from generator.catalog.weights import INDEX, SINGLE, stored_beside

CONFIG: dict[str, Any] = {"model_type": "llama", "torch_dtype": "bfloat16"}


def safetensors(shapes: dict[str, list[int]]) -> bytes:
    """The head of a file in the form of safetensors: the length, then the JSON; the data are not looked at."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    header |= {name: {"dtype": "BF16", "shape": shape, "data_offsets": [0, 0]} for name, shape in shapes.items()}
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + b"\0" * 16


def test_the_bytes_of_an_index_are_elements_of_one_type(tmp_path: Path) -> None:
    (tmp_path / INDEX).write_text(json.dumps({"metadata": {"total_size": 13_476_831_232}}), encoding="utf-8")
    stored = stored_beside(tmp_path / "config.json", CONFIG)
    assert stored is not None
    assert (stored.elements, stored.file, stored.as_printed) == (6_738_415_616, INDEX, None)
    assert stored.where == "metadata.total_size: 13476831232 bytes, 2 per element"
    text = {"text_config": {"dtype": "float32"}}
    wide = stored_beside(tmp_path / "config.json", text)
    assert wide is not None
    assert wide.elements == 3_369_207_808


@pytest.mark.parametrize(
    "config",
    [
        {},
        [],
        {"torch_dtype": "float8"},
        {**CONFIG, "quantization_config": {"bits": 4}},
        {**CONFIG, "text_config": {"dtype": "float32"}},
    ],
)
def test_without_one_type_for_all_the_bytes_say_nothing(tmp_path: Path, config: Any) -> None:
    (tmp_path / INDEX).write_text(json.dumps({"metadata": {"total_size": 13_476_831_232}}), encoding="utf-8")
    assert stored_beside(tmp_path / "config.json", config) is None


def test_a_number_of_elements_needs_no_type(tmp_path: Path) -> None:
    (tmp_path / INDEX).write_text(
        json.dumps({"metadata": {"total_size": 7, "total_parameters": 32_016}}), encoding="utf-8"
    )
    stored = stored_beside(tmp_path / "config.json", {})
    assert stored is not None
    assert (stored.elements, stored.where, stored.as_printed) == (32_016, "metadata.total_parameters", "32016")


def test_the_header_of_a_single_file_has_the_shapes(tmp_path: Path) -> None:
    (tmp_path / SINGLE).write_bytes(safetensors({"embed": [32_016, 64], "norm": [64], "scale": []}))
    stored = stored_beside(tmp_path / "config.json", CONFIG)
    assert stored is not None
    assert (stored.elements, stored.file) == (32_016 * 64 + 64 + 1, SINGLE)


@pytest.mark.parametrize("name", [INDEX, SINGLE])
@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b"\xff" * 40,
        b'{"metadata": 1}',
        b'{"metadata": {"total_size": "x"}}',
        b'{"metadata": {"total_size": 3}}',
        (2).to_bytes(8, "little") + b"[]",
        (12).to_bytes(8, "little") + b'{"a": {"b":1}}',
        (11).to_bytes(8, "little") + b'{"a": null}',
        (19).to_bytes(8, "little") + b'{"a":{"shape":"x"}}',
        (2**62).to_bytes(8, "little"),
        b"[" * 100_000,
    ],
)
def test_files_that_say_nothing(tmp_path: Path, name: str, raw: bytes) -> None:
    (tmp_path / name).write_bytes(raw)
    assert stored_beside(tmp_path / "config.json", CONFIG) is None
    assert stored_beside(tmp_path / "gone" / "config.json", CONFIG) is None
