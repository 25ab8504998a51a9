"""Published measured runs that the estimate is checked against. Never used for a verdict.

A row says what its source says of that run; a blank cell is not stated. What a source's scripts, configurations or
libraries take where nothing is stated stands beside it as documented defaults, each with the place where it was read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from generator.architecture import Architecture
from generator.catalog.fields import Date, HttpsUrl, Id, Line, Many, PositiveFloat, PositiveInt, Record, Text
from generator.catalog.yaml_positions import resolve
from generator.units import MemoryUnit, gib_from_printed


def _number(value: object) -> object:
    """A number out of a cell, as in the YAML files; what is none stays text, so that validation says what was found."""
    found = resolve(str(value))
    return found if isinstance(found, int | float) and not isinstance(found, bool) else value


def _nothing(value: object) -> object:
    """None out of an empty cell."""
    return None if value == "" else value


def _yes_or_no(value: object) -> object:
    return {"y": True, "n": False}.get(str(value), value)


BLANK = BeforeValidator(_nothing)
CellInt = Annotated[PositiveInt, BeforeValidator(_number)]
MaybeInt = Annotated[CellInt | None, BLANK]
MaybeFloat = Annotated[Annotated[PositiveFloat, BeforeValidator(_number)] | None, BLANK]
MaybeShare = Annotated[Annotated[float, BeforeValidator(_number), Field(ge=0, lt=1, strict=False)] | None, BLANK]
MaybeBool = Annotated[Annotated[bool, BeforeValidator(_yes_or_no)] | None, BLANK]
MaybeLine = Annotated[Line | None, BLANK]
Peak = Annotated[Annotated[PositiveFloat, BeforeValidator(_number), Field(lt=2048)] | None, BLANK]

LeftOut = Literal[
    "variable-length",
    "activation-offload",
    "parallelism",
    "float8",
    "other-adapter",
    "unnamed-card",
    "contradiction",
    "duplicate",
]
"""Why a row cannot be compared although its settings are stated. variable-length: samples of unknown length;
contradiction: the reading is impossible for the stated settings, or two people differ; other-adapter: not LoRA."""

Reading = Literal["max-allocated", "max-reserved", "nvidia-smi", "unspecified"]
"""What a peak is of: PyTorch's allocator, its cache, the whole card, or nobody said."""


