"""From a plan to the numbers that the formulas start from. The only place where names become bytes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from generator.architecture import QkNorm, count_parameters, lora_parameters
from generator.catalog.records import Constants, Gpu
from generator.estimate.plan import Plan
from generator.units import BYTES_PER_GB, FLOPS_PER_TFLOPS

DTYPE_BYTES = {"fp32": 4.0, "bf16": 2.0}
"""Width of a number, by definition of the format."""

Kind = Literal["model", "plan", "constant", "gpu", "rig"]
"""What a number comes from."""


@dataclass(frozen=True, slots=True)
class PerParameter:
    """Bytes per parameter that full training or adapters keep, before sharding."""

    weight: float
    state: float
    gradient: float
    transient: float
    """Temporary of a foreach optimizer step."""
    compute: float


def _per_parameter(plan: Plan, constants: Constants) -> PerParameter:
    """States of the trained parameters (ZeRO, arXiv 1910.02054, section 3.1)."""
    compute = DTYPE_BYTES["fp32" if plan.precision == "fp32" else "bf16"]
    trained = plan.adapter_dtype if plan.trains_adapters else "bf16" if plan.precision == "bf16-pure" else "fp32"
    weight = DTYPE_BYTES[trained]
    state = {
        "adamw": 2 * weight,
        "adamw-bf16": 2 * DTYPE_BYTES["bf16"],
        "adamw-8bit": constants.value("adam-8bit-state-bytes"),
        "paged-adamw-8bit": constants.value("adam-8bit-state-bytes"),
        "sgd": 0.0,
    }[plan.optimizer]
    transient = weight if plan.optimizer_impl == "foreach" and plan.optimizer in ("adamw", "adamw-bf16") else 0.0
    return PerParameter(weight=weight, state=state, gradient=weight, transient=transient, compute=compute)


def _with_offload_and_zero(plan: Plan, per: PerParameter) -> PerParameter:
    """What DeepSpeed and offload change.

    DeepSpeed keeps 16-bit weights and gradients beside an fp32 master, which counts as a state; an offloaded optimizer
    takes master, states and gradients to the host (host-bytes-per-parameter counts all three).
    """
    if plan.sharding == "zero3" and plan.precision == "bf16-mixed" and not plan.trains_adapters:
        half = DTYPE_BYTES["bf16"]
        per = PerParameter(half, per.state + DTYPE_BYTES["fp32"], half, per.transient, per.compute)
    if plan.cpu_offload == "optimizer":
        per = PerParameter(per.weight, 0.0, 0.0, 0.0, per.compute)
    return per


def _model_inputs(plan: Plan) -> dict[str, float]:
    counts = count_parameters(plan.shape)
    shape = plan.shape
    adapters = lora_parameters(shape, plan.lora_rank, plan.lora_targets) if plan.trains_adapters else 0
    return {
        "linear_per_layer": counts.linear_per_layer,
        "small_per_layer": counts.small_per_layer,
        "embedding": counts.embedding,
        "head": counts.head,
        "final_norm": counts.final_norm,
        "tower": counts.tower,
        "adapters": adapters,
        "layers": shape.layers,
        "hidden": shape.hidden,
        "intermediate": shape.intermediate,
        "query_width": shape.query_width,
        "kv_width": shape.kv_width,
        "heads": shape.heads,
        "vocab": shape.vocab,
        "norms": shape.norms_per_layer,
        "norm_bytes": 10 if shape.fp32_norm else 8,
        "qk_norm": shape.qk_norm is not QkNorm.NONE,
    }


def _base_bytes(plan: Plan, weight: float) -> tuple[float, float, float]:
    """Bytes per parameter of the matrices, of everything else, and of a gathered matrix."""
    compute = DTYPE_BYTES["fp32" if plan.precision == "fp32" else "bf16"]
    if plan.method == "qlora":
        return 0.5, DTYPE_BYTES["bf16"], 0.5
    if plan.method == "lora":
        # The base is loaded in the computing type and stays frozen.
        return compute, compute, compute
    return weight, weight, compute


def _plan_inputs(plan: Plan, per: PerParameter) -> dict[str, float]:
    linear, other, gathered = _base_bytes(plan, per.weight)
    accumulates = plan.grad_accum > 1
    eight_bit = plan.optimizer in ("adamw-8bit", "paged-adamw-8bit") and not plan.trains_adapters
    return {
        "n_gpus": plan.n_gpus,
        "shards": plan.n_gpus if plan.sharded else 1,
        "sharded": plan.sharded,
        "replicated": plan.sharding == "ddp",
        "trains_adapters": plan.trains_adapters,
        "quantized": plan.quant != "none",
        "linear_bytes": linear,
        "other_bytes": other,
        "gathered_linear_bytes": gathered,
        "adapter_bytes": per.weight if plan.trains_adapters else 0,
        "state_bytes": per.state,
        "embedding_state_extra_bytes": 2 * DTYPE_BYTES["fp32"] - per.state if eight_bit and per.state else 0,
        "gradient_bytes": per.gradient,
        "transient_bytes": per.transient,
        "compute_bytes": per.compute,
        "reduce_bytes": DTYPE_BYTES[plan.reduce_dtype],
        "root_separate": plan.root_wrap == "separate",
        "in_backward": plan.optimizer_impl == "in-backward",
        "accumulates": accumulates,
        "unsharded_accumulation": accumulates and plan.grad_sync == "last",
        "gradient_reductions": 1 if plan.grad_sync == "last" else plan.grad_accum,
        "checkpointing": plan.grad_checkpointing,
        "eager": plan.attention == "eager",
        "fused_loss": plan.fused_ce,
        "offloaded": plan.cpu_offload == "optimizer",
        "seq_len": plan.seq_len,
        "tokens": plan.tokens,
        "grad_accum": plan.grad_accum,
    }


def chosen_constants(plan: Plan) -> dict[str, str]:
    """Input name → id of the constant in data/constants.yml that this plan calls for."""
    trains = "adapter" if plan.trains_adapters else "full"
    fused_logits = plan.kernels == "fused" or plan.compile
    chosen = {
        "activation_units": f"activation-units-{trains}-{plan.kernels}",
        "reference_activation_units": "reference-activation-units",
        "logits_bytes": f"logits-bytes-{'fused' if fused_logits else 'stock'}",
        "adapter_time_factor": "adapter-time-factor",
        "host_bytes": "host-bytes-per-parameter",
        "overhead_gib": f"overhead-gib-{'one-gpu' if plan.n_gpus == 1 else 'several-gpus'}",
        "error_low": f"error-low-{trains}",
        "error_high": f"error-high-{trains}",
    }
    if plan.quant != "none":
        chosen["quantization_constant_bytes"] = f"quantization-constant-bytes-{plan.quant}"
    if plan.trains_adapters and plan.sharded:
        chosen["extra_checkpoint_copies"] = "extra-checkpoint-copies-sharded-adapter"
        if plan.kernels == "stock":
            chosen["activation_units"] = "activation-units-adapter-stock-sharded"
    if plan.sharding == "zero3":
        chosen["bucket_elements"] = "zero-bucket-elements"
    return chosen


def _card_inputs(gpu: Gpu) -> dict[str, float]:
    return {
        "sustained_flops_cautious": gpu.sustained_tflops.cautious.value * FLOPS_PER_TFLOPS,
        "sustained_flops": gpu.sustained_tflops.expected.value * FLOPS_PER_TFLOPS,
        "sustained_flops_best": gpu.sustained_tflops.best.value * FLOPS_PER_TFLOPS,
    }


def inputs_of(plan: Plan, constants: Constants, gpu: Gpu | None) -> tuple[dict[str, float], dict[str, Kind]]:
    """Numeric inputs of the formulas, and what each is: model, plan, gpu, rig or constant.

    Without a GPU they suffice for memory, not for time.
    """
    per = _with_offload_and_zero(plan, _per_parameter(plan, constants))
    model = _model_inputs(plan)
    own = _plan_inputs(plan, per)
    chosen = {name: constants.value(id_) for name, id_ in chosen_constants(plan).items()}
    unused = {"quantization_constant_bytes": 0.0, "extra_checkpoint_copies": 0.0, "bucket_elements": 0.0}
    rig = {"bus_bytes_per_second": (plan.bus_gb_per_s or 0.0) * BYTES_PER_GB}
    groups: Mapping[Kind, Mapping[str, float]] = {
        "model": model,
        "plan": {**own, **{name: value for name, value in unused.items() if name not in chosen}},
        "constant": chosen,
        "gpu": _card_inputs(gpu) if gpu else {},
        "rig": rig,
    }
    values = {name: float(value) for group in groups.values() for name, value in group.items()}
    kinds = {name: kind for kind, group in groups.items() for name in group}
    return values, kinds
