"""Reasons of verdicts as sentences: the id chooses the message, the numbers are formatted by what they are."""

from __future__ import annotations

from collections.abc import Mapping

from markupsafe import Markup, escape

from generator.estimate.results import Band, Estimate
from generator.site.formats import rounded
from generator.site.messages import MessageError
from generator.site.pages_env import PageWriter
from generator.verdict.results import Improvement, Reason, Rung
from generator.views.reasons import deciding_reason

DAYS_PER_YEAR = 365.25
DAYS_SHOWN_AS_YEARS = 730
"""From here on a number of days says less than a number of years."""
YEARS_SHOWN_AS_MANY = 100
"""Beyond it the number means nothing."""
HOURS_PER_DAY = 24
MINUTES_PER_HOUR = 60
HARMLESS = frozenset({"memory-comfortable", "time-comfortable", "link-heavy"})
"""Reasons that never make a verdict worse."""


def _digits(value: float) -> int:
    """Decimals of a number of hours, days or years: one below ten."""
    return 1 if value < 10 else 0


class ReasonWriter:
    """Writes reasons in the language of a page."""

    def __init__(self, writer: PageWriter) -> None:
        self.messages = writer.messages
        self.formats = writer.formats

    def sentence(self, reason: Reason, goal: str) -> Markup:
        """The message `reasons.<id>` with its numbers; `goal` says whether a time is hours or days.

        Raises MessageError when there is no such message, or no value that it needs.
        """
        return self._say("reasons", reason, goal, reason.values)

    def short(self, reason: Reason, goal: str, ratio: float) -> Markup:
        """The same in a few words, from `short.<id>`; `ratio` is the recipe's share of memory.

        Where the peak is above all that there is, both are named: a share above one says little.
        """
        numbers = {"ratio": ratio, **reason.values}
        if reason.id in ("memory-exceeds", "compromise-memory") and numbers["ratio"] > 1:
            return self._fill("short.memory-over", numbers, goal)
        return self._say("short", reason, goal, numbers)

    def short_of(self, rung: Rung, goal: str) -> Markup:
        """What decided a recipe's verdict, in a few words."""
        reason = deciding_reason(rung, goal)
        return self.short(reason, goal, rung.estimate.ratio) if reason is not None else Markup()

    def _say(self, area: str, reason: Reason, goal: str, numbers: Mapping[str, float]) -> Markup:
        key = f"{area}.{reason.id}"
        if key not in self.messages:
            key = f"{key}.{goal}"
        if key not in self.messages:
            raise MessageError(f"no message `{area}.{reason.id}` in {self.messages.language}")
        return self._fill(key, numbers, goal)

    def _fill(self, key: str, numbers: Mapping[str, float], goal: str) -> Markup:
        wanted = self.messages.names(key)
        values = {name: self.value(name, value, goal) for name, value in numbers.items() if name in wanted}
        return self.messages.html(key, **values)

    def duration(self, value: float, goal: str, form: str = "plain") -> str:
        """Hours of a fine-tuning or days of a pretraining, as exact as is of use.

        Minutes below an hour, hours below a day, years where days are many. `form` is `plain`, or `limit` for how the
        language writes it after "from" and "up to".
        """
        unit, number = self._unit(value, goal)
        if unit == "many_years":
            return self.messages(f"common.{form}.many_years", n=self.formats.number(YEARS_SHOWN_AS_MANY))
        return self._counted(f"common.{form}.{unit}", number)

    def _unit(self, value: float, goal: str) -> tuple[str, float]:
        """The unit that a duration is shown in, and how many of it."""
        hours = value if goal == "fine-tuning" else value * HOURS_PER_DAY
        minutes = int(rounded(hours * MINUTES_PER_HOUR))
        if minutes < MINUTES_PER_HOUR:
            return "minute", max(minutes, 1)
        if goal == "fine-tuning" or value < 1:
            return "hour", hours
        if value < DAYS_SHOWN_AS_YEARS:
            return "day", value
        return ("year" if value < YEARS_SHOWN_AS_MANY * DAYS_PER_YEAR else "many_years"), value / DAYS_PER_YEAR

    def _counted(self, key: str, value: float) -> str:
        """The number, one decimal below ten and none for a whole one, in the plural form of what is shown."""
        exact = rounded(value, _digits(value))
        whole = exact.to_integral_value()
        count = whole if whole == exact else exact
        return self.messages(key, value=self._number(value), count=count)

    def _number(self, value: float) -> str:
        return self.formats.number(value, _digits(value), trim=True)

    def tokens_limit(self, value: int) -> str:
        """A number of tokens as the language writes it after "up to"."""
        return self._counted("common.limit.token", value)

    def share(self, estimated: Estimate) -> Markup:
        """The peak as a share of what the framework sees; both numbers where it is above."""
        if estimated.ratio <= 1:
            return escape(self.formats.share(estimated.ratio))
        return self.messages.html(
            "short.memory-over",
            peak_gib=self.formats.gib(estimated.peak_gib.expected),
            usable_gib=self.formats.gib(estimated.usable_gib),
        )

    def value(self, name: str, value: float, goal: str) -> str:
        """A number with its unit, which the end of its name gives; a ratio is a percentage."""
        unit = name.rpartition("_")[2]
        match unit:
            case "gib":
                return self.formats.gib(value)
            case "ratio":
                return self.formats.share(value)
            case "limit":
                return self.formats.percent(value)
            case "bandwidth":
                return self.formats.number(value, 1)
            case "expected" | "comfortable" | "borderline":
                return self.duration(value, goal)
            case "tokens":
                return self.formats.tokens(value, 0)
            case _:
                return self.formats.number(value, 2, trim=True)

    def time(self, time: Band | None, goal: str, form: str = "plain") -> str:
        """The expected duration; that there are no data where time is not modelled."""
        return self.messages("common.no_data") if time is None else self.duration(time.expected, goal, form)

    def duration_range(self, time: Band | None, goal: str) -> str:
        """The best and the cautious duration; nothing where time is not modelled."""
        if time is None:
            return ""
        low, high = self.duration(time.low, goal), self.duration(time.high, goal)
        if low == high:
            return low
        (unit, number), (other, _) = self._unit(time.low, goal), self._unit(time.high, goal)
        return f"{self._number(number)}–{high}" if unit == other else f"{low} – {high}"

    def deciding(self, rung: Rung, goal: str) -> Markup:
        """The reasons that keep a recipe from being comfortable; of a comfortable one the first."""
        against = [reason for reason in rung.reasons if reason.id not in HARMLESS]
        return Markup(" ").join(self.sentence(reason, goal) for reason in against or rung.reasons[:1])

    def improvement(self, item: Improvement) -> Markup:
        """What would change the verdict."""
        match item.kind:
            case "more-gpus" | "fewer-gpus":
                shown = self.formats.number(item.value)
                return self.messages.html(f"models.improve.{item.kind}", count=int(item.value), n=shown)
            case "shorter-context":
                return self.messages.html("models.improve.shorter-context", tokens=self.formats.tokens(item.value))
            case _:
                return self.messages.html("models.improve.ecc-off", memory=self.formats.gib(item.value))
