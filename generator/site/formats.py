"""Numbers, dates and quantities as a language writes them (CLDR through Babel), with no-break spaces inside."""

from __future__ import annotations

import math
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

from babel import Locale
from babel.dates import format_date

from generator.errors import BuildError
from generator.site.messages import Messages, decimal_text
from generator.site.page import Language
from generator.units import PARAMETERS_PER_BILLION

COMPACT_FROM = 1_000_000
"""Counts of tokens from here on are written in millions and billions."""
NEAR_A_LINE = 0.01
"""A share of memory this close to a line is written with decimals."""
MOST_DECIMALS = 3

Number = int | float | Decimal


def rounded(value: Number, digits: int = 0) -> Decimal:
    """`value` with exactly `digits` decimals, halves away from zero, never a negative zero.

    Raises BuildError for a value that is not a finite number.
    """
    if isinstance(value, float) and not math.isfinite(value):
        raise BuildError(f"expected a finite number, found {value}")
    result = Decimal(str(value)).quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)
    return abs(result) if result == 0 else result


@lru_cache(maxsize=131_072)
def _written(value: Decimal, language: Language, pattern: str) -> str:
    """The same few thousand numbers stand on thousands of pages."""
    return decimal_text(value, Locale.parse(language), pattern)


@lru_cache(maxsize=131_072, typed=True)
def _number(value: Number, digits: int, trim: bool, language: Language) -> str:
    """`Formats.number`, of which rounding is the dearer half: hence a cache before it, too."""
    decimals = "#" if trim else "0"
    pattern = "#,##0" + (f".{decimals * digits}" if digits else "")
    return _written(rounded(value, digits), language, pattern)


class Formats:
    """How one language writes numbers, dates and quantities. `digits` are decimals; `trim` drops final zeros."""

    def __init__(self, language: Language, lines: tuple[float, ...] = ()) -> None:
        self.language = language
        self.lines = lines
        """Shares of memory at which a verdict changes."""
        self._locale = Locale.parse(language)
        self._messages = Messages(language)

    def number(self, value: Number, digits: int = 0, *, trim: bool = False) -> str:
        """«1234,5», «12 345» / “1,234.5”, “12,345”; a minus is U+2212."""
        return _number(value, digits, trim, self.language)

    def percent(self, ratio: Number, digits: int = 0) -> str:
        """«80 %» / “80%” for 0.8."""
        pattern = str(self._locale.percent_formats[None].pattern)
        if isinstance(ratio, float) and not math.isfinite(ratio):
            raise BuildError(f"expected a finite number, found {ratio}")
        return pattern.replace("#,##0", self.number(Decimal(str(ratio)) * 100, digits))

    def share(self, ratio: float) -> str:
        """A share of memory: «75 %», and near a line at which the verdict changes as many decimals as keep it apart."""
        digits = 0
        for line in self.lines:
            if abs(ratio - line) < NEAR_A_LINE and ratio != line:
                digits = max(digits, 1)
                while digits < MOST_DECIMALS and rounded(ratio * 100, digits) == rounded(line * 100, digits):
                    digits += 1
        return self.percent(ratio, digits)

    def date(self, value: date) -> str:
        """«1 декабря 2026» / “December 1, 2026”."""
        return str(format_date(value, self._messages("shell.date.day"), locale=self._locale))

    def partial_date(self, value: str) -> str:
        """A date as exact as it is known: `2026`, `2026-12` or `2026-12-01`; raises BuildError for anything else."""
        parts = value.split("-")
        try:
            numbers = [int(part) for part in parts]
            day = date(numbers[0], *[*numbers[1:], 1, 1][:2])
        except (ValueError, TypeError) as error:
            raise BuildError(f"expected a year, a month or a day, found {value!r}") from error
        match len(parts):
            case 1:
                return parts[0]
            case 2:
                return str(format_date(day, self._messages("shell.date.month"), locale=self._locale))
            case 3:
                return self.date(day)
        raise BuildError(f"expected a year, a month or a day, found {value!r}")

    def unit(self, value: Number, unit: str, digits: int = 0, *, trim: bool = False) -> str:
        """A number with the unit `shell.unit.<unit>` of the message catalogues, in the right plural form."""
        key = f"shell.unit.{unit}"
        text = self.number(value, digits, trim=trim)
        if isinstance(self._messages.catalogue.get(key), str):
            return self._messages(key, value=text)
        exact = rounded(value, digits)
        return self._messages(key, value=text, count=self._shortest(exact) if trim else exact)

    def range(self, low: Number, high: Number, unit: str, digits: int = 0) -> str:
        """«40,1–44,4 ГиБ» / “40.1–44.4 GiB”; one value where both are written the same."""
        first, last = self.number(low, digits), self.unit(high, unit, digits)
        return last if first == self.number(high, digits) else f"{first}–{last}"

    def billions(self, parameters: Number, digits: int = 1, *, trim: bool = False) -> str:
        """«8,2B» / “8.2B”: how the field writes a parameter count, given as a plain number."""
        return self.unit(Decimal(str(parameters)) / PARAMETERS_PER_BILLION, "billion", digits, trim=trim)

    def gib(self, value_gib: Number, digits: int = 1) -> str:
        """«44,4 ГиБ» / “44.4 GiB”, of a value in GiB."""
        return self.unit(value_gib, "gib", digits)

    def gb(self, value_gb: Number, digits: int = 0) -> str:
        """«48 ГБ» / “48 GB”, of a value in GB."""
        return self.unit(value_gb, "gb", digits)

    def hours(self, value: Number, digits: int = 1) -> str:
        """«1,5 часа» / “1.5 hours”; a whole number carries no decimals."""
        return self.unit(value, "hour", digits, trim=True)

    def days(self, value: Number, digits: int = 1) -> str:
        """«1,5 дня» / “1.5 days”; a whole number carries no decimals."""
        return self.unit(value, "day", digits, trim=True)

    def tokens(self, value: Number, digits: int = 1) -> str:
        """«4096 токенов», «10 млн токенов» / “4,096 tokens”, “10 million tokens”."""
        number = Decimal(str(value))
        for name, size in (("token_billion", 10**9), ("token_million", 10**6)):
            if number >= COMPACT_FROM and number >= size:
                return self.unit(number / size, name, digits, trim=True)
        return self.unit(number, "token")

    @staticmethod
    def _shortest(value: Decimal) -> Decimal:
        whole = value.to_integral_value()
        return whole if whole == value else value.normalize()
