"""The record of a cited document."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from generator.catalog.fields import Date, FieldError, HttpsUrl, Line, PartialDate, Record, Text

SourceType = Literal[
    "specification",
    "model-card",
    "paper",
    "documentation",
    "code",
    "dataset",
    "measurement",
    "discussion",
    "article",
]


class Package(Record):
    """A released package that was read, named without an address."""

    registry: Literal["PyPI", "npm", "Debian"]
    name: Line
    version: Line


class Source(Record):
    """One document. What it was read for stands at the values that cite it."""

    title: Line
    publisher: Line
    type: SourceType
    url: HttpsUrl | None = None
    package: Package | None = None
    published: PartialDate | None = None
    read: Date | None = None
    """Day on which it was read; none for a source that nobody opened."""
    language: Annotated[str, Field(pattern=r"^[a-z]{2}$")] = "en"
    licence: Line | None = None
    access: Literal["page", "copy", "package", "unread"]
    """page: read at its own address; copy: read in a stored or quoted copy; package: read in a released package;
    unread: known to exist, never quoted."""
    seen_at: HttpsUrl | None = None
    """Address of the copy, where one is public."""
    revision: Line | None = None
    """Commit, arXiv version or Hugging Face revision that was read."""
    summary: Text | None = None
    """What it says for our purpose, in our words."""

    @model_validator(mode="after")
    def _has_address(self) -> Source:
        if self.url is None and self.package is None:
            raise ValueError("expected a url or a package, found neither: a source can be looked up")
        if self.access == "unread" and self.read is not None:
            raise FieldError(
                f"expected no day of reading beside `access: unread`, found `{self.read}`",
                "read",
                hint="where nobody opened it, delete this line and quote nothing from it; "
                "else write `access: page` or `copy`",
            )
        if self.access != "unread" and self.read is None:
            raise FieldError(
                f"expected the day on which it was read, since access is `{self.access}`, found nothing",
                "read",
                hint="write `read: YYYY-MM-DD`, or `access: unread` where nobody opened it",
            )
        if self.access != "copy" and self.seen_at is not None:
            raise FieldError(
                f"expected no address of a copy beside `access: {self.access}`, found one",
                "seen_at",
                hint="write `access: copy`, or delete this line",
            )
        return self
