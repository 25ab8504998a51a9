"""Reads data/measurements: rows of CSV with their places, documented defaults and shapes in YAML."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pydantic import ValidationError

from generator.architecture import Architecture, count_parameters
from generator.catalog.complaints import complaints, expected_words
from generator.catalog.fields import Record
from generator.catalog.folders import children, is_folder, is_regular
from generator.catalog.hints import did_you_mean, hint_words
from generator.catalog.hugging_face import shape_of_config
from generator.catalog.measured_cards import NOT_STATED, Cards
from generator.catalog.measured_rows import Row, read_rows
from generator.catalog.measurements import (
    Default,
    KnownMiss,
    KnownMisses,
    MeasuredDefaults,
    MeasuredRun,
    MeasuredShape,
    MeasuredShapes,
    Measurement,
)
from generator.catalog.rules.texts import text_findings
from generator.catalog.yaml_positions import Document, read_document
from generator.errors import DataError, UnsupportedArchitecture
from generator.units import billions

SHAPES = "shapes.yml"
KNOWN_MISSES = "known-misses.yml"
CONFIGS = "configs"
ROUNDING = 0.006
"""A published round number of billions is within this share of the count."""

T = TypeVar("T", bound=Record)


@dataclass(slots=True)
class MeasuredData:
    """Everything in data/measurements."""

    runs: list[MeasuredRun] = field(default_factory=list)
    shapes: dict[str, MeasuredShape] = field(default_factory=dict)
    known_misses: dict[str, KnownMiss] = field(default_factory=dict)
    fitting: set[str] = field(default_factory=set)
    """Ids of the sources by whose runs the formulas were written."""
    errors: list[DataError] = field(default_factory=list)


def cited_by_measurements(data_dir: Path) -> frozenset[str]:
    """Ids of the sources that the files of data/measurements are about, and of those of shapes."""
    folder = data_dir / "measurements"
    shapes = _record(folder / SHAPES, SHAPES, MeasuredShapes, [])
    named = {shape.source for shape in shapes.shapes.values() if shape.source} if shapes else set()
    return frozenset(named | {path.stem for path in folder.glob("*.csv")})


def read_measurements(
    data_dir: Path,
    models: Mapping[str, Architecture | None],
    sources: Collection[str],
    cards: Cards = Cards(),  # noqa: B008 - frozen
) -> MeasuredData:
    """All rows of all files in the order of files and rows, and what is wrong with the others.

    `models` holds the shapes of the catalogue; None for a model whose file is wrong. `cards` are those that rows may
    name, by the names that a source calls them.
    """
    data = MeasuredData()
    folder = data_dir / "measurements"
    shown = f"{data_dir.name}/measurements"
    shapes = {**models, **_shapes(folder, shown, sources, data)}
    seen: dict[str, str] = {}
    for path in children(folder, shown, data.errors) if is_folder(folder) else ():
        name = f"{shown}/{path.name}"
        if not _belongs(path):
            data.errors.append(DataError(name, 1, 1, "", *_wanted(path, folder)))
        elif path.suffix == ".csv":
            if path.stem not in sources:
                message = f"expected a name that is the id of a source, found `{path.stem}`"
                hint = did_you_mean(path.stem, sources) or f"say in sources/{path.stem}.yml who ran it and where"
                data.errors.append(DataError(name, 1, 1, "", message, hint))
            _read_file(path, name, Known(shapes, cards), seen, data)
    complete = not data.errors and None not in shapes.values()
    _read_known_misses(folder, f"{shown}/{KNOWN_MISSES}", data, complete=complete)
    return data


def _read_known_misses(folder: Path, shown: str, data: MeasuredData, *, complete: bool) -> None:
    """Known misses; one that speaks of no run adds an error, unless runs are left out for want of a model."""
    record, document = _read(folder / KNOWN_MISSES, shown, KnownMisses, data.errors)
    if record is None or document is None:
        return
    data.known_misses = dict(record.misses)
    data.errors += [_located(document, *found) for found in text_findings(record)]
    measured = sorted(path.stem for path in folder.glob("*.csv"))
    for name, miss in data.known_misses.items():
        unknown = [(at, source) for at, source in enumerate(miss.sources) if source not in measured]
        for at, source in unknown:
            message = f"expected the name of a CSV file beside this one, found `{source}`"
            hint = did_you_mean(source, measured)
            data.errors.append(_located(document, f"misses.{name}.sources.{at}", message, hint))
        if complete and not unknown and not any(miss.speaks_of(run) for run in data.runs):
            message = "expected runs with these values, found none"
            data.errors.append(_located(document, f"misses.{name}", message))


def _located(document: Document, field: str, message: str, hint: str = "") -> DataError:
    """An error at a field of a YAML file."""
    place = document.place_of(field)
    return DataError(document.path, place.line, place.column, field, message, hint, "measurements")


def _belongs(path: Path) -> bool:
    if path.name == CONFIGS:
        return path.is_dir()
    if path.suffix == ".yml":
        return path.is_file() and (path.name in (SHAPES, KNOWN_MISSES) or is_regular(path.with_suffix(".csv")))
    return path.suffix == ".csv" and path.is_file()


def _wanted(path: Path, folder: Path) -> tuple[str, str]:
    """Message and hint for a file that does not belong here."""
    if path.suffix == ".yml" and path.is_file():
        beside = [each.stem for each in folder.glob("*.csv") if is_regular(each)]
        hint = did_you_mean(path.stem, [*beside, Path(SHAPES).stem, Path(KNOWN_MISSES).stem])
        return f"expected {path.stem}.csv beside it, found no such file", hint or "it says what that file leaves open"
    message = f"expected `<source>.csv`, `<source>.yml`, `{SHAPES}`, `{KNOWN_MISSES}` or `{CONFIGS}`"
    found = "a folder" if path.is_dir() else f"`{path.name[:60]}`"
    return f"{message}, found {found}", "move or delete it"


def _record(path: Path, shown: str, record: type[T], errors: list[DataError]) -> T | None:
    """The record in a YAML file; None where there is none or it is wrong, which adds errors."""
    return _read(path, shown, record, errors)[0]


def _read(path: Path, shown: str, record: type[T], errors: list[DataError]) -> tuple[T | None, Document | None]:
    """The record in a YAML file with the places in it."""
    if not is_regular(path) or path.parent.is_symlink():
        return None, None
    document, wrong = read_document(path, shown)
    errors.extend(wrong)
    if document is None or wrong:
        return None, None
    try:
        return record.model_validate(document.root.plain), document
    except ValidationError as error:
        errors.extend(complaints(error, document, document.root, record))
        return None, None


def _shapes(folder: Path, shown: str, sources: Collection[str], data: MeasuredData) -> dict[str, Architecture | None]:
    """Shapes of configs/*.json, each with the number of parameters that was published; None for a file with errors."""
    record, document = _read(folder / SHAPES, f"{shown}/{SHAPES}", MeasuredShapes, data.errors)
    listed = record.shapes if record else {}
    found: dict[str, Architecture | None] = {}
    configs = folder / CONFIGS
    for path in (
        children(configs, f"{shown}/{CONFIGS}", data.errors) if is_folder(folder) and is_folder(configs) else ()
    ):
        name = f"{shown}/{CONFIGS}/{path.name}"
        if path.suffix != ".json" or path.is_dir() or (record and path.stem not in listed):
            message = f"expected a `<shape>.json` that {SHAPES} lists, found `{path.name[:60]}`"
            hint = did_you_mean(path.stem, listed) or f"say in {SHAPES} where it was read, or delete it"
            data.errors.append(DataError(name, 1, 1, "", message, hint))
            continue
        try:
            found[path.stem] = shape_of_config(path)
        except UnsupportedArchitecture as error:
            found[path.stem] = None
            cause = error.__cause__
            place = (cause.lineno, cause.colno) if isinstance(cause, json.JSONDecodeError) else (1, 1)
            data.errors.append(DataError(name, *place, "", str(error).removeprefix(f"{path}: "), "", "measurements"))
    if document is not None:
        for shape_id, shape in listed.items():
            for rest, message, hint in _wrong_shape(shape_id, shape, found, sources):
                data.errors.append(_located(document, f"shapes.{shape_id}{rest}", message, hint))
    data.shapes = dict(listed)
    return found


def _wrong_shape(
    shape_id: str, shape: MeasuredShape, found: Mapping[str, Architecture | None], sources: Collection[str]
) -> Iterator[tuple[str, str, str]]:
    """Rest of the field's path, message and hint."""
    if shape.source and shape.source not in sources:
        hint = did_you_mean(shape.source, sources)
        yield ".source", f"expected the id of a source, found `{shape.source}`", hint
    if shape_id not in found:
        yield "", f"expected {CONFIGS}/{shape_id}.json, found no such file", did_you_mean(shape_id, found)
    architecture = found.get(shape_id)
    if architecture is None:
        return
    counted = count_parameters(architecture).total
    if shape.parameters and counted != shape.parameters:
        yield ".parameters", f"expected {counted:,} as counted from the shape, found {shape.parameters:,}", ""
    if shape.billions and abs(billions(counted) / shape.billions - 1) > ROUNDING:
        message = f"expected {billions(counted):.3f} as counted from the shape, found {shape.billions:g}"
        yield ".billions", message, ""


@dataclass(frozen=True, slots=True)
class Known:
    """What the rows of a file may speak of."""

    shapes: Mapping[str, Architecture | None]
    cards: Cards


def _read_file(path: Path, shown: str, known: Known, seen: dict[str, str], data: MeasuredData) -> None:
    beside = f"{shown.removesuffix('.csv')}.yml"
    record = _record(path.with_suffix(".yml"), beside, MeasuredDefaults, data.errors)
    defaults = record.defaults if record else ()
    if record and record.formulas_written_by:
        data.fitting.add(path.stem)
    for row in read_rows(path, shown, data.errors):
        published = _measurement(row, row.cells, data.errors)
        if published is None:
            continue
        if published.id in seen:
            data.errors.append(row.error("id", f"expected an id of its own, found that of {seen[published.id]}"))
        seen[published.id] = f"{shown}:{row.line}"
        data.errors += _wrong_card(row, published, known.cards)
        if published.shape not in known.shapes:
            message = f"expected the id of a model or a shape, {row.found('shape')}"
            data.errors.append(row.error("shape", message, did_you_mean(published.shape, known.shapes)))
            continue
        used = _used(row.cells, defaults)
        filled = {**row.cells, **{name: default.value for name, default in used.items()}}
        settings = _measurement(row, filled, data.errors)
        shape = known.shapes[published.shape]
        if settings and shape:
            held_out = bool(record and record.held_out)
            data.runs.append(MeasuredRun(path.stem, published, settings, used, shape, held_out, row.place("peak")))


def _wrong_card(row: Row, run: Measurement, cards: Cards) -> Iterator[DataError]:
    """A card that nobody knows or that is read to hold more than it has; a row left out may, that is why it is."""
    if run.left_out != "unnamed-card" and not cards.knows(run.gpu):
        message = f"expected the name of a card, or `{NOT_STATED}`, {row.found('gpu')}"
        yield row.error("gpu", message, cards.hint(run.gpu))
    limit = cards.gib(run.gpu)
    for column, gib in (("peak", run.peak_gib), ("nvidia_smi_gib", run.nvidia_smi_gib)):
        if limit is not None and gib is not None and gib > limit and run.left_out is None:
            message = f"expected at most the {limit:g} GiB of `{run.gpu}`, found {gib:.4g} GiB"
            yield row.error(column, message, "a peak is per GPU, in `unit`")


def _used(cells: Mapping[str, str], defaults: Collection[Default]) -> dict[str, Default]:
    """The default of each setting that the row leaves open; a later one may build on an earlier one."""
    used: dict[str, Default] = {}
    filled = dict(cells)
    for default in defaults:
        if default.applies(filled):
            used[default.setting] = default
            filled[default.setting] = default.value
    return used


def _measurement(row: Row, cells: Mapping[str, str], errors: list[DataError]) -> Measurement | None:
    try:
        return Measurement.model_validate(dict(cells))
    except ValidationError as invalid:
        expected: dict[str, list[str]] = {}
        hints: dict[str, str] = {}
        for problem in invalid.errors():
            message = str(problem["msg"]).removeprefix("Value error, ")
            column = str(problem["loc"][0]) if problem["loc"] else message.partition(":")[0].partition(",")[0]
            if problem["type"] == "value_error":
                words = message.partition("expected ")[2]
            else:
                words = expected_words(problem["type"], problem.get("ctx", {}), message)
                hints[column] = hints.get(column) or hint_words(
                    problem["type"], problem.get("ctx", {}), problem["input"]
                )
            if words not in expected.setdefault(column, []):
                expected[column].append(words)
        for column, options in expected.items():
            message = f"expected {' or '.join(options)}, {row.found(column)}"
            errors.append(row.error(column, message, hints.get(column, "")))
        return None
