"""What a parser of YAML complains of, in words and with a hint, at a place that is in the file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from generator.catalog.yaml_mistakes import Closed, Mistake, Spot, mistake

if TYPE_CHECKING:
    import yaml

_MERGE_MARK = re.compile(r"^(?:[<>|]{7}(?: .*)?|={7})$", re.MULTILINE)
_HINTS = (
    (r"scanning a (double-)?quoted scalar.*end of stream", "close the quote that opens here"),
    (r"unknown escape character|hexdecimal|hexadecimal", "write a backslash twice, or use single quotes"),
    (r"flow (sequence|mapping), .*expected ','", "put commas between the entries and close the bracket"),
    (r"cannot start any token", "put text that starts with this character in quotes"),
    (r"flow node, .*node content", "put one comma between entries"),
    (r"expected '?<document start>", "begin all keys of one mapping in the same column"),
    (r"block (mapping|collection), .*(expected (key|'-')|<block end>)",
     "indent keys of one mapping alike, quote text that has quotes"),
    (r"could not find expected ':'", "write `key: value`, or indent a line that goes on with the text above"),
    (r"mapping values are not allowed", "put text that holds `: ` in quotes"),
    (r"nesting depth", "nest less"),
)  # fmt: skip
"""What a message of the parser looks like, and what to do: the first that fits."""


def merge_marks(text: str) -> Iterator[Spot]:
    """The lines by which git marks a merge that nobody has solved."""
    lines = [text.count("\n", 0, match.start()) + 1 for match in _MERGE_MARK.finditer(text)]
    return ((line, 1) for line in lines) if "\n<<<<<<<" in f"\n{text}" else iter(())


def explained(error: yaml.MarkedYAMLError, text: str, opened: Spot | None, closed: Closed | None) -> Mistake:
    """What is wrong, by the lines around it or else in the parser's words.

    `opened` is where the innermost bracket stands that is not closed yet, `closed` what was closed last.
    """
    known = mistake(error, text, opened, closed)
    if known is not None:
        return known
    spot, words, hint = _by_the_parser(error, text, opened)
    return Mistake(spot, f"expected valid YAML, found an error: {words}", hint)


def _by_the_parser(error: yaml.MarkedYAMLError, text: str, opened: Spot | None) -> tuple[Spot, str, str]:
    """Place, words and hint where the lines tell nothing.

    What is found only at the end of the file stands where it began: there is nothing to see beyond the last line.
    """
    mark = error.problem_mark or error.context_mark
    spot = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
    words = _words(error)
    if spot <= _last(text):
        return spot, words, _hint(words, text, spot, opened)
    context = error.context_mark
    began = (context.line + 1, context.column + 1) if context is not None else opened
    if began is not None and began > _last(text):
        began = opened
    if began is None:
        return _last(text), words, _hint(words, text, spot, None)
    bracket = _character(text, began)
    hint = f"close the `{bracket}` that opens here" if bracket in "[{" else _hint(words, text, spot, None)
    return began, f"{words} before the end of the file" if bracket in "[{" else words, hint


def _words(error: yaml.MarkedYAMLError) -> str:
    parts = [part for part in (error.context, error.problem) if part]
    return " ".join(", ".join(parts).split())[:200] or "unreadable"


def _hint(words: str, text: str, spot: Spot, opened: Spot | None) -> str:
    line = _line(text, spot[0])
    if re.search(r":\s+[^'\"|>\[{].*: ", line):
        return "put text that holds `: ` in quotes"
    if re.search(r":\s+[@`%&*!|>]", line):
        return "put text that starts with this character in quotes"
    if opened is not None and opened[0] < spot[0] and "node content" not in words:
        return f"close the `{_character(text, opened)}` of line {opened[0]}"
    if _line(text, spot[0] - 1).rstrip() == "...":
        return "delete the line `...`"
    if "directive" in words or _line(text, spot[0] - 1).startswith("%"):
        return "delete the line that starts with `%`"
    return next((hint for pattern, hint in _HINTS if re.search(pattern, words)), "")


def _lines(text: str) -> list[str]:
    """The lines of a file; no line begins after a last line end."""
    return text.removesuffix("\n").split("\n")


def _line(text: str, number: int) -> str:
    lines = _lines(text)
    return lines[number - 1] if 1 <= number <= len(lines) else ""


def _character(text: str, spot: Spot) -> str:
    return _line(text, spot[0])[spot[1] - 1 : spot[1]]


def _last(text: str) -> Spot:
    """The last character that is not blank."""
    before = text.rstrip()
    return before.count("\n") + 1, max(len(before) - before.rfind("\n") - 1, 1)
