"""What a file that is no valid record refers to, read off its plain contents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from generator.catalog.loading import Broken

_NAME_LISTS = {"model": ("hugging_face", "aliases"), "gpu": ("aliases", "misnomers"), "rig": ("aliases",)}


def cited_sources(broken: Broken) -> Iterator[tuple[str, str]]:
    """Dotted path and id of every source that the file cites."""
    plain = broken.document.root.plain
    if broken.kind == "source" or not isinstance(plain, Mapping):
        return
    if broken.kind == "model" and isinstance(plain.get("card"), str):
        yield "card", plain["card"]
    for path, value in _leaves(plain):
        if path.rpartition(".")[2] == "source":
            yield path, value


def strings(broken: Broken) -> Iterator[str]:
    """Every text in the file: among them, whatever it may have meant to cite."""
    return (value for _, value in _leaves(broken.document.root.plain))


def inline_source_ids(broken: Broken) -> tuple[str, ...]:
    """Ids of the sources that stand inside the file."""
    inline = broken.document.root.child("sources")
    return tuple(inline.items or ()) if inline is not None else ()


def reference(broken: Broken, field: str) -> str | None:
    """The text in a field at the top of the file; none where there is no such text."""
    node = broken.document.root.child(field)
    value = node.plain if node is not None else None
    return value if isinstance(value, str) else None


def names(broken: Broken) -> Iterator[tuple[str, str]]:
    """Everything the record is called besides its id, with the dotted path of the field."""
    if broken.kind not in _NAME_LISTS:
        return
    wanted = ("name", "name.en", "name.ru")
    for path, value in _leaves(broken.document.root.plain):
        head, _, rest = path.partition(".")
        if path in wanted or (head in _NAME_LISTS[broken.kind] and rest.isdigit()):
            yield path, value


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from _leaves(item, f"{path}.{key}".lstrip("."))
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _leaves(item, f"{path}.{index}".lstrip("."))
