"""Ids and names mean one thing each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import cast

from generator.catalog import raw
from generator.catalog.catalogue import fold, inline_sources, names_of
from generator.catalog.fields import slug
from generator.catalog.loading import Broken, Entry, Reading, is_reserved
from generator.catalog.records import Gpu, Model
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
                shared = first.kind == "source"
                hint = (
                    "cite that one, or choose another id"
                    if shared
                    else "move it to sources/ to cite it from several files"
                )
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
    places = {(entry.kind, entry.id): {fold(name): field for field, name in names} for entry, names in called}
    taken: dict[tuple[str, str], Entry | Broken] = {}
    for entry, names in called:
        within: set[str] = set()
        for field, name in names:
            folded = fold(name)
            first = taken.setdefault((entry.kind, folded), entry)
            owner = ids.get((entry.kind, folded), first)
            if owner is not entry:
                line = owner.document.place_of(places[owner.kind, owner.id].get(folded, "")).line
                message = f"expected a name of its own, found `{name}`, which means `{owner.id}`"
                yield Found(entry, field, message, f"it is in {owner.document.path}:{line} too: delete one of them")
            elif "." in field and not field.startswith("name.") and folded in within:
                yield Found(entry, field, f"expected each name once, found `{name}` again", "delete it")
            within.add(folded)


@rule("one-family-per-folder")
def one_family_per_folder(reading: Reading) -> Iterator[Found]:
    """Models in one folder say the same family."""
    models = [(entry, cast("Model", entry.record).family) for entry in reading.of("model")]
    yield from _misplaced(models, "family", "model")


@rule("one-vendor-per-folder")
def one_vendor_per_folder(reading: Reading) -> Iterator[Found]:
    """GPUs in one folder say the same vendor."""
    gpus = [(entry, cast("Gpu", entry.record).vendor) for entry in reading.of("gpu")]
    yield from _misplaced(gpus, "vendor", "GPU")


def _misplaced(entries: Sequence[tuple[Entry, str]], field: str, noun: str) -> Iterator[Found]:
    """Files that say another thing than those around them: the few are at fault, not the many.

    Where there are as many of either, it is those that have a folder elsewhere, and then those whose word is not the
    folder's name.
    """
    said: dict[str, Counter[str]] = defaultdict(Counter)
    homes: dict[str, Counter[str]] = defaultdict(Counter)
    for entry, word in entries:
        said[entry.folder][word] += 1
        homes[word][entry.folder] += 1

    def strength(folder: str, word: str) -> tuple[int, bool, bool]:
        elsewhere = any(other != folder for other in homes[word])
        return said[folder][word], not elsewhere, slug(word) == folder

    for entry, word in entries:
        usual = max((strength(entry.folder, each), each) for each in said[entry.folder])[1]
        if word == usual:
            continue
        folder = entry.document.path.rpartition("/")[0]
        others = said[entry.folder][usual]
        message = f"expected `{usual}` like {others} other {noun}{'s' * (others > 1)} in {folder}/, found `{word}`"
        home = max(
            ((many, each) for each, many in homes[word].items() if each != entry.folder), default=(0, slug(word))
        )
        target = f"{folder.rpartition('/')[0]}/{home[1]}/"
        yield Found(entry, field, message, f"move the file to {target}, or correct the {field}")
