"""The records of hardware: a GPU, and a rig of several of them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from generator.catalog.fields import (
    Citation,
    Cited,
    CitedBlock,
    Id,
    Line,
    Many,
    PartialDate,
    PositiveFloat,
    PositiveInt,
    Record,
    Text,
)
from generator.catalog.source_record import Source


class EccPair(Record):
    """A value with error correction on and off."""

    on: Cited[PositiveFloat]
    off: Cited[PositiveFloat]

    def of(self, ecc: Literal["on", "off"]) -> Cited[PositiveFloat]:
        """The value for this state of ECC."""
        return self.on if ecc == "on" else self.off


class Sustained(CitedBlock):
    """Model TFLOPS per GPU that training reaches: attention counted with the causal credit, recomputation not."""

    speed_class: Id | None = None
    """Class of data/policy.yml whose shares of the dense peak these are; none where runs on the card itself say it."""
    cautious: Cited[PositiveFloat]
    expected: Cited[PositiveFloat]
    best: Cited[PositiveFloat]


class Price(Cited[PositiveFloat]):
    """A price with the time that it is from."""

    as_of: PartialDate


Platform = Literal["cuda", "rocm", "gaudi", "xpu"]
"""The software that drives a card: PyTorch's own CUDA or ROCm, or a vendor's bridge to it."""


class Gpu(Record):
    """One kind of accelerator. What nobody was seen to state is left out: it is unknown."""

    name: Line
    vendor: Line
    chip_architecture: Line
    platform: Platform
    segment: Literal["data-centre", "workstation", "consumer"]
    """Whom it is sold to: decides what the driver allows, and how fast FP32 accumulation is."""
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
    """Total that nvidia-smi, or its like, reports."""
    framework_visible_gib: EccPair
    """Total that PyTorch reports for the device."""
    ecc: Cited[Literal["inline", "sideband", "none"]] | None = None
    """inline: ECC takes a part of the memory; sideband: it has bits of its own; none: there is none to turn on."""
    bf16_dense_tflops: Cited[PositiveFloat] | None = None
    """Matrix peak with FP32 accumulation, without structured sparsity; none where the card has no bf16."""
    bf16_sparse_tflops: Cited[PositiveFloat] | None = None
    """The same with structured sparsity: the larger figure of the brochures."""
    fp16_dense_tflops: Cited[PositiveFloat] | None = None
    """Matrix peak in fp16 of a card without bf16."""
    sustained_tflops: Sustained
    bf16: Cited[bool]
    compute_capability: Cited[Line] | None = None
    """NVIDIA's compute capability, AMD's LLVM target."""
    nvlink: Cited[bool] | None = None
    nvlink_gb_per_s: Cited[PositiveFloat] | None = None
    """Both directions together, as vendors print it."""
    p2p: Cited[Literal["supported", "expected", "nvlink-only", "unsupported"]] | None = None
    pcie: Cited[Line] | None = None
    tdp_w: Cited[PositiveFloat]
    released: Cited[PartialDate] | None = None
    launch_price_usd: Price | None = None
    street_price_usd: Price | None = None
    note: Text | None = None
    sources: dict[str, Source] = {}

    @property
    def dense_tflops(self) -> Cited[PositiveFloat] | None:
        """Matrix peak of the 16-bit format that the card trains in: bf16, or fp16 where it has no bf16."""
        return self.bf16_dense_tflops or self.fp16_dense_tflops


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
