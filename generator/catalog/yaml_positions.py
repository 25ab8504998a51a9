"""Safe, strict YAML with the line and column of every value.

The files hold plain data, so plain data is all that is read: mappings with text keys, lists, and scalars by the
YAML 1.2 core rules (`true`/`false`, `null`, decimal numbers; everything else is text, so `no`, `12:30` and
`2026-12-01` stay what they look like). Anchors, aliases, tags, merge keys, directives and further documents are
refused, as are tabs, invisible characters, and anything too large or too deep.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from generator.catalog.yaml_mistakes import Closed
from generator.catalog.yaml_syntax import explained, merge_marks
from generator.errors import DataError

MAX_BYTES = 256 * 1024
"""Largest file that is read."""
MAX_DEPTH = 16
"""Deepest nesting of mappings and lists; records need 7."""
MAX_NUMBER_LENGTH = 40
"""Longest run of characters that is taken for a number."""

_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_FLOAT = re.compile(r"[-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_LEADING_ZERO = re.compile(r"[-+]?0[0-9]+")
_COMMENT = re.compile(r" +#")
_NULLS = ("", "~", "null")
_BOOLEANS = {"true": True, "false": False}
_MAYBE_BAD = re.compile(r"[^\n\x20-\x7E\xA0-\xAC\xAE-\u05FF\u2010-\u2027\u2030-\u205E\u2070-\uD7FF]")
_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A position in a file, both numbers 1-based, the column in characters."""

    line: int = 1
    column: int = 1


@dataclass(frozen=True, slots=True)
class Node:
    """A value with its place, and under it the values that it holds."""

    place: Place
    scalar: str | int | float | bool | None = None
    """The value of a scalar."""
    items: Mapping[str, Node] | None = None
    """Values of a mapping by key."""
    elements: tuple[Node, ...] | None = None
    """Values of a list."""
    key_place: Place | None = None
    """Where the key stands, for a value of a mapping."""

    @property
    def plain(self) -> Any:
        """The value as dicts, lists and scalars."""
        if self.items is not None:
            return {key: node.plain for key, node in self.items.items()}
        if self.elements is not None:
            return [node.plain for node in self.elements]
        return self.scalar

    @property
    def own_place(self) -> Place:
        """Where somebody would look for it: the key of a mapping or list, the value itself of a scalar."""
        if self.key_place is not None and (self.items is not None or self.elements is not None):
            return self.key_place
        return self.place

    def child(self, step: str | int) -> Node | None:
        """The value under a key or an index, if there is one."""
        if self.items is not None and isinstance(step, str):
            return self.items.get(step)
        if self.elements is not None and isinstance(step, int) and 0 <= step < len(self.elements):
            return self.elements[step]
        return None

    def find(self, field_path: str) -> Node:
        """The value at a dotted path such as `findings.0.text`, or the nearest one above it that exists.

        Keys may hold dots themselves: the longest key that fits is taken.
        """
        node, rest = self, field_path
        while rest:
            step, rest = node._step(rest)
            if step is None:
                break
            node = step
        return node

    def _step(self, path: str) -> tuple[Node | None, str]:
        if self.items is not None:
            fitting = [key for key in self.items if path == key or path.startswith(f"{key}.")]
            if fitting:
                key = max(fitting, key=len)
                return self.items[key], path[len(key) + 1 :]
        elif self.elements is not None:
            head, _, rest = path.partition(".")
            if head.isascii() and head.isdigit() and int(head) < len(self.elements):
                return self.elements[int(head)], rest
        return None, ""


@dataclass(frozen=True, slots=True)
class Document:
    """One file as it was read."""

    path: str
    """Path to show, relative to the repository."""
    root: Node

    def place_of(self, field_path: str = "") -> Place:
        """Place of a field by its dotted path; the nearest existing one above it, else the start of the file."""
        node = self.root.find(field_path) if field_path else self.root
        return Place() if node is self.root else node.own_place


