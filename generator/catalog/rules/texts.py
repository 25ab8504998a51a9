"""Texts in two languages say the same thing."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator

from pydantic import BaseModel

from generator.catalog.fields import Text
from generator.catalog.loading import Reading
from generator.catalog.rules.registry import Found, rule

_CYRILLIC = re.compile(r"[А-Яа-яЁё]")
SHORTEST_SENTENCE = 4
"""Words from which on a Russian text without a Cyrillic letter is taken for an untranslated one."""


def texts(value: object, path: str = "") -> Iterator[tuple[str, Text]]:
    """Every bilingual text in a record with its dotted path."""
    if isinstance(value, Text):
        yield path, value
    elif isinstance(value, BaseModel):
        for name in type(value).model_fields:
            yield from texts(getattr(value, name), f"{path}.{name}".lstrip("."))
    elif isinstance(value, tuple):
        for index, item in enumerate(value):
            yield from texts(item, f"{path}.{index}")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from texts(item, f"{path}.{key}")


def placeholders(text: str) -> set[str]:
    """Names in braces; raises ValueError where a brace stands alone or holds anything but a name."""
    names = set()
    for _, name, spec, conversion in string.Formatter().parse(text):
        if name is None:
            continue
        if not re.fullmatch(r"[a-z][a-z0-9_]*", name) or spec or conversion:
            raise ValueError(name)
        names.add(name)
    return names


@rule("placeholders")
def same_placeholders(reading: Reading) -> Iterator[Found]:
    """Both languages of a text are filled with the same values."""
    for entry in reading.entries:
        for path, text in texts(entry.record):
            named: dict[str, set[str]] = {}
            for language in ("ru", "en"):
                try:
                    named[language] = placeholders(text.in_language(language))
                except ValueError:
                    message = "expected placeholders like `{name}`, found a brace that is none"
                    yield Found(entry, f"{path}.{language}", message, "write `{{` and `}}` for braces")
            if len(named) == 2 and named["ru"] != named["en"]:
                listed = {language: ", ".join(sorted(names)) or "none" for language, names in named.items()}
                message = f"expected the placeholders of `ru` ({listed['ru']}), found {listed['en']}"
                yield Found(entry, f"{path}.en", message)


@rule("translated")
def translated(reading: Reading) -> Iterator[Found]:
    """The English text is not Russian, and the Russian one not English."""
    for entry in reading.entries:
        for path, text in texts(entry.record):
            if _CYRILLIC.search(text.en):
                yield Found(entry, f"{path}.en", "expected English text, found Cyrillic letters")
            words = re.findall(r"[A-Za-z]{2,}", text.ru)
            if len(words) >= SHORTEST_SENTENCE and not _CYRILLIC.search(text.ru):
                yield Found(entry, f"{path}.ru", "expected Russian text, found no Cyrillic letter")