class Measurement(Record):
    """One published run as its source prints it: settings, whether it finished, and what was read."""

    id: Id
    where: Line
    """Place in the source."""
    model: Line
    """Name of the model as published."""
    shape: Id
    """Model of the catalogue with the same architecture, or one of data/measurements/shapes.yml."""
    method: Literal["full", "lora", "qlora", "pretrain", "other"]
    n_gpus: CellInt
    gpu: Line
    outcome: Literal["finished", "failed"]
    """failed: it ran out of memory, or is presumed to have."""
    precision: Annotated[
        Literal["bf16-mixed", "bf16-pure", "fp16-mixed", "fp16-pure", "fp32", "other"] | None, BLANK
    ] = None
    optimizer: Annotated[
        Literal["adamw", "adamw-bf16", "adamw-8bit", "paged-adamw-8bit", "adafactor", "lion", "sgd", "other"] | None,
        BLANK,
    ] = None
    optimizer_impl: Annotated[Literal["foreach", "fused", "in-backward"] | None, BLANK] = None
    sharding: Annotated[Literal["none", "ddp", "zero1", "zero2", "zero3", "fsdp1", "fsdp2", "other"] | None, BLANK] = (
        None
    )
    cpu_offload: Annotated[Literal["none", "optimizer", "all"] | None, BLANK] = None
    seq_len: MaybeInt = None
    micro_batch: MaybeInt = None
    """Per GPU."""
    grad_accum: MaybeInt = None
    grad_sync: Annotated[Literal["each", "last"] | None, BLANK] = None
    grad_checkpointing: Annotated[Literal["y", "n", "selective"] | None, BLANK] = None
    attention: Annotated[Literal["flash", "sdpa", "eager"] | None, BLANK] = None
    compile: MaybeBool = None
    fused_ce: MaybeBool = None
    kernels: Annotated[Literal["stock", "fused"] | None, BLANK] = None
    reduce_dtype: Annotated[Literal["bf16", "fp32"] | None, BLANK] = None
    root_wrap: Annotated[Literal["root", "separate"] | None, BLANK] = None
    reshard: MaybeBool = None
    quant: Annotated[Literal["none", "nf4", "nf4-dq", "int8", "gptq-int4"] | None, BLANK] = None
    lora_rank: MaybeInt = None
    lora_targets: Annotated[Literal["q+v", "qkvo", "qkv+mlp", "all-linear"] | None, BLANK] = None
    lora_dropout: MaybeShare = None
    adapter_dtype: Annotated[Literal["fp32", "bf16"] | None, BLANK] = None
    frozen_dtype: Annotated[Literal["bf16", "fp32"] | None, BLANK] = None
    """Of frozen weights that are not quantised."""
    train_embeddings: MaybeBool = None
    kbit_preparation: MaybeBool = None
    shifted_logits: MaybeBool = None
    loss_upcast: MaybeBool = None
    """n: the model's own code takes the loss of 16-bit logits, without turning them to fp32."""
    chunked_ce: MaybeBool = None
    """y: 16-bit logits of all tokens exist, and the loss works through them in chunks."""
    whole_copy: MaybeBool = None
    """y: every GPU holds a whole copy of the checkpoint beside its shard while it loads."""
    matmul_keeps_input: MaybeBool = None
    """y: bitsandbytes before 0.43.2, whose 4-bit matrices keep their input."""
    fabric_quantization: MaybeBool = None
    """y: Lightning Fabric quantises the output head too, and everything from fp16."""
    fp32_logits: MaybeBool = None
    """y: the model puts out fp32 copies of its logits."""
    keeps_last_step: MaybeBool = None
    """y: the logits of a step live until the next forward has ended."""
    tied_embeddings: MaybeBool = None
    """n: the framework keeps embedding and head apart although the model ties them."""
    experts_as_modules: MaybeBool = None
    """y: experts are linear modules of their own, as in Transformers before 5, and are quantised like the rest."""
    gelu_kernel: MaybeBool = None
    """y: GELU is one kernel here although the model's own code puts it together of several operations."""
    ecc: Annotated[Literal["on", "off"] | None, BLANK] = None
    reading: Annotated[Reading | None, BLANK] = None
    peak: Peak = None
    """Per GPU, in `unit`."""
    unit: Annotated[MemoryUnit | None, BLANK] = None
    """As the source uses it: GB for 10⁹ bytes."""
    nvidia_smi_gib: Peak = None
    """What nvidia-smi showed beside it, per GPU, less the baseline."""
    tokens_per_sec_per_gpu: MaybeFloat = None
    left_out: Annotated[LeftOut | None, BLANK] = None
    note: MaybeLine = None

    @model_validator(mode="after")
    def _fits_together(self) -> Measurement:
        if len({self.peak is None, self.unit is None, self.reading is None}) > 1:
            raise ValueError("peak: expected all three of peak, unit and reading, or none")
        if self.outcome == "failed" and (self.peak is not None or self.tokens_per_sec_per_gpu is not None):
            raise ValueError("peak: expected no reading of a run that failed")
        if self.outcome == "finished" and self.peak is None and self.tokens_per_sec_per_gpu is None:
            raise ValueError("peak: expected a peak or a speed of a run that finished, found neither")
        return self

    @property
    def peak_gib(self) -> float | None:
        """The reading in GiB, whatever unit was printed."""
        return None if self.peak is None or self.unit is None else gib_from_printed(self.peak, self.unit)


NOT_SETTINGS = (
    "id", "where", "model", "shape", "outcome", "reading", "peak", "unit", "nvidia_smi_gib", "tokens_per_sec_per_gpu",
    "left_out", "note",
)  # fmt: skip
SETTINGS: tuple[str, ...] = tuple(name for name in Measurement.model_fields if name not in NOT_SETTINGS)
"""Columns that say how a run was set up."""
_ANY_ROW = {
    "id": "x", "where": "x", "model": "x", "shape": "x", "method": "full", "n_gpus": "1", "gpu": "x",
    "outcome": "failed",
}  # fmt: skip


