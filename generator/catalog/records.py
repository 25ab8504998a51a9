"""The records of data/, one class for each kind of file. An id is the file's name and never stands inside."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Literal

from pydantic import Field, model_validator

from generator.catalog.architecture_record import ArchitectureRecord
from generator.catalog.fields import (
    Citation,
    Cited,
    CitedBlock,
    Date,
    HttpsUrl,
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

SourceType = Literal[
    "specification",
    "model-card",
    "paper",
    "documentation",
    "code",
    "dataset",
    "measurement",
    "discussion",
    "article",
]


class Package(Record):
    """A released package that was read, named without an address."""

    registry: Literal["PyPI", "npm", "Debian"]
    name: Line
    version: Line


class Source(Record):
    """One document. What it was read for stands at the values that cite it."""

    title: Line
    publisher: Line
    type: SourceType
    url: HttpsUrl | None = None
    package: Package | None = None
    published: PartialDate | None = None
    read: Date | None = None
    """Day on which it was read; none for a source that nobody opened."""
    language: Annotated[str, Field(pattern=r"^[a-z]{2}$")] = "en"
    licence: Line | None = None
    access: Literal["page", "copy", "package", "unread"]
    """page: read at its own address; copy: read in a stored or quoted copy; package: read in a released package;
    unread: known to exist, never quoted."""
    seen_at: HttpsUrl | None = None
    """Address of the copy, where one is public."""
    revision: Line | None = None
    """Commit, arXiv version or Hugging Face revision that was read."""
    summary: Text | None = None
    """What it says for our purpose, in our words."""

    @model_validator(mode="after")
    def _has_address(self) -> Source:
        if self.url is None and self.package is None:
            raise ValueError("expected a url or a package, found neither: a source can be looked up")
        if self.access == "unread" and self.read is not None:
            raise ValueError("expected no day of reading, found one: an unread source was not read")
        if self.access != "unread" and self.read is None:
            raise ValueError("expected the day on which it was read, found none")
        return self


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
    hugging_face: Many[Line] = ()
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


class EccPair(Record):
    """A value with error correction on and off."""

    on: Cited[PositiveFloat]
    off: Cited[PositiveFloat]

    def of(self, ecc: Literal["on", "off"]) -> Cited[PositiveFloat]:
        """The value for this state of ECC."""
        return self.on if ecc == "on" else self.off


class Sustained(CitedBlock):
    """Model TFLOPS per GPU that training reaches: attention counted with the causal credit, recomputation not."""

    cautious: Cited[PositiveFloat]
    expected: Cited[PositiveFloat]
    best: Cited[PositiveFloat]


class Gpu(Record):
    """One kind of accelerator."""

    name: Line
    vendor: Line
    chip_architecture: Line
    aliases: Many[Line] = ()
    misnomers: Many[Line] = ()
    """Names that people use for it and that name no card, or another one."""
    name_note: Text | None = None
    """The correction, said gracefully."""
    memory_label_gib: Cited[PositiveFloat]
    """What the label prints as GB."""
    memory_type: Cited[Line]
    bandwidth_gb_per_s: Cited[PositiveFloat]
    usable_mib: EccPair
    """Total that nvidia-smi reports."""
    framework_visible_gib: EccPair
    """Total that PyTorch reports for the device."""
    ecc: Cited[Line]
    bf16_dense_tflops: Cited[PositiveFloat]
    sustained_tflops: Sustained
    bf16: Cited[bool]
    compute_capability: Cited[Line] | None = None
    nvlink: Cited[bool]
    p2p: Cited[Literal["supported", "expected", "unsupported"]]
    pcie: Cited[Line]
    tdp_w: Cited[PositiveFloat]
    released: Cited[PartialDate] | None = None
    launch_price_usd: Cited[PositiveFloat] | None = None
    note: Text | None = None
    sources: dict[str, Source] = {}


class Interconnect(Record):
    """How the cards of a rig reach each other."""

    p2p: Cited[bool]
    bus_gb_per_s: Cited[PositiveFloat]
    """Sustained collective bandwidth per GPU, one direction."""


class Finding(Record):
    """A cited statement that the report of a rig rests on."""

    id: Id
    text: Text
    citations: Annotated[tuple[Citation, ...], Field(strict=False, min_length=1)]


class Rig(Record):
    """n cards of one kind in one machine."""

    name: Text
    gpu: Id
    count: PositiveInt
    host_memory_gib: Cited[PositiveFloat]
    interconnect: Interconnect
    question: Text | None = None
    """The question as people ask it."""
    families: Many[Id] = ()
    """Families, as folders of data/models, whose models the report names one by one; all of them when empty."""
    findings: Many[Finding] = ()
    aliases: Many[Line] = ()
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
    fresh_days: Reasoned


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

    def value(self, name: str) -> float:
        """The number called `name`; raises KeyError."""
        return self.constants[name].value
