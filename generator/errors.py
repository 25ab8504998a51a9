"""Every error a user of Trainfit can meet.

TrainfitError                 base: anything we report in one line instead of a traceback
├── CatalogErrors             data/ is not valid: holds every DataError found, sorted by place
├── UnknownIdError            an id or alias that the catalogue does not have
├── PlanError                 a training plan that cannot exist (NF4 without LoRA, fewer than one GPU, …)
├── UnsupportedArchitecture   a model whose layers nobody has modelled yet
├── BuildError                rendering or publishing the site failed; the old site is untouched
└── LaunchError               no configuration: nothing fits, or the framework cannot express what does
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

COMMAND = ".venv/bin/trainfit"
"""How the README calls the program, so that a line of a hint can be pasted as it is."""


class TrainfitError(Exception):
    """Base of all errors that are shown to a user as text."""


@dataclass(frozen=True, slots=True, order=True)
class DataError:
    """One thing wrong in one place of one file."""

    path: str
    """Path of the file, relative to the repository."""
    line: int
    """1-based line; 1 where the file has no better place."""
    column: int
    """1-based column, counted in characters."""
    field: str
    """Dotted path of the field, such as `architecture.layers`; empty for the whole file."""
    message: str
    """`expected …, found …`."""
    hint: str = ""
    """What to do about it; empty where the message says it."""
    rule: str = "schema"
    """Id of the rule that found it."""

    def __str__(self) -> str:
        field = f" {self.field}:" if self.field else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{self.path}:{self.line}:{self.column}:{field} {self.message}{hint}"


class CatalogErrors(TrainfitError):
    """All errors of one reading of data/, sorted by place."""

    def __init__(self, errors: Iterable[DataError]) -> None:
        self.errors: Sequence[DataError] = sorted(set(errors))
        super().__init__("\n".join(str(error) for error in self.errors))


class UnknownIdError(TrainfitError):
    """An id, alias or Hugging Face name that resolves to nothing."""

    def __init__(self, kind: str, value: str, suggestions: Sequence[str] = ()) -> None:
        self.kind = kind
        self.value = value
        self.suggestions = tuple(suggestions)
        hint = f" (did you mean {', '.join(f'`{s}`' for s in self.suggestions)}?)" if suggestions else ""
        super().__init__(f"unknown {kind} `{value}`{hint}")


class PlanError(TrainfitError):
    """A training plan that contradicts itself."""


class UnsupportedArchitecture(TrainfitError):
    """A model that the estimate refuses, saying what it lacks."""


class BuildError(TrainfitError):
    """The site could not be rendered or put in place."""


class LaunchError(TrainfitError):
    """Nothing to run: no recipe fits the machine, or the framework cannot express any that does."""
