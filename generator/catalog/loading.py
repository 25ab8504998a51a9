"""Walks data/ and reads every file into its record; collects all errors of all files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import ValidationError

from generator.catalog.absent import Absent
from generator.catalog.blanks import blank_errors, without_echoes
from generator.catalog.complaints import complaints
from generator.catalog.fields import ID_PATTERN, Record, slug
from generator.catalog.folders import children
from generator.catalog.hints import did_you_mean
from generator.catalog.link_exceptions import LinkExceptions
from generator.catalog.permalinks import Permalinks
from generator.catalog.records import Constants, Gpu, Method, Model, Policy, Rig, Source, StackItem
from generator.catalog.stack_records import Choice, Environment, Library
from generator.catalog.yaml_positions import MAX_BYTES, Document, read_document
from generator.errors import COMMAND, DataError

Kind = Literal[
    "model", "gpu", "rig", "method", "source", "stack", "choice", "environment", "library", "policy", "constants",
    "permalinks", "link-exceptions", "absent",
]  # fmt: skip

KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the files of one kind stand and what they hold."""

    kind: Kind
    record: type[Record]
    folder: str
    """Below data/, perhaps inside the folder of another kind; empty for a file of its own."""
    nested: bool = False
    """Whether there is a folder for each family or vendor in between."""

    @property
    def pattern(self) -> str:
        """How paths of this kind look, for messages."""
        if not self.folder:
            return f"{self.kind}.yml"
        return f"{self.folder}/<folder>/<id>.yml" if self.nested else f"{self.folder}/<id>.yml"


