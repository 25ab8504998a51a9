"""What is wrong with the YAML of a file stands inside the file and says what to do, whatever parser there is."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from generator.catalog import yaml_positions
from generator.catalog.yaml_positions import parse_document

FIELDS = "write its fields, or delete the file"
LINES = "write lines of the form `key: value`"
CASES = {
    "empty": ("", "1:1", "found an empty file", FIELDS),
    "blank": ("   \n\n ", "1:1", "found an empty file", FIELDS),
    "comments alone": ("# a\n# b\n", "1:1", "found comments alone", FIELDS),
    "a document of nothing": ("---\n", "1:1", "found an empty file", FIELDS),
    "null": ("null\n", "1:1", "found an empty file", FIELDS),
    "text": ("\nhello\n", "2:1", "found text or a number", LINES),
    "list": ("# a\n- a\n", "2:1", "found a list", LINES),
    "two documents": ("a: 1\n---\nb: 2\n", "2:1", "found a second", "delete the line `---`"),
    "a document of nothing at the end": ("a: 1\n---\n", "2:1", "found a second", "delete the line `---`"),
    "an end of a document": ("a: 1\n...\nb: 2\n", "3:1", "", "delete the line `...`"),
    "a directive alone": ("%YAML 1.1\n", "1:9", "", "delete the line that starts with `%`"),
    "an open list": ("a: [1, 2\n", "1:4", "before the end of the file", "close the `[` that opens here"),
    "an open list without a line end": ("a: [1, 2", "1:4", "before the end", "close the `[` that opens here"),
    "an open list and comments": ("a: 1\nb: [\n# x\n\n", "2:4", "before the end", "close the `[` that opens here"),
    "an open inner list": ("a: {b: [1,\n", "1:8", "before the end of the file", "close the `[` that opens here"),
    "an open mapping": ("a: {b: 1\n\n", "1:4", "before the end of the file", "close the `{` that opens here"),
    "an open list and a key": (
        "a: [1, 2\nb: 1\n",
        "1:4",
        "expected `]`, found the key `b`",
        "close the `[` that opens here",
    ),
    "an open quote": ("a: 1\nb: 'x\nc: 1\n\n", "2:4", "end of stream", "close the quote that opens here"),
    "an open double quote": ('a: "x', "1:4", "end of stream", "close the quote that opens here"),
    "two commas": ("a: [1,\n  2,,3]\n", "2:5", "between the commas", "put one comma between entries"),
    "two texts": ("a: 'x' y\n", "1:8", "after the closing quote, found `y`", "delete it, or take it into the quotes"),
    "an indent": (
        "a:\n   b: 1\n  c: 2\n",
        "3:3",
        "`c` in column 1 or 4",
        "indentation: indent the keys of one mapping",
    ),
    "an indented file": (" a: 1\nb: 2\n", "1:2", "the first key in column 1", "indentation: take away the blanks"),
    "a line that is none": ("a: 1\nb\nc: 2\n", "2:1", "found `b`", "write `key: value`, or indent a line that goes on"),
    "a backslash": ('a: "C:\\x"\n', None, "", "write a backslash twice, or use single quotes"),
    "an escape": ('a: "\\q"\n', None, "", "write a backslash twice, or use single quotes"),
    "a colon": ("a: b: c\n", "1:5", "one `: ` in a line", "put text that holds `: ` in quotes"),
    "a sign": ("a: @x\n", "1:4", "", "put text that starts with this character in quotes"),
    "latin-1": (b"a: \xe9\n", "1:4", "expected UTF-8, found the byte 0xE9", "save the file as UTF-8"),
}


@pytest.mark.parametrize("loader", [yaml_positions._LOADER, yaml.SafeLoader])
@pytest.mark.parametrize("what", CASES)
def test_it_is_in_the_file_and_says_what_to_do(what: str, loader: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_positions, "_LOADER", loader)
    text, place, message, hint = CASES[what]
    (error,) = parse_document(text if isinstance(text, bytes) else text.encode(), "f.yml")[1]
    if place and (loader is not yaml.SafeLoader or "directive" not in what):
        assert f"{error.line}:{error.column}" == place
    if loader is not yaml.SafeLoader:
        assert message in error.message
    assert error.hint.startswith(hint)


def test_the_marks_of_a_merge_are_named_and_nothing_else() -> None:
    text = "a:\n  b: 1\n<<<<<<< HEAD\n  c: 1\n||||||| base\n=======\n  c: 2\n>>>>>>> other\n"
    assert [str(error) for error in parse_document(text.encode(), "f.yml")[1]] == [
        f"f.yml:{line}:1: expected data, found the mark of a merge that is not solved (keep one side, delete the marks)"
        for line in (3, 5, 6, 8)
    ]
    underlined = "a: |\n  Heading\n  =======\n"
    assert parse_document(underlined.encode(), "f.yml")[1] == []


PIECES = [
    "a",
    ": ",
    "\n",
    "  ",
    "- ",
    "[",
    "]",
    "{",
    "}",
    ",",
    '"',
    "'",
    "#",
    "|",
    "---\n",
    "...\n",
    "%",
    "&",
    "*",
    "\\",
]


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join), st.sampled_from([yaml.SafeLoader, None]))
def test_every_error_is_inside_the_file(text: str, loader: object) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if loader is not None:
            patch.setattr(yaml_positions, "_LOADER", loader)
        lines = text.removesuffix("\n").split("\n")
        for error in parse_document(text.encode(), "f.yml")[1]:
            assert 1 <= error.line <= len(lines)
            assert 1 <= error.column <= len(lines[error.line - 1]) + 1
            assert error.hint or not error.message.endswith(("file", "alone"))
