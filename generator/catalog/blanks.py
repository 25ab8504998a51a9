"""Blanks: places of a file that `trainfit add` leaves for a person, who alone can read what belongs there.

A blank is a text that starts with `??` and goes on with what to read and where. `check` reports each at its line
until somebody has put the value in its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from generator.catalog.yaml_positions import Document, Node
from generator.errors import DataError

MARK = "??"
HINT = "replace the text by it; where nobody says it, delete the field"


def blank(what: str) -> str:
    """The marker for a value that is still to be read; `what` says what and where."""
    return f"{MARK} {what}"


def blank_errors(document: Document) -> list[DataError]:
    """An error for each blank in a file, at its place."""
    return [
        DataError(document.path, node.place.line, node.place.column, field, _message(text), HINT, "blank")
        for field, node, text in _blanks(document.root, "")
    ]


def without_echoes(errors: Iterable[DataError], blanks: Iterable[DataError]) -> list[DataError]:
    """The errors less those that only say of a blank that its text is no value."""
    places = {(each.path, each.line, each.column) for each in blanks}
    return [each for each in errors if (each.path, each.line, each.column) not in places]


def _message(text: str) -> str:
    what = " ".join(text.removeprefix(MARK).replace("`", "'").split())[:300]
    return f"expected {what or 'a value'}, found a blank"


def _blanks(node: Node, field: str) -> Iterator[tuple[str, Node, str]]:
    if isinstance(node.scalar, str) and node.scalar.startswith(MARK):
        yield field, node, node.scalar
    for key, child in (node.items or {}).items():
        yield from _blanks(child, f"{field}.{key}".lstrip("."))
    for index, child in enumerate(node.elements or ()):
        yield from _blanks(child, f"{field}.{index}".lstrip("."))