LAYOUTS: tuple[Layout, ...] = (
    Layout("model", Model, "models", nested=True),
    Layout("gpu", Gpu, "gpus", nested=True),
    Layout("rig", Rig, "rigs"),
    Layout("method", Method, "methods"),
    Layout("source", Source, "sources"),
    Layout("stack", StackItem, "stack"),
    Layout("choice", Choice, "stack/choices"),
    Layout("environment", Environment, "stack/environments"),
    Layout("library", Library, "stack/libraries"),
    Layout("policy", Policy, ""),
    Layout("constants", Constants, ""),
    Layout("permalinks", Permalinks, ""),
    Layout("link-exceptions", LinkExceptions, ""),
    Layout("absent", Absent, ""),
)
_FOLDERS = {layout.folder: layout for layout in LAYOUTS if layout.folder and "/" not in layout.folder}
_INNER_FOLDERS = {layout.folder: layout for layout in LAYOUTS if "/" in layout.folder}
_SINGLES = {f"{layout.kind}.yml": layout for layout in LAYOUTS if not layout.folder}
REQUIRED: tuple[Kind, ...] = ("policy", "constants")
"""Files of their own that must be there."""
METHOD_IDS = ("full", "lora", "qlora", "pretrain")
"""Methods that the estimate knows: each has its file, and there are no others."""
RESERVED_SUFFIXES = (".html", ".htm", ".md", ".json", ".xml", ".txt", ".yml", ".yaml", ".csv", ".js", ".css")
"""Ends of an id that would make its address look like a file."""
_OTHER_FILES = ("verdicts.csv", "changes.csv", "README.md")
_OTHER_FOLDERS = ("measurements",)
_KEY = re.compile(rf"^[ \t]+({ID_PATTERN.strip('^$')}):", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Entry:
    """A record with the file that it came from."""

    kind: Kind
    id: str
    folder: str
    """Folder between the kind's and the file: the family of a model, the vendor of a GPU; else empty."""
    record: Record
    document: Document
    memo: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """What was found out about the record, so that nobody has to look twice."""


@dataclass(frozen=True, slots=True)
class Broken:
    """A file that is YAML and no valid record: what it refers to can still be looked at."""

    kind: Kind
    id: str
    document: Document


@dataclass(slots=True)
class Reading:
    """Everything that was read, with all that is wrong so far."""

    entries: list[Entry] = field(default_factory=list)
    errors: list[DataError] = field(default_factory=list)
    broken: list[Broken] = field(default_factory=list)
    unreadable: bool = False
    """Whether some file is not even YAML: nobody knows what it would have cited."""
    keys_of_unreadable: set[str] = field(default_factory=set)
    """Keys in the files that are not even YAML: sources may stand there that other files cite."""
    families: set[str] = field(default_factory=set)
    """Folders in which there is a file of a model, also one with errors."""
    cited_by_measurements: frozenset[str] = frozenset()
    """Ids of sources that data/measurements is about."""
    seen: dict[Kind, set[str]] = field(default_factory=lambda: {kind: set() for kind in KINDS})
    """Ids of all files that are there, also of those with errors, and of the sources inside them."""

    def of(self, kind: Kind) -> Iterator[Entry]:
        """Entries of one kind, in the order of their paths."""
        return (entry for entry in self.entries if entry.kind == kind)

    @property
    def lacks_required(self) -> bool:
        """Whether a file that must be there is not: nobody knows what it would have cited."""
        return not all(self.seen[kind] for kind in REQUIRED)

    def report(self, path: str, message: str, hint: str = "", rule: str = "layout") -> None:
        """Notes an error of a whole file."""
        self.errors.append(DataError(path, 1, 1, "", message, hint, rule))


def read_data(data_dir: Path) -> Reading:
    """Every record below `data_dir`, and every error of layout, YAML and schema. Never raises for bad data."""
    reading = Reading()
    shown = data_dir.name or "data"
    if not data_dir.is_dir():
        reading.report(shown, "expected a folder with data, found none")
        return reading
    for path in children(data_dir, shown, reading.errors):
        name = f"{shown}/{path.name}"
        if path.is_dir():
            if path.name in _FOLDERS:
                _read_folder(path, name, _FOLDERS[path.name], reading)
            elif path.name not in _OTHER_FOLDERS:
                hint = did_you_mean(path.name, (*_FOLDERS, *_OTHER_FOLDERS))
                reading.report(name, f"expected one of the folders {_listed(_FOLDERS)}, found `{path.name}`", hint)
        elif path.name in _SINGLES:
            layout = _SINGLES[path.name]
            _read_record(path, name, layout, layout.kind, "", reading)
        elif path.name not in _OTHER_FILES:
            hint = did_you_mean(path.name, (*_SINGLES, *_OTHER_FILES))
            reading.report(name, f"expected one of {_listed((*_SINGLES, *_OTHER_FILES))}, found `{path.name}`", hint)
    _report_missing(data_dir, shown, reading)
    return reading


def _report_missing(data_dir: Path, shown: str, reading: Reading) -> None:
    """Notes what a site cannot be made without, and methods that nobody can estimate."""
    for kind in REQUIRED:
        if not (data_dir / f"{kind}.yml").exists():
            reading.report(f"{shown}/{kind}.yml", "expected a file, found nothing")
    for method in METHOD_IDS:
        if method not in reading.seen["method"]:
            reading.report(f"{shown}/methods/{method}.yml", "expected a file, found nothing")
    for method in sorted(reading.seen["method"].difference(METHOD_IDS)):
        message = f"expected one of the methods {_listed(METHOD_IDS)}, found `{method}`"
        reading.report(f"{shown}/methods/{method}.yml", message, did_you_mean(method, METHOD_IDS))
    for needed in ("model", "gpu", "rig"):
        layout = next(each for each in LAYOUTS if each.kind == needed)
        if not reading.seen[layout.kind]:
            reading.report(f"{shown}/{layout.folder}", f"expected at least one {layout.pattern}, found none")


def _listed(names: Mapping[str, object] | tuple[str, ...]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _read_folder(folder: Path, shown: str, layout: Layout, reading: Reading, between: str = "") -> None:
    wants_folder = layout.nested and not between
    for path in children(folder, shown, reading.errors):
        name = f"{shown}/{path.name}"
        inner = _INNER_FOLDERS.get(f"{layout.folder}/{path.name}")
        if inner is not None and path.is_dir():
            _read_folder(path, name, inner, reading)
        elif path.is_dir() != wants_folder:
            what = "a folder" if path.is_dir() else "a file"
            reading.report(name, f"expected {shown.split('/')[0]}/{layout.pattern}, found {what} here")
        elif wants_folder:
            if _valid_id(path.name, name, reading):
                _read_folder(path, name, layout, reading, path.name)
        elif path.suffix != ".yml":
            hint = "rename it to end in `.yml`" if path.suffix == ".yaml" else ""
            reading.report(name, f"expected a name that ends in `.yml`, found `{path.name}`", hint)
        elif _valid_id(path.stem, name, reading):
            _read_record(path, name, layout, path.stem, between, reading)


LONGEST_ID = 80


def is_reserved(record_id: str) -> bool:
    """Whether the address of this id would be taken for that of a file."""
    return record_id == "index" or record_id.endswith(RESERVED_SUFFIXES)


def _valid_id(candidate: str, shown: str, reading: Reading) -> bool:
    if len(candidate) <= LONGEST_ID and re.fullmatch(ID_PATTERN, candidate):
        if not is_reserved(candidate):
            return True
        message = f"expected an id that makes an address, found `{candidate}`, which looks like a file"
        reading.report(shown, message, "the file's name is the id")
        return False
    message = f"expected lower-case ASCII letters and digits joined by `-` or `.`, found `{candidate}`"
    meant = slug(candidate)
    rename = f": rename it to `{meant}`" if re.fullmatch(ID_PATTERN, meant) and len(meant) <= LONGEST_ID else ""
    reading.report(shown, message, f"the file's name is the id{rename}")
    return False


def _is_config(document: Document) -> bool:
    """Whether somebody has put what Hugging Face calls config.json in the place of a record."""
    keys = document.root.items or {}
    return "model_type" in keys and "architecture" not in keys and ("architectures" in keys or "hidden_size" in keys)


def _keys(path: Path) -> Iterator[str]:
    """What looks like an indented key in a file that cannot be read as YAML."""
    try:
        with path.open("rb") as file:
            text = file.read(MAX_BYTES).decode("utf-8", "replace")
    except OSError:
        return
    for match in _KEY.finditer(text):
        yield match[1]


def _read_record(path: Path, shown: str, layout: Layout, record_id: str, between: str, reading: Reading) -> None:
    reading.seen[layout.kind].add(record_id)
    if layout.kind == "model":
        reading.families.add(between)
    document, errors = read_document(path, shown)
    reading.errors.extend(errors)
    if document is None:
        reading.unreadable = True
        reading.keys_of_unreadable.update(_keys(path))
        return
    if layout.kind == "model" and _is_config(document):
        message = "expected the fields of a model's file, found a config.json"
        errors = [
            DataError(shown, 1, 1, "", message, f"move it out of data/, and `{COMMAND} add model` makes a file of it")
        ]
        reading.errors.extend(errors)
        reading.broken.append(Broken(layout.kind, record_id, document))
        return
    inline = document.root.child("sources")
    if inline is not None:
        # A list where keys belong is one error, and none of those that cite what it holds.
        for each in (inline, *(inline.elements or ())):
            reading.seen["source"].update(each.items or ())
    blanks = blank_errors(document, layout.record)
    reading.errors.extend(blanks)
    try:
        record = layout.record.model_validate(document.root.plain)
    except ValidationError as error:
        found = complaints(error, document, document.root, layout.record)
        reading.errors.extend(without_echoes(found, blanks))
        reading.broken.append(Broken(layout.kind, record_id, document))
        return
    if errors or blanks:
        reading.broken.append(Broken(layout.kind, record_id, document))
    else:
        reading.entries.append(Entry(layout.kind, record_id, between, record, document))
