"""Turns what pydantic says about a record into errors at the right line, in the form `expected …, found …`."""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo  # noqa: TC002 - imported at run time by pydantic anyway

from generator.catalog import fields, link_exceptions, permalinks
from generator.catalog.architecture_record import OWN_NAMES
from generator.catalog.hints import as_address, did_you_mean, foreign_letter, hint_words, literals
from generator.catalog.yaml_mistakes import without_space
from generator.catalog.yaml_positions import Document, Node, Place
from generator.errors import DataError

_KNOWN_PATTERNS = {
    fields.ID_PATTERN: "an id of lower-case ASCII letters and digits joined by `-` or `.`",
    fields.PARTIAL_DATE_PATTERN: "a date as YYYY, YYYY-MM or YYYY-MM-DD",
    fields.LINE_PATTERN: "one line of text without blanks at its ends",
    fields.HUB_ID_PATTERN: "the id of a repository such as `Qwen/Qwen3-8B`",
    fields.PACKAGE_PATTERN: "the name of a package such as `bitsandbytes`",
    fields.VERSION_PATTERN: "a version such as `2.13.0`",
    permalinks.PAGE_PATTERN: "the address of a page such as `models/qwen3-14b/`",
    link_exceptions.HOST_PATTERN: "the name of a server such as `www.nvidia.com`",
    r"^[a-z]{2}$": "a language as two letters",
}

Step = str | int
UNKNOWN = "unknown key"
MEANT = "did you mean `{}`?"
BOTH = 'readers get both languages; `"?? a translation"` asks somebody else for it'
CONFIG_NAMES = {key: field for field, keys in OWN_NAMES.items() for key in keys if key != field}
"""Keys of `config.json` → what the field of a record is called."""
DEEPEST = 2
"""Dots in the path of a record whose fields are told from those of the records around it."""


def complaints(
    error: ValidationError, document: Document, node: Node, record: type[BaseModel], base: str = ""
) -> list[DataError]:
    """The errors of validating `node` of `document` as `record`; `base` is the dotted path of `node`."""
    found: dict[tuple[Place, str, str], DataError] = {}
    every = list(_each(error, node, record))
    meant = {(path[:-1], hint.partition("?")[0] + "?") for _, path, _, seen, hint in every if UNKNOWN in seen}
    # A field that is missing since its key is misspelt is said once, at the key.
    every = [each for each in every if each[3] != "nothing" or (each[1][:-1], MEANT.format(each[1][-1])) not in meant]
    for place, path, message, hint in _merge_unions(every):
        field = ".".join(str(step) for step in (base, *path) if step != "")
        shown = DataError(document.path, place.line, place.column, field, message, hint)
        found.setdefault((place, field, message), shown)
    return list(found.values())


def found(value: object) -> str:
    """What stands there, in words: `nothing`, ``number `40` ``, ``text `x` ``, `a list`, `a mapping`."""
    match value:
        case None:
            return "nothing"
        case bool():
            return f"`{'true' if value else 'false'}`"
        case int() | float():
            return f"number `{value}`"
        case str():
            return f"text `{_short(value)}`" if value else "empty text"
        case list() | tuple():
            return "a list" if value else "an empty list"
        case _:
            return "a mapping"


def _short(text: str, limit: int = 60) -> str:
    line = " ".join(text.split()).replace("`", "'")
    return line if len(line) <= limit else f"{line[:limit]}…"


Complaint = tuple[Place, tuple[Step, ...], str, str, str]
"""place, path, expected, found, hint."""