class Default(Record):
    """What a source's own scripts or libraries take where a row says nothing."""

    setting: Line
    """Column of a measurement."""
    value: Line
    when: Mapping[str, str] = Field(default_factory=dict)
    """Cells that a row must have; a row without them is another case."""
    where: Line
    """File, page or code where it was read."""
    kind: Literal["documented", "assumed"] = "documented"

    @model_validator(mode="after")
    def _is_a_setting(self) -> Default:
        for name in self.when:
            if name not in Measurement.model_fields:
                raise ValueError(f"expected columns of a measurement, found `{name[:40]}`")
        if self.setting not in SETTINGS:
            raise ValueError(f"expected a column that is a setting, found `{self.setting[:40]}`")
        try:
            Measurement.model_validate({**_ANY_ROW, self.setting: self.value})
        except ValidationError:
            raise ValueError(f"expected a value of `{self.setting}`, found `{self.value[:40]}`") from None
        return self

    def applies(self, cells: Mapping[str, str]) -> bool:
        """Whether the row leaves this setting open and is of this case."""
        return not cells.get(self.setting) and all(cells.get(name, "") == value for name, value in self.when.items())


class MeasuredDefaults(Record):
    """data/measurements/<source>.yml: documented defaults of one source, the first that applies wins."""

    formulas_written_by: bool = False
    """Whether the formulas of the estimate were written by these runs; those of other sources only judge them."""
    held_out: bool = False
    """Whether these runs judge alone: no constant and no band is made of them, not even where a source is left out."""
    defaults: Many[Default]

    @model_validator(mode="after")
    def _one_of_both(self) -> MeasuredDefaults:
        if self.held_out and self.formulas_written_by:
            raise ValueError("expected held_out or formulas_written_by, found both")
        return self


class MeasuredShape(Record):
    """Where the shape in data/measurements/configs/<id>.json was read, and the published number of parameters."""

    source: Id | None = None
    url: HttpsUrl | None = None
    read: Date | None = None
    where: Line
    parameters: PositiveInt | None = None
    billions: PositiveFloat | None = None
    """Published figure in units of 10⁹, where no exact one is."""

    @model_validator(mode="after")
    def _complete(self) -> MeasuredShape:
        if (self.source is None) is (self.url is None) or (self.url is None) is not (self.read is None):
            raise ValueError("expected the id of a source, or a url with the day on which it was read")
        if (self.parameters is None) is (self.billions is None):
            raise ValueError("expected the exact number or billions")
        return self


class MeasuredShapes(Record):
    """data/measurements/shapes.yml: shapes of measured models that the catalogue does not have."""

    shapes: Mapping[Id, MeasuredShape]


class KnownMiss(Record):
    """Runs that the estimate is known to miss, and why."""

    name: Text
    sources: Many[Id]
    when: Mapping[str, Many[Line]]
    """Column of a measurement → values, one of which the run has, a default of its source counted in."""
    known: Literal["known", "probable", "unknown"]
    """Whether the reason was found, is only likely, or nobody knows it."""
    reason: Text

    @model_validator(mode="after")
    def _names_columns(self) -> KnownMiss:
        for name in self.when:
            if name not in Measurement.model_fields:
                raise ValueError(f"expected columns of a measurement, found `{name[:40]}`")
        return self

    def speaks_of(self, run: MeasuredRun) -> bool:
        """Whether the run is one of those that are meant."""
        cells = {name: _cell(getattr(run.settings, name)) for name in self.when}
        return run.source in self.sources and all(cells[name] in values for name, values in self.when.items())


def _cell(value: object) -> str:
    """A setting as a cell writes it."""
    if isinstance(value, bool):
        return "y" if value else "n"
    return "" if value is None else str(value)


class KnownMisses(Record):
    """data/measurements/known-misses.yml: what is known of the runs that the estimate misses."""

    misses: Mapping[Id, KnownMiss]


@dataclass(frozen=True, slots=True)
class MeasuredRun:
    """A published run with the defaults of its source filled in."""

    source: str
    published: Measurement
    settings: Measurement
    """The same row with defaults where the source says nothing of this run."""
    defaults: Mapping[str, Default]
    """Setting → the default that filled it."""
    shape: Architecture
    held_out: bool = False
    """Whether nothing is ever made from this run: it judges alone."""
    place: tuple[str, int, int] = ("", 1, 1)
    """File, line and column of the peak."""

    @property
    def id(self) -> str:
        """Id of the row."""
        return self.published.id
