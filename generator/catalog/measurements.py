"""data/measurements/*.csv: published measured runs that the estimate is checked against. Never used for a verdict."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import pandas as pd
from pydantic import BeforeValidator, Field, ValidationError, model_validator

from generator.catalog.complaints import did_you_mean, expected_words
from generator.catalog.fields import Id, Line, PositiveFloat, PositiveInt, Record
from generator.errors import DataError


def _number(value: object) -> object:
    """A number out of a cell; what is none stays text, so that validation says what was found."""
    try:
        return float(str(value)) if "." in str(value) else int(str(value))
    except ValueError:
        return value


def _nothing(value: object) -> object:
    """None out of an empty cell."""
    return None if value == "" else value


def _yes_or_no(value: object) -> object:
    return {"y": True, "n": False}.get(str(value), value)


CellInt = Annotated[PositiveInt, BeforeValidator(_number)]
CellFloat = Annotated[PositiveFloat, BeforeValidator(_number)]
CellBool = Annotated[bool, BeforeValidator(_yes_or_no)]


class Measurement(Record):
    """One published run: its settings, whether it finished, and the peak that the allocator reported."""

    id: Id
    source: Id
    where: Line
    model: Line
    """Name of the model as published."""
    shape: Id
    """Model of the catalogue with the same architecture."""
    method: Literal["full", "lora", "qlora"]
    precision: Literal["bf16-mixed", "bf16-pure", "fp32"]
    optimizer: Literal["adamw", "adamw-bf16", "adamw-8bit"]
    optimizer_impl: Literal["foreach", "fused"]
    sharding: Literal["none", "ddp", "zero3", "fsdp1", "fsdp2"]
    n_gpus: CellInt
    gpu: Line
    seq_len: CellInt
    micro_batch: CellInt
    """Per GPU."""
    grad_checkpointing: CellBool
    attention: Literal["flash", "sdpa", "eager"]
    fused_ce: CellBool
    kernels: Literal["stock", "fused"]
    reduce_dtype: Literal["bf16", "fp32"]
    root_wrap: Literal["root", "separate"]
    quant: Literal["none", "nf4", "nf4-dq"]
    lora_rank: Annotated[CellInt | None, BeforeValidator(_nothing)]
    lora_targets: Annotated[Literal["q+v", "qkvo", "all-linear"] | None, BeforeValidator(_nothing)]
    outcome: Literal["finished", "failed"]
    """failed: it ran out of memory, or is presumed to have."""
    peak_gib: Annotated[Annotated[CellFloat, Field(lt=2048)] | None, BeforeValidator(_nothing)]
    """Maximum that PyTorch's allocator reported, per GPU; none for a run that failed."""

    @model_validator(mode="after")
    def _fits_together(self) -> Measurement:
        if (self.outcome == "finished") is (self.peak_gib is None):
            raise ValueError("peak_gib: expected a reading for a finished run alone")
        if (self.method == "full") is not (self.lora_rank is None and self.lora_targets is None):
            raise ValueError("lora_rank, lora_targets: expected both for lora and qlora alone")
        return self


@dataclass(frozen=True, slots=True)
class _Row:
    """One row of a file: its cells, and where each stands."""

    shown: str
    cells: Mapping[str, str]
    places: Mapping[str, tuple[int, int]]
    line: int

    def error(self, column: str, message: str) -> DataError:
        """An error at a cell; at the row where the column is missing."""
        line, at = self.places.get(column, (self.line, 1))
        return DataError(self.shown, line, at, column, message, "", "measurements")

    def found(self, column: str) -> str:
        """What stands in a cell, in words."""
        if column not in self.cells:
            return "found no such column"
        text = " ".join(self.cells[column].split())[:60]
        return f"found `{text}`" if text else "found nothing"


