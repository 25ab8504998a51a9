"""Values of facts and quantities as text: the name of a field says what its number is."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

from markupsafe import Markup, escape

from generator.catalog.fields import Conflict
from generator.catalog.records import Constant
from generator.estimate.results import Quantity
from generator.estimate.steps import Step
from generator.site.formats import rounded
from generator.site.pages_env import PageWriter
from generator.units import gib_from_bytes
from generator.views.facts import Fact
from generator.views.methodology import CONSTANT_NAMES


def unit_key(unit: str) -> str:
    """A unit of data/constants.yml as a message key: `bytes-per-parameter`."""
    return "-".join(re.findall(r"[a-z0-9]+", unit.lower()))


def anchor_of(quantity: str) -> str:
    """Where the methodology page explains a quantity: among the formulas and their inputs, or among the constants."""
    name = quantity.replace("_", "-")
    return f"constant-{name}" if quantity in CONSTANT_NAMES else f"q-{name}"


LEAST_GIB = 0.005
"""What is less is 0.00 when written with two digits."""


class ValueWriter:
    """Writes values in the language of a page."""

    def __init__(self, writer: PageWriter) -> None:
        self.writer = writer
        self.messages = writer.messages
        self.formats = writer.formats

    def fact(self, fact: Fact) -> Markup:
        """The value of a cited fact with its unit."""
        value = fact.value
        if isinstance(value, bool):
            return self.messages.html(f"common.{'yes' if value else 'no'}")
        if isinstance(value, int | float):
            number = self._number(fact.field, value)
            if fact.as_of is None:
                return escape(number)
            return self.messages.html("facts.as_of", value=number, date=self.formats.partial_date(fact.as_of))
        if isinstance(value, tuple | list):
            return escape(", ".join(self.formats.number(item) for item in value))
        text = str(value)
        if fact.field == "released":
            return escape(self.formats.partial_date(text))
        key = f"facts.word.{text}"
        return self.messages.html(key) if key in self.messages else escape(text)

    def other(self, fact: Fact, conflict: Conflict) -> Markup:
        """The value that another source gives for a fact, written as the fact's own."""
        return self.fact(replace(fact, value=conflict.value, as_of=None))

    def _number(self, field: str, value: float) -> str:
        writers: tuple[tuple[str, Callable[[float], str]], ...] = (
            ("memory_label_gib", self.formats.gb),
            ("_mib", lambda number: self.formats.unit(number, "mib")),
            ("_gib", lambda number: self.formats.unit(number, "gib", 2, trim=True)),
            ("gb_per_s", lambda number: self.formats.unit(number, "gb_per_second", 1, trim=True)),
            ("tflops", lambda number: self.formats.unit(number, "tflops", 1, trim=True)),
            ("tdp_w", lambda number: self.formats.unit(number, "watt")),
            ("billions", lambda number: self.formats.billions(number * 1e9, 2, trim=True)),
            ("context_tokens", lambda number: self.formats.unit(number, "token")),
            ("price_usd", lambda number: self.messages("common.usd", value=self.formats.number(number))),
        )
        own = {"usable_mib.on": "_mib", "usable_mib.off": "_mib"}
        own |= {"framework_visible_gib.on": "_gib", "framework_visible_gib.off": "_gib"}
        name = own.get(field, "tflops" if field.startswith("sustained_tflops.") else field)
        for ending, write in writers:
            if name.endswith(ending):
                return write(value)
        return self.formats.number(value, 4, trim=True)

    def quantity(self, quantity: Quantity) -> str:
        """The value of a step or an input; bytes as GiB unless that would read as nothing, large numbers in groups."""
        if quantity.unit == "bytes":
            gib = gib_from_bytes(quantity.value)
            if 0 < gib < LEAST_GIB:
                return self.formats.unit(quantity.value, "byte", 2, trim=True)
            return self.formats.gib(gib, 2)
        return self.exact(quantity.value)

    def exact(self, value: float) -> str:
        """A number to calculate with: large ones to the last digit, small ones to four decimals."""
        digits = 0 if abs(value) >= 1000 else 4
        return self.formats.number(value, digits, trim=digits > 0)

    def constant(self, constant: Constant) -> Markup:
        """The value of a constant with its unit; the unit as the data write it where the catalogue has none for it."""
        shown = self.formats.number(constant.value, 4, trim=True)
        key = f"methodology.constant_unit.{unit_key(constant.unit)}"
        if key not in self.messages:
            return Markup('{} <span lang="en">{}</span>').format(shown, constant.unit)
        exact = rounded(constant.value, 4)
        whole = exact.to_integral_value()
        return self.messages.html(key, value=shown, count=whole if whole == exact else exact.normalize())

    def inputs(self, step: Step) -> Markup:
        """The quantities in the formula of a step, each a link to where it is explained."""
        links = (Markup('<a href="#{}"><code>{}</code></a>').format(anchor_of(name), name) for name in step.inputs)
        return Markup(", ").join(links)
