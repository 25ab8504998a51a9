"""The registry of rules: a rule is a function that yields what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from generator.catalog.loading import Broken, Entry, Reading
from generator.errors import DataError


@dataclass(frozen=True, slots=True)
class Found:
    """One thing that breaks a rule."""

    entry: Entry | Broken
    field: str
    """Dotted path of the field to look at."""
    message: str
    """`expected …, found …`."""
    hint: str = ""


Check = Callable[[Reading], Iterator[Found]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule by its id."""

    id: str
    check: Check
    warning: bool
    """Whether a finding only deserves a look and fails nothing."""
    needs_all: bool
    """Whether it says something only when every file could be read."""


RULES: dict[str, Rule] = {}
"""All rules by id, in the order in which they were defined."""


def rule(rule_id: str, *, warning: bool = False, needs_all: bool = False) -> Callable[[Check], Check]:
    """Registers a function as the rule called `rule_id`; raises ValueError when the id is taken."""

    def register(check: Check) -> Check:
        if rule_id in RULES:
            raise ValueError(f"two rules are called {rule_id}")
        RULES[rule_id] = Rule(rule_id, check, warning, needs_all)
        return check

    return register


def apply_rules(reading: Reading) -> tuple[list[DataError], list[DataError]]:
    """Errors and warnings of all rules. A rule that needs every file is left out while some have errors."""
    errors: list[DataError] = []
    warnings: list[DataError] = []
    for each in RULES.values():
        if each.needs_all and reading.errors:
            continue
        target = warnings if each.warning else errors
        for found in each.check(reading):
            place = found.entry.document.place_of(found.field)
            path = found.entry.document.path
            target.append(
                DataError(path, place.line, place.column, found.field, found.message, found.hint, each.id),
            )
    return errors, warnings
