"""The words of the site: message catalogues of `generator/locales/<language>/<area>.yml`.

A message is a string with `{name}` placeholders, or a mapping of CLDR plural categories (`one`, `few`, `many`,
`other`) to such strings; the value `count` chooses the category. A key is the file's name and the path inside it:
`shell.nav.models` is `nav: {models: …}` in `shell.yml`.
"""

from __future__ import annotations

import re
import string
from collections.abc import Hashable, Iterator, Mapping
from decimal import Decimal
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import yaml
from babel import Locale
from babel.numbers import format_decimal
from markupsafe import Markup, escape

from generator.errors import BuildError
from generator.site.page import Language

LOCALES_DIR = Path(__file__).resolve().parents[1] / "locales"
PLURAL_CATEGORIES = frozenset({"zero", "one", "two", "few", "many", "other"})
PLACEHOLDER = re.compile(r"[a-z][a-z0-9_]*")
KEY_PART = re.compile(r"[a-z0-9]+(?:[_.-][a-z0-9]+)*")

Message = str | Mapping[str, str]
Value = str | int | Decimal
"""A number stands as the language writes it; anything finer (digits, units) is formatted before it comes here."""


MINUS = "−"
UNGROUPED_BELOW: Mapping[str, int] = {"ru": 10_000}
"""Russian typography writes four-digit numbers in one piece; CLDR groups them."""


def decimal_text(value: int | Decimal, locale: Locale, pattern: str | None = None) -> str:
    """A number as the language writes it, by a CLDR pattern where one is given."""
    limit = UNGROUPED_BELOW.get(locale.language, 0)
    grouped = not -limit < value < limit
    return str(format_decimal(value, pattern, locale=locale, group_separator=grouped)).replace("-", MINUS)


@lru_cache(maxsize=65_536)
def _counted(text: str, language: Language) -> str:
    """A number, given by its digits (`1.0` and `1` are two), as the language writes it: few stand on many pages."""
    return decimal_text(Decimal(text), Locale.parse(language))


@lru_cache(maxsize=65_536)
def _plural_category(text: str, language: Language) -> str:
    """The CLDR category of a number given by its digits: `1.0` and `1` may differ."""
    return str(Locale.parse(language).plural_form(Decimal(text)))


class MessageError(BuildError):
    """A message, or a value that it needs, is missing or malformed."""


_BASE: Any = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
"""The parser in C where there is one: every process of a build reads the words."""


