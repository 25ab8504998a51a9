"""What to do about a value that a record refuses."""

from __future__ import annotations

import datetime
import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from generator.catalog import fields
from generator.catalog.yaml_mistakes import without_space

_MAPPINGS = ("model_type", "model_attributes_type", "dict_type")
_SCALARS = ("string_type", "int_type", "float_type", "bool_type")
"""Kinds of complaint about what should have been a mapping, and about what should have been one value."""


def did_you_mean(word: str, options: Iterable[str]) -> str:
    """A hint with the option nearest to `word`; empty where none is near."""
    known = {option.casefold(): option for option in options}
    near = difflib.get_close_matches(word.casefold(), known, n=1, cutoff=0.6)
    return f"did you mean `{known[near[0]]}`?" if near else ""


def hint_words(kind: str, ctx: Mapping[str, Any], value: object) -> str:
    """What to do about it; empty where nothing is plain."""
    if kind == "string_type" and isinstance(value, int | float):
        return "put it in quotes to make it text"
    if kind in ("int_type", "float_type", "int_from_float") and isinstance(value, str):
        return "write a plain number without unit, quotes or separators"
    if kind == "bool_type" and isinstance(value, str):
        return "write `true` or `false`"
    if kind in _MAPPINGS and isinstance(value, str) and without_space(value):
        return without_space(value)
    if kind in ("tuple_type", "list_type") and isinstance(value, str):
        return _as_list(value)
    if kind in _SCALARS and isinstance(value, list | tuple):
        return "write it without brackets and dashes"
    if kind in _SCALARS and isinstance(value, Mapping):
        return "write the value alone"
    if kind.startswith("date_") or (
        kind == "string_pattern_mismatch" and ctx["pattern"] == fields.PARTIAL_DATE_PATTERN
    ):
        return _as_date(value)
    if kind in ("model_type", "model_attributes_type") and isinstance(value, str | int | float):
        return "a cited value outside a block is `{value: …, source: …}`; a text is `{ru: …, en: …}`"
    if kind == "string_pattern_mismatch" and ctx["pattern"] == fields.ID_PATTERN and isinstance(value, str):
        return _as_id(value)
    if kind == "literal_error" and isinstance(value, str):
        return did_you_mean(value, literals(str(ctx["expected"])))
    return ""


def _as_list(text: str) -> str:
    """A hint with the list that was meant by one text, or by dashes without a space."""
    if re.match(r"-\S", text):
        return "put a space after each `-`"
    return f"write `[{text}]`" if re.fullmatch(r"[\w./-]{1,60}", text, re.ASCII) else "write `[…]`, or a `-` in front"


def _as_date(value: object) -> str:
    """A hint with the day that was meant by one in another form; by its form alone where two days may be meant."""
    text = str(value).strip()
    day = re.fullmatch(r"(\d{1,2})\.(\d{1,2})\.(\d{4})", text)
    year = re.fullmatch(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ].*)?", text)
    parts = (day[3], day[2], day[1]) if day else year.groups() if year else None
    try:
        return f"write `{datetime.date(*map(int, parts or ())).isoformat()}`"
    except (TypeError, ValueError):
        return "such as 2026-12-31"


def _as_id(text: str) -> str:
    """A hint with the id that somebody may have meant by a name in capitals, with blanks or underscores."""
    meant = re.sub(r"[\s_/-]+", "-", text.strip().lower())
    return f"write `{meant}`" if len(meant) <= 80 and re.fullmatch(fields.ID_PATTERN, meant) else ""


def literals(expected: str) -> list[str]:
    """`'a', 'b' or 'c'` taken apart."""
    return [part.strip().strip("'") for part in expected.replace(" or ", ", ").split(",")]
