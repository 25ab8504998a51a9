"""What the calculator takes from the catalogue: cards, rigs, recipes, constants and thresholds as plain JSON."""

from __future__ import annotations

from typing import Any

from generator.catalog import Catalog
from generator.catalog.records import EccPair, Gpu, Reasoned, Rig

__all__ = ["calculator_data", "engine_data"]


def _pair(pair: EccPair) -> dict[str, float]:
    return {"on": pair.on.value, "off": pair.off.value}


def _gpu(gpu: Gpu) -> dict[str, Any]:
    speed = gpu.sustained_tflops
    return {
        "framework_visible_gib": _pair(gpu.framework_visible_gib),
        "usable_mib": _pair(gpu.usable_mib),
        "sustained_tflops": {
            "cautious": speed.cautious.value,
            "expected": speed.expected.value,
            "best": speed.best.value,
        },
        "bandwidth_gb_per_s": gpu.bandwidth_gb_per_s.value,
        "bf16": gpu.bf16.value,
        "platform": gpu.platform,
        "tdp_w": gpu.tdp_w.value,
        "name": gpu.name,
        "names": [*gpu.aliases, *gpu.misnomers],
    }


def _rig(rig: Rig) -> dict[str, Any]:
    return {
        "gpu": rig.gpu,
        "count": rig.count,
        "host_memory_gib": rig.host_memory_gib.value,
        "bus_gb_per_s": rig.interconnect.bus_gb_per_s.value,
        "bus_kind": rig.interconnect.bus_gb_per_s.kind,
        "p2p": rig.interconnect.p2p.value,
    }


def engine_data(catalog: Catalog) -> dict[str, Any]:
    """What the engine needs to estimate any plan: cards, constants, thresholds."""
    return {
        "gpus": {gpu_id: _gpu(gpu) for gpu_id, gpu in catalog.gpus.items()},
        "constants": {name: constant.value for name, constant in catalog.constants.constants.items()},
        "policy": {name: value.value for name, value in catalog.policy if isinstance(value, Reasoned)},
    }


def calculator_data(catalog: Catalog) -> dict[str, Any]:
    """The same with rigs, methods with their recipes, and the reference workload."""
    workload = catalog.policy.workload
    return {
        **engine_data(catalog),
        "rigs": {rig_id: _rig(rig) for rig_id, rig in catalog.rigs.items()},
        "methods": {
            method_id: {
                "goal": method.goal,
                "trains": method.trains,
                "ladder": [
                    {
                        "id": recipe.id,
                        "settings": recipe.settings.model_dump(),
                        "compromise": recipe.compromise,
                        "needs": list(recipe.needs),
                        "platforms": list(recipe.platforms),
                    }
                    for recipe in method.ladder
                ],
            }
            for method_id, method in catalog.methods.items()
        },
        "workload": {
            "seq_len": int(workload.seq_len.value),
            "micro_batch": int(workload.micro_batch.value),
            "grad_accum": int(workload.grad_accum.value),
            "lora_rank": int(workload.lora_rank.value),
            "lora_targets": workload.lora_targets,
            "ecc": workload.ecc,
        },
    }
