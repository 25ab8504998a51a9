"""Trimming the theme's stylesheet: what may match stays, what cannot goes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from generator.site.styles import COMMENT, blocks, classes_of, compact, may_match, trim, trimmed

CLASSES = {"a", "b", "w:x"}


@pytest.mark.parametrize(
    ("css", "kept"),
    [
        (".a{x:1}.c{x:2}p{x:3}", ".a{x:1}p{x:3}"),
        (".a,.c,.b .a{x:1}", ".a,.b .a{x:1}"),
        (".a:not(.c){x:1}.a:is(.b,.c) p{x:2}", ".a:not(.c){x:1}.a:is(.b,.c) p{x:2}"),
        ('.a[data-x=".c,}"]{x:1}', '.a[data-x=".c,}"]{x:1}'),
        ("@media print{.c{x:1}.a{x:2}}@media screen{.c{x:1}}", "@media print{.a{x:2}}"),
        ("@keyframes c{from{x:1}to{x:2}}@font-face{x:1}", "@keyframes c{from{x:1}to{x:2}}@font-face{x:1}"),
        ('@charset "UTF-8";.c{x:1}', '@charset "UTF-8";'),
        ('.a:after{content:"}"}/* .c{ */.b{x:1}', '.a:after{content:"}"}.b{x:1}'),
        (r".w\:x{x:1}.w\:y{x:1}", r".w\:x{x:1}"),
        (":root{--i:url('data:image/svg+xml;utf8,<svg/>')}", ":root{--i:url('data:image/svg+xml;utf8,<svg/>')}"),
    ],
)
def test_only_rules_that_may_match_stay(css, kept):
    assert trimmed(css, CLASSES) == kept


def test_a_number_is_no_class():
    assert may_match("p", CLASSES)
    assert list(blocks(".a{margin:.5em}")) == [(".a", "margin:.5em")]


def test_classes_of_a_page(tmp_path):
    page = tmp_path / "index.html"
    page.write_text("<p class=\"a b\"><i class='c'><b class=d><u class>", encoding="utf-8")
    assert classes_of([page]) >= {"a", "b", "c", "d"}


def test_both_languages_share_one_stylesheet(tmp_path):
    for folder, name in ((tmp_path, "a"), (tmp_path / "en", "b")):
        (folder / "assets" / "stylesheets").mkdir(parents=True)
        (folder / "assets" / "stylesheets" / "main.0.min.css").write_text(".a{x:1}.b{x:2}.c{x:3}", encoding="utf-8")
        (folder / "index.html").write_text(f"<p class={name}>", encoding="utf-8")
    trim(tmp_path)
    styles = [path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.css")]
    assert styles == [".a{x:1}.b{x:2}"] * 2


def test_our_own_styles_lose_blanks_and_comments_and_nothing_else(repo_root: Path) -> None:
    assert compact('a :is(b, c) { /* x */ color: red;\n  content: " { ; } "; }\n\n@media print { d { e: f; } }\n') == (
        'a :is(b, c){color: red;content: " { ; } ";}@media print{d{e: f;}}\n'
    )
    for path in sorted((repo_root / "docs" / "assets" / "css").glob("*.css")):
        text = path.read_text(encoding="utf-8")
        short = compact(text)
        assert len(short) < len(text)
        assert re.sub(r"\s", "", COMMENT.sub("", text)) == re.sub(r"\s", "", short), path.name
        assert [prelude for prelude, _ in blocks(short)] == [prelude for prelude, _ in blocks(text)], path.name
