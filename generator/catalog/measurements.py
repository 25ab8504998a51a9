"""data/measurements/*.csv: published measured runs that the estimate is checked against. Never used for a verdict."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Annotated, Literal

import pandas as pd
from pydantic import BeforeValidator, Field, ValidationError, model_validator

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


def read_measurements(
    data_dir: Path, models: Collection[str], sources: Collection[str]
) -> tuple[tuple[Measurement, ...], list[DataError]]:
    """All rows of all files in the order of files and rows, and what is wrong with the others."""
    rows: list[Measurement] = []
    errors: list[DataError] = []
    seen: dict[str, str] = {}
    for path in sorted((data_dir / "measurements").glob("*.csv")):
        shown = f"{data_dir.name}/measurements/{path.name}"
        for line, cells in _cells(path, shown, errors):
            row = _row(shown, line, cells, errors)
            if row is None:
                continue
            errors.extend(_dangling(shown, line, row, models, sources))
            if row.id in seen:
                errors.append(
                    DataError(shown, line, 1, "id", f"expected an id of its own, found that of {seen[row.id]}")
                )
            seen[row.id] = f"{shown}:{line}"
            rows.append(row)
    return tuple(rows), errors


def _cells(path: Path, shown: str, errors: list[DataError]) -> Iterator[tuple[int, dict[str, str]]]:
    """Line number and cells of each row; a file that is no CSV adds an error."""
    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
    except (ValueError, UnicodeDecodeError) as error:
        errors.append(DataError(shown, 1, 1, "", f"expected a UTF-8 CSV table, found {str(error).splitlines()[0]}"))
        return
    for line, row in enumerate(table.to_dict("records"), start=2):
        yield line, {str(name): str(value) for name, value in row.items()}


def _row(shown: str, line: int, cells: dict[str, str], errors: list[DataError]) -> Measurement | None:
    try:
        return Measurement.model_validate(cells)
    except ValidationError as invalid:
        for problem in invalid.errors():
            column = str(problem["loc"][0]) if problem["loc"] else ""
            found = f"found `{cells.get(column, '')}`" if column else "found otherwise"
            errors.append(DataError(shown, line, 1, column, f"expected {problem['msg'].lower()}, {found}"))
        return None


def _dangling(
    shown: str, line: int, row: Measurement, models: Collection[str], sources: Collection[str]
) -> Iterator[DataError]:
    if row.shape not in models:
        yield DataError(shown, line, 1, "shape", f"expected the id of a model, found `{row.shape}`")
    if row.source not in sources:
        yield DataError(shown, line, 1, "source", f"expected the id of a source, found `{row.source}`")
