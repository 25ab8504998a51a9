from __future__ import annotations

import dataclasses
import datetime
from pathlib import Path

import pytest

from generator.catalog import Catalog, load_catalog
from generator.catalog.catalogue import near_ids
from generator.errors import UnknownIdError
from tests.support import GPU, MODEL, edit, tiny_catalog, write


@pytest.fixture
def small(tmp_path: Path) -> Catalog:
    return load_catalog(tiny_catalog(tmp_path))


@pytest.mark.parametrize(
    "name", ["qwen3-0.6b", "QWEN3-0.6B", "Qwen/Qwen3-0.6B", "qwen/qwen3-0.6b-base", " Qwen3-0.6B ", "Qwen3-0.6B"]
)
def test_a_model_by_any_of_its_names(small: Catalog, name: str) -> None:
    assert small.resolve_model(name) == "qwen3-0.6b"
    assert small.model(name) is small.models["qwen3-0.6b"]


@pytest.mark.parametrize(
    "name", ["rtx-6000-ada", "RTX 6000 Ada", "rtx a6000 ada", "NVIDIA RTX 6000  Ada Generation", "RTX-6000-ADA"]
)
def test_a_gpu_by_any_of_its_names(small: Catalog, name: str) -> None:
    assert small.gpu(name) is small.gpus["rtx-6000-ada"]


def test_rigs_methods_and_sources_by_name(small: Catalog) -> None:
    assert small.rig("4× RTX 6000 Ada") is small.rigs["4x-rtx-6000-ada"]
    assert small.method("FULL") is small.methods["full"]
    assert small.source("qwen3-0.6b-card").publisher == "Alibaba (Qwen)"


@pytest.mark.parametrize(
    ("kind", "name", "message"),
    [
        ("model", "qwen3-06b", "unknown model `qwen3-06b` (did you mean `qwen3-0.6b`?)"),
        ("gpu", "rtx6000ada", "unknown gpu `rtx6000ada` (did you mean `rtx-6000-ada`?)"),
        ("method", "qlora2", "unknown method `qlora2` (did you mean `qlora`, `lora`?)"),
        ("rig", "", "unknown rig ``"),
        ("model", "../../etc/passwd", "unknown model `../../etc/passwd`"),
        ("model", "x" * 100_000, "unknown model `x"),
    ],
)
def test_an_unknown_name_gets_near_matches(small: Catalog, kind: str, name: str, message: str) -> None:
    with pytest.raises(UnknownIdError) as caught:
        getattr(small, kind)(name)
    assert str(caught.value).startswith(message)
    assert caught.value.kind == kind


NAMES = ("exaone-3.5-32b", "exaone3.5:32b", "llama-3.1-8b", "meta-llama/llama-3.1-8b-instruct", "gpt-oss-20b", "phi-4")


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("llama-3-8b", ("llama-3.1-8b",)),
        ("Meta-Llama-3.1-8B-Intruct", ("meta-llama/llama-3.1-8b-instruct",)),
        ("exaon", ("exaone3.5:32b", "exaone-3.5-32b")),
        ("gpt", ("gpt-oss-20b",)),
        ("phi4", ("phi-4",)),
        ("hexagone", ()),
        ("gpt-neo", ()),
        ("my-model-7b", ()),
        ("nonexistent", ()),
        ("ph", ()),
        ("", ()),
    ],
)
def test_only_near_names_are_suggested(name: str, near: tuple[str, ...]) -> None:
    """Misspellings and beginnings of names; what merely shares a few letters with one is no hint."""
    assert near_ids(name, {each: each for each in NAMES}) == near


def test_an_id_beats_another_records_name(tmp_path: Path) -> None:
    data = tiny_catalog(tmp_path)
    catalog = load_catalog(data)
    assert catalog.names["model"]["qwen3-0.6b"] == "qwen3-0.6b"


def test_places(small: Catalog) -> None:
    assert small.family_of("qwen3-0.6b") == "qwen3"
    assert small.path_of("model", "qwen3-0.6b") == f"data/{MODEL}"
    assert small.path_of("source", "qwen3-0.6b-card") == f"data/{MODEL}"
    assert small.path_of("policy", "policy") == "data/policy.yml"
    assert small.location("gpu", "rtx-6000-ada") == (f"data/{GPU}", 1, 1)
    assert small.location("gpu", "rtx-6000-ada", "usable_mib.on") == (f"data/{GPU}", 10, 3)
    assert small.location("source", "qwen3-0.6b-card", "url") == (f"data/{MODEL}", 31, 10)
    assert small.location("model", "qwen3-0.6b", "no.such.field") == (f"data/{MODEL}", 1, 1)
    with pytest.raises(KeyError):
        small.path_of("model", "nobody")


def test_order(small: Catalog) -> None:
    assert list(small.methods) == ["full", "lora", "qlora", "pretrain"]
    assert list(small.sources) == ["qwen3-0.6b-card", "rtx-6000-ada-datasheet", "zero"]


