"""What each framework can express, and what it does by itself whatever one asks for.

A framework takes a plan of a recipe and returns the plan that its files will really run: settings that the library
decides are put in, and what it has no setting for is refused. That plan, and no other, is estimated and printed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from generator.catalog.stack_records import Framework
from generator.estimate import Plan
from generator.estimate.plan import Dtype


class CannotExpress(Exception):
    """A setting of the plan that the framework has no word for."""

    def __init__(self, framework: str, field: str, value: object) -> None:
        self.framework, self.field, self.value = framework, field, value
        super().__init__(f"{framework} has no setting for {field} = {value}")


@dataclass(frozen=True, slots=True)
class FrameworkFiles:
    """One framework: how it changes a plan, and the files that it reads."""

    id: Framework
    adapt: Callable[[Plan], Plan]
    """The plan that its files run; raises CannotExpress."""
    templates: Callable[[Plan], Mapping[str, str]]
    """File name → template, of the files that hold the plan's settings."""


def _refuse(framework: str, plan: Plan, field: str, allowed: Collection[object]) -> None:
    """Raises CannotExpress for a value that the framework does not have."""
    value = getattr(plan, field)
    if value not in allowed:
        raise CannotExpress(framework, field, value)


TRL_OPTIMIZERS: Mapping[tuple[str, str], str] = MappingProxyType(
    {
        ("adamw", "fused"): "adamw_torch_fused",
        ("adamw", "foreach"): "adamw_torch",
        ("adamw-bf16", "fused"): "adamw_torch_fused",
        ("adamw-bf16", "foreach"): "adamw_torch",
        ("adamw-8bit", "fused"): "adamw_8bit",
        ("paged-adamw-8bit", "fused"): "paged_adamw_8bit",
        ("adafactor", "fused"): "adafactor",
        ("lion", "fused"): "lion_32bit",
        ("sgd", "fused"): "sgd",
    }
)
"""Optimizer and implementation of a plan → `optim` of transformers' TrainingArguments. States follow the type of the
weights, so that one word serves fp32 and bf16 states. Source: transformers 5.24.0, training_args.py, OptimizerNames."""
SHARDED_OPTIMIZERS: Mapping[tuple[str, str], str] = MappingProxyType(
    {key: name for key, name in TRL_OPTIMIZERS.items() if key[0] in ("adamw", "adamw-bf16", "sgd")}
    | {("adamw-8bit", "fused"): "adamw_torch_8bit"}
)
"""The same under FSDP2, whose parameters are DTensors: torchao's 8-bit AdamW knows them, bitsandbytes' does not
(bitsandbytes 0.50.2, optim/, has no DTensor; torchao 0.18.0 README: works out of the box with FSDP2)."""
_GEMMA_3 = ("Gemma3DecoderLayer", "SiglipEncoderLayer")
_GEMMA_4 = ("Gemma4TextDecoderLayer", "Gemma4VisionEncoderLayer")
WRAPPED_LAYERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    dict.fromkeys(("gemma-3-4b", "gemma-3-12b", "gemma-3-27b"), _GEMMA_3)
    | dict.fromkeys(("gemma-4-26b-a4b", "gemma-4-31b"), _GEMMA_4)
)
"""Model → the classes of its layers, where its own list names some that it does not have (`_no_split_modules` of
transformers 5.24.0: the pooling head of SigLIP, the audio layers of Gemma 4) and Accelerate stops at the first of them
(accelerate 1.15.0, utils/fsdp_utils.py, fsdp2_prepare_auto_wrap_policy). The class of a model does not decide it: the
small ones of Gemma 4 hear, and so have every layer that their class names."""
DENSE_PRECISIONS = ("bf16-mixed", "bf16-pure", "fp32")
ATTENTION = ("sdpa", "eager")
"""Attention without a package of its own: no set of versions in data/stack/environments has flash-attn."""


def optimizer_of(plan: Plan) -> str:
    """`optim` of TrainingArguments for this plan; raises CannotExpress."""
    table = SHARDED_OPTIMIZERS if plan.sharding == "fsdp2" else TRL_OPTIMIZERS
    key = (plan.optimizer, plan.optimizer_impl)
    if key not in table:
        raise CannotExpress("trl", "optimizer", f"{plan.optimizer}, {plan.optimizer_impl}, {plan.sharding}")
    return table[key]


