"""The records of data/, one class for each kind of file. An id is the file's name and never stands inside.

Hardware and sources have modules of their own.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from generator.catalog.architecture_record import ArchitectureRecord
from generator.catalog.fields import (
    Citation,
    Cited,
    HubId,
    Id,
    Line,
    Many,
    NotNegative,
    PartialDate,
    PositiveFloat,
    PositiveInt,
    Record,
    Text,
)
from generator.catalog.hardware_records import EccPair as EccPair
from generator.catalog.hardware_records import Gpu as Gpu
from generator.catalog.hardware_records import Platform as Platform
from generator.catalog.hardware_records import Rig as Rig
from generator.catalog.source_record import Source as Source
from generator.catalog.source_record import SourceType as SourceType


class ParametersRecord(Record):
    """How many parameters, by count and by what the vendor says."""

    exact: Cited[PositiveInt]
    """Tied tensors once, frozen towers included, no buffers."""
    stated_billions: Cited[PositiveFloat] | None = None
    """The vendor's round figure, in units of 10⁹."""


class Model(Record):
    """A language model that somebody may want to train."""

    name: Line
    family: Line
    """Display name of the family; the folder is its id."""
    vendor: Line
    hugging_face: Many[HubId] = ()
    """Repository ids of its base and instruct variants with this shape."""
    aliases: Many[Line] = ()
    modality: Literal["text", "text-and-vision"] = "text"
    objective: Literal["causal-lm", "embedding", "reranker"] = "causal-lm"
    derived_from: Id | None = None
    released: Cited[PartialDate] | None = None
    licence: Cited[Line] | None = None
    gated: Cited[bool] | None = None
    context_tokens: Cited[PositiveInt] | None = None
    card: Id
    """The source to show first: the official card."""
    architecture: ArchitectureRecord
    parameters: ParametersRecord
    note: Text | None = None
    sources: dict[str, Source] = {}


Precision = Literal["bf16-mixed", "bf16-pure", "fp32"]
Optimizer = Literal["adamw", "adamw-bf16", "adamw-8bit"]
Sharding = Literal["none", "ddp", "zero3", "fsdp1", "fsdp2"]


class Settings(Record):
    """Everything about a training run but the model, the rig and the workload."""

    precision: Precision
    optimizer: Optimizer
    optimizer_impl: Literal["foreach", "fused"] = "fused"
    sharding: Sharding
    """On one GPU every value means `none`."""
    cpu_offload: Literal["none", "optimizer"] = "none"
    grad_checkpointing: bool = True
    attention: Literal["flash", "sdpa", "eager"] = "sdpa"
    fused_ce: bool = False
    """The loss never materialises the logits (fused linear cross-entropy)."""
    kernels: Literal["stock", "fused"] = "stock"
    reduce_dtype: Literal["bf16", "fp32"] = "bf16"
    root_wrap: Literal["root", "separate"] = "separate"
    """Whether embedding and head are units of their own for sharding."""
    quant: Literal["none", "nf4", "nf4-dq"] = "none"
    adapter_dtype: Literal["fp32", "bf16"] = "fp32"


class Recipe(Record):
    """One rung of a ladder: settings that somebody can run, and what they cost."""

    id: Id
    name: Text
    settings: Settings
    compromise: bool = False
    """Gives up quality or speed that the rung above has: at best borderline."""
    gives_up: Text | None = None
    needs: Many[Literal["bf16", "several-gpus"]] = ()
    platforms: Many[Platform] = ()
    """Software platforms that the libraries of the recipe run on; any when empty."""
    summary: Text
    citations: Many[Citation] = ()

    @model_validator(mode="after")
    def _says_what_it_costs(self) -> Recipe:
        if self.compromise and self.gives_up is None:
            raise ValueError("expected gives_up in both languages, found none: a compromise says what it costs")
        return self


class Method(Record):
    """A way to train, with its ladder of recipes from the one you would want to the one you would put up with."""

    order: PositiveInt
    name: Text
    short: Text
    """The name in a table's head."""
    summary: Text
    trains: Literal["all", "adapters"]
    goal: Literal["fine-tuning", "pretraining"]
    ladder: Annotated[tuple[Recipe, ...], Field(strict=False, min_length=1)]
    citations: Many[Citation] = ()