def test_data_date_is_the_newest_reading_of_a_source_or_a_value(tmp_path: Path) -> None:
    data = tiny_catalog(tmp_path)
    assert load_catalog(data).data_date == datetime.date(2026, 12, 1)
    edit(data, "stack/shard.yml", "where: section 5", "read: 2026-12-05")
    assert load_catalog(data).data_date == datetime.date(2026, 12, 5)


def test_citations_lead_back_to_values(small: Catalog) -> None:
    usages = list(small.citations())
    assert {usage.source_id for usage in usages} == set(small.sources)
    of_zero = [(usage.kind, usage.record_id, usage.field) for usage in usages if usage.source_id == "zero"]
    assert of_zero == [
        ("absent", "absent", "models.falcon-h1-7b.citations.0"),
        ("constants", "constants", "formulas.peak.citations.0"),
        ("method", "full", "ladder.0.citations.0"),
        ("choice", "split", "options.0.citations.0"),
        ("choice", "split", "options.1.citations.0"),
        ("environment", "trl", "citations.0"),
        ("stack", "shard", "citations.0"),
    ]
    layers = next(usage for usage in usages if usage.field == "architecture.layers")
    assert (layers.source_id, layers.citation.where, layers.value_kind) == ("qwen3-0.6b-card", "config.json", "stated")


def test_a_field_with_a_source_of_its_own_does_not_inherit_the_blocks_place(tmp_path: Path) -> None:
    data = tiny_catalog(tmp_path)
    edit(data, MODEL, "  layers: 28", "  layers: {value: 28, source: zero, as_printed: 28 layers}")
    layers = load_catalog(data).models["qwen3-0.6b"].architecture.layers
    assert (layers.source, layers.where) == ("zero", None)


def test_conflicts_are_kept_and_cited(tmp_path: Path) -> None:
    data = tiny_catalog(tmp_path)
    conflict = "conflicts: [{source: zero, value: 864, as_printed: 864 GB/s, reason: {ru: Опечатка., en: A typo.}}]"
    edit(data, GPU, "as_printed: 960 GB/s", f"as_printed: 960 GB/s, {conflict}")
    catalog = load_catalog(data)
    assert catalog.gpus["rtx-6000-ada"].bandwidth_gb_per_s.conflicts[0].value == 864
    assert catalog.warnings == ()
    ats = [usage.at for usage in catalog.citations() if usage.field == "bandwidth_gb_per_s"]
    assert ats == ["bandwidth_gb_per_s", "bandwidth_gb_per_s.conflicts.0"]


def test_addresses_that_moved(tmp_path: Path) -> None:
    data = tiny_catalog(tmp_path)
    write(data, "permalinks.yml", "models: {qwen3-600m: models/qwen3-0.6b/}\nrigs: {old: rigs/4x-rtx-6000-ada/}\n")
    assert load_catalog(data).permalinks == {
        "models/qwen3-600m/": "models/qwen3-0.6b/",
        "rigs/old/": "rigs/4x-rtx-6000-ada/",
    }
    (data / "permalinks.yml").unlink()
    assert load_catalog(data).permalinks == {}


def test_nothing_can_be_changed(small: Catalog) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        small.models = {}  # type: ignore[misc]
    with pytest.raises(TypeError):
        small.models["x"] = small.models["qwen3-0.6b"]  # type: ignore[index]


def test_the_repositorys_data_is_valid_and_has_no_warning(catalog: Catalog) -> None:
    assert [str(warning) for warning in catalog.warnings] == []
    for usage in catalog.citations():
        assert usage.source_id in catalog.sources
        path, line, _ = catalog.location(usage.kind, usage.record_id, usage.field)
        assert path.startswith("data/")
        assert line > 1


def test_an_id_that_moved_still_resolves(tmp_path: Path) -> None:
    data = tiny_catalog(tmp_path)
    edit(
        data,
        "permalinks.yml",
        "models: {}",
        "models: {old-name: models/qwen3-0.6b/, gone: models/}\nrigs: {old: gpus/}",
    )
    moved = load_catalog(data)
    assert moved.resolve_model("Old-Name") == "qwen3-0.6b"
    for kind in ("model", "rig"):
        with pytest.raises(UnknownIdError):
            moved.resolve_model("gone") if kind == "model" else moved.resolve_rig("old")


def test_a_part_of_the_rigs(catalog: Catalog) -> None:
    """Whatever cites a source or is shown belongs to what is left."""
    part = catalog.with_rigs({"4x-rtx-6000-ada", "no-such-rig"})
    assert list(part.rigs) == ["4x-rtx-6000-ada"]
    assert {usage.record_id for usage in part.citations() if usage.kind == "rig"} <= {"4x-rtx-6000-ada"}
    assert len(catalog.rigs) > 1
    assert part.models == catalog.models
