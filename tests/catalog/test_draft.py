"""A model's file from its `config.json`: the shape survives, what nobody read is blank, `check` says where."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from generator.architecture import count_parameters
from generator.catalog import Catalog
from generator.catalog.architecture_record import ArchitectureRecord
from generator.catalog.blanks import MARK, blank_errors
from generator.catalog.draft import Origin, draft, names_for
from generator.catalog.draft_architecture import architecture_block
from generator.catalog.fields import slug
from generator.catalog.hugging_face import shape_of
from generator.catalog.records import Model
from generator.catalog.yaml_positions import parse_document
from generator.catalog.yaml_text import yaml_text
from generator.errors import UnsupportedArchitecture

REAL = yaml.safe_load((Path(__file__).parents[1] / "architecture" / "real_configs.yml").read_text(encoding="utf-8"))
BEYOND = {
    "deepseek-ai--DeepSeek-V4-Flash": "compress_ratios",
    "zai-org--GLM-5.2": "indexer_types, mlp_layer_types",
    "preset gpt_bigcode": "n_positions",
    "preset stablelm-2-zephyr-1_6b": "use_qkv_bias",
}
"""Files whose shape rests on a field that data/ has no place for, and the fields that the refusal names."""
LLAMA: dict[str, Any] = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64, "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 1000,
    "tie_word_embeddings": True, "max_position_embeddings": 4096, "rope_theta": 1e6,
}  # fmt: skip
TEXTS = {kind: {"ru": "Х.", "en": "X."} for kind in ("card", "config", "record", "weights")}
DAY = datetime.date(2026, 12, 2)


def named(file: str) -> str | None:
    return next((fields for part, fields in BEYOND.items() if part in file), None)


@pytest.mark.parametrize("each", REAL, ids=[each["file"].rpartition("/")[2] for each in REAL])
def test_the_block_has_the_shape_of_the_real_file(each: dict[str, Any]) -> None:
    fields = named(each["file"])
    if fields is not None:
        with pytest.raises(UnsupportedArchitecture, match=f"also rests on {fields} "):
            architecture_block(each["config"], "x")
        return
    block = architecture_block(each["config"], "x")
    text = yaml_text({"architecture": block})
    document, errors = parse_document(text.encode(), "x.yml")
    assert document is not None
    assert errors == []
    record = ArchitectureRecord.model_validate(document.root.plain["architecture"])
    assert record.shape() == shape_of(each["config"])
    assert count_parameters(record.shape()).total == each["total"]


def test_a_field_that_its_class_takes_anyway_is_left_out() -> None:
    assert "config" not in architecture_block({**LLAMA, "attention_bias": False, "mlp_bias": False}, "x")
    assert architecture_block({**LLAMA, "attention_bias": True}, "x")["config"] == {"attention_bias": True}


def test_what_the_file_leaves_to_the_class_is_computed_not_stated() -> None:
    config = {key: value for key, value in LLAMA.items() if key != "tie_word_embeddings"}
    tied = architecture_block(config, "x")["tied_embeddings"]
    assert tied["value"] is False
    assert tied["kind"] == "computed"
    assert "class of llama" in tied["where"]


def test_an_embedding_model_has_no_head(catalog: Catalog) -> None:
    config = {**LLAMA, "architectures": ["LlamaModel"]}
    found = draft(Origin(config, DAY, "acme/E"), names_for(catalog, "E"), TEXTS)
    assert found["objective"] == "embedding"
    assert found["architecture"]["output_head"]["value"] is False


def test_what_nobody_can_read_from_a_file_is_blank(catalog: Catalog) -> None:
    text = yaml_text(draft(Origin(LLAMA, DAY), names_for(catalog, "acme-1b"), TEXTS))
    document, errors = parse_document(text.encode(), "x.yml")
    assert document is not None
    assert errors == []
    assert [each.field for each in blank_errors(document, Model)] == [
        "family", "vendor", "hugging_face.0", "released.value", "released.as_printed", "released.where",
        "licence.value", "licence.as_printed", "licence.where", "parameters.stated_billions.value",
        "parameters.stated_billions.as_printed", "parameters.stated_billions.where", "sources.acme-1b-card.publisher",
        "sources.acme-1b-card.url", "sources.acme-1b-card.read", "sources.acme-1b-config.publisher",
        "sources.acme-1b-config.url", "sources.acme-1b-config.access", "sources.acme-1b-config.seen_at",
    ]  # fmt: skip
    for each in blank_errors(document, Model):
        line = text.splitlines()[each.line - 1]
        assert line[each.column - 1 :].startswith(f'"{MARK} ')


def test_a_blank_says_whether_it_is_required_and_what_goes_with_it(catalog: Catalog) -> None:
    text = yaml_text(draft(Origin(LLAMA, DAY), names_for(catalog, "acme-1b"), TEXTS))
    document, _ = parse_document(text.encode(), "x.yml")
    assert document is not None
    hints = {each.field: each.hint for each in blank_errors(document, Model)}
    required, either = "required: replace the text by it", "one of `as_printed` and `where` is enough"
    unless = "replace the text by it; where nobody says it, delete"
    assert hints["family"] == hints["vendor"] == hints["sources.acme-1b-card.publisher"] == required
    assert hints["sources.acme-1b-config.access"] == hints["sources.acme-1b-config.url"] == required
    assert hints["hugging_face.0"] == f"{unless} the entry"
    assert hints["released.value"] == f"{unless} all of `released`"
    assert hints["parameters.stated_billions.value"] == f"{unless} all of `parameters.stated_billions`"
    assert (
        hints["licence.where"] == hints["licence.as_printed"] == f"replace the text by it, or delete the line: {either}"
    )
    assert hints["sources.acme-1b-card.read"].endswith("delete the line and write `access: unread`")
    assert hints["sources.acme-1b-config.seen_at"] == f"{unless} the line"


def test_a_text_that_is_still_to_be_translated_is_required() -> None:
    text = 'note: {ru: Да., en: "?? a translation"}\nsources: {x: {summary: {ru: "?? a translation", en: A.}}}\n'
    document, _ = parse_document(text.encode(), "x.yml")
    assert document is not None
    assert [(each.field, each.message, each.hint) for each in blank_errors(document, Model)] == [
        (field, "expected a translation, found a blank", "required: replace the text by it")
        for field in ("note.en", "sources.x.summary.ru")
    ]


@pytest.mark.parametrize(
    ("stem", "record_id", "folder"),
    [
        ("Qwen3-99B-Instruct", "qwen3-99b", "qwen3"),
        ("Qwen3_99B", "qwen3-99b", "qwen3"),
        ("Llama-3.1-99B-Instruct", "llama-3.1-99b", "llama-3.1"),
        ("Brand-New-7B-Chat", "brand-new-7b", "brand-new"),
        ("acme.v2", "acme.v2", "acme.v2"),
    ],
)
def test_names_follow_the_catalogue(catalog: Catalog, stem: str, record_id: str, folder: str) -> None:
    names = names_for(catalog, stem)
    assert (names.id, names.folder) == (record_id, folder)
    known = any(catalog.entries["model", model].folder == folder for model in catalog.models)
    assert (names.family is not None) == known


@given(st.text())
def test_a_slug_is_an_id_or_nothing(name: str) -> None:
    import re

    from generator.catalog.fields import ID_PATTERN

    found = slug(name)
    assert not found or re.fullmatch(ID_PATTERN, found), found


LINES = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S", "Zs")), max_size=30)
DATA = st.recursive(
    LINES | st.integers() | st.booleans() | st.none(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(LINES, inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(LINES, DATA, min_size=1, max_size=4))
def test_written_text_reads_as_it_was(data: dict[str, Any]) -> None:
    document, errors = parse_document(yaml_text(data).encode(), "x.yml")
    if any("U+" in error.message for error in errors):
        return  # a character that no file may hold
    assert errors == []
    assert document is not None
    assert json.dumps(document.root.plain) == json.dumps(data)