def _states_follow_weights(framework: str, plan: Plan) -> None:
    """bf16 states go with bf16 weights and fp32 states with fp32 ones: no framework here mixes them for AdamW."""
    pure = plan.precision == "bf16-pure"
    if (plan.optimizer == "adamw-bf16") is not pure and plan.optimizer in ("adamw", "adamw-bf16"):
        raise CannotExpress(framework, "optimizer", f"{plan.optimizer} with {plan.precision}")


def _common(framework: str, plan: Plan, shardings: Collection[str]) -> None:
    _refuse(framework, plan, "precision", DENSE_PRECISIONS)
    _refuse(framework, plan, "sharding", shardings)
    _refuse(framework, plan, "quant", ("none", "nf4", "nf4-dq"))
    if framework != "torchtitan":  # which has kernels of PyTorch for it
        _refuse(framework, plan, "attention", ATTENTION)
    if not plan.trains_adapters:
        _states_follow_weights(framework, plan)


def adapt_trl(plan: Plan) -> Plan:
    """TRL 1.16 with Accelerate 1.15.

    The loss is always computed in chunks (sft_trainer.py, add_fused_lm_head); adapters over a 4-bit base are cast to
    bf16 and others to fp32; FSDP2 reduces in the compute type, makes units of embedding and head, and under mixed
    precision turns everything that is trained into fp32 (accelerate/utils/fsdp_utils.py, fsdp2_prepare_model).
    """
    _common("trl", plan, ("none", "ddp", "fsdp2"))
    _refuse("trl", plan, "cpu_offload", ("none",))
    optimizer_of(plan)
    return replace(
        plan,
        fused_ce=True,
        reduce_dtype="fp32" if plan.precision == "fp32" else "bf16",
        root_wrap="separate",
        adapter_dtype=_adapters(plan, quantised="fp32" if plan.sharding == "fsdp2" else "bf16", plain="fp32"),
    )


def adapt_deepspeed(plan: Plan) -> Plan:
    """TRL 1.16 with DeepSpeed 0.19 at ZeRO stage 3, the optimizer on the cards or in host memory.

    One card has nothing to split, but its optimizer may lie in host memory. Adapters are bf16 at stage 3
    (sft_trainer.py: mixed types of persistent parameters fail there).
    """
    if plan.n_gpus > 1:
        plan = replace(plan, sharding="zero3")
    elif plan.cpu_offload == "none":
        raise CannotExpress("deepspeed", "n_gpus", 1)
    _refuse("deepspeed", plan, "precision", ("bf16-mixed",))
    _refuse("deepspeed", plan, "optimizer", ("adamw",))
    _refuse("deepspeed", plan, "optimizer_impl", ("fused",))
    _refuse("deepspeed", plan, "quant", ("none", "nf4", "nf4-dq"))
    _refuse("deepspeed", plan, "attention", ATTENTION)
    return replace(
        plan,
        fused_ce=True,
        reduce_dtype="bf16",
        root_wrap="separate",
        adapter_dtype=_adapters(plan, quantised="bf16", plain="bf16"),
        load_on_card=splits_base(plan),
    )


def adapt_axolotl(plan: Plan) -> Plan:
    """Axolotl 0.19 with Accelerate 1.13: Liger's fused loss, embedding and head in the root unit.

    Its own fsdp2_prepare_model (monkeypatch/accelerate/fsdp2.py) keeps the type that weights were loaded in, which
    `bf16: true` makes bf16: full fine-tuning has neither fp32 weights nor fp32 states. Kernels for adapters, which it
    turns on unless told otherwise (utils/schemas/config.py), are off: the estimate does not model them. Its validator
    refuses cpu_ram_efficient_loading of a 4-bit base under FSDP2 (utils/schemas/validation.py).
    """
    _common("axolotl", plan, ("none", "ddp", "fsdp2"))
    _refuse("axolotl", plan, "cpu_offload", ("none",))
    _refuse("axolotl", plan, "method", ("full", "lora", "qlora"))
    optimizer_of(plan)
    if not plan.trains_adapters and plan.precision == "bf16-mixed":
        plan = replace(
            plan, precision="bf16-pure", optimizer="adamw-bf16" if plan.optimizer == "adamw" else plan.optimizer
        )
    return replace(
        plan,
        fused_ce=True,
        kernels="stock",
        reduce_dtype="fp32" if plan.precision == "fp32" else "bf16",
        root_wrap="root" if plan.sharding == "fsdp2" else plan.root_wrap,
        adapter_dtype=_adapters(plan, quantised="fp32", plain="fp32"),
        load_on_card=splits_base(plan),
    )


