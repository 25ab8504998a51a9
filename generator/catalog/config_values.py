"""Values of a Hugging Face `config.json`, read with care: right type, right range, or a refusal that names the key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from generator.errors import UnsupportedArchitecture

MAX_DIMENSION = 10**8
"""Larger numbers are no dimensions of a model."""
MAX_LAYERS = 10**4


@dataclass(frozen=True, slots=True)
class ConfigValues:
    """One object of a `config.json`. Every reader raises UnsupportedArchitecture, naming the key."""

    raw: Mapping[str, Any]
    prefix: str = ""
    """Where the object stands in the file: `text_config.`, or nothing."""

    def has(self, key: str) -> bool:
        """Whether the key is there with a value."""
        return self.raw.get(key) is not None

    def first(self, *keys: str) -> str:
        """The first of several spellings of a key that is there; the first of all where none is."""
        return next((key for key in keys if self.has(key)), keys[0])

    def size(self, key: str, default: int | None = None) -> int:
        """A whole number above 0."""
        return self._number(key, default, 1, "a whole number above 0")

    def count(self, key: str, default: int | None = None) -> int:
        """A whole number, perhaps 0."""
        return self._number(key, default, 0, "a whole number, 0 or more")

    def optional_size(self, key: str) -> int | None:
        """A whole number above 0, or none where the key is missing or null."""
        return self.size(key) if self.has(key) else None

    def nullable_size(self, key: str, default: int) -> int | None:
        """A whole number above 0; none where the file says null, which is not the same as leaving it out."""
        return None if key in self.raw and self.raw[key] is None else self.size(key, default)

    def layers(self, key: str = "num_hidden_layers") -> int:
        """The number of layers."""
        found = self.size(key)
        if found > MAX_LAYERS:
            raise self.refusal(key, f"at most {MAX_LAYERS} layers", found)
        return found

    def flag(self, key: str, *, default: bool) -> bool:
        """True or false."""
        value = self.raw.get(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.refusal(key, "true or false", value)
        return value

    def kinds(self, key: str, layers: int, allowed: Mapping[str, str]) -> tuple[str, ...] | None:
        """One word per layer, by its meaning in `allowed`; none where the key is missing."""
        words = self._list(key, layers)
        if words is None:
            return None
        for word in words:
            if not isinstance(word, str) or word not in allowed:
                raise self.refusal(key, f"words from {', '.join(allowed)}", word)
        return tuple(allowed[word] for word in words)

    def sizes(self, key: str, layers: int) -> tuple[int, ...]:
        """One whole number above 0 per layer; one for all where the file has a single one."""
        if not isinstance(self.raw.get(key), Sequence):
            return (self.size(key),) * layers
        words = self._list(key, layers) or ()
        for word in words:
            if type(word) is not int or not 0 < word <= MAX_DIMENSION:
                raise self.refusal(key, "whole numbers above 0", word)
        return tuple(words)

    def indices(self, key: str) -> frozenset[int] | None:
        """Numbers of layers, from 0; none where the key is missing."""
        words = self._list(key, None)
        if words is None:
            return None
        if not all(type(word) is int and 0 <= word <= MAX_LAYERS for word in words):
            raise self.refusal(key, "numbers of layers", words)
        return frozenset(words)

    def refusal(self, key: str, expected: str, found: object) -> UnsupportedArchitecture:
        """The error for a key that holds something else than expected."""
        return UnsupportedArchitecture(f"{self.prefix}{key}: expected {expected}, found {shown(found)}")

    def _list(self, key: str, length: int | None) -> Sequence[Any] | None:
        value = self.raw.get(key)
        if value is None:
            return None
        if isinstance(value, str) or not isinstance(value, Sequence):
            raise self.refusal(key, "a list", value)
        if len(value) > MAX_LAYERS or (length is not None and len(value) != length):
            raise self.refusal(key, f"a list of {length or MAX_LAYERS}", f"{len(value)} items")
        return value

    def _number(self, key: str, default: int | None, least: int, expected: str) -> int:
        value = self.raw.get(key)
        if value is None and default is not None:
            value = default
        if type(value) is not int or not least <= value <= MAX_DIMENSION:
            raise self.refusal(key, expected, value)
        return value


def shown(value: object) -> str:
    """A value as an error message prints it."""
    return "nothing" if value is None else f"`{' '.join(str(value).split())[:60]}`"
