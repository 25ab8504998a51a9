"""Message catalogues: lookup, placeholders, plural forms, and what goes wrong."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from markupsafe import Markup

from generator.errors import BuildError
from generator.site.messages import MessageError, Messages, placeholders

RU = """
hello: "Привет, {name}"
link: "<a href=\\"{url}\\">{name}</a>"
nested: {deeper: {still: "Глубоко"}}
word: no
gpus: {one: "{count} карта", few: "{count} карты", many: "{count} карт", other: "{count} карты"}
rows: {one: "строка", few: "строки", many: "строк", other: "строки"}
"""


@pytest.fixture
def messages(tmp_path: Path) -> Messages:
    (tmp_path / "ru").mkdir()
    (tmp_path / "ru" / "area.yml").write_text(RU, encoding="utf-8")
    return Messages("ru", tmp_path)


def test_a_key_is_the_file_and_the_path_inside(messages):
    assert messages("area.nested.deeper.still") == "Глубоко"
    assert "area.nested.deeper.still" in messages
    assert "area.nested" not in messages


def test_yaml_words_stay_words(messages):
    assert messages("area.word") == "no"


def test_placeholders_are_filled(messages):
    assert messages("area.hello", name="мир") == "Привет, мир"


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (1, "1 карта"), (2, "2 карты"), (5, "5 карт"), (11, "11 карт"), (21, "21 карта"), (0, "0 карт"),
        (Decimal("1.5"), "1,5 карты"), (1234, "1234 карты"), (12345, "12\xa0345 карт"),
    ],
)  # fmt: skip
def test_russian_plural_forms(messages, count, text):
    assert messages("area.gpus", count=count) == text


def test_a_value_may_go_unused(messages):
    assert messages("area.word", name="мир", count=5) == "no"


def test_count_may_choose_the_form_alone(messages):
    assert messages("area.rows", count=5) == "строк"


def test_html_escapes_values_and_keeps_own_markup(messages):
    html = messages.html("area.link", url='x"onload="', name="<b>")
    assert isinstance(html, Markup)
    assert html == '<a href="x&#34;onload=&#34;">&lt;b&gt;</a>'
    assert messages.html("area.hello", name=Markup("<b>мир</b>")) == "Привет, <b>мир</b>"


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("area.absent", {}),
        ("area.hello", {}),
        ("area.hello", {"nmae": "мир"}),
        ("area.gpus", {}),
        ("area.gpus", {"count": "пять"}),
        ("area.hello", {"name": 1.5}),
        ("area.hello", {"name": True}),
    ],
)
def test_a_wrong_call_is_a_message_error(messages, key, values):
    with pytest.raises(MessageError):
        messages(key, **values)


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\na: 2", "a: [1, 2]", "a: '{'", "a: '{x.y}'", "a: '{x!r}'", "a: '{}'", "a: {one: x}",
        "A b: x", "a: [", "a:\n  b: x\n  b: y",
    ],
)  # fmt: skip
def test_a_malformed_catalogue_is_a_message_error(tmp_path, text):
    (tmp_path / "en").mkdir()
    (tmp_path / "en" / "area.yml").write_text(text, encoding="utf-8")
    with pytest.raises(MessageError):
        Messages("en", tmp_path)


def test_placeholders_of_all_plural_forms():
    assert placeholders({"one": "{count} of {total}", "other": "{count}"}) == {"count", "total"}


def test_a_message_error_is_a_build_error():
    assert issubclass(MessageError, BuildError)