class _StringLoader(_BASE):  # type: ignore[misc]  # either has the same methods
    """YAML in which every scalar is a string (`no`, `on` and `1e3` stay words) and no key stands twice."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """The mapping; raises MessageError for a repeated key."""
        mapping: dict[Hashable, Any] = super().construct_mapping(node, deep=deep)
        if len(mapping) != len(node.value):
            line = node.start_mark.line + 1
            raise MessageError(f"{node.start_mark.name}:{line}: expected every key once, found one repeated")
        return mapping


def placeholders(message: Message) -> frozenset[str]:
    """Names in braces anywhere in the message, all plural forms together.

    Raises MessageError for braces that do not pair or hold anything but a name.
    """
    names: set[str] = set()
    for text in (message,) if isinstance(message, str) else message.values():
        try:
            parts = list(string.Formatter().parse(text))
        except ValueError as error:
            raise MessageError(f"expected paired braces, found {text!r}: {error}") from error
        for _, name, spec, conversion in parts:
            if name is None:
                continue
            if spec or conversion or not PLACEHOLDER.fullmatch(name):
                raise MessageError(f"expected a name in braces, found {{{name}}} in {text!r}")
            names.add(name)
    return frozenset(names)


def _flatten(prefix: str, node: object, place: Path) -> Iterator[tuple[str, Message]]:
    if isinstance(node, str):
        placeholders(node)
        yield prefix, node
    elif isinstance(node, dict) and node and node.keys() <= PLURAL_CATEGORIES:
        if "other" not in node or not all(isinstance(text, str) for text in node.values()):
            raise MessageError(f"{place}: {prefix}: expected plural forms that include `other`, found {sorted(node)}")
        placeholders(node)
        yield prefix, node
    elif isinstance(node, dict):
        for key, value in node.items():
            if not KEY_PART.fullmatch(key):
                raise MessageError(f"{place}: {prefix}: expected a key of lower-case words, found {key!r}")
            yield from _flatten(f"{prefix}.{key}", value, place)
    else:
        raise MessageError(f"{place}: {prefix}: expected a text or a mapping, found {type(node).__name__}")


@cache
def load_messages(language: Language, directory: Path = LOCALES_DIR) -> Mapping[str, Message]:
    """All messages of a language by key, read once; raises MessageError for a malformed catalogue."""
    messages: dict[str, Message] = {}
    for path in sorted((directory / language).glob("*.yml")):
        with path.open(encoding="utf-8") as stream:
            try:
                tree = yaml.load(stream, Loader=_StringLoader)  # noqa: S506 (a BaseLoader makes strings only)
            except yaml.YAMLError as error:
                raise MessageError(f"{path}: {error}") from error
        messages.update(_flatten(path.stem, tree, path))
    return messages


@cache
def _placeholders_of(language: Language, directory: Path, key: str) -> frozenset[str]:
    return placeholders(load_messages(language, directory)[key])


class Messages:
    """The words of one language: `messages("shell.nav.models")`, `messages("rig.gpus", count=4)`."""

    def __init__(self, language: Language, directory: Path = LOCALES_DIR) -> None:
        self.language = language
        self.directory = directory
        self.catalogue = load_messages(language, directory)
        self._without_values: dict[str, Markup] = {}

    def __contains__(self, key: object) -> bool:
        """Whether the language has this message."""
        return key in self.catalogue

    def __call__(self, key: str, **values: Value) -> str:
        """The message with its placeholders filled, as plain text: escape it before it becomes HTML.

        A message with plural forms needs `count`. Values that the message does not use are left out. Raises
        MessageError for a missing message or value.
        """
        texts = {name: value if type(value) is str else self._text(value) for name, value in values.items()}
        return self._fill(key, texts, values.get("count"))

    def names(self, key: str) -> frozenset[str]:
        """The placeholders of a message, worked out once; raises KeyError for a missing message."""
        return _placeholders_of(self.language, self.directory, key)

    def html(self, key: str, **values: Value) -> Markup:
        """The message as HTML: its own markup stands as written, the values are escaped unless they are Markup."""
        if not values:
            if key not in self._without_values:
                self._without_values[key] = Markup(self._fill(key, {}, None))  # noqa: S704 (catalogues are ours)
            return self._without_values[key]
        escaped = {
            name: str(value if isinstance(value, Markup) else escape(self._text(value)))
            for name, value in values.items()
        }
        return Markup(self._fill(key, escaped, values.get("count")))  # noqa: S704 (catalogues are ours)

    def _text(self, value: Value) -> str:
        if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
            raise MessageError(f"expected a text or a number, found {value!r}")
        return value if isinstance(value, str) else _counted(str(value), self.language)

    def _fill(self, key: str, texts: Mapping[str, str], count: Value | None) -> str:
        try:
            message = self.catalogue[key]
        except KeyError:
            raise MessageError(f"no message `{key}` in {self.language}") from None
        names = self.names(key)
        if not texts.keys() >= names:
            missing = ", ".join(sorted(names - texts.keys()))
            raise MessageError(f"message `{key}` in {self.language}: no value for {missing}")
        if isinstance(message, str):
            return message.format_map(texts)
        if isinstance(count, str) or count is None:
            raise MessageError(f"message `{key}` in {self.language} has plural forms: give it a number as `count`")
        category = _plural_category(str(count), self.language)
        return message.get(category, message["other"]).format_map(texts)
