from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from generator.catalog.yaml_positions import MAX_BYTES, MAX_DEPTH, Place, parse_document, read_document, resolve


def problems(text: str | bytes) -> list[str]:
    raw = text.encode() if isinstance(text, str) else text
    return [str(error) for error in parse_document(raw, "f.yml")[1]]


def plain(text: str) -> object:
    document, errors = parse_document(text.encode(), "f.yml")
    assert errors == []
    assert document is not None
    return document.root.plain


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("false", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("40", 40),
        ("-7", -7),
        ("0", 0),
        ("1.5", 1.5),
        ("1e3", 1000.0),
        ("1E-3", 0.001),
        (".5", 0.5),
        ("+3", 3),
    ],
)
def test_core_scalars(text: str, value: object) -> None:
    found = resolve(text)
    assert found == value
    assert type(found) is type(value)


WORDS = ("no", "yes", "on", "off", "y", "N", "True", "FALSE", "Null", "=", ".inf", "-.INF", ".nan")
NUMBERS = ("12:30:45", "190:20:30", "2026-12-01", "2026-12-01T10:00:00Z", "0o14", "014", "0x1F", "0b1", "1_000", "1,0")


@pytest.mark.parametrize(
    "text",
    [*WORDS, *NUMBERS, "9" * 41],
)
def test_what_yaml_1_1_would_turn_into_something_else_stays_text(text: str) -> None:
    assert resolve(text) == text


def test_a_country_code_is_no_boolean() -> None:
    assert plain("language: no\nvalues: [on, off, yes]\n") == {"language": "no", "values": ["on", "off", "yes"]}


def test_keys_are_text_whatever_they_look_like() -> None:
    assert plain("on: 1\n404: 2\ntrue: 3\nnull: 4\n") == {"on": 1, "404": 2, "true": 3, "null": 4}


def test_places_are_of_values_and_of_keys() -> None:
    document, _ = parse_document("имя: два слова\nb:\n  - {x: 'три', y: 4}\nempty:\n".encode(), "f.yml")
    assert document is not None
    assert document.place_of("имя") == Place(1, 6)
    assert document.place_of("b") == Place(2, 1)
    assert document.place_of("b.0.x") == Place(3, 9)
    assert document.place_of("b.0.y") == Place(3, 19)
    assert document.place_of("empty") == Place(4, 1)
    assert document.place_of("b.0.nothing.below") == Place(3, 5)
    assert document.place_of("nothing") == Place(1, 1)


def test_a_key_with_dots_is_found() -> None:
    document, _ = parse_document(b"sources:\n  gemma-3.1:\n    url: x\n  gemma-3: {url: y}\n", "f.yml")
    assert document is not None
    assert document.place_of("sources.gemma-3.1.url") == Place(3, 10)
    assert document.place_of("sources.gemma-3.url") == Place(4, 18)


