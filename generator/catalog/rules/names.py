"""Ids and names mean one thing each."""

from __future__ import annotations

from collections.abc import Iterator

from generator.catalog import raw
from generator.catalog.catalogue import fold, inline_sources, names_of
from generator.catalog.loading import Broken, Entry, Reading, is_reserved
from generator.catalog.records import Model
from generator.catalog.rules.registry import Found, rule


@rule("unique-ids")
def unique_ids(reading: Reading) -> Iterator[Found]:
    """An id stands for one record of its kind, whatever folder it is in."""
    taken: dict[tuple[str, str], Entry] = {}
    for entry in reading.entries:
        first = taken.setdefault((entry.kind, entry.id), entry)
        if first is not entry:
            yield Found(entry, "", f"expected an id of its own, found `{entry.id}` also in {first.document.path}")
    for entry in reading.entries:
        for source_id in inline_sources(entry):
            first = taken.setdefault(("source", source_id), entry)
            if first is not entry:
                hint = "move it to sources/ to cite it from several files"
                message = f"expected an id of its own, found `{source_id}` also in {first.document.path}"
                yield Found(entry, f"sources.{source_id}", message, hint)
            if is_reserved(source_id):
                message = f"expected an id that makes an address, found `{source_id}`, which looks like a file"
                yield Found(entry, f"sources.{source_id}", message)


@rule("unique-names")
def unique_names(reading: Reading) -> Iterator[Found]:
    """A name, alias or Hugging Face id leads to one record, in any spelling of capitals."""
    called: list[tuple[Entry | Broken, tuple[tuple[str, str], ...]]] = [
        *((entry, names_of(entry)) for entry in reading.entries),
        *((broken, tuple(raw.names(broken))) for broken in reading.broken),
    ]
    ids = {(entry.kind, entry.id): entry for entry, _ in called}
    taken: dict[tuple[str, str], Entry | Broken] = {}
    for entry, names in called:
        within: set[str] = set()
        for field, name in names:
            folded = fold(name)
            first = taken.setdefault((entry.kind, folded), entry)
            owner = ids.get((entry.kind, folded), first)
            if owner is not entry:
                message = f"expected a name of its own, found `{name}`, which means `{owner.id}`"
                yield Found(entry, field, message)
            elif "." in field and not field.startswith("name.") and folded in within:
                yield Found(entry, field, f"expected each name once, found `{name}` again", "delete it")
            within.add(folded)


@rule("one-family-per-folder")
def one_family_per_folder(reading: Reading) -> Iterator[Found]:
    """Models in one folder say the same family."""
    families: dict[str, str] = {}
    for entry in reading.of("model"):
        if isinstance(entry.record, Model):
            family = families.setdefault(entry.folder, entry.record.family)
            if family != entry.record.family:
                message = f"expected `{family}` like the other models in this folder, found `{entry.record.family}`"
                yield Found(entry, "family", message)