class StackItem(Record):
    """One line of the practical stack."""

    order: PositiveInt
    text: Text
    why: Text
    methods: Many[Literal["full", "lora", "qlora", "pretrain"]] = ()
    """Which methods it concerns; all when empty."""
    avoid: bool = False
    """The line says what not to use."""
    citations: Annotated[tuple[Citation, ...], Field(strict=False, min_length=1)]


class Reasoned(Record):
    """A number that we chose, with the reason."""

    value: PositiveFloat
    reason: Text
    citations: Many[Citation] = ()


class SpeedClass(Record):
    """How much of its dense peak a card reaches in training, by the closest card that runs were measured on."""

    id: Id
    name: Text
    cautious: PositiveFloat
    expected: PositiveFloat
    best: PositiveFloat
    reason: Text
    citations: Annotated[tuple[Citation, ...], Field(strict=False, min_length=1)]


class SizeClass(Record):
    """A column of the capability map: parameters below `below_billions` and not in a smaller class."""

    id: Id
    name: Text
    below_billions: PositiveFloat | None


class Workload(Record):
    """The training step that verdicts are given for."""

    seq_len: Reasoned
    micro_batch: Reasoned
    grad_accum: Reasoned
    lora_rank: Reasoned
    lora_targets: Literal["q+v", "qkvo", "all-linear"]
    ecc: Literal["on", "off"]
    context_variants: Annotated[tuple[PositiveInt, ...], Field(strict=False, min_length=1)]
    """Context lengths whose effect is shown beside a verdict."""
    grad_accum_variant: PositiveInt
    """Micro-batches per step whose effect is shown beside a verdict."""


class Policy(Record):
    """What comfortable, borderline and not recommended mean."""

    workload: Workload
    comfortable_ratio: Reasoned
    borderline_ratio: Reasoned
    compromise_ratio: Reasoned
    link_bound_below: Reasoned
    link_note_below: Reasoned
    pretrain_tokens_per_parameter: Reasoned
    pretrain_comfortable_days: Reasoned
    pretrain_borderline_days: Reasoned
    finetune_tokens: Reasoned
    finetune_comfortable_hours: Reasoned
    finetune_borderline_hours: Reasoned
    size_classes: Annotated[tuple[SizeClass, ...], Field(strict=False, min_length=1)]
    pretraining_sizes_billions: Many[PositiveFloat]
    headline_share: Reasoned
    """Share of a class' dense text models that are comfortable where the headline names the class."""
    fresh_days: Reasoned
    home_rig: Id | None = None
    """Rig that the home page reports on and that other pages take as their example; the first by id if left out."""
    speed_classes: Many[SpeedClass] = ()
    """Shares of the dense peak for cards that nobody has published training runs of."""


class Constant(Record):
    """A number of the memory or time model."""

    value: NotNegative
    unit: Line
    kind: Literal["stated", "computed", "measured", "assumed"]
    reason: Text
    citations: Many[Citation] = ()


class Formula(Record):
    """What a step of the estimate computes, in words, and where its formula comes from."""

    text: Text
    citations: Many[Citation] = ()


class Constants(Record):
    """data/constants.yml: constants of the estimate, and its formulas in words, by name."""

    constants: dict[Id, Constant]
    formulas: dict[Id, Formula]
    """By the name of the step in generator/estimate, with hyphens for underscores."""

    @cached_property
    def formula_sources(self) -> Mapping[str, str]:
        """Step of the estimate → ids of the sources of its formula, separated by commas; worked out once."""
        return {
            name.replace("-", "_"): ", ".join(citation.source for citation in formula.citations)
            for name, formula in self.formulas.items()
        }

    @cached_property
    def numbers(self) -> Mapping[str, float]:
        """Every number under its id with underscores for hyphens, as the formulas name it; worked out once."""
        return {name.replace("-", "_"): constant.value for name, constant in self.constants.items()}

    @cached_property
    def memo(self) -> dict[Any, Any]:
        """Results that rest on these constants and were worked out before (generator/estimate/remembered.py)."""
        return {}

    def value(self, name: str) -> float:
        """The number called `name`; raises KeyError."""
        return self.constants[name].value
