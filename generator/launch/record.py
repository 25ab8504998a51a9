"""`trainfit.json`: the one record that every other file of a configuration is written from, and read by its scripts."""

from __future__ import annotations

from dataclasses import asdict, fields
from typing import Any

from generator.architecture import LORA_TARGETS
from generator.catalog.catalogue import Catalog
from generator.catalog.measurements import Measurement
from generator.estimate import Plan
from generator.launch.job import KEPT_CHECKPOINTS, Job

NO_SETTINGS = ("shape", "model", "gpu", "bus_gb_per_s", "ecc")
"""Fields of a plan that describe the model and the machine, not the run."""


def settings_of(plan: Plan) -> dict[str, Any]:
    """Every setting of the run by its name, as plain JSON."""
    return {
        field.name: list(value) if isinstance(value := getattr(plan, field.name), tuple) else value
        for field in fields(plan)
        if field.name not in NO_SETTINGS
    }


def record_of(catalog: Catalog, job: Job, language: str) -> dict[str, Any]:
    """The record of a job without its messages."""
    result = job.estimate
    gpu = catalog.gpus[job.plan.gpu]
    speed = result.tokens_per_sec_per_gpu
    return {
        "data_date": catalog.data_date.isoformat(),
        "language": language,
        "framework": job.framework,
        "model": job.model,
        "hugging_face": job.hugging_face,
        "rig": job.rig,
        "method": job.method,
        "recipe": job.recipe,
        "settings": settings_of(job.plan),
        "expected": {
            "peak_gib": asdict(result.peak_gib),
            "peak_phase": result.peak_phase,
            "overhead_gib": result.overhead_gib,
            "usable_gib": result.usable_gib,
            "ecc": job.plan.ecc,
            "tokens_per_sec_per_gpu": asdict(speed) if speed else None,
            "gpu": gpu.name,
            "gpu_names": [gpu.name, *gpu.aliases],
            "gpus": job.plan.n_gpus,
            "memory_mib": {"on": gpu.usable_mib.on.value, "off": gpu.usable_mib.off.value},
            "visible_gib": {"on": gpu.framework_visible_gib.on.value, "off": gpu.framework_visible_gib.off.value},
            "p2p": _p2p(catalog, job),
            "host_gib": job.host_gib,
            "disk_gib": job.disk_gib,
            "first_disk_gib": job.first_disk_gib,
            "checkpoints": KEPT_CHECKPOINTS + 1,
        },
        "python": job.environment.python,
        "cuda": job.environment.cuda,
        "packages": dict(job.environment.packages),
        "row": measurement_row(job),
    }


def _p2p(catalog: Catalog, job: Job) -> bool | None:
    """Whether the rig's file says that its cards reach each other; none for a rig of which nothing is said."""
    rig = catalog.rigs.get(job.rig)
    return rig.interconnect.p2p.value if rig else None


def measurement_row(job: Job) -> dict[str, str]:
    """A row of data/measurements/ with everything that is known before the run; the rest is empty."""
    plan = job.plan
    targets = next((name for name, targets in LORA_TARGETS.items() if targets == plan.lora_targets), "")
    adapters = ("lora_targets", "lora_rank", "lora_dropout", "adapter_dtype")
    known: dict[str, Any] = {
        **{name: value for name, value in settings_of(plan).items() if plan.trains_adapters or name not in adapters},
        "id": f"{job.rig}-{job.model}-{job.method}-{job.framework}",
        "where": job.recipe,
        "model": job.hugging_face,
        "shape": job.model,
        "gpu": plan.gpu,
        "lora_targets": targets if plan.trains_adapters else "",
    }
    return {name: _cell(known.get(name, "")) for name in Measurement.model_fields}


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "y" if value else "n"
    return "" if value is None else f"{value}"