def _each(error: ValidationError, root: Node, record: type[BaseModel]) -> Iterator[Complaint]:
    for detail in error.errors(include_url=False):
        steps = detail["loc"]
        kind = detail["type"]
        if kind in ("extra_forbidden", "missing"):
            node, path, owner = _walk(root, record, steps[:-1])
            name = str(steps[-1])
            if kind == "missing":
                yield _missing(node, path, owner, name)
            else:
                child = node.child(name)
                place = (child.key_place if child else None) or node.own_place
                expected, seen, hint = _unknown_key(name, owner, record)
                if not hint and child is not None and child.place == child.key_place:  # nothing after it
                    hint = without_space(name) or (
                        "write a decimal fraction with a point"
                        if name.isdigit()
                        else "text with a comma inside `{…}` needs quotes"
                    )
                yield place, (*path, name), expected, seen, hint
            continue
        node, path, owner = _walk(root, record, steps)
        is_key = bool(steps) and steps[-1] == "[key]"
        value = path[-1] if is_key and path else node.plain
        place = node.own_place if path else Place()
        if is_key and node.key_place is not None:
            place = node.key_place
        if kind == "value_error":
            refused = detail.get("ctx", {}).get("error")
            if isinstance(refused, fields.FieldError) and refused.path:
                yield _refused(refused, node, path)
                continue
            hint = refused.hint if isinstance(refused, fields.FieldError) else ""
            if owner is None and isinstance(value, str) and "https://" in str(detail["msg"]):
                hint = as_address(value)
            expected, seen = _own_message(str(detail["msg"]), value)
            if expected.startswith("expected a source") and node.items is None and len(path) > 1:
                # A bare value of a block: it is the block that does not say where it was read.
                node, path, _ = _walk(root, record, path[:-1])
                place = node.own_place
            yield place, path, expected.removeprefix("expected "), seen, hint
            continue
        if kind == "too_short" and len(node.elements or ()) >= detail["ctx"]["min_length"]:
            continue  # only because items in it are wrong, which is said at the items
        expected = expected_words(kind, detail.get("ctx", {}), str(detail["msg"]))
        if kind in ("model_type", "model_attributes_type") and owner is not None:
            _, _, block = _walk(root, record, steps[:-1])
            bare = _bare(owner) if block is not None and issubclass(block, fields.CitedBlock) else ""
            expected = bare or _describe_type(owner)
        hint = hint_words(kind, detail.get("ctx", {}), value) or _in_full(kind, owner, value)
        yield place, path, expected, found(value), hint


def _in_full(kind: str, owner: type[BaseModel] | None, value: object) -> str:
    """A hint with the mapping that was meant by a bare value."""
    if owner is None or kind not in ("model_type", "model_attributes_type") or not isinstance(value, str | int | float):
        return ""
    if issubclass(owner, fields.Text):
        return "write `{ru: …, en: …}`: readers get both languages"
    return f"write `{{value: {_short(str(value))}, source: …}}`" if issubclass(owner, fields.Cited) else ""


def _refused(error: fields.FieldError, node: Node, path: tuple[Step, ...]) -> Complaint:
    """What a record says of one of its fields, at that field or as near to it as the file goes."""
    for step in error.path:
        child = node.child(step)
        if child is None:
            break
        node = child
    place = node.own_place if path or node.key_place else Place()
    return place, (*path, *error.path), str(error).removeprefix("expected "), "", error.hint


def _merge_unions(every: Iterable[Complaint]) -> Iterator[tuple[Place, tuple[Step, ...], str, str]]:
    """One complaint where a value fits none of several types."""
    merged: dict[tuple[Place, tuple[Step, ...], str], tuple[list[str], str]] = {}
    for place, path, expected, seen, hint in every:
        options, first_hint = merged.setdefault((place, path, seen), ([], hint))
        if expected not in options:
            options.append(expected)
        merged[place, path, seen] = (options, first_hint or hint)
    for (place, path, seen), (options, hint) in merged.items():
        yield place, path, f"expected {' or '.join(options)}{_joined(seen)}", hint


def _joined(seen: str) -> str:
    if not seen:
        return ""
    return seen if seen.startswith(";") else f", found {seen}"