def read_document(path: Path, shown: str) -> tuple[Document | None, list[DataError]]:
    """The file at `path`, or none where it cannot be used, and everything wrong with its YAML.

    `shown` is the path to put into the errors. Never raises for what a file may contain.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        return None, [_error(shown, Place(), f"expected a readable file, found {error.strerror or 'an error'}")]
    return parse_document(raw, shown)


def parse_document(raw: bytes, shown: str) -> tuple[Document | None, list[DataError]]:
    """The same for bytes."""
    if len(raw) > MAX_BYTES:
        return None, [_error(shown, Place(), f"expected at most {MAX_BYTES // 1024} KiB, found a larger file")]
    document, errors = _parsed(raw, shown)
    return document, list(errors)


@lru_cache(maxsize=1024)  # `serve` reads data/ before it is asked, and again when one file has changed
def _parsed(raw: bytes, shown: str) -> tuple[Document | None, Sequence[DataError]]:
    try:
        text = raw.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode("utf-8").replace("\r\n", "\n")
        place = _place_at(before, len(before))
        return None, [
            _error(shown, place, f"expected UTF-8, found the byte 0x{raw[error.start]:02X}", "save the file as UTF-8")
        ]
    if text.startswith("\ufeff"):
        hint = "save the file as UTF-8 without a signature"
        return None, [_error(shown, Place(), "expected text, found a byte order mark", hint)]
    bad = [_error(shown, _place_at(text, at), *_complaint(text[at])) for at in _bad_characters(text)]
    if bad:
        return None, bad[:20]
    unsolved = [Place(*spot) for spot in merge_marks(text)]
    if unsolved:
        message, hint = "expected data, found the mark of a merge that is not solved", "keep one side, delete the marks"
        return None, [_error(shown, place, message, hint) for place in unsolved[:20]]
    reader = _Reader(shown, text)
    try:
        root = reader.read()
    except _Stop:
        return None, reader.errors
    if root is None:
        return None, reader.errors
    return Document(shown, root), reader.errors


def _error(shown: str, place: Place, message: str, hint: str = "", field_path: str = "") -> DataError:
    return DataError(shown, place.line, place.column, field_path, message, hint, "yaml")


def _place_at(text: str, at: int) -> Place:
    return Place(text.count("\n", 0, at) + 1, at - (text.rfind("\n", 0, at) + 1) + 1)


def _bad_characters(text: str) -> Iterator[int]:
    """Offsets of characters that a reader of the file would not see, or not see as they are."""
    for match in _MAYBE_BAD.finditer(text):
        if invisible(match.group()):
            yield match.start()


def invisible(character: str) -> bool:
    """Whether a reader of a file would not see this character, or not see it as it is; a tab is one of them."""
    if not _MAYBE_BAD.match(character):
        return False
    return unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") or _is_noncharacter(ord(character))


def _is_noncharacter(code: int) -> bool:
    """Whether Unicode sets this code aside for internal use, so that no text holds it (Unicode, section 23.7)."""
    return code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF


def _complaint(character: str) -> tuple[str, str]:
    if character == "\t":
        return "expected spaces, found a tab", "indent with spaces"
    return f"expected visible text, found the character U+{ord(character):04X}", "delete it"


class _Stop(Exception):
    """What follows in this file cannot be understood."""


@dataclass(slots=True)
class _Reader:
    """Builds nodes from the events of a parser: no recursion deeper than MAX_DEPTH, no objects but our own."""

    shown: str
    text: str
    errors: list[DataError] = field(default_factory=list)
    events: Iterator[Any] = field(init=False)
    brackets: list[tuple[int, int]] = field(default_factory=list)
    """Where the `[` and `{` stand that are open."""
    last: Any = None
    """The event before the one that is asked for."""

    def read(self) -> Node | None:
        self.events = iter(yaml.parse(self.text, Loader=_LOADER))
        self._next()  # the stream's start
        event = self._next()
        if isinstance(event, yaml.StreamEndEvent):
            self._nothing()
            return None
        if event.version is not None or event.tags:
            self._stop(event, "expected plain YAML, found a directive", "delete the line that starts with `%`")
        root = self._node(self._next(), (), None, 0)
        self._next()  # the document's end
        event = self._next()
        if not isinstance(event, yaml.StreamEndEvent):
            self._stop(event, "expected one document, found a second", "delete the line `---`")
        if root.elements is None and root.items is None and root.scalar is None:
            self._nothing()
        elif root.items is None:
            found = "text or a number" if root.elements is None else "a list"
            self.report(root.place, f"expected a mapping, found {found}", "write lines of the form `key: value`")
        return root if root.items is not None else None

    def _nothing(self) -> None:
        found = "comments alone" if "#" in self.text else "an empty file"
        self.report(Place(), f"expected a mapping, found {found}", "write its fields, or delete the file")

    def report(self, place: Place, message: str, hint: str = "", path: tuple[str, ...] = ()) -> None:
        self.errors.append(_error(self.shown, place, message, hint, ".".join(path)))

    def _stop(self, event: Any, message: str, hint: str = "", path: tuple[str, ...] = ()) -> None:
        self.report(_place(event.start_mark), message, hint, path)
        raise _Stop

    def _next(self) -> Any:
        try:
            self.last = next(self.events)
        except yaml.MarkedYAMLError as error:
            found = explained(error, self.text, self.brackets[-1] if self.brackets else None, _closed(self.last))
            self.report(Place(*found.spot), found.message, found.hint, (found.field,) if found.field else ())
        except yaml.YAMLError as error:
            self.report(Place(), f"expected valid YAML, found an error: {' '.join(str(error).split())[:200]}")
        else:
            return self.last
        raise _Stop

    def _node(self, event: Any, path: tuple[str, ...], key: Place | None, depth: int) -> Node:
        place = _place(event.start_mark)
        if isinstance(event, yaml.AliasEvent):
            self._stop(event, f"expected a value, found the alias `*{event.anchor}`", "write the value out", path)
        if event.anchor is not None:
            self._stop(event, f"expected a value, found the anchor `&{event.anchor}`", "delete the anchor", path)
        if event.tag is not None:
            self._stop(event, f"expected a value, found the tag `{event.tag}`", "delete the tag", path)
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event, path, key)
        if depth >= MAX_DEPTH:
            self._stop(event, f"expected at most {MAX_DEPTH} levels of nesting, found more", "", path)
        in_brackets = event.flow_style
        if in_brackets:
            self.brackets.append((place.line, place.column))
        node = Node(place, **self._contents(event, path, depth), key_place=key)
        if in_brackets:
            self.brackets.pop()
        return node

    def _contents(self, event: Any, path: tuple[str, ...], depth: int) -> dict[str, Any]:
        """What a list or a mapping holds, by the name of the field of a node."""
        if isinstance(event, yaml.MappingStartEvent):
            return {"items": self._mapping(path, depth)}
        elements: list[Node] = []
        while not isinstance(event := self._next(), yaml.SequenceEndEvent):
            elements.append(self._node(event, (*path, str(len(elements))), None, depth + 1))
        return {"elements": tuple(elements)}

    def _mapping(self, path: tuple[str, ...], depth: int) -> dict[str, Node]:
        items: dict[str, Node] = {}
        while not isinstance(event := self._next(), yaml.MappingEndEvent):
            key_node = self._node(event, path, None, depth + 1)
            if not isinstance(event, yaml.ScalarEvent):
                self._stop(event, "expected a key of text, found a mapping or a list", "", path)
            key, place = event.value, key_node.place
            if key == "<<" and event.implicit[0]:
                self._stop(event, "expected a key, found the merge key `<<`", "write the keys out", path)
            value = self._node(self._next(), (*path, key), place, depth + 1)
            if key in items:
                first = items[key].key_place or Place()
                self.report(
                    place, f"expected each key once, found `{key}` again", f"first on line {first.line}", (*path, key)
                )
            else:
                items[key] = value
        return items

    def _scalar(self, event: Any, path: tuple[str, ...], key: Place | None) -> Node:
        text, place = event.value, _place(event.start_mark)
        if not event.implicit[0]:  # quoted, or a block of text
            for at in _bad_characters(text):
                if text[at] != "\t":
                    self.report(place, *_complaint(text[at]), path)
            return Node(place, scalar=text, key_place=key)
        if text == "" and key is not None:
            place = key
            comment = _COMMENT.match(self.text, event.start_mark.index)
            if comment:
                spot = Place(key.line, event.start_mark.column + len(comment[0]))
                self.report(spot, "expected a value, found a comment", "put text that starts with `#` in quotes", path)
        value = resolve(text)
        if isinstance(value, float) and not math.isfinite(value):
            self.report(place, f"expected a finite number, found `{text}`", "", path)
            value = 0.0
        return Node(place, scalar=value, key_place=key)


def resolve(text: str) -> str | int | float | bool | None:
    """The value of an unquoted scalar by the YAML 1.2 core rules, without octal, hexadecimal, infinity and NaN."""
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if len(text) <= MAX_NUMBER_LENGTH and not _LEADING_ZERO.fullmatch(text):
        if _INTEGER.fullmatch(text):
            return int(text)
        if _FLOAT.fullmatch(text):
            return float(text)
    return text


def _closed(event: Any) -> Closed | None:
    """What an event closes: quoted text, or a bracket, which takes a character where the end of a block takes none."""
    if isinstance(event, yaml.ScalarEvent) and event.style in ("'", '"'):
        return Closed(_spot(event.start_mark), _spot(event.end_mark), event.style)
    if isinstance(event, yaml.CollectionEndEvent) and _spot(event.start_mark) < _spot(event.end_mark):
        return Closed(_spot(event.start_mark), _spot(event.end_mark))
    return None


def _spot(mark: Any) -> tuple[int, int]:
    return mark.line + 1, mark.column + 1


def _place(mark: Any) -> Place:
    return Place(mark.line + 1, mark.column + 1)
