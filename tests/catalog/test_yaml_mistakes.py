"""Mistakes of people who edit a file: each is reported at the line at fault and named, whatever parser there is."""

from __future__ import annotations

import pytest
import yaml

from generator.catalog import yaml_positions
from generator.catalog.yaml_mistakes import without_space
from generator.catalog.yaml_positions import parse_document

AWAY = "indentation: take away blanks in front of it; a key with keys below it has nothing after its colon"
ALIKE = "indentation: indent the keys of one mapping alike, and the entries of one list"
COLON = "put text that holds `: ` in quotes"
SPACE = "expected a space after the colon, found"
BAD = {
    "too far": (
        "a:\n  b: 1\n    c: 2\nd: 3\n",
        f"3:5: a.c: expected `c` in column 3 like `b` above it, found it in column 5 ({AWAY})",
    ),
    "too far after a comment": (
        "a: x\n# y\n  c: 2\n",
        f"3:3: c: expected `c` in column 1 like `a` above it, found it in column 3 ({AWAY})",
    ),
    "too far after quotes": (
        'a:\n  b: "1"\n    c: 2\n',
        f"3:5: a.c: expected `c` in column 3 like `b` above it, found it in column 5 ({AWAY})",
    ),
    "too far after brackets": (
        "b: {c: 1}\n  d: 2\n",
        f"2:3: d: expected `d` in column 1 like `b` above it, found it in column 3 ({AWAY})",
    ),
    "too far in a list": (
        "a:\n  - b: 1\n      c: 2\n",
        f"3:7: expected `c` in column 5 like `b` above it, found it in column 7 ({AWAY})",
    ),
    "between two": (
        "a:\n    b: 1\n  c: 2\n",
        f"3:3: expected `c` in column 1 or 5 like those above it, found it in column 3 ({ALIKE})",
    ),
    "between two of a list": (
        "a:\n  - b: 1\n   c: 2\n",
        f"3:4: expected `c` in column 1 or 5 like those above it, found it in column 4 ({ALIKE})",
    ),
    "a dash": (
        "a:\n    - 1\n   - 2\n",
        f"3:4: expected `-` in column 5 like those above it, found it in column 4 ({ALIKE})",
    ),
    "the first key": (
        "  a: 1\nb: 2\n",
        (
            "1:3: expected the first key in column 1, found `a` in column 3 (indentation: take away the"
            " blanks in front of it)"
        ),
    ),
    "outdented among others": (
        "a:\n  b: 1\nc: 2\n  d: 3\n",
        (
            "3:1: a.c: expected `c` in column 3 like `b` and `d` around it, found it in column 1"
            " (indentation: put blanks in front of it)"
        ),
    ),
    "outdented after its mapping": (
        "a:\nb: 1\n  c: 2\n",
        "2:1: a.b: expected `b` in column 3 under `a`, found it in column 1 (indentation: put blanks in front of it)",
    ),
    "a dash before a key": (
        "a:\n  b: 1\n  - c: 2\n",
        "3:3: expected a key like `b` above it, found an entry of a list (delete the `-`)",
    ),
    "a blank that is no space": (
        "a:\n  b:\u00a01\n  c: 2\n",
        "2:5: expected a space, found the blank U+00A0, which looks like one (type the space anew)",
    ),
    "an indent of other blanks": (
        "a:\n  b: 1\n\u3000c: 1\n  d: 2\n",
        "3:1: expected a space, found the blank U+3000, which looks like one (type the space anew)",
    ),
    "a fence": (
        "```yaml\na: 1\n```\n",
        "1:1: expected data, found a fence of Markdown (delete the line)",
    ),
    "a link": (
        "url: [card](https://x.org/a)\n",
        "1:12: url: expected an address, found a link of Markdown (write `https://x.org/a` alone)",
    ),
    "no comma": (
        "a: {b: 1 c: 2}\n",
        (
            "1:11: a: expected a comma or `}`, found `:` (put a comma between the entries, and quotes around text that"
            " holds `: `)"
        ),
    ),
    "text that is a comment": (
        "a:\n  b: #5 in the table\n  c: 1\n",
        "2:6: a.b: expected a value, found a comment (put text that starts with `#` in quotes)",
    ),
    "no space": (
        "a:\n  source: x\n  layers:48\n  hidden: 2048\n",
        f"3:10: a.layers: {SPACE} `layers:48` (write `layers: 48`)",
    ),
    "no space in the first line": (
        "layers:48\nb: 1\n",
        f"1:8: layers: {SPACE} `layers:48` (write `layers: 48`)",
    ),
    "no space in the last line": (
        "a: 1\nb:2",
        f"2:3: b: {SPACE} `b:2` (write `b: 2`)",
    ),
    "no space twice": (
        "a:1\nb:2\nc: 3\n",
        f"1:3: a: {SPACE} `a:1` (write `a: 1`)",
    ),
    "no space before an address": (
        "a: 1\nurl:https://x.org\nc: 3\n",
        f"2:5: url: {SPACE} `url:https://x.org` (write `url: https://x.org`)",
    ),
    "no colon": (
        "a:\n  layers 48\n  b: 1\n",
        "2:3: expected `key: value`, found `layers 48` (write `layers: 48`)",
    ),
    "a sign of equality": (
        "a = 1\nb: 2\n",
        "1:1: expected `key: value`, found `a = 1` (write `a: 1`)",
    ),
    "a wide colon": (
        "a\N{FULLWIDTH COLON} 1\nb: 2\n",
        "1:1: expected `key: value`, found `a\N{FULLWIDTH COLON} 1` (write `a: 1`)",
    ),
    "junk at the end": (
        "a: 1\njunk\n",
        (
            "2:1: expected `key: value`, found `junk` (write `key: value`, or indent a line that goes on"
            " with the text above)"
        ),
    ),
    "text that goes on": (
        "a: some text\nthat goes on there\nb: 1\n",
        (
            "2:1: expected `key: value`, found `that goes on there` (write `key: value`, or indent a line"
            " that goes on with the text above)"
        ),
    ),
    "text and keys in a list": (
        "a:\n- x\n  y: 1\n",
        (
            "2:3: expected `key: value`, found `x` (an entry of a list with keys begins with the first of"
            " them: `- key: value`)"
        ),
    ),
    "a second colon": (
        "a:\n  where: table 3, row: x\n",
        f"2:22: a.where: expected one `: ` in a line, found another ({COLON})",
    ),
    "an open quote": (
        'a: "x\nb: 1\nc: "y"\n',
        (
            '1:4: a: expected `"` at the end of the text, found none before the key `b` (close the quote'
            " that opens here)"
        ),
    ),
    "an open quote in brackets": (
        "a:\n  b: {value: 'x, source: y}\n  c: {value: 'z'}\n",
        (
            "2:14: a.b: expected `'` at the end of the text, found none before the key `c` (close the quote"
            " that opens here)"
        ),
    ),
    "a quote inside": (
        'a: "say "hi" x"\nb: 1\n',
        (
            '1:10: a: expected nothing more after the closing quote, found `hi" x"` (a quote inside the text'
            ' ends it: write it as `\\"`, or put the text in the other quotes)'
        ),
    ),
    "an apostrophe": (
        "a: 'it's'\n",
        (
            "1:8: a: expected nothing more after the closing quote, found `s'` (a quote inside the text ends"
            " it: write it as `''`, or put the text in the other quotes)"
        ),
    ),
    "text after a quote": (
        'a: "x" W\n',
        ("1:8: a: expected nothing more after the closing quote, found `W` (delete it, or take it into the quotes)"),
    ),
    "a comma after a list": (
        "a: [1, 2],\nb: 2\n",
        "1:10: a: expected nothing more after the bracket, found `,` (delete it)",
    ),
    "a second brace": (
        "a: {b: 1}}\nb: 2\n",
        "1:10: a: expected nothing more after the bracket, found `}` (delete it)",
    ),
    "an open brace": (
        "a:\n  b: {value: 1, source: x\n  c: {value: 2, source: x}\n",
        "2:6: a.b: expected `}`, found the key `c` in line 3 (close the `{` that opens here)",
    ),
    "a sign that begins nothing": (
        "a: [@x, y]\n",
        (
            "1:5: a: expected a value, found `@`, which may not begin one (put text that starts with this"
            " character in quotes)"
        ),
    ),
}
"""What somebody does → text, error."""
GOOD = {
    "text over two lines": "a: some text\n  that goes on there\n",
    "text in quotes over two lines": 'a: "some text\n  with b: 1 in it"\nc: 2\n',
    "brackets over two lines": "a: {b: 1,\n    c: 2}\nd: [1,\n  2]\n",
    "a list in the column of its key": "a:\n- 1\n- 2\nb: 3\n",
    "a list of lists": "a:\n  - - 1\n    - 2\n",
    "an address": "a: https://x.org/b\n",
    "a time": "a: 12:30\n",
    "a comment before a mapping": "a: # x\n  b: 1\n",
    "a comment after a value": "a: 1 # x\nb: x#y\n",
    "nothing": "a:\n# x\nb: 1\n",
}


@pytest.mark.parametrize("loader", [yaml_positions._LOADER, yaml.SafeLoader])
@pytest.mark.parametrize("what", BAD)
def test_the_line_at_fault_is_named(what: str, loader: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_positions, "_LOADER", loader)
    text, message = BAD[what]
    for ends in (text, text.replace("\n", "\r\n")):
        assert [str(error) for error in parse_document(ends.encode(), "f.yml")[1]] == [f"f.yml:{message}"]


@pytest.mark.parametrize("what", GOOD)
def test_what_is_like_a_mistake_and_none_is_read(what: str) -> None:
    assert parse_document(GOOD[what].encode(), "f.yml")[1] == []


def test_a_key_and_its_value_without_a_space_are_told_from_other_text() -> None:
    assert without_space("layers:48") == "a space after the colon: write `layers: 48`"
    assert [without_space(text) for text in ("https://x.org", "12:30", "a b", "a: 1", "x::y", "")] == [""] * 6
