"""Reasons of verdicts as sentences: the id chooses the message, the numbers are formatted by what they are."""

from __future__ import annotations

from collections.abc import Mapping

from markupsafe import Markup

from generator.estimate.results import Band
from generator.site.formats import rounded
from generator.site.messages import MessageError, placeholders
from generator.site.pages_env import PageWriter
from generator.verdict.results import Improvement, Reason, Rung
from generator.views.reasons import deciding_reason

DAYS_PER_YEAR = 365.25
DAYS_SHOWN_AS_YEARS = 730
"""From here on a number of days says less than a number of years."""
YEARS_SHOWN_AS_MANY = 100
"""Beyond it the number means nothing."""
HARMLESS = frozenset({"memory-comfortable", "time-comfortable", "link-heavy"})
"""Reasons that never make a verdict worse."""


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
        """The same in a few words, from `short.<id>`; `ratio` is the recipe's share of memory."""
        return self._say("short", reason, goal, {"ratio": ratio, **reason.values})

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
        wanted = placeholders(self.messages.catalogue[key])
        values = {name: self.value(name, value, goal) for name, value in numbers.items() if name in wanted}
        return self.messages.html(key, **values)

    def duration(self, value: float, goal: str) -> str:
        """Hours of a fine-tuning or days of a pretraining, as exact as is of use; years where days are many."""
        digits = 1 if value < 10 else 0
        if goal == "fine-tuning":
            return self.formats.hours(value, digits)
        if value >= DAYS_SHOWN_AS_YEARS:
            if value >= YEARS_SHOWN_AS_MANY * DAYS_PER_YEAR:
                return self.messages("common.many_years", n=self.formats.number(YEARS_SHOWN_AS_MANY))
            years = rounded(value / DAYS_PER_YEAR, 1 if value < 10 * DAYS_PER_YEAR else 0)
            return self.messages("common.years", value=self.formats.number(years, 1, trim=True), count=years)
        return self.formats.days(value, digits)

    def value(self, name: str, value: float, goal: str) -> str:
        """A number with its unit, which the end of its name gives; a ratio is a percentage."""
        unit = name.rpartition("_")[2]
        match unit:
            case "gib":
                return self.formats.gib(value)
            case "ratio" | "limit":
                return self.formats.percent(value)
            case "expected" | "comfortable" | "borderline":
                return self.duration(value, goal)
            case "tokens":
                return self.formats.tokens(value, 0)
            case _:
                return self.formats.number(value, 2, trim=True)

    def duration_range(self, time: Band, goal: str) -> str:
        """The best and the cautious duration."""
        low, high = self.duration(time.low, goal), self.duration(time.high, goal)
        return low if low == high else f"{low} – {high}"

    def deciding(self, rung: Rung, goal: str) -> Markup:
        """The reasons that keep a recipe from being comfortable; of a comfortable one the first."""
        against = [reason for reason in rung.reasons if reason.id not in HARMLESS]
        return Markup(" ").join(self.sentence(reason, goal) for reason in against or rung.reasons[:1])

    def improvement(self, item: Improvement) -> Markup:
        """What would change the verdict."""
        match item.kind:
            case "more-gpus":
                shown = self.formats.number(item.value)
                return self.messages.html("models.improve.more-gpus", count=int(item.value), n=shown)
            case "shorter-context":
                return self.messages.html("models.improve.shorter-context", tokens=self.formats.tokens(item.value))
            case _:
                return self.messages.html("models.improve.ecc-off", memory=self.formats.gib(item.value))
