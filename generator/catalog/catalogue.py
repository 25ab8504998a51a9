"""The catalogue: all records by id, names that resolve to them, where each stands and what it cites."""

from __future__ import annotations

import datetime
import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TypeVar, cast

from pydantic import BaseModel

from generator.catalog.absent import Absent
from generator.catalog.changes import ChangeRow
from generator.catalog.fields import Citation, Cited, Record, Text
from generator.catalog.link_exceptions import LinkExceptions
from generator.catalog.loading import Entry, Kind, Reading
from generator.catalog.measurements import KnownMiss, MeasuredRun, MeasuredShape
from generator.catalog.permalinks import Permalinks
from generator.catalog.records import Constants, Gpu, Method, Model, Policy, Rig, Source, StackItem
from generator.catalog.stack_records import Choice, Environment, Library
from generator.errors import DataError, UnknownIdError

K = TypeVar("K")
V = TypeVar("V")
R = TypeVar("R", bound=Record)

SUGGESTIONS = 3
"""How many near matches an unknown name gets."""
LONGEST_COMPARED = 120
"""Of a longer name only the beginning is compared."""
NEAR = 0.7
"""Share of letters in common from which a whole name is taken for a misspelling."""
NEAR_BEGINNING, SHORTEST_BEGINNING = 0.85, 3
"""The same for the beginning of a longer name: `exaon` stands for exaone-3.5-32b, `hexagone` does not."""


PLURALS: dict[str, Kind] = {
    "models": "model", "gpus": "gpu", "rigs": "rig", "methods": "method", "sources": "source",
}  # fmt: skip
"""First part of the address of a page → kind of record that it shows."""


@dataclass(frozen=True, slots=True)
class Usage:
    """One place where a source is cited."""

    source_id: str
    kind: Kind
    record_id: str
    """Id of the record that cites it; `policy` and `constants` for those files."""
    field: str
    """Dotted path of the cited value, such as `architecture.layers`."""
    citation: Citation
    value_kind: str | None = None
    """stated, computed, measured or assumed; none where a text or a recipe is cited."""
    at: str = ""
    """Dotted path of the citation itself, such as `architecture.layers.also.0`."""