def _missing(node: Node, path: tuple[Step, ...], owner: type[BaseModel] | None, name: str) -> Complaint:
    field = owner.model_fields.get(name) if owner else None
    place = node.own_place if path else Place()
    expected = describe(field) if field else "a value"
    if field and owner and issubclass(owner, fields.CitedBlock):  # which gives its source to bare values
        expected = _bare(record_class(field.annotation)) or expected
    hint = BOTH if owner and issubclass(owner, fields.Text) else ""
    return place, (*path, name), expected, "nothing", hint


def _bare(owner: type[BaseModel] | None) -> str:
    """What the value of a cited one wants, in words; empty for any other record."""
    return describe(owner.model_fields["value"]) if owner is not None and issubclass(owner, fields.Cited) else ""


def _unknown_key(name: str, owner: type[BaseModel] | None, record: type[BaseModel]) -> tuple[str, str, str]:
    known = list(owner.model_fields) if owner else []
    seen = f"; found {UNKNOWN} `{_short(name)}`"
    elsewhere = _places_of(record).get(name, ())
    if len(elsewhere) == 1 and name not in fields.INHERITED:
        where = f"under `{elsewhere[0]}`" if elsewhere[0] else "at the beginning of a line, under no other key"
        return "a field that belongs here", seen, f"`{name}` stands {where}: check the indentation"
    if CONFIG_NAMES.get(name) in known:
        return "a field that exists", seen, f"here it is called `{CONFIG_NAMES[name]}`"
    near = did_you_mean(name, known)
    listed = f"one of {', '.join(f'`{key}`' for key in known)}"
    foreign = foreign_letter(name)
    return "a field that exists" if near else listed, seen, f"{near} {foreign}".strip()


@lru_cache
def _places_of(record: type[BaseModel]) -> Mapping[str, tuple[str, ...]]:
    """Each field of a kind of file, and the fields under which it stands; the empty one is the file itself."""
    found: dict[str, tuple[str, ...]] = {}
    waiting: list[tuple[str, type[BaseModel]]] = [("", record)]
    for path, owner in waiting:
        for name, field in owner.model_fields.items():
            found[name] = (*found.get(name, ()), path)
            inner = record_class(field.annotation)
            if inner is not None and not issubclass(inner, fields.Cited | fields.Text) and path.count(".") < DEEPEST:
                waiting.append((f"{path}.{name}".lstrip("."), inner))
    return found


def _own_message(message: str, value: object) -> tuple[str, str]:
    """A validator's own text, which may or may not say what it found."""
    text = message.removeprefix("Value error, ")
    if not text.startswith("expected "):  # datetime.date.fromisoformat
        text = "expected a date as YYYY-MM-DD that the calendar has"
    return (text, "") if "found" in text else (text, found(value))


def _walk(
    root: Node, record: type[BaseModel] | None, steps: Iterable[Step]
) -> tuple[Node, tuple[Step, ...], type[BaseModel] | None]:
    """Follows a location as far as the file goes: node, path in the file, the record class there.

    Steps that the file does not have (members of a union, the `value` of a short form, what a block hands down) are
    passed over; a field handed down by a block leads to the block's own key.
    """
    trail: list[tuple[Node, tuple[Step, ...]]] = [(root, ())]
    node, path = trail[0]
    current: Any = record
    for step in steps:
        child = node.child(step)
        if child is not None:
            node, path = child, (*path, step)
            trail.append((node, path))
            current = annotation_of(current, step)
        elif step in fields.INHERITED and len(trail) > 1:
            above, above_path = trail[-2]
            inherited = above.child(step)
            if inherited is not None:
                node, path = inherited, (*above_path, step)
                trail.append((node, path))
            break
    return node, path, record_class(current)


def annotation_of(current: Any, step: Step) -> Any:
    """The type of what stands under `step` in a value of type `current`."""
    owner = record_class(current)
    if owner is not None and isinstance(step, str) and step in owner.model_fields:
        return owner.model_fields[step].annotation
    for option in _options(current):
        origin, arguments = typing.get_origin(option), typing.get_args(option)
        if origin is tuple and isinstance(step, int):
            return arguments[0]
        if origin in (dict, Mapping) and isinstance(step, str):
            return arguments[1]
    return None


