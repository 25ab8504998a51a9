"""One word for one thing: the page of terms, and that all Russian texts keep to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from generator.site.messages import Messages, load_messages
from generator.site.page import LANGUAGES
from generator.site.pages_terms import GROUPS, PLACES
from tests.site.html_tree import parse
from tests.site.pages_support import site_pages

ROOT = Path(__file__).resolve().parents[2]
INSTEAD = {
    r"тонк\w+ настройк\w+|файн-тюнинг\w*|(?<!полный )(?<!полного )(?<!полном )файнтюнинг\w*": "дообучение",
    r"чекпоинт\w*|чек-по[ий]нт\w*|чекпоинтинг\w*": "чекпойнтинг",
    r"шардинг\w*|сегментировани\w+": "шардирование",
    r"микро-батч\w*|мини-?батч\w*|батчсайз\w*": "микробатч",
    r"эмбединг\w*|вложени\w+ токен\w*": "эмбеддинг",
    r"оф+лоад\w*|разгрузк\w+ на (?:cpu|хост)": "выгрузка на хост",
    r"квантизаци\w+": "квантование",
    r"претрейн\w*|предтренировк\w+": "предобучение",
    r"\bриг\w?\b|\bсетап\w*": "конфигурация",
    r"лосс\w*|функци\w+ потери": "функция потерь",
    r"состояни\w+ оптимайзера|оптимайзер\w*": "оптимизатор",
}
"""Words that the site does not use → the term that it does."""


def russian_texts() -> Iterator[tuple[str, str]]:
    for key, message in load_messages("ru").items():
        if not key.startswith("terms.term."):
            for text in (message,) if isinstance(message, str) else message.values():
                yield key, text
    for path in sorted((ROOT / "docs" / "ru").rglob("*.md")):
        yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
    for path in sorted((ROOT / "data").rglob("*.yml")):
        for text in _in_russian(yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)):
            yield path.relative_to(ROOT).as_posix(), text


def _in_russian(node: object) -> Iterator[str]:
    if isinstance(node, dict):
        for key, value in node.items():
            if key == "ru" and isinstance(value, str):
                yield value
            else:
                yield from _in_russian(value)
    elif isinstance(node, list):
        for item in node:
            yield from _in_russian(item)


def test_russian_texts_use_one_word_for_one_thing() -> None:
    found = [
        (place, match.group(), word)
        for place, text in russian_texts()
        for pattern, word in INSTEAD.items()
        if (match := re.search(pattern, text, re.IGNORECASE))
    ]
    assert found == []


def test_the_check_sees_what_it_should() -> None:
    assert all(
        re.search(pattern, bad, re.IGNORECASE)
        for pattern, bad in zip(
            INSTEAD,
            [
                "цена файнтюнинга",
                "чекпоинт",
                "шардинг",
                "мини-батч",
                "эмбединг",
                "оффлоад",
                "квантизация",
                "претрейн",
                "риг",
                "лосс",
                "оптимайзер",
            ],
            strict=True,
        )
    )
    assert not any(re.search(pattern, "полный файнтюнинг, оригинал, триггер", re.IGNORECASE) for pattern in INSTEAD)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_term_stands_on_the_page_once(language) -> None:
    messages = Messages(language)
    written = {key.split(".")[2] for key in messages.catalogue if key.startswith("terms.term.")}
    listed = [term for terms in GROUPS.values() for term in terms]
    assert sorted(listed) == sorted(written)
    page = site_pages(language)["terms/"]
    ids = [
        e.attributes["id"] for html in page.fragments.values() for e in parse(html).elements() if "id" in e.attributes
    ]
    assert ids == listed
    assert set(PLACES) <= set(listed)
    for term in listed:
        assert all(messages(f"terms.term.{term}.{part}") for part in ("name", "also", "meaning"))


def test_names_of_terms_are_the_words_of_the_pages() -> None:
    messages = Messages("ru")
    assert messages("terms.term.usable-memory.name") == messages("models.method.usable")
    assert messages("terms.term.headroom.name") == messages("models.method.headroom")
    assert messages("terms.term.ladder.name") == messages("methods.ladder.heading")
    assert messages("terms.term.checkpointing.name") == messages("methods.setting.grad_checkpointing.name")
    assert messages("terms.term.reference-workload.name") == messages("methodology.workload.heading")
    assert messages("terms.term.sharding.name") == messages("methods.setting.sharding.name")
