"""What people get wrong in the YAML of a file, read off its lines where a parser gives up.

A parser complains where it can go on no longer: often some lines below the mistake, and in words about its own state.
A missing space after a colon, a key in the wrong column, a quote or a bracket that nobody closed: these are told by
the lines around that place, and reported where they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import yaml

Spot = tuple[int, int]
"""Line and column, 1-based."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """What somebody has done, where, and what to do instead."""

    spot: Spot
    message: str
    """`expected …, found …`."""
    hint: str
    field: str = ""
    """Dotted path of the key, where the lines above tell it."""


@dataclass(frozen=True, slots=True)
class Closed:
    """The quoted text or the brackets that a parser read last."""

    begin: Spot
    end: Spot
    """Behind the last character."""
    quote: str = ""
    """The quote; empty for brackets."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that is neither blank nor a comment alone."""

    number: int
    columns: tuple[int, ...]
    """Of its dashes and of its first word."""
    key: str
    """Empty for a line without one."""
    rest: str
    """What follows the key and its colon, or the whole text."""

    @property
    def spot(self) -> Spot:
        return self.number, self.columns[-1]


_SHAPE = re.compile(r"(?P<lead> *(?:- +)*)(?P<text>\S.*)")
_KEY = re.compile(r"(?P<key>\"[\w./ -]+\"|'[\w./ -]+'|[\w./-]+) *:(?: +(?P<rest>.*))?")
_NO_SPACE = re.compile(r"(?P<key>[A-Za-z_][\w.-]*):(?P<rest>(?!//)[^\s:].*)")
_NO_COLON = re.compile(r"(?P<key>[A-Za-z_][\w.-]*)(?: *[=\N{FULLWIDTH COLON}] *| +)(?P<rest>\S+)")
FENCE = "```"
_MARKS = ("...", "---", "%")
"""What begins a line that is about documents, not data."""
NEAR = 3
_NO_BREAK = re.compile(r"(?:^ *|: *)(?P<blank>[\u00a0\u2000-\u200a\u202f\u205f\u3000])")
_COMMENT = re.compile(r"(?:^|\s+)#.*$")
_LONGEST = 60


def without_space(text: str) -> str:
    """A hint for text such as `layers:48`, which was meant as a key and its value; empty for other text."""
    match = _NO_SPACE.fullmatch(text.strip())
    return f"a space after the colon: write `{match['key']}: {_short(match['rest'])}`" if match else ""


def mistake(error: yaml.MarkedYAMLError, text: str, opened: Spot | None, closed: Closed | None) -> Mistake | None:
    """What the lines around an error tell; none where they tell nothing.

    `opened` is where the innermost bracket stands that is not closed, `closed` what was closed last.
    """
    mark = error.problem_mark or error.context_mark
    if mark is None:
        return None
    lines = text.removesuffix("\n").split("\n")
    spot = mark.line + 1, mark.column + 1
    if "simple key" in (error.context or "") and error.context_mark is not None:
        spot = error.context_mark.line + 1, error.context_mark.column + 1
    if spot[0] > len(lines):
        return None
    return (
        _no_break(lines, spot)
        or _open_quote(lines, spot, closed)
        or _open_bracket(lines, spot, opened)
        or _beginning(lines, spot, error.problem or "")
        or _behind(lines, spot, opened, closed)
        or _no_comma(lines, spot, opened, error.problem or "")
        or (None if opened else _no_key(lines, spot) or _indented(lines, spot) or _second_colon(lines, spot))
    )


def _line(lines: Sequence[str], number: int) -> _Line | None:
    shape = _SHAPE.fullmatch(lines[number - 1])
    text = _COMMENT.sub("", shape["text"]) if shape else ""
    if not shape or not text:
        return None
    columns = (*(at + 1 for at, sign in enumerate(shape["lead"]) if sign == "-"), shape.start("text") + 1)
    key = _KEY.fullmatch(text)
    return _Line(number, columns, key["key"].strip("\"'") if key else "", (key["rest"] or "") if key else text)


def _above(lines: Sequence[str], number: int) -> Iterator[_Line]:
    """The lines above, from below."""
    for each in range(number - 1, 0, -1):
        line = _line(lines, each)
        if line is not None:
            yield line


def _path(lines: Sequence[str], number: int, column: int, key: str) -> str:
    """The dotted path of a key in this column; empty inside a list, whose entries have no names."""
    keys = [key]
    for line in _above(lines, number):
        if line.key and line.columns[-1] < column and not line.rest:
            keys.insert(0, line.key)
            column = line.columns[-1]
        if len(line.columns) > 1 and line.columns[0] < column:
            return ""
    return ".".join(keys)


def _field(lines: Sequence[str], line: _Line | None) -> str:
    return _path(lines, *line.spot, line.key) if line is not None and line.key else ""


