"""Whatever stands in data/: a catalogue, or CatalogErrors that point into the files, and nothing else."""

from __future__ import annotations

import copy
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from generator.catalog import Catalog, load_catalog
from generator.catalog.yaml_positions import MAX_DEPTH, parse_document
from generator.catalog.yaml_text import yaml_text
from generator.errors import CatalogErrors
from tests.support import FILES, tiny_catalog

NAMES = sorted(FILES)
SURPRISES = st.sampled_from(
    [
        "no", "null", "~", "1e999", "-0", "0x10", "1_0", ".nan", "12:30", "2026-02-31", "''", '""', "[]", "{}", "[[]]",
        "{a: 1}", "&a x", "*a", "!!python/name:os.system x", "!x y", "<<: {a: 1}", "|", ">-", "? a", "- a", "%TAG",
        "---", "...", "\t", "\x00", "\u202e", "\ufeff", "javascript:alert(1)", "https://x", "{{ 7 }}", "{0}", "{a}",
        "../../etc/passwd", "9" * 400, "x" * 5000, "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"),
        "'unclosed", '"\\x', "a: b: c", "# comment", ",", ":", "`", "@", "\u0301", "\\ud800",
    ]
)  # fmt: skip

EDITS = st.tuples(st.sampled_from(NAMES), st.integers(0, 10_000), st.integers(0, 40), SURPRISES)
"""File, place, length of what is replaced, and by what."""


def loads(data: Path) -> Catalog | None:
    """The catalogue, or none after errors that are as they should be."""
    try:
        return load_catalog(data)
    except CatalogErrors as caught:
        problem = caught
    assert problem.errors
    for error in problem.errors:
        assert error.path.startswith("data/")
        assert error.line >= 1
        assert error.column >= 1
        assert "expected" in error.message
        assert "\n" not in str(error)
    return None


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_catalog(tmp_path_factory.mktemp("pristine"))


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edits=st.lists(EDITS, min_size=1, max_size=4))
def test_hostile_edits(pristine: Path, tmp_path: Path, edits: list[tuple[str, int, int, str]]) -> None:
    data = tmp_path / "data"
    shutil.rmtree(data, ignore_errors=True)
    shutil.copytree(pristine, data)
    for name, at, length, text in edits:
        path = data / name
        old = path.read_text(encoding="utf-8")
        start = at % len(old)
        path.write_text(old[:start] + text + old[start + length :], encoding="utf-8", newline="")
    loads(data)


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(name=st.sampled_from(NAMES), raw=st.binary(max_size=200))
def test_any_bytes(pristine: Path, tmp_path: Path, name: str, raw: bytes) -> None:
    data = tmp_path / "data"
    shutil.rmtree(data, ignore_errors=True)
    shutil.copytree(pristine, data)
    (data / name).write_bytes(raw)
    loads(data)


def _depth(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max(map(_depth, value.values()), default=0)
    return 1 + max(map(_depth, value), default=0) if isinstance(value, list) else 0


@settings(max_examples=400)
@given(text=st.text(alphabet="ab:-?[]{},&*!|>'\"%#\n \\01.~<=@`", max_size=80))
def test_any_text_is_plain_data_or_errors(text: str) -> None:
    document, errors = parse_document(text.encode(), "data/f.yml")
    if document is None:
        assert errors
    else:
        assert _depth(document.root.plain) <= MAX_DEPTH


LEAVES = st.sampled_from(
    [None, True, 0, -1, 1e-9, 10**18, 0.5, "", "x", "https://x", "2026-02-30", [], {}, [1], {"a": 1}]
)


def _paths(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """Where something stands in a record: keys and indices from the top."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in items:
        yield (*path, step)
        yield from _paths(item, (*path, step))


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(draw=st.data())
def test_hostile_records(pristine: Path, tmp_path: Path, draw: st.DataObject) -> None:
    """Values of a record replaced, removed and added, whatever their types."""
    data = tmp_path / "data"
    shutil.rmtree(data, ignore_errors=True)
    shutil.copytree(pristine, data)
    name = draw.draw(st.sampled_from(NAMES))
    document, _ = parse_document((data / name).read_bytes(), name)
    assert document is not None
    plain = copy.deepcopy(document.root.plain)
    for _ in range(draw.draw(st.integers(1, 3))):
        paths = list(_paths(plain))
        if not paths:
            break
        *above, last = draw.draw(st.sampled_from(paths))
        owner = plain
        for step in above:
            owner = owner[step]
        what = draw.draw(st.sampled_from(["replace", "remove", "add"]))
        if what == "replace":
            owner[last] = copy.deepcopy(draw.draw(LEAVES))
        elif what == "remove":
            del owner[last]
        elif isinstance(owner, dict):
            owner[draw.draw(st.sampled_from(["x", "source", "value", "ru", "sources", "kind"]))] = copy.deepcopy(
                draw.draw(LEAVES)
            )
        else:
            owner.append(copy.deepcopy(draw.draw(LEAVES)))
    (data / name).write_text(yaml_text(plain), encoding="utf-8")
    loads(data)
