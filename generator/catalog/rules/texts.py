"""Texts in two languages say the same thing."""

from __future__ import annotations

import re
import string
from collections.abc import Iterator

from pydantic import BaseModel

from generator.catalog.fields import Text
from generator.catalog.loading import Entry, Reading
from generator.catalog.rules.registry import Found, rule

_CYRILLIC = re.compile(r"[А-Яа-яЁё]")
_LATIN = re.compile(r"[A-Za-z]")
SENTENCES = frozenset({"reason", "summary", "note", "name_note", "why", "gives_up", "question"})
"""Fields that hold sentences: in Russian there is no sentence without a Cyrillic letter, while a name may have none."""
LONGEST_NAME: dict[str, int] = {"name": 3, "short": 3}
"""Words up to which the text of a field may be a name in Latin letters; two in any other field."""
MOSTLY, MANY = 3, 30
"""Latin letters for each Cyrillic one, and in all, above which a Russian sentence is taken for an English one."""
_UNFINISHED = re.compile(r"\b(?:todo|fixme|tbd|xxx)\b|\blorem ipsum\b", re.IGNORECASE)
_MARKUP = re.compile(
    r"</?(?:a|b|i|u|p|br|em|strong|code|pre|span|div|su[bp]|[uo]l|li|h[1-6]|img|script)\b[^<>]*>|<!--", re.IGNORECASE
)


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


def texts_of(reading: Reading) -> Iterator[tuple[Entry, str, Text]]:
    """Every bilingual text of data/ with the file that it stands in and its dotted path; looked for once."""
    for entry in reading.entries:
        if "texts" not in entry.memo:
            entry.memo["texts"] = tuple(texts(entry.record))
        for path, text in entry.memo["texts"]:
            yield entry, path, text


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


Finding = tuple[str, str, str]
"""Dotted path, message, hint."""


def _placeholders(path: str, text: Text) -> Iterator[Finding]:
    named: dict[str, set[str]] = {}
    for language in ("ru", "en"):
        try:
            named[language] = placeholders(text.in_language(language))
        except ValueError:
            message = "expected placeholders like `{name}`, found a brace that is none"
            yield f"{path}.{language}", message, "write `{{` and `}}` for braces"
    if len(named) == 2 and named["ru"] != named["en"]:
        listed = {language: ", ".join(sorted(names)) or "none" for language, names in named.items()}
        yield f"{path}.en", f"expected the placeholders of `ru` ({listed['ru']}), found {listed['en']}", ""


def _languages(path: str, text: Text) -> Iterator[Finding]:
    field = path.rpartition(".")[2]
    sentence, longest = field in SENTENCES, LONGEST_NAME.get(field, 2)
    if _CYRILLIC.search(text.en):
        yield f"{path}.en", "expected English text, found Cyrillic letters", ""
    elif sentence and not _LATIN.search(text.en):
        yield f"{path}.en", f"expected English text, found `{text.en}`", ""
    cyrillic, latin = len(_CYRILLIC.findall(text.ru)), len(_LATIN.findall(text.ru))
    words = re.findall(r"[A-Za-z]{2,}", text.ru)
    if not cyrillic and (sentence or len(words) > longest):
        yield f"{path}.ru", "expected Russian text, found no Cyrillic letter", ""
    elif sentence and latin > MANY and latin > MOSTLY * cyrillic:
        yield f"{path}.ru", f"expected Russian text, found {latin} Latin letters and {cyrillic} Cyrillic", ""


def _finished(path: str, text: Text) -> Iterator[Finding]:
    for language in ("ru", "en"):
        for pattern, kind in ((_UNFINISHED, "a text that is finished"), (_MARKUP, "plain text")):
            match = pattern.search(text.in_language(language))
            if match:
                shown = " ".join(match.group().split())[:40].replace("`", "'")
                yield f"{path}.{language}", f"expected {kind}, found `{shown}`", ""


def text_findings(record: BaseModel) -> Iterator[Finding]:
    """What the three rules say of the texts of a record that is not read with the others."""
    for path, text in texts(record):
        for check in (_placeholders, _languages, _finished):
            yield from check(path, text)


@rule("placeholders")
def same_placeholders(reading: Reading) -> Iterator[Found]:
    """Both languages of a text are filled with the same values."""
    return (Found(entry, *found) for entry, path, text in texts_of(reading) for found in _placeholders(path, text))


@rule("translated")
def translated(reading: Reading) -> Iterator[Found]:
    """The English text is not Russian, and the Russian one not English."""
    return (Found(entry, *found) for entry, path, text in texts_of(reading) for found in _languages(path, text))


@rule("finished-text")
def finished_text(reading: Reading) -> Iterator[Found]:
    """No text for readers says that it is still to be written, or holds markup: nothing would render it."""
    return (Found(entry, *found) for entry, path, text in texts_of(reading) for found in _finished(path, text))