def _short(text: str) -> str:
    line = " ".join(text.split()).replace("`", "'")
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def _no_break(lines: Sequence[str], spot: Spot) -> Mistake | None:
    """A blank that looks like a space and is none, at the begin of a line or after a colon, here or just above."""
    for number in range(spot[0], max(spot[0] - NEAR, 0), -1):
        blank = _NO_BREAK.search(lines[number - 1])
        if blank is not None:
            found = f"found the blank U+{ord(blank['blank']):04X}, which looks like one"
            return Mistake((number, blank.start("blank") + 1), f"expected a space, {found}", "type the space anew")
    return None


def _no_comma(lines: Sequence[str], spot: Spot, opened: Spot | None, problem: str) -> Mistake | None:
    """Two entries in brackets without a comma between them, or text with `: ` in it."""
    if opened is None:
        return None
    if "expected node content" in problem:
        field = _field(lines, _line(lines, spot[0]))
        return Mistake(spot, "expected a value between the commas, found none", "put one comma between entries", field)
    if opened[0] != spot[0] or "expected ','" not in problem:
        return None
    closing = {"[": "]", "{": "}"}.get(lines[opened[0] - 1][opened[1] - 1], "a bracket")
    message = f"expected a comma or `{closing}`, found `{lines[spot[0] - 1][spot[1] - 1 :][:1]}`"
    field = _field(lines, _line(lines, spot[0]))
    return Mistake(spot, message, "put a comma between the entries, and quotes around text that holds `: `", field)


def _open_bracket(lines: Sequence[str], spot: Spot, opened: Spot | None) -> Mistake | None:
    """A bracket that is still open where the next key begins."""
    line = _line(lines, spot[0])
    if opened is None or opened[0] >= spot[0] or line is None or not line.key:
        return None
    own = _line(lines, opened[0])
    if own is None or line.columns[-1] > own.columns[-1]:
        return None
    bracket = lines[opened[0] - 1][opened[1] - 1]
    closing = {"[": "]", "{": "}"}.get(bracket, bracket)
    message = f"expected `{closing}`, found the key `{line.key}` in line {spot[0]}"
    return Mistake(opened, message, f"close the `{bracket}` that opens here", _field(lines, own))


def _open_quote(lines: Sequence[str], spot: Spot, closed: Closed | None) -> Mistake | None:
    """Quoted text that swallowed a key: it ends at the quote that opens the next text."""
    if closed is None or not closed.quote or not closed.begin[0] < closed.end[0] <= spot[0]:
        return None
    swallowed = [_line(lines, number) for number in range(closed.begin[0] + 1, closed.end[0] + 1)]
    key = next((line.key for line in swallowed if line is not None and line.key), None)
    if key is None:
        return None
    own = _line(lines, closed.begin[0])
    message = f"expected `{closed.quote}` at the end of the text, found none before the key `{key}`"
    return Mistake(closed.begin, message, "close the quote that opens here", _field(lines, own))


def _beginning(lines: Sequence[str], spot: Spot, problem: str) -> Mistake | None:
    """A sign with which no text begins."""
    if "cannot start any token" not in problem:
        return None
    line = _line(lines, spot[0])
    if lines[spot[0] - 1].startswith(FENCE):
        return Mistake(spot, "expected data, found a fence of Markdown", "delete the line")
    field = _field(lines, line)
    message = f"expected a value, found `{lines[spot[0] - 1][spot[1] - 1 :][:1]}`, which may not begin one"
    return Mistake(spot, message, "put text that starts with this character in quotes", field)


def _behind(lines: Sequence[str], spot: Spot, opened: Spot | None, closed: Closed | None) -> Mistake | None:
    """Something behind a closing quote or bracket in its line."""
    if closed is None or closed.end[0] != spot[0] or closed.end[1] > spot[1]:
        return None
    behind = lines[spot[0] - 1][spot[1] - 1 :]
    field = _field(lines, _line(lines, closed.begin[0]))
    if closed.quote:
        wanted = "a comma or a bracket" if opened else "nothing more"
        if closed.quote in behind:
            twice = "`''`" if closed.quote == "'" else '`\\"`'
            hint = f"a quote inside the text ends it: write it as {twice}, or put the text in the other quotes"
        else:
            hint = "delete it, or take it into the quotes"
        return Mistake(spot, f"expected {wanted} after the closing quote, found `{_short(behind)}`", hint, field)
    if opened:
        return None
    link = re.match(r"\((https://[^\s()]+)\)", behind)
    if link:
        return Mistake(spot, "expected an address, found a link of Markdown", f"write `{link[1]}` alone", field)
    return Mistake(spot, f"expected nothing more after the bracket, found `{_short(behind)}`", "delete it", field)


