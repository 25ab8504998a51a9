"""What one file says of another must be true: references, permalinks, ids."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import cast
from urllib.parse import urlsplit

from pydantic import BaseModel

from generator.catalog import raw
from generator.catalog.absent import Absent, AbsentGpu, AbsentModel
from generator.catalog.catalogue import PLURALS, fold, inline_sources, names_of, usages
from generator.catalog.fields import ID_PATTERN, CitedBlock
from generator.catalog.hints import did_you_mean
from generator.catalog.link_exceptions import LinkExceptions
from generator.catalog.loading import Broken, Entry, Kind, Reading, is_reserved
from generator.catalog.permalinks import Permalinks
from generator.catalog.records import Gpu, Model, Policy, Rig, Source
from generator.catalog.rules.registry import Found, rule

DESCRIBE = "describe it under `sources:` in this file, or as a file of sources/"
BRIDGED = 2
"""Cards that one NVLink bridge joins."""


def _unknown(entry: Entry | Broken, field: str, what: str, value: str, known: set[str]) -> Found:
    return Found(entry, field, f"expected the id of a {what}, found `{value}`", did_you_mean(value, known))


def _block_sources(value: object, path: str) -> Iterator[tuple[str, str]]:
    """Sources that a block hands down to its fields."""
    if isinstance(value, CitedBlock) and value.source is not None:
        yield f"{path}.source".lstrip("."), value.source
    if isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from _block_sources(getattr(value, name), f"{path}.{name}".lstrip("."))


@rule("known-source")
def known_source(reading: Reading) -> Iterator[Found]:
    """Every cited source exists. One that is cited often in a file is said once: it is that source which lacks."""
    known = reading.seen["source"] | reading.keys_of_unreadable
    every: list[Entry | Broken] = [*reading.entries, *reading.broken]
    for each in every:
        lacking: dict[str, list[str]] = {}
        for field, source in _written(each) if isinstance(each, Entry) else raw.cited_sources(each):
            if source not in known and re.fullmatch(ID_PATTERN, source):  # what is no id has its own error
                lacking.setdefault(source, []).append(field)
        for source, fields in lacking.items():
            first, *others = sorted(fields, key=lambda field: _line(each, field))
            found = _unknown(each, first, "source", source, known)
            lines = sorted({_line(each, field) for field in others} - {_line(each, first)})
            also = f", also in lines {', '.join(map(str, lines))}" if lines else ""
            hint = f"{found.hint} Else {DESCRIBE}" if found.hint else DESCRIBE
            yield replace(found, message=found.message + also, hint=hint)


def _line(entry: Entry | Broken, field: str) -> int:
    return entry.document.place_of(field).line


def _written(entry: Entry) -> Iterator[tuple[str, str]]:
    """Field and id of every source as the file writes it: of a block, and of a value unless the block says it."""
    handed_down = dict(_block_sources(entry.record, ""))
    blocks = {field.removesuffix(".source"): source for field, source in handed_down.items()}
    yield from handed_down.items()
    for usage in usages(entry):
        if usage.source_id != blocks.get(usage.at.rpartition(".")[0]):
            yield _source_field(entry, usage.at), usage.source_id


def _source_field(entry: Entry, field: str) -> str:
    """The `source` key of a cited value, where it is written in the long form."""
    return f"{field}.source" if entry.document.root.find(field).child("source") else field


@rule("source-used")
def source_used(reading: Reading) -> Iterator[Found]:
    """Every source is cited somewhere. Whatever a file with errors names counts as cited."""
    if reading.unreadable or reading.lacks_required:
        return
    used = {usage.source_id for entry in reading.entries for usage in usages(entry)}
    used |= reading.cited_by_measurements
    used.update(text for broken in reading.broken for text in raw.strings(broken))
    for entry in reading.entries:
        if entry.kind == "source" and entry.id not in used:
            yield Found(entry, "", "expected a source that something cites, found no citation", "cite or delete it")
        for source_id in inline_sources(entry):
            if source_id not in used:
                field = f"sources.{source_id}"
                yield Found(entry, field, "expected a source that something cites, found no citation", "delete it")
    for broken in reading.broken:
        unused = [broken.id] if broken.kind == "source" else [*raw.inline_source_ids(broken)]
        for source_id in unused:
            if source_id not in used:
                field = "" if broken.kind == "source" else f"sources.{source_id}"
                message = "expected a source that something cites, found no citation"
                yield Found(broken, field, message, "cite or delete it")


@rule("unread-not-quoted")
def unread_not_quoted(reading: Reading) -> Iterator[Found]:
    """Nobody quotes a document that nobody opened, and no value rests on one; a conflict may name it."""
    sources = {entry.id: cast("Source", entry.record) for entry in reading.of("source")}
    for entry in reading.entries:
        sources.update(inline_sources(entry))
    for entry in reading.entries:
        for usage in usages(entry):
            source = sources.get(usage.source_id)
            if source is None or source.access != "unread":
                continue
            message = f"expected a source that was read, found `{usage.source_id}`, which is unread"
            if usage.value_kind is not None and ".conflicts." not in usage.at:
                yield Found(entry, usage.field, message, "open it and say so there, or delete the value")
            elif usage.citation.as_printed:
                yield Found(entry, usage.field, message, "open it and say so there, or leave as_printed out")


@rule("known-gpu")
def known_gpu(reading: Reading) -> Iterator[Found]:
    """The GPU of every rig exists."""
    for entry in reading.of("rig"):
        gpu = cast("Rig", entry.record).gpu
        if gpu not in reading.seen["gpu"]:
            yield _unknown(entry, "gpu", "GPU", gpu, reading.seen["gpu"])
    yield from _raw_reference(reading, "rig", "gpu", "gpu", "GPU")


def _raw_reference(reading: Reading, kind: Kind, field: str, target: Kind, what: str) -> Iterator[Found]:
    """Files with errors of one kind whose `field` names no record of kind `target`."""
    for broken in reading.broken:
        named = raw.reference(broken, field) if broken.kind == kind else None
        if named is not None and named not in reading.seen[target] and re.fullmatch(ID_PATTERN, named):
            yield _unknown(broken, field, what, named, reading.seen[target])


@rule("known-home-rig")
def known_home_rig(reading: Reading) -> Iterator[Found]:
    """The rig of the home page exists."""
    for entry in reading.of("policy"):
        home = cast("Policy", entry.record).home_rig
        if home is not None and home not in reading.seen["rig"]:
            yield _unknown(entry, "home_rig", "rig", home, reading.seen["rig"])


@rule("known-family")
def known_family(reading: Reading) -> Iterator[Found]:
    """The families that a rig's report names have a folder in data/models."""
    known = reading.families
    for entry in reading.of("rig"):
        for index, family in enumerate(cast("Rig", entry.record).families):
            if family not in known:
                yield _unknown(entry, f"families.{index}", "family", family, known)