@dataclass(frozen=True)
class Catalog:
    """Everything in data/, read and checked. Mappings are in the order in which pages list things."""

    models: Mapping[str, Model]
    gpus: Mapping[str, Gpu]
    rigs: Mapping[str, Rig]
    methods: Mapping[str, Method]
    sources: Mapping[str, Source]
    """Shared sources and those that stand inside other files, by id."""
    stack: Mapping[str, StackItem]
    policy: Policy
    constants: Constants
    permalinks: Mapping[str, str]
    """Address that was published → address where it lives now, such as `models/old/` → `models/new/`."""
    link_exceptions: Mapping[str, Text]
    """Id of a source, or host, that `trainfit sources --check` leaves alone → why."""
    data_date: datetime.date
    """Newest day on which a source was read."""
    choices: Mapping[str, Choice] = field(default_factory=dict)
    """Questions of the stack with their answers."""
    environments: Mapping[str, Environment] = field(default_factory=dict)
    """Versions that go together."""
    libraries: Mapping[str, Library] = field(default_factory=dict)
    """Projects of the field, by name."""
    absent: Absent = field(default_factory=Absent)
    """What readers look for and data/ does not have."""
    measurements: tuple[MeasuredRun, ...] = ()
    """Published measured runs that the estimate is checked against."""
    measured_shapes: Mapping[str, MeasuredShape] = field(default_factory=dict)
    """Where the shapes of measured models were read that the catalogue does not have."""
    known_misses: Mapping[str, KnownMiss] = field(default_factory=dict)
    """Runs that the estimate is known to miss."""
    fitting_sources: frozenset[str] = frozenset()
    """Ids of the sources by whose runs the formulas were written; those of the others only judge them."""
    changes: tuple[ChangeRow, ...] = ()
    """What was published, in the order in which it was."""
    warnings: tuple[DataError, ...] = ()
    """What is valid but deserves a look, sorted by place."""
    entries: Mapping[tuple[Kind, str], Entry] = field(default_factory=dict, repr=False)
    """Files by kind and id; a source that stands inside another file has that file's entry."""
    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict, repr=False)
    """For each kind: case-folded name → id."""

    def model(self, name: str) -> Model:
        """The model called `name`: id, alias, display name or Hugging Face id; raises UnknownIdError."""
        return self.models[self.resolve_model(name)]

    def gpu(self, name: str) -> Gpu:
        """The GPU called `name`: id, alias, display name or misnomer; raises UnknownIdError."""
        return self.gpus[self.resolve_gpu(name)]

    def rig(self, name: str) -> Rig:
        """The rig called `name`: id, alias or display name in either language; raises UnknownIdError."""
        return self.rigs[self.resolve_rig(name)]

    def method(self, name: str) -> Method:
        """The method with this id; raises UnknownIdError."""
        return self.methods[self.resolve_method(name)]

    def source(self, name: str) -> Source:
        """The source with this id; raises UnknownIdError."""
        return self.sources[self._resolve("source", name)]

    def resolve_model(self, name: str) -> str:
        """Id of the model called `name`; raises UnknownIdError with near matches."""
        return self._resolve("model", name)

    def resolve_gpu(self, name: str) -> str:
        """Id of the GPU called `name`; raises UnknownIdError with near matches."""
        return self._resolve("gpu", name)

    def resolve_rig(self, name: str) -> str:
        """Id of the rig called `name`; raises UnknownIdError with near matches."""
        return self._resolve("rig", name)

    def resolve_method(self, name: str) -> str:
        """Id of the method called `name`; raises UnknownIdError with near matches."""
        return self._resolve("method", name)

    def _resolve(self, kind: Kind, name: str) -> str:
        known = self.names[kind]
        folded = fold(name)
        if folded in known:
            return known[folded]
        raise UnknownIdError(kind, name, near_ids(folded, known))

    def with_rigs(self, ids: Collection[str]) -> Catalog:
        """The same catalogue with these rigs alone; ids that it does not have are passed over."""
        left_out = {("rig", id_) for id_ in self.rigs if id_ not in ids}
        return replace(
            self,
            rigs={id_: rig for id_, rig in self.rigs.items() if id_ in ids},
            entries={key: entry for key, entry in self.entries.items() if key not in left_out},
        )

    def family_of(self, model_id: str) -> str:
        """Folder of a model, which is the id of its family; raises KeyError for an unknown id."""
        return self.entries["model", model_id].folder

    def path_of(self, kind: Kind, record_id: str) -> str:
        """Path of the file of a record, such as `data/models/qwen3/qwen3-14b.yml`; raises KeyError."""
        return self.entries[kind, record_id].document.path

    def location(self, kind: Kind, record_id: str, field_path: str = "") -> tuple[str, int, int]:
        """Path, line and column of a field by its dotted path, or of the nearest one above; raises KeyError."""
        entry = self.entries[kind, record_id]
        if kind == "source" and entry.kind != "source":
            field_path = f"sources.{record_id}.{field_path}".rstrip(".")
        place = entry.document.place_of(field_path)
        return entry.document.path, place.line, place.column

    def citations(self) -> Iterator[Usage]:
        """Every place that cites a source, in the order of the files; not those of rigs that were left out."""
        for (kind, record_id), entry in self.entries.items():
            if kind == entry.kind and record_id == entry.id and (kind != "rig" or record_id in self.rigs):
                yield from usages(entry)


def fold(name: str) -> str:
    """A name as it is compared: without capitals, blanks in a row and around taken for one."""
    return " ".join(name.split()).casefold()


def near_ids(name: str, known: Mapping[str, str]) -> tuple[str, ...]:
    """Ids whose names resemble `name`, nearest first, without repetitions; none where all are far from it."""
    folded = fold(name)[:LONGEST_COMPARED]
    near = sorted((-nearness, other) for other in known if (nearness := _nearness(folded, other)))
    return tuple(dict.fromkeys(known[other] for _, other in near))[:SUGGESTIONS]