def test_windows_line_ends_count_as_one() -> None:
    document, errors = parse_document(b"a: 1\r\nb:\r\n  c: 2\r\n", "f.yml")
    assert errors == []
    assert document is not None
    assert document.place_of("b.c") == Place(3, 6)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "f.yml:1:1: expected a mapping, found an empty file"),
        ("# only a comment\n", "f.yml:1:1: expected a mapping, found comments alone"),
        ("- a\n- b\n", "f.yml:1:1: expected a mapping, found a list"),
        ("just text", "f.yml:1:1: expected a mapping, found text or a number"),
        ("a: 1\nb: 2\na: 3\n", "f.yml:3:1: a: expected each key once, found `a` again (first on line 1)"),
        ("a: &x [1]\n", "f.yml:1:4: a: expected a value, found the anchor `&x` (delete the anchor)"),
        ("a: *x\n", "f.yml:1:4: a: expected a value, found the alias `*x` (write the value out)"),
        ("a:\n  <<: {b: 1}\n", "f.yml:2:3: a: expected a key, found the merge key `<<` (write the keys out)"),
        (
            "a: !!python/object:os.system x\n",
            "expected a value, found the tag `tag:yaml.org,2002:python/object:os.system`",
        ),
        ("a: !!str 1\n", "f.yml:1:4: a: expected a value, found the tag `tag:yaml.org,2002:str` (delete the tag)"),
        ("a: !x 1\n", "f.yml:1:4: a: expected a value, found the tag `!x` (delete the tag)"),
        ("%YAML 1.1\n---\na: 1\n", "expected plain YAML, found a directive (delete the line that starts with `%`)"),
        ("a: 1\n---\nb: 2\n", "f.yml:2:1: expected one document, found a second (delete the line `---`)"),
        ("? [a, b]\n: 1\n", "f.yml:1:3: expected a key of text, found a mapping or a list"),
        ("a:\n\tb: 1\n", "f.yml:2:1: expected spaces, found a tab (indent with spaces)"),
        ("a: 'x\u202ey'\n", "f.yml:1:6: expected visible text, found the character U+202E (delete it)"),
        ("a: x\u200by\n", "f.yml:1:5: expected visible text, found the character U+200B (delete it)"),
        ("a: x\x00y\n", "f.yml:1:5: expected visible text, found the character U+0000 (delete it)"),
        ("a: 1\rb: 2\n", "f.yml:1:5: expected visible text, found the character U+000D (delete it)"),
        ("a: x\u2028b\n", "f.yml:1:5: expected visible text, found the character U+2028 (delete it)"),
        ('a: "x\\u202ey"\n', "f.yml:1:4: a: expected visible text, found the character U+202E (delete it)"),
        ('a: "\\ud800"\n', "f.yml:1:7: expected valid YAML, found an error: while parsing a quoted scalar"),
        ("a: 1e999\n", "f.yml:1:4: a: expected a finite number, found `1e999`"),
        (
            "\ufeffa: 1\n",
            "f.yml:1:1: expected text, found a byte order mark (save the file as UTF-8 without a signature)",
        ),
        ("a: b: c\n", "(put text that holds `: ` in quotes)"),
        ("a: @b\n", "(put text that starts with this character in quotes)"),
        ("a: [1, 2\n", "expected valid YAML, found an error:"),
        ("a: 'unclosed\n", "expected valid YAML, found an error:"),
        ("a: 1\n  b: 2\n", "expected `b` in column 1 like `a` above it, found it in column 3"),
    ],
)
def test_one_clear_error(text: str, message: str) -> None:
    found = problems(text)
    assert len(found) == 1
    assert message in found[0]


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"a: 1\nb: \xff\n", "f.yml:2:4: expected UTF-8, found the byte 0xFF (save the file as UTF-8)"),
        ("имя: ".encode() + b"\xd0", "f.yml:1:6: expected UTF-8, found the byte 0xD0 (save the file as UTF-8)"),
        ("a: 1\n".encode("utf-16"), "f.yml:1:1: expected UTF-8, found the byte 0xFF (save the file as UTF-8)"),
        (b"a: " + b"x" * MAX_BYTES, "f.yml:1:1: expected at most 256 KiB, found a larger file"),
    ],
)
def test_bytes_that_are_no_text(raw: bytes, message: str) -> None:
    assert problems(raw) == [message]


def test_all_duplicate_keys_at_once() -> None:
    assert len(problems("a: 1\na: 2\nb: {c: 1, c: 2, d: {e: 1, e: 2}}\n")) == 3


def test_bombs_are_small_and_flat() -> None:
    laughs = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n"
    assert len(problems(laughs)) == 1
    assert "levels of nesting" in problems("a: " + "[" * 500 + "]" * 500)[0]
    assert "levels of nesting" in problems("a: " + "{a: " * 500 + "1" + "}" * 500)[0]
    assert len(problems("a: " + "{a: " * 20_000 + "1" + "}" * 20_000)) == 1
    assert problems("a: " + "[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1)) == []
    assert len(problems("a: " + "[" * 100_000)) == 1
    assert "large" not in problems("\n".join(f"{' ' * i}- " for i in range(300)))[0]


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    document, errors = read_document(tmp_path / "gone.yml", "data/gone.yml")
    assert document is None
    assert [str(error) for error in errors] == [
        "data/gone.yml:1:1: expected a readable file, found No such file or directory"
    ]


def test_without_libyaml_the_same_is_read_and_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("generator.catalog.yaml_positions._LOADER", yaml.SafeLoader)
    assert plain("a: no\nb: [1e3, 'x', \"y\"]\nc: |\n  text\nd: >-\n  more\n") == {
        "a": "no",
        "b": [1000.0, "x", "y"],
        "c": "text\n",
        "d": "more",
    }
    for text in (
        "a: &x 1\n",
        "a: *x\n",
        "a: !!str 1\n",
        "a: 1\na: 2\n",
        "a: 'b\n",
        "a: " + "[" * 3000,
        "a:\n  <<: {b: 1}\n",
    ):
        assert len(problems(text)) == 1


def test_a_mapping_inside_an_error_still_gives_the_rest() -> None:
    document, errors = parse_document(b"a: 1\na: 2\nb: 3\n", "f.yml")
    assert len(errors) == 1
    assert document is not None
    assert document.root.plain == {"a": 1, "b": 3}
