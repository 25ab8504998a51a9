"""What the files of the API hold: their fields and types, of which their JSON Schemas are made."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from generator.catalog.fields import Text
from generator.catalog.loading import Kind
from generator.catalog.records import SourceType
from generator.verdict.results import ReasonId, VerdictId

SCHEMA_VERSION = 1
"""Rises when a field goes or changes its meaning; new fields may come without."""

RecordId = str
"""Id of a record of data/, the last part of the address of its page."""
Gib = Annotated[float, Field(ge=0)]
Address = str
"""Relative to the root of the site for pages, to the folder of the API for its files."""


class ApiRecord(BaseModel):
    """Base of all records of the API."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Head(ApiRecord):
    """What each file starts with."""

    schema_version: Annotated[int, Field(ge=1)]
    """Rises when a field goes or changes its meaning; new fields may come without."""
    data_date: Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    """Newest day on which a source was read."""
    generator_version: str
    """Version of the program that computed the file."""


class Name(ApiRecord):
    """A name in both languages."""

    ru: str
    en: str

    @classmethod
    def of(cls, text: Text) -> Name:
        """The name out of a text of data/."""
        return cls(ru=text.ru, en=text.en)


class Peak(ApiRecord):
    """Peak memory of a GPU as the framework's allocator reports it, in GiB."""

    low: Gib
    expected: Gib
    high: Gib


class ReasonRecord(ApiRecord):
    """Why a verdict is what it is."""

    id: ReasonId
    values: dict[str, float]
    """Numbers that belong to the reason, by name; the last part of a name is the unit where there is one."""


class MethodVerdict(ApiRecord):
    """The verdict on a method, with the numbers of the recipe that gave it or, where none did, of the closest one."""

    method: RecordId
    verdict: VerdictId
    recipe: RecordId | None
    """null where nothing is known."""
    peak_gib: Peak | None
    peak_phase: str | None
    """The phase of a training step in which memory peaks."""
    usable_gib: Gib | None
    """Memory of a GPU that the framework sees."""
    ratio: Annotated[float, Field(ge=0)] | None
    """Expected peak as a share of the usable memory."""
    max_seq_len: Annotated[int, Field(gt=0)] | None
    """Longest context in tokens at which the recipe stays within the borderline limit of memory."""
    host_ram_gib: Gib | None
    """Host memory that the recipe needs, all GPUs together."""
    tokens_per_sec_per_gpu: Annotated[float, Field(ge=0)] | None
    reasons: tuple[ReasonRecord, ...]


class OfModel(ApiRecord):
    """What is said of a model."""

    model: RecordId


class OfRig(ApiRecord):
    """What is said of a rig."""

    rig: RecordId


class ModelVerdict(MethodVerdict, OfModel):
    """The verdict on a model and a method."""


class RigVerdict(MethodVerdict, OfRig):
    """The verdict on a rig and a method."""


class ModeRecord(ApiRecord):
    """A method that is recommended, with its verdict."""

    method: RecordId
    verdict: VerdictId


class ModelModes(ApiRecord):
    """What to do with a model: the fullest comfortable method, after any fuller borderline one."""

    model: RecordId
    modes: tuple[ModeRecord, ...]


class RigModes(ApiRecord):
    """What to do with the model on a rig: the fullest comfortable method, after any fuller borderline one."""

    rig: RecordId
    modes: tuple[ModeRecord, ...]


class RigFile(Head):
    """All verdicts on a rig, by model and method."""

    rig: RecordId
    verdicts: tuple[ModelVerdict, ...]
    recommended: tuple[ModelModes, ...]


class ModelFile(Head):
    """All verdicts on a model, by rig and method."""

    model: RecordId
    name: str
    family: RecordId
    vendor: str
    hugging_face: tuple[str, ...]
    """Repositories with this architecture."""
    parameters: Annotated[int, Field(gt=0)]
    """Tied tensors once, frozen towers included."""
    verdicts: tuple[RigVerdict, ...]
    recommended: tuple[RigModes, ...]


class HeadlineRecord(ApiRecord):
    """The report in one line: the largest size class in which every dense text model is comfortable, by method."""

    full: RecordId | None
    lora: RecordId | None
    qlora: RecordId | None
    pretrain_from_billions: float | None
    pretrain_to_billions: float | None


class RigSummary(ApiRecord):
    """A machine with a report."""

    id: RecordId
    name: Name
    gpu: RecordId
    count: Annotated[int, Field(gt=0)]
    usable_gib: Gib
    """Memory of one GPU that the framework sees at the reference workload."""
    host_memory_gib: Gib
    headline: HeadlineRecord
    page: Address
    file: Address
    table: Address
    """The same verdicts as CSV."""


class RigsFile(Head):
    """All machines with a report."""

    rigs: tuple[RigSummary, ...]


class Package(ApiRecord):
    """A released package that was read."""

    registry: str
    name: str
    version: str


class UseRecord(ApiRecord):
    """A place of data/ that cites a source."""

    kind: Kind
    id: RecordId
    field: str
    """Dotted path of the cited value."""


class SourceRecord(ApiRecord):
    """A document that data/ cites."""

    id: RecordId
    title: str
    publisher: str
    type: SourceType
    url: str | None
    package: Package | None
    published: str | None
    """Year, month or day, as exact as the source is."""
    read: str | None
    """Day on which it was read; null for a source that nobody opened."""
    language: str
    licence: str | None
    access: Literal["page", "copy", "package", "unread"]
    """page: read at its own address; copy: in a stored or quoted copy; package: in a released package; unread: known
    to exist, never quoted."""
    seen_at: str | None
    """Address of the copy."""
    revision: str | None
    page: Address
    used_by: tuple[UseRecord, ...]


class SourcesFile(Head):
    """All sources with every use."""

    sources: tuple[SourceRecord, ...]


class FileRecord(ApiRecord):
    """A file of the API."""

    path: Address
    media_type: Literal["application/json", "text/csv"]
    schema_path: Address | None
    """Its JSON Schema; null for a table."""


class IndexFile(Head):
    """All files of the API."""

    files: tuple[FileRecord, ...]
    rigs: tuple[RecordId, ...]
    models: tuple[RecordId, ...]
    methods: tuple[RecordId, ...]
    """From the fullest to the lightest, as pages list them."""
    licence: Literal["CC-BY-4.0"]


FILES: dict[str, type[Head]] = {
    "index": IndexFile,
    "model": ModelFile,
    "rig": RigFile,
    "rigs": RigsFile,
    "sources": SourcesFile,
}
"""Kind of file → what it holds; the schema of a kind is `schemas/<kind>.schema.json`."""