def _nearness(name: str, other: str) -> float:
    """How alike two names are, up to 1; 0 where one is neither a misspelling nor the beginning of the other."""
    alike = difflib.SequenceMatcher(None, name, other)
    if alike.real_quick_ratio() >= NEAR and alike.quick_ratio() >= NEAR and alike.ratio() >= NEAR:
        return alike.ratio()
    shared = min(len(name), len(other))
    if shared < SHORTEST_BEGINNING:
        return 0.0
    beginning = difflib.SequenceMatcher(None, name[:shared], other[:shared])
    return alike.ratio() if beginning.quick_ratio() >= NEAR_BEGINNING and beginning.ratio() >= NEAR_BEGINNING else 0.0


def names_of(entry: Entry) -> tuple[tuple[str, str], ...]:
    """Everything a record is called besides its id, with the dotted path of the field that says so."""
    match entry.record:
        case Model() as model:
            groups = {"hugging_face": model.hugging_face, "aliases": model.aliases}
            single = {"name": model.name}
        case Gpu() as gpu:
            groups = {"aliases": gpu.aliases, "misnomers": gpu.misnomers}
            single = {"name": gpu.name}
        case Rig() as rig:
            groups = {"aliases": rig.aliases}
            single = {"name.en": rig.name.en, "name.ru": rig.name.ru}
        case _:
            return ()
    listed = ((f"{name}.{index}", value) for name, group in groups.items() for index, value in enumerate(group))
    return (*((field_path, value) for field_path, value in single.items()), *listed)


def inline_sources(entry: Entry) -> Mapping[str, Source]:
    """Sources that stand inside a file of something else."""
    return entry.record.sources if isinstance(entry.record, Model | Gpu | Rig) else {}


def sources_in(entry: Entry) -> Iterator[tuple[str, str, Source]]:
    """Dotted path with a final dot, id and record of each source that stands in a file, its own record included."""
    if isinstance(entry.record, Source):
        yield "", entry.id, entry.record
    for source_id, source in inline_sources(entry).items():
        yield f"sources.{source_id}.", source_id, source


def usages(entry: Entry) -> tuple[Usage, ...]:
    """Every citation in one record; looked for once, because half a dozen rules ask."""
    if "usages" not in entry.memo:
        entry.memo["usages"] = tuple(_usages(entry))
    found: tuple[Usage, ...] = entry.memo["usages"]
    return found


def _usages(entry: Entry) -> Iterator[Usage]:
    if isinstance(entry.record, Model):
        yield Usage(entry.record.card, entry.kind, entry.id, "card", Citation(source=entry.record.card), None, "card")
    for field_path, citation, value_kind, at in _citations(entry.record, ""):
        yield Usage(citation.source, entry.kind, entry.id, field_path, citation, value_kind, at)


def _citations(value: object, path: str) -> Iterator[tuple[str, Citation, str | None, str]]:
    """Path of what is cited, citation, kind of value, path of the citation."""
    if isinstance(value, Citation):
        yield path, value, None, path
    elif isinstance(value, Cited):
        for citation in value.citations[: len(value.citations) - len(value.also)]:
            yield path, citation, value.kind, path
        for name in ("also", "conflicts"):
            for index, citation in enumerate(getattr(value, name)):
                yield path, citation, value.kind, f"{path}.{name}.{index}"
    else:
        kind = getattr(value, "kind", None)
        for step, item in _parts(value):
            for cited, citation, value_kind, at in _citations(item, f"{path}.{step}".lstrip(".")):
                yield cited, citation, value_kind or (kind if step == "citations" else None), at


def _parts(value: object) -> Iterable[tuple[object, object]]:
    """What a record, a list or a mapping holds, by field, index or key."""
    if isinstance(value, BaseModel):
        return ((name, getattr(value, name)) for name in type(value).model_fields)
    if isinstance(value, tuple):
        return enumerate(value)
    return value.items() if isinstance(value, dict) else ()


