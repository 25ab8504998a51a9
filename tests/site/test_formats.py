"""Numbers, dates and quantities in both languages."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from generator.errors import BuildError
from generator.site.formats import Formats, rounded

RU, EN = Formats("ru"), Formats("en")
LINES = (0.8, 0.93)


@pytest.mark.parametrize(
    ("written", "ru", "en"),
    [
        (lambda f: f.number(1234567.25, 1), "1\xa0234\xa0567,3", "1,234,567.3"),
        (lambda f: f.number(-5.5, 1), "−5,5", "−5.5"),
        (lambda f: f.number(-0.04, 1), "0,0", "0.0"),
        (lambda f: f.number(2.0, 1, trim=True), "2", "2"),
        (lambda f: f.percent(0.805), "81\xa0%", "81%"),
        (lambda f: f.percent(17.45), "1745\xa0%", "1,745%"),
        (lambda f: f.percent(0.805, 1), "80,5\xa0%", "80.5%"),
        (lambda f: f.date(date(2026, 12, 1)), "1\xa0декабря 2026", "December\xa01, 2026"),
        (lambda f: f.partial_date("2026-12-01"), "1\xa0декабря 2026", "December\xa01, 2026"),
        (lambda f: f.partial_date("2026-12"), "декабрь 2026", "December 2026"),
        (lambda f: f.partial_date("2026"), "2026", "2026"),
        (lambda f: f.billions(8_190_735_360), "8,2B", "8.2B"),
        (lambda f: f.billions(70_000_000_000, trim=True), "70B", "70B"),
        (lambda f: f.gib(44.44), "44,4\xa0ГиБ", "44.4\xa0GiB"),
        (lambda f: f.gb(48), "48\xa0ГБ", "48\xa0GB"),
        (lambda f: f.hours(1), "1\xa0час", "1\xa0hour"),
        (lambda f: f.hours(1.5), "1,5\xa0часа", "1.5\xa0hours"),
        (lambda f: f.hours(4.99), "5\xa0часов", "5\xa0hours"),
        (lambda f: f.days(45), "45\xa0дней", "45\xa0days"),
        (lambda f: f.days(21), "21\xa0день", "21\xa0days"),
        (lambda f: f.days(120), "120\xa0дней", "120\xa0days"),
        (lambda f: f.tokens(4096), "4096\xa0токенов", "4,096\xa0tokens"),
        (lambda f: f.tokens(10_000_000), "10\xa0млн токенов", "10\xa0million tokens"),
        (lambda f: f.tokens(163_800_000_000), "163,8\xa0млрд токенов", "163.8\xa0billion tokens"),
        (lambda f: f.range(40.13, 44.4, "gib", 1), "40,1–44,4\xa0ГиБ", "40.1–44.4\xa0GiB"),
        (lambda f: f.range(44.41, 44.4, "gib", 1), "44,4\xa0ГиБ", "44.4\xa0GiB"),
        (lambda f: f.unit(2, "byte"), "2\xa0байта", "2\xa0bytes"),
    ],
)
def test_both_languages(written, ru, en):
    assert (written(RU), written(EN)) == (ru, en)


def test_rounding_takes_halves_away_from_zero():
    assert [rounded(x, 1) for x in (0.25, -0.25, 44.45)] == [Decimal("0.3"), Decimal("-0.3"), Decimal("44.5")]


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_what_is_not_a_number_is_an_error(value):
    for write in (RU.number, EN.percent):
        with pytest.raises(BuildError):
            write(value)


@pytest.mark.parametrize("value", ["", "today", "2026-13", "2026-02-30", "2026-1-1-1"])
def test_what_is_not_a_date_is_an_error(value):
    with pytest.raises(BuildError):
        EN.partial_date(value)


@pytest.mark.parametrize(
    ("ratio", "written"),
    [
        (0.75, "75%"), (0.79, "79%"), (0.7904, "79.0%"), (0.796, "79.6%"), (0.8, "80%"), (0.8004, "80.04%"),
        (0.79996, "79.996%"), (0.81, "81%"), (0.9304, "93.04%"), (0.941, "94%"), (0.9999, "100%"),
    ],
)  # fmt: skip
def test_a_share_near_a_line_is_not_written_like_the_line(ratio: float, written: str) -> None:
    assert Formats("en", LINES).share(ratio) == written
    assert Formats("ru", LINES).share(ratio) == written.replace(".", ",").replace("%", "\u00a0%")
    assert EN.share(ratio) == EN.percent(ratio)
