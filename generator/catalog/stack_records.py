"""Records of data/stack/: what to choose when, versions that go together, and which projects still live."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from generator.catalog.fields import (
    Citation,
    Date,
    HubId,
    Id,
    Line,
    Many,
    PackageName,
    PositiveFloat,
    PositiveInt,
    Record,
    Text,
    Version,
)

Framework = Literal["trl", "deepspeed", "axolotl", "llama-factory", "torchtitan"]


class When(Record):
    """Conditions on a training run, all of which must hold. One that is left out always holds."""

    goal: Literal["fine-tuning", "pretraining"] | None = None
    trains: Literal["all", "adapters"] | None = None
    quantised: bool | None = None
    """Whether the base is kept in few bits."""
    gpus: Literal["one", "several"] | None = None
    sharding: Many[Literal["none", "ddp", "zero1", "zero2", "zero3", "fsdp1", "fsdp2"]] = ()
    optimizer: Many[Line] = ()
    attention: Many[Literal["flash", "sdpa", "eager"]] = ()
    offload: bool | None = None
    vendor: Line | None = None
    capability_from: PositiveFloat | None = None
    """Lowest compute capability."""
    capability_below: PositiveFloat | None = None
    """First compute capability that it no longer holds for."""
    p2p: bool | None = None


class Option(Record):
    """One answer to a question of the stack."""

    id: Id
    text: Text
    why: Text
    when: When = When()
    second: Id | None = None
    """The runner-up: another option of the same question."""
    second_because: Text | None = None
    """When the runner-up is the better one, or why it comes second."""
    citations: Annotated[tuple[Citation, ...], Field(strict=False, min_length=1)]

    @model_validator(mode="after")
    def _runner_up_has_a_reason(self) -> Option:
        if (self.second is None) is not (self.second_because is None):
            raise ValueError("expected second and second_because together, found one of them")
        return self


class Choice(Record):
    """A question of the stack: the first option whose conditions hold is the answer."""

    order: PositiveInt
    question: Text
    options: Annotated[tuple[Option, ...], Field(strict=False, min_length=1)]


class Environment(Record):
    """Versions that go together, and what was done to know it."""

    order: PositiveInt
    framework: Framework
    name: Line
    python: Version
    cuda: Version
    """Version of CUDA that the wheels of PyTorch bring along."""
    packages: dict[PackageName, Version]
    """Name on PyPI → version."""
    checked: Date
    evidence: Literal["tested", "metadata"]
    """tested: `make test-stack` runs the generated files with these versions; metadata: the packages' own limits admit
    them, and files are checked against field definitions of that version."""
    note: Text
    models: dict[Id, HubId] = {}
    """Models that the framework has a definition of its own for, by its name; empty where it takes any."""
    without_class: dict[Id, Line] = {}
    """Models that its Transformers has no class for, by the model_type of their config.json: they need code of their
    repositories."""
    without_text_class: dict[Id, Line] = {}
    """Models with towers whose text part has no class of its own there, by its model_type: from scratch it cannot be
    made without them."""
    citations: Annotated[tuple[Citation, ...], Field(strict=False, min_length=1)]


class Library(Record):
    """A project of the field: whether it still lives."""

    name: Line
    status: Literal["active", "slow", "unmaintained"]
    latest: Version
    """Newest release on PyPI."""
    checked: Date
    """Day on which the registry was asked."""
    note: Text | None = None
    citations: Many[Citation] = ()

    @model_validator(mode="after")
    def _says_why(self) -> Library:
        if self.status != "active" and self.note is None:
            raise ValueError("expected a note in both languages, found none: a project that is not active says why")
        return self
