"""Numbers as sources print them: groups of three, decimal points and commas, and the scale that a unit gives them."""

from __future__ import annotations

import re
from collections.abc import Iterator

KILO, MEBI, GIGA, GIBI, TERA, PETA = 1e3, 2.0**20, 1e9, 2.0**30, 1e12, 1e15
_PREFIXES = {
    "k": (KILO, 1024.0), "m": (1e6, MEBI), "g": (GIGA, GIBI), "t": (TERA, 2.0**40), "p": (PETA, 2.0**50), "b": (GIGA,),
}  # fmt: skip
"""First letter of a unit → what it may stand for: sources write GB for 10⁹ bytes and for 2³⁰; `b` is a billion."""
_WORDS = {
    "thousand": (KILO,), "million": (1e6,), "billion": (GIGA,), "trillion": (TERA,),
}  # fmt: skip
_SCALED = re.compile(r"[kmgtpb](?:$|/|i?b|bit|byte|flop|op|w)", re.IGNORECASE)
"""A unit whose first letter is a prefix: `GB/s`, `TFLOPS`, `kW`, `B` of billions, and not `MHz`."""
_NUMBER = r"\d(?:[\d.,]*\d)?(?:[eE][+-]?\d+)?|\d{1,3}(?:[\u00a0\u202f ]\d{3})+(?![\d.,])"
_FIGURE = re.compile(rf"(?=({_NUMBER})[\s\u00a0\u202f-]?((?:[^\W\d_]|[/%])*))")
_GROUPED = re.compile(r"(?=(?<!\d)(\d{1,3}(?:[\u00a0\u202f ]\d{3})+)(?!\d)[\s\u00a0\u202f-]?((?:[^\W\d_]|[/%])*))")
_UNIT_IN_WORDS = re.compile(r"[A-Za-z/]+")


def printed_values(text: str, where: str = "", unit: tuple[float, ...] = (1.0,)) -> set[float]:
    """Every quantity that a printed text may mean, in a unit that stands for one of `unit`.

    `where` may name the unit of a bare figure, as the head of a column does. Empty where no figure is printed.
    """
    values: set[float] = set()
    heads = [scale for word in _UNIT_IN_WORDS.findall(where) if len(word) > 1 and (scale := _scale(word))]
    for figure, suffix in _figures(text):
        scale = _scale(suffix)
        scales = [scale] if scale else heads
        for number in readings(figure):
            for one in scales:
                values |= {number * a / b for a in one for b in unit}
            if suffix == "%":
                values.add(number / 100)
            if not scale:  # `312e12`, as programs write it, is in single things
                values |= {number} | {number / b for b in unit if number >= b}
    return values


def _figures(text: str) -> Iterator[tuple[str, str]]:
    """Each number with the letters behind it."""
    at = 0
    for match in _FIGURE.finditer(text):
        if match.start() >= at:  # not the rest of a number
            at = match.end(1)
            yield match[1], match[2]
    for match in _GROUPED.finditer(text):
        yield match[1], match[2]


def readings(figure: str) -> set[float]:
    """What a figure may mean: `1.008` and `1,008` are a thousand and eight or a little more than one; `99,5` is 99.5.

    Empty for what is no number, such as a date with points.
    """
    plain = re.sub(r"[\u00a0\u202f ]", "", figure)
    found = set()
    if re.fullmatch(r"\d{1,3}([,.])\d{3}(\1\d{3})*", plain):
        found.add(float(re.sub(r"\D", "", plain)))
    if re.fullmatch(r"\d{1,3}(,\d{3})+\.\d+", plain):
        found.add(float(plain.replace(",", "")))
    if re.fullmatch(r"\d{1,3}(\.\d{3})+,\d+", plain):
        found.add(float(plain.replace(".", "").replace(",", ".")))
    if re.fullmatch(r"\d{1,40}([.,]\d{1,40})?(e[+-]?\d{1,2})?", plain, re.IGNORECASE):
        found.add(float(plain.replace(",", ".")))
    return found


def _scale(unit: str) -> tuple[float, ...]:
    """What the prefix of a unit, or a word such as `million`, multiplies by; empty where it has none."""
    lowered = unit.lower()
    for word, scale in _WORDS.items():
        if lowered.startswith(word):
            return scale
    return _PREFIXES[lowered[0]] if _SCALED.match(unit) else ()
