from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from generator.catalog.loading import LAYOUTS, Layout
from generator.catalog.schema import MEASURED, SCHEMAS_DIR, schemas, stale_schemas, write_schemas
from generator.catalog.yaml_positions import read_document
from tests.support import FILES, MODEL, edit, tiny_catalog

BY_KIND = {layout.kind: layout for layout in LAYOUTS}


def validator(kind: str) -> Any:
    schema = json.loads(schemas()[f"{kind}.schema.json"])
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema, format_checker=jsonschema.FormatChecker())


def content(path: Path) -> Any:
    document, errors = read_document(path, path.name)
    assert errors == []
    assert document is not None
    return document.root.plain


def files_of(layout: Layout, data: Path) -> Iterator[Path]:
    if layout.folder:
        yield from sorted((data / layout.folder).glob("**/*.yml" if layout.nested else "*.yml"))
    elif (data / f"{layout.kind}.yml").is_file():
        yield data / f"{layout.kind}.yml"


def test_the_schemas_in_the_repository_are_fresh() -> None:
    assert stale_schemas(SCHEMAS_DIR) == []


def test_stale_missing_and_stray_schemas_are_named(tmp_path: Path) -> None:
    assert len(write_schemas(tmp_path)) == len(LAYOUTS) + len(MEASURED)
    assert write_schemas(tmp_path) == []
    (tmp_path / "rig.schema.json").write_text("{}")
    (tmp_path / "gpu.schema.json").unlink()
    (tmp_path / "old.schema.json").write_text("{}")
    assert stale_schemas(tmp_path) == ["gpu.schema.json", "old.schema.json", "rig.schema.json"]


@pytest.mark.parametrize("kind", sorted(BY_KIND))
def test_all_data_is_valid_by_its_schema(kind: str, repo_root: Path, tmp_path: Path) -> None:
    check = validator(kind)
    for data in (repo_root / "data", tiny_catalog(tmp_path)):
        for path in files_of(BY_KIND[kind], data):
            assert [error.message for error in check.iter_errors(content(path))] == [], path


@pytest.mark.parametrize("kind", sorted(BY_KIND))
def test_another_program_agrees(kind: str, repo_root: Path) -> None:
    files = [str(path) for path in files_of(BY_KIND[kind], repo_root / "data")]
    done = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", "--schemafile", f"schemas/{kind}.schema.json", *files],
        cwd=repo_root,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("kind", sorted(BY_KIND))
def test_every_data_file_names_its_schema(kind: str, repo_root: Path) -> None:
    for path in files_of(BY_KIND[kind], repo_root / "data"):
        first = path.read_text(encoding="utf-8").splitlines()[0]
        up = "../" * len(path.relative_to(repo_root).parts[:-1])
        assert first == f"# yaml-language-server: $schema={up}schemas/{kind}.schema.json", path


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  layers: 28", "  layers: {value: 28}"),
        ("  layers: 28", "  layers: {value: 28, kind: computed, source: qwen3-0.6b-card}"),
        ("  qk_norm: per-head", "  qk_norm: {value: per-head}"),
        ("  qk_norm: per-head", "  qk_norm: null"),
    ],
)
def test_short_and_long_forms_in_a_block(tmp_path: Path, old: str, new: str) -> None:
    data = tiny_catalog(tmp_path)
    edit(data, MODEL, old, new)
    assert list(validator("model").iter_errors(content(data / MODEL))) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  layers: 28", "  layers: many"),
        ("  layers: 28", "  layers: -1"),
        ("  layers: 28", "  layers: {valu: 28}"),
        ("  layers: 28\n", ""),
        ("name: Qwen3-0.6B\n", "nam: Qwen3-0.6B\n"),
        ("url: https://huggingface.co/Qwen/Qwen3-0.6B", "url: javascript:alert(1)"),
        ("stated_billions: {value: 0.6, source: qwen3-0.6b-card, as_printed: 0.6B}", "stated_billions: 0.6"),
        ("read: 2026-12-01", "read: yesterday"),
    ],
)
def test_what_the_loader_refuses_the_schema_refuses(tmp_path: Path, old: str, new: str) -> None:
    data = tiny_catalog(tmp_path)
    edit(data, MODEL, old, new)
    assert list(validator("model").iter_errors(content(data / MODEL))) != []


def test_there_is_a_schema_for_each_kind_of_file() -> None:
    assert {name.partition(".")[0] for name in schemas()} == {layout.kind for layout in LAYOUTS} | set(MEASURED)
    assert {BY_KIND["model"].pattern, BY_KIND["policy"].pattern} == {"models/<folder>/<id>.yml", "policy.yml"}
    assert len(FILES) > len(LAYOUTS)