@rule("rig-link")
def rig_link(reading: Reading) -> Iterator[Found]:
    """No rig has peer-to-peer transfers between cards that cannot do them; an NVLink bridge joins two cards."""
    gpus = {entry.id: cast("Gpu", entry.record) for entry in reading.of("gpu")}
    for entry in reading.of("rig"):
        rig = cast("Rig", entry.record)
        gpu = gpus.get(rig.gpu)
        if gpu is None or gpu.p2p is None or not rig.interconnect.p2p.value:
            continue
        if gpu.p2p.value == "unsupported":
            message = f"expected false, since {rig.gpu} does not support it; found `true`"
            yield Found(entry, "interconnect.p2p.value", message)
        elif gpu.p2p.value == "nvlink-only" and rig.count > BRIDGED:
            message = f"expected false, since {rig.gpu} does it over an NVLink bridge of {BRIDGED} alone; found `true`"
            yield Found(entry, "interconnect.p2p.value", message)


@rule("derived-from")
def derived_from(reading: Reading) -> Iterator[Found]:
    """A model is derived from another one, and in the end from none of its own descendants."""
    parents = {entry.id: cast("Model", entry.record).derived_from for entry in reading.of("model")}
    for entry in reading.of("model"):
        parent = parents[entry.id]
        if parent is None:
            continue
        if parent not in reading.seen["model"]:
            yield _unknown(entry, "derived_from", "model", parent, reading.seen["model"])
        trail = {entry.id}
        while parent is not None and parent not in trail:
            trail.add(parent)
            parent = parents.get(parent)
        if parent == entry.id:
            yield Found(entry, "derived_from", "expected a model that came before, found a circle")
    yield from _raw_reference(reading, "model", "derived_from", "model", "model")


