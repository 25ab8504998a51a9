"""The kinds of field that records are made of: cited values, bilingual text, dates, ids."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

T = TypeVar("T")

ID_PATTERN = r"^[a-z0-9]+([.-][a-z0-9]+)*$"
"""Lower-case ASCII, as in URLs: `qwen3-14b`, `mistral-small-3.1-24b`."""

Kind = Literal["stated", "computed", "measured", "assumed"]
"""stated: the source prints it; computed: it follows from printed values; measured: somebody ran it; assumed: a
judgement, with its reason."""

PARTIAL_DATE_PATTERN = r"^\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?$"


def _date_from_text(value: object) -> object:
    if isinstance(value, str) and re.fullmatch(r"\d{4}-\d{2}-\d{2}", value):
        return datetime.date.fromisoformat(value)
    return value


def _in_the_calendar(value: str) -> str:
    if len(value) == len("YYYY-MM-DD"):
        datetime.date.fromisoformat(value)
    elif value.startswith("0000"):
        raise ValueError("expected a year that the calendar has")
    return value


def _computable(value: float) -> float:
    if not SMALLEST <= value <= LARGEST:
        raise ValueError(f"expected a number from {SMALLEST:g} to {LARGEST:g}")
    return value


def _countable(value: int) -> int:
    if value > LARGEST:
        raise ValueError(f"expected a whole number of at most {LARGEST:g}")
    return value


def _https_only(value: str) -> str:
    if not re.fullmatch(r"https://[A-Za-z0-9][A-Za-z0-9.-]*\.[A-Za-z]{2,}(/[^\s<>\"'`\\^{|}]*)?", value):
        raise ValueError("expected an https:// address without spaces, quotes or user names")
    return value


SMALLEST, LARGEST = 1e-6, 1e15
"""Bounds of every quantity in data/: beyond them products of a few overflow, and nobody means such a number."""

Id = Annotated[str, Field(pattern=ID_PATTERN, max_length=80)]
Date = Annotated[datetime.date, BeforeValidator(_date_from_text)]
PartialDate = Annotated[str, Field(pattern=PARTIAL_DATE_PATTERN), AfterValidator(_in_the_calendar)]
"""YYYY, YYYY-MM or YYYY-MM-DD: as exact as the source is."""
HttpsUrl = Annotated[str, Field(max_length=500), AfterValidator(_https_only)]
HUB_ID_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)?$"
HubId = Annotated[str, Field(max_length=150, pattern=HUB_ID_PATTERN)]
"""A repository of the Hugging Face Hub: it stands in addresses and in files that people run."""
PACKAGE_PATTERN = r"^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$"
PackageName = Annotated[str, Field(max_length=100, pattern=PACKAGE_PATTERN)]
"""A project on PyPI as its registry admits names: it is what a requirements file installs."""
VERSION_PATTERN = r"^[0-9]+(\.[0-9]+)*((a|b|rc|\.post|\.dev)[0-9]+)*$"
Version = Annotated[str, Field(max_length=40, pattern=VERSION_PATTERN)]
"""A version as PEP 440 writes it, without a local part."""
LINE_PATTERN = r"^\S(.*\S)?$"
Line = Annotated[str, Field(min_length=1, max_length=300, pattern=LINE_PATTERN)]
"""One line of text without surrounding blanks."""
Count = Annotated[int, Field(ge=0), AfterValidator(_countable)]
PositiveInt = Annotated[int, Field(gt=0), AfterValidator(_countable)]
PositiveFloat = Annotated[float, Field(gt=0, allow_inf_nan=False), AfterValidator(_computable)]
NotNegative = Annotated[float, Field(ge=0, le=LARGEST, allow_inf_nan=False)]
Many = Annotated[tuple[T, ...], Field(strict=False)]
"""A YAML list, kept as a tuple."""


def slug(name: str) -> str:
    """A name as an id: `Qwen3_8B` → `qwen3-8b`."""
    return re.sub(r"[.-]*-[.-]*|\.{2,}", "-", re.sub(r"[^a-z0-9.]+", "-", name.lower())).strip("-.")


class FieldError(ValueError):
    """What a record refuses of one of its fields, with what to do: reported at that field."""

    def __init__(self, message: str, *path: str, hint: str = "") -> None:
        super().__init__(message)
        self.path = path
        """From the record to the field."""
        self.hint = hint


class Record(BaseModel):
    """Base of all records: frozen, strict, no unknown keys."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")


