"""What changed between two states of data/: values, entries, and verdicts with the reason why they flip."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, get_args

from generator.catalog import Catalog
from generator.catalog.loading import LAYOUTS
from generator.catalog.yaml_positions import read_document
from generator.verdict import setup_of, subject_of
from generator.verdict.ladder import choose, try_ladder

Key = tuple[str, str, str]
"""Rig, model and method."""
ReasonKind = Literal["data", "memory-model", "policy", "unknown"]
REASONS: tuple[ReasonKind, ...] = get_args(ReasonKind)
"""data: models, GPUs, rigs; memory-model: program and constants; policy: thresholds and ladders; unknown: nobody
can tell."""
PROVENANCE = frozenset(
    {"source", "as_printed", "where", "read", "reason", "kind", "also", "conflicts", "citations", "sources", "summary"}
)
"""Keys that say where a value comes from: an edit there changes no value."""
NOT_SHOWN = ("permalinks", "link-exceptions", "absent")
"""Kinds of file that no verdict and no page of values rests on."""

Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class FileId:
    """A file of data/ by what it describes."""

    kind: str
    id: str
    path: str
    """Path below data/."""


@dataclass(frozen=True, slots=True)
class ChangedValue:
    """One value that is not what it was; none stands for a field that is not there."""

    file: FileId
    field: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class Flip:
    """A verdict that changed."""

    rig: str
    model: str
    method: str
    before: str
    after: str
    reasons: tuple[ReasonKind, ...] = ()


@dataclass(frozen=True, slots=True)
class Difference:
    """Everything that changed."""

    values: tuple[ChangedValue, ...]
    added: tuple[FileId, ...]
    removed: tuple[FileId, ...]
    remarks: int
    """Edits of texts and provenance."""
    flips: tuple[Flip, ...]
    appeared: Mapping[Key, str] = field(default_factory=dict)
    """Verdicts that only the new state has."""
    gone: Mapping[Key, str] = field(default_factory=dict)
    """Verdicts that only the old state has."""

    @property
    def empty(self) -> bool:
        """Whether nothing changed at all."""
        files = self.values or self.added or self.removed or self.remarks
        return not (files or self.flips or self.appeared or self.gone)


Files = Mapping[FileId, Mapping[str, Any]]


def read_plain(data_dir: Path) -> dict[FileId, Mapping[str, Any]]:
    """Every YAML file of a data/ as plain data; a file that cannot be read is empty."""
    found: dict[FileId, Mapping[str, Any]] = {}
    for layout in LAYOUTS:
        if layout.kind in NOT_SHOWN:
            continue
        single = not layout.folder
        pattern = (
            f"{layout.kind}.yml"
            if single
            else f"{layout.folder}/*/*.yml"
            if layout.nested
            else f"{layout.folder}/*.yml"
        )
        for path in sorted(data_dir.glob(pattern)):
            if not path.is_symlink():
                relative = path.relative_to(data_dir).as_posix()
                document, _ = read_document(path, relative)
                found[FileId(layout.kind, path.stem, relative)] = document.root.plain if document else {}
    return found


def compare_files(before: Files, after: Files) -> tuple[tuple[ChangedValue, ...], int]:
    """Values that changed in files that both states have, and how many texts and remarks on origin did."""
    values: list[ChangedValue] = []
    remarks = 0
    old_paths = {(file.kind, file.id): file for file in before}
    for file, plain in after.items():
        old = old_paths.get((file.kind, file.id))
        if old is None:
            continue
        one, other = dict(_leaves(before[old], "")), dict(_leaves(plain, ""))
        for path in dict.fromkeys([*other, *one]):
            if one.get(path) == other.get(path) and (path in one) == (path in other):
                continue
            if file.kind == "source" or _is_remark(path):
                remarks += 1
            else:
                values.append(ChangedValue(file, path, one.get(path), other.get(path)))
    return tuple(values), remarks


def _is_remark(field: str) -> bool:
    steps = field.split(".")
    return not PROVENANCE.isdisjoint(steps) or steps[-1] in ("ru", "en")


def _leaves(value: Any, path: str) -> Iterator[tuple[str, str]]:
    """Dotted path and text of every value; a cited value without its `value`, a list of scalars as one."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            step = path if key == "value" and path else f"{path}.{key}".lstrip(".")
            yield from _leaves(item, step)
    elif isinstance(value, list) and any(isinstance(item, Mapping | list) for item in value):
        for index, item in enumerate(value):
            name = item.get("id") if isinstance(item, Mapping) else None
            yield from _leaves(item, f"{path}.{name if isinstance(name, str) else index}")
    elif isinstance(value, list):
        yield path, ", ".join(map(_text, value))
    else:
        yield path, _text(value)


