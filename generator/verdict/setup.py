"""The machine that is judged: a rig of the catalogue, or n cards of one kind about which nothing else is known."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from generator.architecture import LORA_TARGETS, Architecture, shape_of_size
from generator.catalog.catalogue import Catalog
from generator.catalog.records import Gpu, Method, Recipe
from generator.estimate import Plan
from generator.verdict.results import ReasonId


@dataclass(frozen=True, slots=True)
class Setup:
    """What a verdict depends on besides model and method."""

    name: str
    """Id of the rig, or `<n>x-<gpu>`."""
    gpu: str
    count: int
    host_memory_gib: float | None
    """None where nobody stated it: then recipes that need host memory are left out."""
    bus_gb_per_s: float | None
    ecc: Literal["on", "off"]

    def with_gpus(self, count: int) -> Setup:
        """The same machine with another number of cards."""
        return replace(self, count=count)


def setup_of(catalog: Catalog, rig: str) -> Setup:
    """The rig called `rig`; raises UnknownIdError."""
    rig_id = catalog.resolve_rig(rig)
    record = catalog.rigs[rig_id]
    return Setup(
        name=rig_id,
        gpu=record.gpu,
        count=record.count,
        host_memory_gib=record.host_memory_gib.value,
        bus_gb_per_s=record.interconnect.bus_gb_per_s.value,
        ecc=catalog.policy.workload.ecc,
    )


def ad_hoc_rig(
    catalog: Catalog, gpu: str, count: int, host_memory_gib: float | None = None, bus_gb_per_s: float | None = None
) -> Setup:
    """`count` cards called `gpu` in a machine of which nothing else is known; raises UnknownIdError."""
    gpu_id = catalog.resolve_gpu(gpu)
    return Setup(f"{count}x-{gpu_id}", gpu_id, count, host_memory_gib, bus_gb_per_s, catalog.policy.workload.ecc)


@dataclass(frozen=True, slots=True)
class Subject:
    """A model as far as a verdict needs it."""

    id: str
    shape: Architecture
    context_tokens: int | None
    """Longest context of the model; none where it is not stated."""


def subject_of(catalog: Catalog, model: str) -> Subject:
    """The model called `model`; raises UnknownIdError."""
    model_id = catalog.resolve_model(model)
    record = catalog.models[model_id]
    context = record.context_tokens.value if record.context_tokens else None
    return Subject(model_id, record.architecture.shape(), context)


def subject_of_size(billions: float) -> Subject:
    """The stand-in for a bare size, called `size-1.5` and so on."""
    return Subject(f"size-{billions:g}", shape_of_size(billions * 1e9), None)


def applies(recipe: Recipe, setup: Setup) -> bool:
    """Whether a recipe makes sense on this machine at all."""
    if "several-gpus" in recipe.needs and setup.count == 1:
        return False
    return recipe.settings.cpu_offload == "none" or setup.host_memory_gib is not None


def missing(recipe: Recipe, gpu: Gpu) -> tuple[ReasonId, ...]:
    """What a recipe needs and the card has not: the number format it computes in, the platform of its libraries."""
    found: list[ReasonId] = []
    if "bf16" in recipe.needs and not gpu.bf16.value:
        found.append("needs-bf16")
    if recipe.platforms and gpu.platform not in recipe.platforms:
        found.append("needs-platform")
    return tuple(found)


@lru_cache(maxsize=4096)
def without_tower(shape: Architecture) -> Architecture:
    """The language model alone; the same object each time, so that its counts are looked up and not made again."""
    return replace(shape, tower_parameters=0)


def plan_for(catalog: Catalog, subject: Subject, method_id: str, recipe: Recipe, setup: Setup) -> Plan:
    """The plan of a recipe for the reference workload of the policy."""
    method: Method = catalog.methods[method_id]
    workload = catalog.policy.workload
    settings = dict(vars(recipe.settings))  # not dict(model), which takes ten times as long: sites try 270,000 plans
    if setup.count == 1:
        settings["sharding"] = "none"
    # Pretraining starts without the vision tower: it would be trained elsewhere and joined later.
    shape = without_tower(subject.shape) if method.goal == "pretraining" else subject.shape
    return Plan(
        model=subject.id,
        shape=shape,
        gpu=setup.gpu,
        n_gpus=setup.count,
        method=method_id,  # type: ignore[arg-type]  # Plan checks it
        seq_len=int(workload.seq_len.value),
        micro_batch=int(workload.micro_batch.value),
        grad_accum=int(workload.grad_accum.value),
        lora_rank=int(workload.lora_rank.value),
        lora_targets=LORA_TARGETS[workload.lora_targets] if method.trains == "adapters" else (),
        ecc=setup.ecc,
        bus_gb_per_s=setup.bus_gb_per_s,
        **settings,
    )
