"""Blanks: places of a file that `trainfit add` leaves for a person, who alone can read what belongs there.

A blank is a text that starts with `??` and goes on with what to read and where. `check` reports each at its line
until somebody has put the value in its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from generator.catalog.complaints import annotation_of, record_class
from generator.catalog.fields import Text
from generator.catalog.source_record import Source
from generator.catalog.yaml_positions import Document, Node
from generator.errors import DataError

if TYPE_CHECKING:
    from pydantic import BaseModel

MARK = "??"
REQUIRED = "required: replace the text by it"
REPLACE = "replace the text by it"
QUOTED = f"{REPLACE}, or delete the line: one of `as_printed` and `where` is enough"
NEEDED = {"url": REQUIRED, "read": f"{REPLACE}; where nobody opened it, delete the line and write `access: unread`"}
"""Fields of a source that its record lets out for some sources, and a source that somebody cites needs."""


def blank(what: str) -> str:
    """The marker for a value that is still to be read; `what` says what and where."""
    return f"{MARK} {what}"


def blank_errors(document: Document, record: type[BaseModel]) -> list[DataError]:
    """An error for each blank in a file of this kind, at its place."""
    return [
        DataError(
            document.path,
            node.place.line,
            node.place.column,
            ".".join(path),
            _message(text),
            _hint(path, record),
            "blank",
        )
        for path, node, text in _blanks(document.root, ())
    ]


def without_echoes(errors: Iterable[DataError], blanks: Iterable[DataError]) -> list[DataError]:
    """The errors less those that only say of a blank that its text is no value."""
    places = {(each.path, each.line, each.column) for each in blanks}
    return [each for each in errors if (each.path, each.line, each.column) not in places]


def _message(text: str) -> str:
    what = " ".join(text.removeprefix(MARK).replace("`", "'").split())[:300]
    return f"expected {what or 'a value'}, found a blank"


def _hint(path: tuple[str, ...], record: type[BaseModel]) -> str:
    """Whether the value is required, and what to delete where it is not and nobody says it."""
    optional = ""
    current: object = record
    for depth, step in enumerate(path, 1):
        owner = record_class(current)
        field = owner.model_fields.get(step) if owner is not None else None
        if owner is Text and depth == len(path):
            return REQUIRED  # readers get both languages
        if owner is Source and depth == len(path) and step in NEEDED:
            return NEEDED[step]
        if owner is None:
            optional = ""  # an entry of a list or of a mapping: what holds it says nothing of it
            if depth == len(path):
                return f"{REPLACE}; where nobody says it, delete the entry"
        elif field is not None and not field.is_required():
            optional = ".".join(path[:depth])
        current = annotation_of(current, int(step) if owner is None and step.isdigit() else step)
    if not optional:
        return REQUIRED
    if optional != ".".join(path):
        return f"{REPLACE}; where nobody says it, delete all of `{optional}`"
    return QUOTED if path[-1] in ("as_printed", "where") else f"{REPLACE}; where nobody says it, delete the line"


def _blanks(node: Node, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Node, str]]:
    if isinstance(node.scalar, str) and node.scalar.startswith(MARK):
        yield path, node, node.scalar
    for key, child in (node.items or {}).items():
        yield from _blanks(child, (*path, key))
    for index, child in enumerate(node.elements or ()):
        yield from _blanks(child, (*path, str(index)))
