"""Every text of data/ stands in both languages, and reads like that language."""

from __future__ import annotations

import re
from pathlib import Path

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
DOCS = Path(__file__).parents[2] / "docs"
CODE = re.compile(r"```.*?```|`[^`\n]*`|\{\{.*?\}\}|\{%.*?%\}|\{ #[\w-]+ \}", re.DOTALL)
"""What stands on a hand-written page but is no prose."""
TAG = re.compile(r"<[a-z/][^<>]*>")
"""HTML in a hand-written page: its attributes are no text."""

PROSE = [
    (
        f"docs/{language}/{path.relative_to(DOCS / language)}",
        language,
        TAG.sub(" ", CODE.sub(" ", path.read_text(encoding="utf-8"))),
    )
    for language in ("ru", "en")
    for path in sorted((DOCS / language).rglob("*.md"))
] + [(name, language, getattr(text, language)) for name, text in TEXTS for language in ("ru", "en")]
SPACED_EN_DASH = re.compile(r"(?:^|\s)–|–(?:\s|$)")
STRAIGHT_QUOTES = re.compile(r"(?<!\w)\"[^\"\n]+\"(?!\w)")


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
    assert '"' not in text.ru, "«...» in Russian"


@pytest.mark.parametrize(("language", "words"), [it[1:] for it in PROSE], ids=[f"{it[1]}:{it[0]}" for it in PROSE])
def test_dashes_and_quotes(language, words):
    assert not SPACED_EN_DASH.search(words), "an en dash is for ranges; between words stands an em dash or a colon"
    assert not STRAIGHT_QUOTES.search(words), "«...» in Russian, curly ones in English"
    if language == "ru":
        assert not re.search("[Ёё]", words), "е, as everywhere on the site"
    else:
        assert not re.search(r"\d\s%", words), "no space before the sign in English"


def test_there_are_pages_in_both_languages():
    assert {language for name, language, _ in PROSE if name.startswith("docs/")} == {"ru", "en"}


@pytest.mark.parametrize("source_id", CATALOG.sources)
def test_publisher_is_a_name(source_id):
    """Publishers stand on pages of both languages as they are: a name with no English remark."""
    publisher = CATALOG.sources[source_id].publisher
    assert "," not in publisher
    assert not re.search(r"\b(report|reseller|tracker|gist|forum)\b", publisher)


@pytest.mark.parametrize("source_id", CATALOG.sources)
def test_source_says_what_it_gives(source_id):
    assert CATALOG.sources[source_id].summary, "the page of a source opens with its summary"


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