def build(reading: Reading, warnings: Iterable[DataError] = ()) -> Catalog:
    """The catalogue of a reading without errors."""
    entries: dict[tuple[Kind, str], Entry] = {(entry.kind, entry.id): entry for entry in reading.entries}
    sources = {entry.id: cast("Source", entry.record) for entry in reading.of("source")}
    for entry in reading.entries:
        for source_id, source in inline_sources(entry).items():
            sources[source_id] = source
            entries["source", source_id] = entry
    methods = _records(reading, "method", Method)
    stack = _records(reading, "stack", StackItem)
    choices = _records(reading, "choice", Choice)
    environments = _records(reading, "environment", Environment)
    permalinks = _records(reading, "permalinks", Permalinks).get("permalinks", Permalinks())
    exceptions = _records(reading, "link-exceptions", LinkExceptions).get("link-exceptions", LinkExceptions())
    return Catalog(
        models=_frozen(_records(reading, "model", Model)),
        gpus=_frozen(_records(reading, "gpu", Gpu)),
        rigs=_frozen(_records(reading, "rig", Rig)),
        methods=_frozen(dict(sorted(methods.items(), key=lambda item: item[1].order))),
        sources=_frozen(dict(sorted(sources.items()))),
        stack=_frozen(dict(sorted(stack.items(), key=lambda item: item[1].order))),
        choices=_frozen(dict(sorted(choices.items(), key=lambda item: item[1].order))),
        environments=_frozen(dict(sorted(environments.items(), key=lambda item: item[1].order))),
        libraries=_frozen(dict(sorted(_records(reading, "library", Library).items()))),
        policy=_records(reading, "policy", Policy)["policy"],
        constants=_records(reading, "constants", Constants)["constants"],
        permalinks=_frozen(permalinks.addresses),
        link_exceptions=_frozen(exceptions.reasons),
        absent=_records(reading, "absent", Absent).get("absent", Absent()),
        data_date=newest_reading(reading),
        warnings=tuple(sorted(set(warnings))),
        entries=_frozen(entries),
        names=_frozen(_names(reading, sources, permalinks)),
    )


def newest_reading(reading: Reading) -> datetime.date:
    """The newest day on which anything was read."""
    days = [datetime.date.min]
    for entry in reading.entries:
        of_source = [entry.record] if isinstance(entry.record, Source) else []
        days += [source.read for source in (*of_source, *inline_sources(entry).values()) if source.read]
        days += [usage.citation.read for usage in usages(entry) if usage.citation.read]
    return max(days)


def _records(reading: Reading, kind: Kind, record: type[R]) -> dict[str, R]:
    return {entry.id: entry.record for entry in reading.of(kind) if isinstance(entry.record, record)}


def _frozen(mapping: dict[K, V]) -> Mapping[K, V]:
    return MappingProxyType(mapping)


def renamed(permalinks: Permalinks, plural: str) -> dict[str, str]:
    """Old id → id of the record of the same kind that took its place."""
    found = {}
    for old, path in getattr(permalinks, plural).items():
        section, _, target = path.strip("/").partition("/")
        if section == plural and target:
            found[old] = target
    return found


def _names(reading: Reading, sources: Mapping[str, Source], permalinks: Permalinks) -> dict[str, Mapping[str, str]]:
    names: dict[str, dict[str, str]] = {"source": {source_id: source_id for source_id in sources}}
    for entry in reading.entries:
        known = names.setdefault(entry.kind, {})
        for _, name in names_of(entry):
            known.setdefault(fold(name), entry.id)
    for entry in reading.entries:  # an id always means its own record
        names[entry.kind][entry.id] = entry.id
    for plural, kind in PLURALS.items():
        known = names.setdefault(kind, {})
        for old, new in renamed(permalinks, plural).items():
            known.setdefault(old, new)
    return {kind: MappingProxyType(known) for kind, known in names.items()}
