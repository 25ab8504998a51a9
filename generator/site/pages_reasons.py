"""Reasons of verdicts as sentences: the id chooses the message, the numbers are formatted by what they are."""

from __future__ import annotations

from markupsafe import Markup

from generator.site.messages import MessageError, placeholders
from generator.site.pages_env import PageWriter
from generator.verdict.results import Reason


class ReasonWriter:
    """Writes reasons in the language of a page."""

    def __init__(self, writer: PageWriter) -> None:
        self.messages = writer.messages
        self.formats = writer.formats

    def sentence(self, reason: Reason) -> Markup:
        """The message `reasons.<id>` with its numbers; raises MessageError when a number that it needs is missing."""
        key = f"reasons.{reason.id}"
        if key not in self.messages:
            raise MessageError(f"no message `{key}` in {self.messages.language}")
        wanted = placeholders(self.messages.catalogue[key])
        values = {name: self.value(name, value) for name, value in reason.values.items() if name in wanted}
        return self.messages.html(key, **values)

    def value(self, name: str, value: float) -> str:
        """A number with its unit, which the end of its name gives; a ratio is a percentage."""
        unit = name.rpartition("_")[2]
        match unit:
            case "gib":
                return self.formats.gib(value)
            case "ratio" | "limit":
                return self.formats.percent(value)
            case "hours":
                return self.formats.hours(value, 1 if value < 10 else 0)
            case "days":
                return self.formats.days(value, 1 if value < 10 else 0)
            case "tokens":
                return self.formats.tokens(value, 0)
            case _:
                return self.formats.number(value, 2, trim=True)
