"""Every text of data/ stands in both languages, and reads like that language."""

from __future__ import annotations

import re

import pytest

from generator.catalog import load_catalog
from generator.catalog.rules.texts import texts

CATALOG = load_catalog()
TEXTS = [
    (f"{kind}:{record_id}.{path}", text)
    for kind, records in (
        ("model", CATALOG.models),
        ("gpu", CATALOG.gpus),
        ("rig", CATALOG.rigs),
        ("method", CATALOG.methods),
        ("source", CATALOG.sources),
        ("stack", CATALOG.stack),
        ("file", {"policy": CATALOG.policy, "constants": CATALOG.constants}),
    )
    for record_id, record in records.items()
    for path, text in texts(record)
]
SENTENCES = [(name, text) for name, text in TEXTS if len(text.en.split()) >= 4]
CYRILLIC = re.compile(r"[А-Яа-яЁё]")


def test_there_are_texts():
    assert len(TEXTS) > 200


@pytest.mark.parametrize("text", [text for _, text in SENTENCES], ids=[name for name, _ in SENTENCES])
def test_sentence_is_translated(text):
    assert text.ru != text.en
    assert CYRILLIC.search(text.ru)
    assert not CYRILLIC.search(text.en)


@pytest.mark.parametrize("text", [text for _, text in TEXTS], ids=[name for name, _ in TEXTS])
def test_typography(text):
    for words in (text.ru, text.en):
        assert words == words.strip()
        assert "  " not in words
        assert " - " not in words, "a dash, not a hyphen"
        assert "..." not in words
    assert '"' not in text.ru, "«ёлочки» in Russian"


GROUPS = {"ru": r"[ \u00a0\u202f]", "en": ","}
"""What stands between thousands."""


def numbers(words: str, language: str) -> set[str]:
    """Numbers of a text without separators; digits inside words, such as in P2P, are none."""
    grouped = rf"(?<!\d)\d{{1,3}}(?:{GROUPS[language]}\d{{3}})+(?!\d)"
    joined = re.sub(grouped, lambda match: re.sub(r"\D", "", match[0]), words)
    return {found.replace(",", ".") for found in re.findall(r"(?<![A-Za-z\d])\d+(?:[.,]\d+)?", joined)}


@pytest.mark.parametrize("text", [text for _, text in SENTENCES], ids=[name for name, _ in SENTENCES])
def test_numbers_agree(text):
    """What is a number in one language is the same number in the other."""
    assert numbers(text.ru, "ru") == numbers(text.en, "en")