@rule("permalinks")
def permalinks(reading: Reading) -> Iterator[Found]:
    """An address that moved is not in use, and leads to one that is."""
    for entry in reading.of("permalinks"):
        record = cast("Permalinks", entry.record)
        for section in PLURALS:
            for old, path in getattr(record, section).items():
                field = f"{section}.{old}"
                if old in reading.seen[PLURALS[section]]:
                    yield Found(entry, field, f"expected an id that is gone, found `{old}`, which exists", "delete it")
                elif is_reserved(old):
                    message = f"expected an id that makes an address, found `{old}`, which looks like a file"
                    yield Found(entry, field, message, "no page was ever there")
                target, _, target_id = path.strip("/").partition("/")
                known = reading.seen[PLURALS[target]] if target in PLURALS else set()
                if target not in PLURALS or (target_id and target_id not in known):
                    hint = did_you_mean(target_id, known)
                    yield Found(entry, field, f"expected the address of a page, found `{path}`", hint)


@rule("link-exceptions", needs_all=True)
def link_exceptions(reading: Reading) -> Iterator[Found]:
    """What is not opened exists: a source with an address, or the server of one."""
    sources = {entry.id: cast("Source", entry.record) for entry in reading.of("source")}
    for entry in reading.entries:
        sources.update(inline_sources(entry))
    hosts = {urlsplit(source.url).hostname or "" for source in sources.values() if source.url}
    for entry in reading.of("link-exceptions"):
        record = cast("LinkExceptions", entry.record)
        for source_id in record.sources:
            if source_id not in sources:
                yield _unknown(entry, f"sources.{source_id}", "source", source_id, set(sources))
        for host in record.hosts:
            if host not in hosts:
                message = f"expected the server of a source, found `{host}`"
                yield Found(entry, f"hosts.{host}", message, did_you_mean(host, hosts))


@rule("still-absent")
def still_absent(reading: Reading) -> Iterator[Found]:
    """What is said to be absent is, and is said once: no record has its id or its name."""
    for entry in reading.of("absent"):
        record = cast("Absent", entry.record)
        taken: dict[tuple[Kind, str], str] = {}
        sections: dict[Kind, Mapping[str, AbsentModel | AbsentGpu]] = {"model": record.models, "gpu": record.gpus}
        for kind, absent in sections.items():
            named = {fold(name): each.id for each in reading.of(kind) for _, name in names_of(each)}
            for absent_id, name in ((key, each.name) for key, each in absent.items()):
                found = absent_id if absent_id in reading.seen[kind] else named.get(fold(name))
                if found is not None:
                    message = f"expected a name that nothing in data/ has, found that of `{found}`"
                    yield Found(entry, f"{kind}s.{absent_id}", message, "delete the line")
                first = taken.setdefault((kind, fold(name)), absent_id)
                if first != absent_id:
                    message = f"expected a name of its own, found that of `{first}`"
                    yield Found(entry, f"{kind}s.{absent_id}.name", message, "delete one of the two lines")
