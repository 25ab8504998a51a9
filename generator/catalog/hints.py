"""What to do about a value that a record refuses."""

from __future__ import annotations

import datetime
import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Any

from generator.catalog import fields
from generator.catalog.yaml_mistakes import without_space

MONTHS = 12
LONGEST_NUMBER = 20
HUB = "https://huggingface.co/"
_NOTHING = ("", "n/a", "na", "none", "null", "unknown", "todo", "tbd", "-", "—")
"""What people write where there is nothing to write."""
_MAPPINGS = ("model_type", "model_attributes_type", "dict_type")
_LISTS = ("tuple_type", "list_type")
_NUMBERS = ("int_type", "float_type", "int_from_float", "int_parsing", "float_parsing")
_SCALARS = ("string_type", "int_type", "float_type", "bool_type")
"""Kinds of complaint about what should have been a mapping, and about what should have been one value."""


def did_you_mean(word: str, options: Iterable[str]) -> str:
    """A hint with the option nearest to `word`; empty where none is near."""
    known = {option.casefold(): option for option in options}
    near = difflib.get_close_matches(word.casefold(), known, n=1, cutoff=0.6)
    part = [option for option in known if len(word) > 2 and word.casefold() in option.split("-")]
    meant = near[0] if near else part[0] if len(part) == 1 else None
    return f"did you mean `{known[meant]}`?" if meant else ""


def foreign_letter(word: str) -> str:
    """What to say of a word that looks Latin and holds a letter that is not; empty where all are."""
    other = next((each for each in word if not each.isascii() and each.isalpha()), None)
    return f"the `{other}` in it is no Latin letter" if other else ""


def hint_words(kind: str, ctx: Mapping[str, Any], value: object) -> str:
    """What to do about it; empty where nothing is plain."""
    if isinstance(value, str):
        if value.casefold().strip(" .?") in _NOTHING:
            return "where nobody says it, delete the field"
        return _of_text(kind, ctx, value)
    if kind.startswith("date_"):
        return _as_date(value)
    if isinstance(value, list | tuple):
        shapes = {_MAPPINGS: "write keys, without `-` in front", _SCALARS: "write it without brackets and dashes"}
        return next((hint for kinds, hint in shapes.items() if kind in kinds), "")
    if isinstance(value, Mapping):
        shapes = {_LISTS: "put a `-` in front of the first key of each entry", _SCALARS: "write the value alone"}
        return next((hint for kinds, hint in shapes.items() if kind in kinds), "")
    if kind == "string_type" and isinstance(value, int | float):
        return "put it in quotes to make it text"
    return "write out the whole number" if kind in _NUMBERS and isinstance(value, float) else ""


def _of_text(kind: str, ctx: Mapping[str, Any], text: str) -> str:
    """What to do about a text."""
    if kind == "string_pattern_mismatch":
        return _of_pattern(ctx["pattern"], text)
    if kind in _NUMBERS:
        return _as_number(kind, text)
    if kind == "bool_type":
        return "write `true` or `false`"
    if kind in _MAPPINGS:
        return without_space(text)
    if kind in _LISTS:
        return _as_list(text)
    if kind.startswith("date_"):
        return _as_date(text)
    return _as_option(text, literals(str(ctx["expected"]))) if kind == "literal_error" else ""


def _of_pattern(pattern: str, text: str) -> str:
    """What to do about a text that is not of the form of its field."""
    if pattern == fields.ID_PATTERN:
        return _as_id(text)
    if pattern == fields.PARTIAL_DATE_PATTERN:
        return _as_date(text)
    if pattern == fields.LINE_PATTERN:
        return "put it in one line" if "\n" in text.strip() else "take away the blanks at its ends"
    is_address = pattern == fields.HUB_ID_PATTERN and text.startswith(HUB)
    return f"write `{text.removeprefix(HUB).strip('/')}`" if is_address else ""


def _as_number(kind: str, text: str) -> str:
    """A hint with the number that was meant by one in quotes, in groups of digits or with a decimal comma.

    What has a unit may be in another than the field's: nobody but its writer knows the number.
    """
    plain = "write a plain number without unit, quotes or separators"
    number = re.fullmatch(r"\d+(?:[ _\u00a0\u202f,]\d{3})+|\d+(?:[.,]\d+)?", text.strip(), re.ASCII)
    digits = re.sub(r"[ _\u00a0\u202f]|,(?=\d{3}(?!\d))", "", number[0]).replace(",", ".") if number else ""
    return (
        plain
        if not 0 < len(digits) <= LONGEST_NUMBER or (kind.startswith("int") and "." in digits)
        else f"write `{digits}`: {plain[6:]}"
    )


def _as_option(text: str, options: list[str]) -> str:
    """A hint with the option that was meant."""
    words = {"y": ("yes", "true", "on", "1"), "n": ("no", "false", "off", "0")}
    meant = next((each for each, said in words.items() if each in options and text.casefold() in said), None)
    return f"write `{meant}`" if meant else did_you_mean(text, options)


def as_address(text: str) -> str:
    """A hint with the address that was meant by one in brackets, by http, or by one without either."""
    meant = re.fullmatch(
        r"[<(\[]?(?:https?://)?([A-Za-z0-9][A-Za-z0-9.-]*\.[A-Za-z]{2,}(?:/[^\s<>\"'`^{|}\\]*)?)[>)\]]?", text
    )
    return f"write `https://{meant[1]}`" if meant else ""


def _as_list(text: str) -> str:
    """A hint with the list that was meant by one text, or by dashes without a space."""
    if re.match(r"-\S", text):
        return "put a space after each `-`"
    return f"write `[{text}]`" if re.fullmatch(r"[\w./-]{1,60}", text, re.ASCII) else "write `[…]`, or a `-` in front"


def _as_date(value: object) -> str:
    """A hint with the day that was meant by one in another form; by its form alone where two days may be meant."""
    text = str(value).strip()
    day = re.fullmatch(r"(\d{1,2})\.(\d{1,2})\.(\d{4})", text)
    slashed = re.fullmatch(r"(\d{1,2})/(\d{1,2})/(\d{4})", text)
    if slashed and max(int(slashed[1]), int(slashed[2])) > MONTHS:  # else nobody knows which is the month
        month, of_month = sorted((int(slashed[1]), int(slashed[2])))
        text = f"{slashed[3]}-{month}-{of_month}"
    year = re.fullmatch(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ].*)?", text)
    parts = (day[3], day[2], day[1]) if day else year.groups() if year else None
    try:
        return f"write `{datetime.date(*map(int, parts or ())).isoformat()}`"
    except (TypeError, ValueError):
        return "such as 2026-12-31"


def _as_id(text: str) -> str:
    """A hint with the id that somebody may have meant by a name in capitals, with blanks or underscores."""
    if re.match(r"https?:", text):
        return "describe the page under `sources:` of this file, and write its key here"
    name = text.rpartition("/")[2] if re.fullmatch(r"\w[\w.-]*/\w[\w.-]*", text) else text  # of `owner/name`
    meant = re.sub(r"[\s_/-]+", "-", name.strip().lower())
    return f"write `{meant}`" if len(meant) <= 80 and re.fullmatch(fields.ID_PATTERN, meant) else ""


def literals(expected: str) -> list[str]:
    """`'a', 'b' or 'c'` taken apart."""
    return [part.strip().strip("'") for part in expected.replace(" or ", ", ").split(",")]