def _no_key(lines: Sequence[str], spot: Spot) -> Mistake | None:
    """A line that was meant as `key: value`, at or above the error."""
    found = _keyless(lines, spot[0])
    if any(line.rest.startswith(_MARKS) for line in found):
        return None
    if found and found[-1].number == spot[0] and len(found[-1].columns) > 1:
        return None  # an entry of a list may be a text
    for line in found:
        match = _NO_SPACE.fullmatch(line.rest)
        if match:
            field = _path(lines, *line.spot, match["key"])
            place = line.number, line.columns[-1] + len(match["key"]) + 1
            return Mistake(place, f"expected a space after the colon, found `{_short(line.rest)}`",
                           f"write `{match['key']}: {_short(match['rest'])}`", field)  # fmt: skip
    if not found:
        return None
    line = found[0]
    match = _NO_COLON.fullmatch(line.rest)
    if len(line.columns) > 1:
        hint = "an entry of a list with keys begins with the first of them: `- key: value`"
    elif match:
        hint = f"write `{match['key']}: {_short(match['rest'])}`"
    else:
        hint = "write `key: value`, or indent a line that goes on with the text above"
    return Mistake(line.spot, f"expected `key: value`, found `{_short(line.rest)}`", hint)


def _keyless(lines: Sequence[str], number: int) -> list[_Line]:
    """The lines without a key that end here, less those that go on with the text of the key above them."""
    found: list[_Line] = []
    own = _line(lines, number)
    if own is not None and not own.key:
        found.append(own)
    for line in _above(lines, number):
        if line.key:
            deeper = [each for each in found if each.columns[0] <= line.columns[-1]]
            return deeper if line.rest else found
        found.insert(0, line)
    return found


def _indented(lines: Sequence[str], spot: Spot) -> Mistake | None:
    """A key, or the dash of an entry, in a column in which nothing above it begins."""
    line = _line(lines, spot[0])
    if line is None or not (line.key or len(line.columns) > 1):
        return None
    above = list(_above(lines, spot[0]))
    if not above:
        return None
    first = above[-1]
    if line.columns[0] < first.columns[0]:
        message = f"expected the first key in column 1, found `{first.key or '-'}` in column {first.columns[0]}"
        return Mistake(first.spot, message, "indentation: take away the blanks in front of it")
    entry = len(line.columns) > 1
    same = next((each for each in above if each.columns[-1] <= line.columns[0]), None)
    if entry and same is not None and same.key and same.rest and same.columns == line.columns[:1]:
        message = f"expected a key like `{same.key}` above it, found an entry of a list"
        return Mistake((line.number, line.columns[0]), message, "delete the `-`")
    what, column = "`-`" if entry else f"`{line.key}`", line.columns[0]
    taken: list[int] = []
    lowest = len(lines[spot[0] - 1]) + column
    for each in above:
        taken += each.columns[:-1] if entry else each.columns[-1:] if each.columns[0] < lowest and each.key else ()
        lowest = min(lowest, each.columns[0])
    return _in_no_column(lines, line, what, _falling(taken), above)


def _falling(columns: Sequence[int]) -> list[int]:
    """Those that are less than all before them: where mappings and lists are open."""
    return [own for at, own in enumerate(columns) if all(own < before for before in columns[:at])]


def _in_no_column(
    lines: Sequence[str], line: _Line, what: str, taken: Sequence[int], above: Sequence[_Line]
) -> Mistake | None:
    column = line.columns[0]
    if not taken or column in taken or above[0].rest[:1] in tuple("|>"):
        return None
    place = line.number, column
    if column > taken[0]:
        before = next((each for each in above if each.key), above[0])
        if not before.rest:
            return None
        if before is above[0] and len(above) > 1 and before.key:
            around = _should_be_deeper(lines, line, before, above[1])
            if around is not None:
                return around
        like = f" like `{before.key}` above it" if line.key and before.key else ""
        message = f"expected {what} in column {taken[0]}{like}, found it in column {column}"
        hint = "indentation: take away blanks in front of it; a key with keys below it has nothing after its colon"
        return Mistake(place, message, hint, _path(lines, line.number, taken[0], line.key) if line.key else "")
    near = [max((own for own in taken if own < column), default=0), min(own for own in taken if own > column)]
    listed = " or ".join(str(own) for own in near if own)
    message = f"expected {what} in column {listed} like those above it, found it in column {column}"
    return Mistake(place, message, "indentation: indent the keys of one mapping alike, and the entries of one list")


def _should_be_deeper(lines: Sequence[str], line: _Line, before: _Line, second: _Line) -> Mistake | None:
    """The key before the one at which a parser stops, where it is that one which stands too far to the left."""
    column = line.columns[0]
    if second.columns[0] == column and second.key:
        wanted = f"like `{second.key}` and `{line.key}` around it"
    elif second.columns[0] == before.columns[0] and second.key and not second.rest:
        wanted = f"under `{second.key}`"
    else:
        return None
    message = f"expected `{before.key}` in column {column} {wanted}, found it in column {before.columns[0]}"
    field = _path(lines, before.number, column, before.key)
    return Mistake(before.spot, message, "indentation: put blanks in front of it", field)


def _second_colon(lines: Sequence[str], spot: Spot) -> Mistake | None:
    """Text that holds `: ` without quotes."""
    line = _line(lines, spot[0])
    if line is None or lines[spot[0] - 1][spot[1] - 1 : spot[1]] != ":" or not (": " in line.rest or not line.key):
        return None
    field = _field(lines, line)
    return Mistake(spot, "expected one `: ` in a line, found another", "put text that holds `: ` in quotes", field)