def _text(value: Scalar) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.12g}" if isinstance(value, float) else str(value)


def flips_between(before: Mapping[Key, str], after: Mapping[Key, str]) -> Iterator[Flip]:
    """Verdicts of rigs, models and methods that both tables have and that differ, in the order of their ids."""
    for key in sorted(before.keys() & after.keys()):
        if before[key] != after[key]:
            yield Flip(*key, before[key], after[key])


def alone(these: Mapping[Key, str], others: Mapping[Key, str]) -> dict[Key, str]:
    """Verdicts of rigs, models and methods that only the first table has; none where there is no second one."""
    return {key: these[key] for key in sorted(these.keys() - others.keys())} if others else {}


def with_reasons(
    flips: Iterable[Flip], before: Catalog | None, after: Catalog, files: tuple[Files, Files] | None = None
) -> Iterator[Flip]:
    """Each flip with what caused it: the old data are computed again, then given the new parts one after another.

    `before` is none where the old data cannot be read by this program; then `files`, the old and the new ones, say
    what it may have been. Without them nobody can tell.
    """
    for flip in flips:
        if before is not None:
            yield replace(flip, reasons=_reasons(flip, before, after))
        elif files is not None:
            yield replace(flip, reasons=_by_exclusion(flip, after, *files))
        else:
            yield replace(flip, reasons=("unknown",))


def _by_exclusion(flip: Flip, after: Catalog, old: Files, new: Files) -> tuple[ReasonKind, ...]:
    """What of the things that the verdict rests on differs; the memory model where nothing else does."""
    one, other = ({(file.kind, file.id): plain for file, plain in files.items()} for files in (old, new))

    def differs(*keys: tuple[str, str]) -> bool:
        return any(one.get(key) != other.get(key) for key in keys)

    gpu = after.rigs[flip.rig].gpu if flip.rig in after.rigs else ""
    data = differs(("model", flip.model), ("rig", flip.rig), ("gpu", gpu))
    policy = differs(("policy", "policy"), ("method", flip.method))
    model = differs(("constants", "constants")) or not (data or policy)
    found: dict[ReasonKind, bool] = {"data": data, "memory-model": model, "policy": policy}
    return tuple(reason for reason, changed in found.items() if changed)


def _reasons(flip: Flip, before: Catalog, after: Catalog) -> tuple[ReasonKind, ...]:
    constants = replace(before, constants=after.constants)
    policy = replace(constants, policy=after.policy, methods=after.methods)
    stages: tuple[tuple[ReasonKind, Catalog], ...] = (
        ("memory-model", before), ("memory-model", constants), ("policy", policy), ("data", after),
    )  # fmt: skip
    found: list[ReasonKind] = []
    last = flip.before
    for reason, catalog in stages:
        now = verdict_of(catalog, flip.rig, flip.model, flip.method)
        if now != last:
            found.append(reason)
        last = now
    return tuple(dict.fromkeys(found))


def verdict_of(catalog: Catalog, rig: str, model: str, method: str) -> str:
    """One verdict of a catalogue; `unknown` where it lacks the rig, the model or the method."""
    if rig not in catalog.rigs or model not in catalog.models or method not in catalog.methods:
        return "unknown"
    subject = subject_of(catalog, model)
    rungs = () if subject.shape.unmodelled else try_ladder(catalog, subject, method, setup_of(catalog, rig))
    return choose(rungs)[0] if rungs else "unknown"


def difference(
    before: Files, after: Files, flips: Iterable[Flip], appeared: Mapping[Key, str], gone: Mapping[Key, str]
) -> Difference:
    """Everything that changed between two states."""
    values, remarks = compare_files(before, after)
    old, new = ({(file.kind, file.id): file for file in files} for files in (before, after))
    return Difference(
        values=values,
        added=tuple(file for key, file in new.items() if key not in old),
        removed=tuple(file for key, file in old.items() if key not in new),
        remarks=remarks,
        flips=tuple(flips),
        appeared=appeared,
        gone=gone,
    )
