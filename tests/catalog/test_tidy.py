"""`trainfit check --fix`: order and style, never content."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator import cli
from generator.catalog import DATA_DIR, load_catalog
from generator.catalog.loading import LAYOUTS
from generator.catalog.tidy import tidied
from generator.catalog.yaml_positions import parse_document
from tests.support import MODEL, tiny_catalog

SOURCE = next(layout for layout in LAYOUTS if layout.kind == "source")
LINE = "# yaml-language-server: $schema=../../schemas/source.schema.json\n"
TIDY = LINE + 'title: X\npublisher: X\ntype: paper\nurl: https://example.org\nread: "2026-12-01"\naccess: page\n'


@pytest.mark.parametrize(
    "untidy",
    [
        TIDY.removeprefix(LINE),
        TIDY.replace("../../", "../"),
        "\ufeff" + TIDY,
        TIDY.replace("\n", "\r\n"),
        TIDY.replace("\n", "\r"),
        TIDY.replace("X\n", "X  \n"),
        TIDY.removesuffix("\n"),
        TIDY + "\n\n",
        TIDY.replace("title", "ti\u200btle"),
        TIDY.replace("type: paper\n", "").replace("title: X", "type: paper\ntitle: X"),
        TIDY.replace("access: page\n", "").replace("title: X", "access: page\ntitle: X"),
    ],
)
def test_style_and_order(untidy: str) -> None:
    assert tidied(untidy.encode(), SOURCE) == TIDY.encode()
    assert tidied(TIDY.encode(), SOURCE) is None, "what is tidy stays"


def test_a_tab_becomes_blanks() -> None:
    text = TIDY + "summary:\n\tru: Х.\n\ten: X.\n"
    fixed = tidied(text.encode(), SOURCE)
    assert fixed is not None
    document, errors = parse_document(fixed, "x")
    assert errors == []
    assert document is not None
    assert document.root.plain["summary"] == {"ru": "Х.", "en": "X."}


def test_comments_stay_with_what_they_are_about() -> None:
    text = f"{LINE}# The file.\n\n# Who.\npublisher: X\n# What.\n\n# Really.\ntitle: X # here\n# The end.\n"
    fixed = tidied(text.encode(), SOURCE)
    assert fixed is not None
    assert fixed.decode() == (
        f"{LINE}# The file.\n\n# Who.\n# What.\n\n# Really.\ntitle: X # here\n# The end.\npublisher: X\n"
    )


@pytest.mark.parametrize(
    "text",
    [
        "title: [\n", "title: X\ntitle: Y\n", "- a\n", "", "title: |\n  a  \n  b\n", "a: &x 1\nb: *x\n", "? a\n: b\n",
        'title: "a\u202eb"\r\n',
    ],
)  # fmt: skip
def test_what_is_wrong_in_another_way_is_left_alone(text: str) -> None:
    fixed = tidied(text.encode(), SOURCE)
    if fixed is not None:
        before, after = parse_document(text.encode(), "x")[0], parse_document(fixed, "x")[0]
        assert after is not None
        assert before is None or before.root.plain == after.root.plain


def test_bytes_that_are_no_text_are_left_alone() -> None:
    assert tidied(b"title: \xff\n", SOURCE) is None


@given(
    st.text(max_size=200)
    | st.lists(st.sampled_from([*TIDY.splitlines(keepends=True), "\t", "  a: 1\n", "# x\n", "\r"])).map("".join)
)
def test_content_stays_and_a_second_time_changes_nothing(text: str) -> None:
    try:
        raw = text.encode()
    except UnicodeEncodeError:
        return
    fixed = tidied(raw, SOURCE)
    if fixed is None:
        return
    before, errors = parse_document(raw, "x")
    after, left = parse_document(fixed, "x")
    assert after is not None
    assert left == []
    assert before is None or (errors == [] and before.root.plain == after.root.plain)
    assert tidied(fixed, SOURCE) is None


def test_the_command_says_what_it_did_and_then_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tiny_catalog(tmp_path)
    assert cli.main(["--data-dir", str(data), "check", "--fix"]) == 0
    first = capsys.readouterr().out.splitlines()
    assert f"put in order: data/{MODEL}" in first
    assert first[-1].startswith("no errors")
    assert cli.main(["--data-dir", str(data), "check", "--fix"]) == 0
    assert capsys.readouterr().out.startswith("no errors")
    path = data / MODEL
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n").replace(b"layers: 28", b"layers: x"))
    assert cli.main(["--data-dir", str(data), "check", "--fix"]) == 1
    found = capsys.readouterr().out
    assert f"put in order: data/{MODEL}" in found
    assert "architecture.layers: expected a whole number" in found


def test_a_link_is_not_written_through(tmp_path: Path) -> None:
    data = tiny_catalog(tmp_path)
    outside = tmp_path / "outside.yml"
    outside.write_bytes(b"title: X\r\n")
    (data / "sources" / "link.yml").symlink_to(outside)
    cli.main(["--data-dir", str(data), "check", "--fix"])
    assert outside.read_bytes() == b"title: X\r\n"


def test_the_real_data_stay_what_they_are(tmp_path: Path) -> None:
    data = Path(shutil.copytree(DATA_DIR, tmp_path / "data"))
    (data / "verdicts.csv").unlink()  # so that nothing is judged: this is about the files
    cli.main(["--data-dir", str(data), "check", "--fix"])
    before, after = load_catalog(), load_catalog(data)
    for kind in ("models", "gpus", "rigs", "methods", "sources", "stack", "policy", "constants"):
        assert getattr(before, kind) == getattr(after, kind)