def read_measurements(
    data_dir: Path, models: Collection[str], sources: Collection[str]
) -> tuple[tuple[Measurement, ...], list[DataError]]:
    """All rows of all files in the order of files and rows, and what is wrong with the others."""
    rows: list[Measurement] = []
    errors: list[DataError] = []
    seen: dict[str, str] = {}
    for path in sorted((data_dir / "measurements").glob("*")):
        shown = f"{data_dir.name}/measurements/{path.name}"
        if path.suffix != ".csv" or path.name.startswith(".") or path.is_symlink() or not path.is_file():
            errors.append(DataError(shown, 1, 1, "", "expected a plain file that ends in `.csv`, found something else"))
            continue
        for row in _rows(path, shown, errors):
            measurement = _measurement(row, errors)
            if measurement is None:
                continue
            errors.extend(_dangling(row, measurement, models, sources))
            if measurement.id in seen:
                message = f"expected an id of its own, found that of {seen[measurement.id]}"
                errors.append(row.error("id", message))
            seen[measurement.id] = f"{shown}:{row.line}"
            rows.append(measurement)
    return tuple(rows), errors


def _rows(path: Path, shown: str, errors: list[DataError]) -> Iterator[_Row]:
    """The rows of a file; a file that is no CSV with the columns of a measurement adds an error."""
    try:
        text = path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
        places = _places(text)
        uneven = [row for row in places if len(row) != len(places[0])]
        for row in uneven:
            message = f"expected {len(places[0])} cells as in the header, found {len(row)}"
            errors.append(DataError(shown, *row[0], "", message, "", "measurements"))
        if uneven:
            return
        table = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False, index_col=False)
    except UnicodeDecodeError as error:
        message = f"expected UTF-8, found the byte 0x{error.object[error.start]:02X}"
        errors.append(DataError(shown, 1, 1, "", message))
        return
    except (ValueError, OSError) as error:
        found = " ".join(str(error).split())[:200]
        errors.append(DataError(shown, 1, 1, "", f"expected a table in CSV, found an error: {found}"))
        return
    columns = [str(name) for name in table.columns]
    for name in columns:
        if name not in Measurement.model_fields:
            line, at = places[0][columns.index(name)]
            visible = "".join(character if character.isprintable() else "\ufffd" for character in name[:60])
            message = f"expected one of the columns of a measurement, found `{visible}`"
            hint = did_you_mean(name, Measurement.model_fields)
            errors.append(DataError(shown, line, at, visible, message, hint))
    missing = [name for name in Measurement.model_fields if name not in columns]
    errors += [DataError(shown, 1, 1, name, "expected a column, found none") for name in missing]
    if missing or len(columns) > len(Measurement.model_fields):
        return
    for cells, starts in zip(table.to_dict("records"), places[1:], strict=False):
        named = {str(name): str(value) for name, value in cells.items()}
        yield _Row(shown, named, dict(zip(columns, starts, strict=False)), starts[0][0])


def _places(text: str) -> list[list[tuple[int, int]]]:
    """Line and column of every cell, both 1-based, for each row that is not empty."""
    rows: list[list[tuple[int, int]]] = [[]]
    line, column, quoted, fresh = 1, 1, False, True
    for character in text:
        if fresh and character not in "\r\n":
            rows[-1].append((line, column))
            fresh = False
        if character == '"':
            quoted = not quoted
        if character == "\n":
            line, column = line + 1, 0
            if not quoted:
                fresh = True
                if rows[-1]:
                    rows.append([])
        if character == "," and not quoted:
            # An empty cell starts where its comma ends, whatever follows.
            rows[-1].append((line, column + 1))
            fresh = False
        column += 1
    return [row for row in rows if row]


def _measurement(row: _Row, errors: list[DataError]) -> Measurement | None:
    try:
        return Measurement.model_validate(dict(row.cells))
    except ValidationError as invalid:
        expected: dict[str, list[str]] = {}
        for problem in invalid.errors():
            message = str(problem["msg"]).removeprefix("Value error, ")
            column = str(problem["loc"][0]) if problem["loc"] else message.partition(":")[0].partition(",")[0]
            if problem["type"] == "value_error":
                words = message.partition("expected ")[2]
            else:
                words = expected_words(problem["type"], problem.get("ctx", {}), message)
            if words not in expected.setdefault(column, []):
                expected[column].append(words)
        for column, options in expected.items():
            errors.append(row.error(column, f"expected {' or '.join(options)}, {row.found(column)}"))
        return None


def _dangling(
    row: _Row, measurement: Measurement, models: Collection[str], sources: Collection[str]
) -> Iterator[DataError]:
    if measurement.shape not in models:
        yield row.error("shape", f"expected the id of a model, {row.found('shape')}")
    if measurement.source not in sources:
        yield row.error("source", f"expected the id of a source, {row.found('source')}")
