"""Every value of data/ says where it comes from, and every source is a real one that is used."""

from __future__ import annotations

import datetime
from collections import Counter
from urllib.parse import urlsplit

import pytest
import yaml

from generator.catalog import load_catalog
from generator.catalog.fields import Cited
from generator.catalog.records import Record

CATALOG = load_catalog()
RECORDS = [
    (kind, record_id, record)
    for kind, records in (
        ("model", CATALOG.models),
        ("gpu", CATALOG.gpus),
        ("rig", CATALOG.rigs),
        ("method", CATALOG.methods),
        ("stack", CATALOG.stack),
    )
    for record_id, record in records.items()
]
NAMES = [f"{kind}:{record_id}" for kind, record_id, _ in RECORDS]


def cited_values(value, path=""):
    """Every Cited value of a record with its dotted path."""
    if isinstance(value, Cited):
        yield path, value
    elif isinstance(value, Record):
        for name in type(value).model_fields:
            yield from cited_values(getattr(value, name), f"{path}.{name}".lstrip("."))
    elif isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from cited_values(item, f"{path}.{index}")


@pytest.mark.parametrize("record", [record for _, _, record in RECORDS], ids=NAMES)
def test_computed_and_assumed_values_say_how(record):
    bare = [
        path
        for path, value in cited_values(record)
        if value.reason is None and (value.kind == "assumed" or (value.kind == "computed" and not value.where))
    ]
    assert bare == []


def test_values_of_all_four_kinds_are_there():
    kinds = Counter(value.kind for _, _, record in RECORDS for _, value in cited_values(record))
    assert set(kinds) == {"stated", "computed", "measured", "assumed"}
    assert kinds["stated"] > kinds["computed"] > kinds["assumed"]


def test_every_source_is_used(catalog):
    used = {usage.source_id for usage in catalog.citations()} | {run.source for run in catalog.measurements}
    assert set(catalog.sources) - used == set()


def test_no_warning(catalog):
    """Except of age: that comes by itself, and not by what somebody adds."""
    assert [str(warning) for warning in catalog.warnings if warning.rule != "fresh"] == []


def test_unread_sources_are_never_quoted(catalog):
    unread = {name for name, source in catalog.sources.items() if source.access == "unread"}
    quoted = [usage for usage in catalog.citations() if usage.source_id in unread and usage.citation.as_printed]
    assert quoted == []
    assert unread, "the page of the card's vendor is linked though nobody could open it"


def test_counts_of_sources_by_kind(catalog):
    counts = Counter(source.type for source in catalog.sources.values())
    assert counts["model-card"] >= 15
    assert counts["paper"] >= 10
    assert counts["documentation"] >= 10
    assert counts["specification"] >= 5
    assert counts["measurement"] >= 2


@pytest.mark.parametrize("source_id", sorted(CATALOG.sources))
def test_source_can_be_looked_up(catalog, source_id):
    source = catalog.sources[source_id]
    assert source.url or source.package
    assert source.read is None or datetime.date(2026, 9, 1) <= source.read <= catalog.data_date
    for address in filter(None, (source.url, source.seen_at)):
        assert urlsplit(address).scheme == "https"
        assert urlsplit(address).hostname not in {"localhost", "127.0.0.1"}


def test_documents_are_described_once(catalog):
    addresses = Counter((source.url, source.revision) for source in catalog.sources.values() if source.url)
    assert [address for address, times in addresses.items() if times > 1] == []


def test_seed_facts_have_their_words(catalog):
    printed = {
        (usage.source_id, usage.citation.as_printed) for usage in catalog.citations() if usage.citation.as_printed
    }
    assert ("qlora", "finetune a 65B parameter model on a single 48GB GPU") in printed
    assert ("deepseek-r1", "We open-source distilled 1.5B, 7B, 8B, 14B, 32B, and 70B checkpoints") in printed
    assert any(source == "deepspeed-zero3" and "partition" in text for source, text in printed)
    assert any(source == "dataparallel-warning" and "DistributedDataParallel" in text for source, text in printed)


def test_files_open_with_their_schema(repo_root):
    data = repo_root / "data"
    for path in sorted(data.rglob("*.yml")):
        first = path.read_text(encoding="utf-8").splitlines()[0]
        prefix = "# yaml-language-server: $schema="
        assert first.startswith(prefix), path
        schema = (path.parent / first.removeprefix(prefix)).resolve()
        assert schema.parent == repo_root / "schemas", path
        assert schema.is_file(), path


def test_files_are_tidy(repo_root):
    for path in sorted((repo_root / "data").rglob("*.yml")):
        text = path.read_text(encoding="utf-8")
        assert text.endswith("\n"), path
        assert not text.endswith("\n\n"), path
        assert "\t" not in text, path
        assert not any(line != line.rstrip() for line in text.splitlines()), path
        assert yaml.safe_load(text) is not None, path
        assert "id:" not in {line.split(" ")[0] for line in text.splitlines()}, path