class Text(Record):
    """A text for readers, in both languages. May hold {placeholders} that the views fill with computed values."""

    ru: Annotated[str, Field(min_length=1, max_length=2000)]
    en: Annotated[str, Field(min_length=1, max_length=2000)]

    def in_language(self, language: str) -> str:
        """The text in `ru` or `en`."""
        return self.ru if language == "ru" else self.en


class Citation(Record):
    """Where a value was read."""

    source: Id
    """Key of the source: one in the same file, or a file of data/sources/."""
    as_printed: Line | None = None
    """The few words or the figure as the source prints them."""
    where: Line | None = None
    """Section, table or page in the source."""
    read: Date | None = None
    """Day on which somebody read it there; the source's own `read` where left out."""


class Conflict(Citation):
    """Another source that says otherwise, kept and shown."""

    value: str | float | int | bool
    reason: Text
    """Why the other value is preferred."""


class Cited(Record, Generic[T]):
    """A value with its provenance.

    `stated` and `measured` values need a source; `computed` ones a source of their inputs or a reason; `assumed`
    ones a reason.
    """

    value: T
    kind: Kind = "stated"
    source: Id | None = None
    as_printed: Line | None = None
    where: Line | None = None
    read: Date | None = None
    reason: Text | None = None
    """How it was computed, or why it is assumed."""
    also: Many[Citation] = ()
    """Further sources that say the same."""
    conflicts: Many[Conflict] = ()

    @model_validator(mode="after")
    def _has_provenance(self) -> Cited[T]:
        if self.kind in ("stated", "measured") and self.source is None:
            raise FieldError(
                f"expected a source, found none: a {self.kind} value says where it was read",
                hint="write `source:` with a key of `sources:` in this file, or the name of a file of data/sources/",
            )
        if self.kind == "assumed" and self.reason is None:
            raise ValueError("expected a reason in both languages, found none: an assumed value says why")
        if self.kind == "computed" and self.source is None and self.reason is None:
            raise ValueError("expected a source or a reason, found neither: a computed value says from what")
        return self

    @property
    def citations(self) -> tuple[Citation, ...]:
        """All sources that give this value, the preferred one first."""
        if self.source is None:
            return self.also
        own = Citation(source=self.source, as_printed=self.as_printed, where=self.where, read=self.read)
        return (own, *self.also)


INHERITED = ("source", "where", "read", "kind", "reason")


def _is_cited(annotation: Any) -> bool:
    """Whether a field's type is Cited[…] or Cited[…] | None."""
    options = getattr(annotation, "__args__", ()) if not isinstance(annotation, type) else ()
    return any(isinstance(option, type) and issubclass(option, Cited) for option in (annotation, *options))


def _is_block(annotation: Any) -> bool:
    """Whether a field's type is a CitedBlock, perhaps an optional one."""
    options = getattr(annotation, "__args__", ()) if not isinstance(annotation, type) else ()
    return any(isinstance(option, type) and issubclass(option, CitedBlock) for option in (annotation, *options))


class CitedBlock(Record):
    """A group of cited values read in one place: what the block says of its source, its fields inherit.

    A field may be a bare value (`layers: 40`) or say otherwise (`layers: {value: 40, source: other}`).
    """

    source: Id | None = None
    where: Line | None = None
    read: Date | None = None
    kind: Kind = "stated"
    reason: Text | None = None

    @model_validator(mode="before")
    @classmethod
    def _inherit(cls, raw: Any) -> Any:
        if not isinstance(raw, Mapping):
            return raw
        inherited = {key: raw[key] for key in INHERITED if key in raw}
        expanded = dict(raw)
        for name, field in cls.model_fields.items():
            if _is_block(field.annotation) and isinstance(raw.get(name), Mapping):
                # A block inside a block inherits too, unless it was read elsewhere.
                expanded[name] = {**({} if "source" in raw[name] else inherited), **raw[name]}
                continue
            if name not in raw or not _is_cited(field.annotation) or raw[name] is None:
                continue
            own = raw[name] if isinstance(raw[name], Mapping) else {"value": raw[name]}
            # A field with a source of its own was read elsewhere: the block's place and day are not its.
            base = {} if "source" in own else inherited
            expanded[name] = {**base, **own}
        return expanded