def adapt_llama_factory(plan: Plan) -> Plan:
    """LLaMA-Factory 0.9.5 with Accelerate 1.11: embedding and head in the root unit, all kernels of Liger at once.

    Adapters are trained without FSDP2: with mixed precision that Accelerate turns the whole model into fp32, the frozen
    base too (accelerate 1.11.0, utils/fsdp_utils.py, fsdp2_prepare_model).
    """
    _common("llama-factory", plan, ("none", "ddp") if plan.trains_adapters else ("none", "ddp", "fsdp2"))
    _refuse("llama-factory", plan, "cpu_offload", ("none",))
    optimizer_of(plan)
    return replace(
        plan,
        fused_ce=True,
        kernels="fused",
        reduce_dtype="fp32" if plan.precision == "fp32" else "bf16",
        root_wrap="root" if plan.sharding == "fsdp2" else plan.root_wrap,
        adapter_dtype=_adapters(plan, quantised="fp32", plain="fp32"),
    )


def adapt_torchtitan(plan: Plan) -> Plan:
    """Torchtitan 0.3: pretraining; gradients are reduced in fp32, the loss is chunked, embedding and head are units.

    Attention is PyTorch's FlashAttention for documents of any length: SDPA is refused for language models
    (models/common/config_utils.py, get_attention_config).
    """
    _common("torchtitan", plan, ("none", "ddp", "fsdp2"))
    _refuse("torchtitan", plan, "cpu_offload", ("none",))
    _refuse("torchtitan", plan, "method", ("pretrain",))
    _refuse("torchtitan", plan, "optimizer", ("adamw", "adamw-bf16"))
    _refuse("torchtitan", plan, "optimizer_impl", ("fused",))
    _refuse("torchtitan", plan, "attention", ("sdpa", "flash"))
    _refuse("torchtitan", plan, "grad_checkpointing", (True,))
    return replace(plan, attention="flash", fused_ce=True, kernels="stock", reduce_dtype="fp32", root_wrap="separate")


def splits_base(plan: Plan) -> bool:
    """Whether a quantised base is loaded whole before it is split over the cards.

    It is so on every card: transformers 5.24.0, quantizers/quantizer_bnb_4bit.py, update_device_map, and what is built
    on it. TRL's train.py alone does otherwise: there it waits in host memory.
    """
    return plan.quant != "none" and plan.sharded


def _adapters(plan: Plan, quantised: Dtype, plain: Dtype) -> Dtype:
    """Type of the adapters; as it stands where nothing has any."""
    if not plan.trains_adapters:
        return plan.adapter_dtype
    return plain if plan.quant == "none" else quantised


def _trl_files(_: Plan) -> Mapping[str, str]:
    return {"sft.yaml": "sft.yaml.j2", "accelerate.yaml": "accelerate.yaml.j2", "train.py": "train.py"}


def _deepspeed_files(plan: Plan) -> Mapping[str, str]:
    return {**_trl_files(plan), "ds_zero3.json": "ds_zero3.json.j2"}


def _axolotl_files(_: Plan) -> Mapping[str, str]:
    return {"axolotl.yaml": "axolotl.yaml.j2", "measure_axolotl.py": "measure_axolotl.py"}


def _llama_factory_files(_: Plan) -> Mapping[str, str]:
    own = {"llama_factory.yaml": "llama_factory.yaml.j2", "dataset_info.json": "dataset_info.json.j2"}
    return {**own, "accelerate.yaml": "accelerate.yaml.j2", "run.py": "run.py"}


def _torchtitan_files(_: Plan) -> Mapping[str, str]:
    return {"pretrain.py": "pretrain.py.j2", "measure_torchtitan.py": "measure_torchtitan.py"}


FRAMEWORKS: Mapping[Framework, FrameworkFiles] = MappingProxyType(
    {
        each.id: each
        for each in (
            FrameworkFiles("trl", adapt_trl, _trl_files),
            FrameworkFiles("deepspeed", adapt_deepspeed, _deepspeed_files),
            FrameworkFiles("axolotl", adapt_axolotl, _axolotl_files),
            FrameworkFiles("llama-factory", adapt_llama_factory, _llama_factory_files),
            FrameworkFiles("torchtitan", adapt_torchtitan, _torchtitan_files),
        )
    }
)