def _options(annotation: Any) -> tuple[Any, ...]:
    """The members of a union, without Annotated."""
    if typing.get_origin(annotation) is typing.Annotated:
        return _options(typing.get_args(annotation)[0])
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        return tuple(member for option in typing.get_args(annotation) for member in _options(option))
    return (annotation,)


def record_class(annotation: Any) -> type[BaseModel] | None:
    """The record among the members of a type; none where there is none."""
    for option in _options(annotation):
        if isinstance(option, type) and issubclass(option, BaseModel):
            return option
    return None


def describe(field: FieldInfo) -> str:
    """What a field wants, in words."""
    options = _options(field.annotation)
    return " or ".join(_describe_type(option) for option in options if option is not type(None))


def _describe_type(option: Any) -> str:
    origin = typing.get_origin(option)
    if origin is typing.Literal:
        return _one_of(typing.get_args(option))
    if origin in (tuple, list):
        return "a list"
    if isinstance(option, type) and issubclass(option, fields.Cited):
        return "a cited value"
    if isinstance(option, type) and issubclass(option, fields.Text):
        return "texts `ru` and `en`"
    if origin is dict or (isinstance(option, type) and issubclass(option, BaseModel)):
        return "a mapping"
    return _SIMPLE.get(option, "a value")


_SIMPLE: Mapping[Any, str] = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}


def _one_of(values: Iterable[object]) -> str:
    listed = [f"`{value}`" for value in values]
    return listed[0] if len(listed) == 1 else f"one of {', '.join(listed)}"


_EXPECTED: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "string_type": lambda _: "text",
    "string_unicode": lambda _: "text",
    "int_type": lambda _: "a whole number",
    "int_from_float": lambda _: "a whole number",
    "int_parsing": lambda _: "a whole number",
    "int_parsing_size": lambda _: "a smaller whole number",
    "float_type": lambda _: "a number",
    "float_parsing": lambda _: "a number",
    "finite_number": lambda _: "a finite number",
    "bool_type": lambda _: "true or false",
    "bool_parsing": lambda _: "true or false",
    "tuple_type": lambda _: "a list",
    "list_type": lambda _: "a list",
    "dict_type": lambda _: "a mapping",
    "model_type": lambda _: "a mapping",
    "model_attributes_type": lambda _: "a mapping",
    "date_type": lambda _: "a date as YYYY-MM-DD",
    "date_parsing": lambda _: "a date as YYYY-MM-DD",
    "date_from_datetime_inexact": lambda _: "a date as YYYY-MM-DD",
    "none_required": lambda _: "nothing",
    "greater_than": lambda ctx: f"a number above {ctx['gt']:g}",
    "greater_than_equal": lambda ctx: f"a number of at least {ctx['ge']:g}",
    "less_than": lambda ctx: f"a number below {ctx['lt']:g}",
    "less_than_equal": lambda ctx: f"a number of at most {ctx['le']:g}",
    "string_too_short": lambda ctx: f"text of at least {_count(ctx['min_length'], 'character')}",
    "string_too_long": lambda ctx: f"text of at most {_count(ctx['max_length'], 'character')}",
    "too_short": lambda ctx: f"at least {_count(ctx['min_length'], 'item')}",
    "too_long": lambda ctx: f"at most {_count(ctx['max_length'], 'item')}",
    "string_pattern_mismatch": lambda ctx: _KNOWN_PATTERNS.get(ctx["pattern"], f"text like `{ctx['pattern']}`"),
    "literal_error": lambda ctx: _one_of(literals(ctx["expected"])),
    "enum": lambda ctx: _one_of(literals(ctx["expected"])),
}


def expected_words(kind: str, ctx: Mapping[str, Any], message: str) -> str:
    """What a value should have been, from the kind of pydantic's complaint, its context and its own message."""
    make = _EXPECTED.get(kind)
    return make(ctx) if make else f"a valid value ({message})"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
