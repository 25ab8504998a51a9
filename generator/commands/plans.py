"""From the options of `trainfit estimate`, or a row of a table of cases, to a training plan.

Both are the same: text by the name of a column. What is left out is filled in like this:

- A plan that names none of precision, optimizer and sharding gets the first recipe of its method's ladder: the one
  that verdicts start from.
- A plan that names one of them describes a run of its own: what it leaves out is what the libraries do by themselves
  (LIBRARY_DEFAULTS).
- The workload (tokens, micro-batch, LoRA rank and targets, ECC) is the reference workload of data/policy.yml.
- The link is that of a rig in the catalogue with the same cards in the same number; without one it is not counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from generator.architecture import LORA_TARGETS, Architecture, shape_of_size
from generator.architecture.counts import linear_shapes
from generator.catalog import Catalog
from generator.catalog.hugging_face import shape_of_config
from generator.commands.outcome import LARGEST, SMALLEST
from generator.errors import PlanError, UnsupportedArchitecture
from generator.estimate import Plan
from generator.estimate.plan import Offload, Optimizer, Precision, Quantization, Sharding
from generator.units import PARAMETERS_PER_BILLION

COLUMNS: Mapping[str, str] = {
    "model": "catalogue id, alias or Hugging Face id, or the path of a config.json",
    "model_config": "path of a Hugging Face config.json; wins over model",
    "params_b": "billions of parameters, where model and model_config are left out: a stand-in shape is taken",
    "method": "full, lora, qlora or pretrain (default: full)",
    "precision": "bf16-mixed, bf16-pure, fp16-mixed, fp16-pure or fp32",
    "optimizer": "adamw, adamw-bf16, adamw-8bit, paged-adamw-8bit, adafactor, lion, muon, sgd or sgd-momentum",
    "lora_rank": "rank of the adapters",
    "lora_targets": "q+v, qkvo, all-linear, or names of matrices joined by commas",
    "quant": "none, nf4, nf4-dq, int8 or gptq-int4",
    "sharding": "none, ddp, zero1, zero2, zero3, fsdp1 or fsdp2 (always none on one GPU)",
    "n_gpus": "number of GPUs (default: 1)",
    "gpu": "catalogue id or alias of the GPU",
    "cpu_offload": "none, optimizer or all",
    "seq_len": "tokens in a sequence",
    "micro_batch": "sequences per GPU and micro-step",
    "grad_accum": "micro-steps in an optimizer step",
    "grad_sync": "each or last: after which micro-steps gradients are reduced",
    "grad_checkpointing": "y or n",
    "attention": "flash, sdpa or eager",
    "fused_ce": "y or n: the loss never builds the whole logits",
    "compile": "y or n",
    "kernels": "stock or fused",
    "optimizer_impl": "foreach, fused or in-backward",
    "reduce_dtype": "bf16 or fp32",
    "root_wrap": "root or separate: whether embedding and head are sharding units of their own",
    "reshard": "y or n: whether sharded weights are given back after forward",
    "train_embeddings": "y or n: adapters train copies of embedding and head",
    "lora_dropout": "share of dropped inputs of the adapters",
    "chunked_ce": "y or n: the logits of all tokens exist in 16 bits, their fp32 copies in chunks (torchtune)",
    "whole_copy": "y or n: every card keeps a whole copy of the checkpoint beside its shard",
    "matmul_keeps_input": "y or n: 4-bit matrices keep their input (bitsandbytes before 0.43.2)",
    "fabric_quantization": "y or n: the output head is quantised too, everything from fp16 (Lightning Fabric)",
    "fp32_logits": "y or n: the model puts out fp32 copies of its logits (Lightning Fabric)",
    "keeps_last_step": "y or n: logits of the step before live until the next forward has ended (LitGPT)",
    "load_on_card": "y or n: a 4-bit base that is to be sharded is loaded whole onto every card",
    "kbit_preparation": "y or n: PEFT's prepare_model_for_kbit_training",
    "shifted_logits": "y or n: Transformers before 4.46 copies the fp32 logits",
    "adapter_dtype": "fp32 or bf16",
    "ecc": "on or off",
    "bus_gb_per_s": "sustained collective bandwidth per GPU, one direction",
}
"""Columns of a case, which are the options of one estimate too, and what may stand there."""

LIBRARY_DEFAULTS: Mapping[str, object] = {
    "precision": "bf16-mixed",
    "optimizer": "adamw",
    "optimizer_impl": "fused",
    "cpu_offload": "none",
    "grad_checkpointing": True,
    "attention": "sdpa",
    "fused_ce": False,
    "kernels": "stock",
    "reduce_dtype": "bf16",
    "root_wrap": "root",
    "grad_sync": "last",
    "adapter_dtype": "fp32",
}
"""The Hugging Face stack of today: Transformers takes the fused AdamW of PyTorch; wrapping by transformer layer leaves
embedding and head in the root unit; Accelerate reduces gradients after the last micro-batch unless `sync_each_batch`
is set; PEFT keeps adapters in fp32."""

RUN_DEFAULTS: Mapping[str, object] = {
    "grad_sync": "each",
    "lora_dropout": 0.0,
    "train_embeddings": False,
    "reshard": True,
    "kbit_preparation": False,
    "shifted_logits": False,
    "chunked_ce": False,
    "whole_copy": False,
    "matmul_keeps_input": False,
    "fabric_quantization": False,
    "fp32_logits": False,
    "keeps_last_step": False,
    "load_on_card": False,
}
"""What no recipe says."""

DESCRIBES_A_RUN = ("precision", "optimizer", "sharding")

SPELLINGS: Mapping[str, Mapping[str, str]] = {
    "optimizer": {
        "adamw bf16 states": "adamw-bf16",
        "adamw fp32": "adamw",
        "adamw-fp32": "adamw",
        "adamw8bit": "adamw-8bit",
        "adamw_8bit": "adamw-8bit",
        "paged_adamw8bit": "paged-adamw-8bit",
        "paged_adamw_8bit": "paged-adamw-8bit",
    },
    "quant": {"bnb-nf4": "nf4", "nf4(torchao)": "nf4", "bnb-nf4-dq": "nf4-dq"},
    "cpu_offload": {"n": "none", "no": "none", "y": "all", "yes": "all"},
    "sharding": {"fsdp": "fsdp1", "zero-3": "zero3", "deepspeed-zero3": "zero3"},
}
"""Other spellings of published runs."""

NOT_MODELLED: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "precision": (get_args(Precision), ("fp8", "fp8-mixed", "fp4", "mxfp4", "nvfp4")),
    "optimizer": (get_args(Optimizer), ("lion-8bit", "galore", "apollo", "badam", "lomo", "sophia")),
    "sharding": (get_args(Sharding), ("tp", "pp", "cp", "ep", "hsdp")),
    "quant": (get_args(Quantization), ("int4", "awq-int4", "fp4", "fp8", "hqq")),
    "cpu_offload": (get_args(Offload), ("params",)),
}
"""By column: what the estimate knows, and what exists besides and would be guesswork."""

YES, NO = ("y", "yes", "true", "1"), ("n", "no", "false", "0")

_TARGET_NAMES: Mapping[str, tuple[str, ...]] = {
    "q": ("q_proj",),
    "k": ("k_proj",),
    "v": ("v_proj",),
    "o": ("o_proj",),
    "mlp": ("gate_proj", "up_proj", "down_proj"),
}
_OTHER_ARCHITECTURES = ("c_attn", "c_proj", "c_fc", "w1", "w2", "w3", "qkv_proj", "gate_up_proj")
"""Names of matrices in models that pack them otherwise: a list of candidates may hold them."""


def plan_of(catalog: Catalog, case: Mapping[str, str]) -> Plan:
    """The plan that a case describes, by the defaults above.

    Raises PlanError, UnknownIdError or UnsupportedArchitecture, naming the column.
    """
    given = {column: text for column in COLUMNS if (text := (case.get(column) or "").strip()) not in ("", "unknown")}
    _refuse_what_is_not_modelled(given)
    model, shape = _model_of(catalog, given)
    if shape.unmodelled:
        raise UnsupportedArchitecture(f"model: expected kinds of layers that are modelled, found {_kinds(shape)}")
    method = catalog.resolve_method(given.get("method", "full"))
    gpu = catalog.resolve_gpu(_required(given, "gpu"))
    n_gpus = _whole(given.get("n_gpus", "1"), "n_gpus")
    settings = _settings(catalog, given, method, n_gpus)
    adapters = catalog.methods[method].trains == "adapters"
    if catalog.methods[method].goal == "pretraining":
        shape = replace(shape, tower_parameters=0)  # as in verdicts: a tower is trained elsewhere and joined later
    workload = catalog.policy.workload
    return Plan(
        model=model,
        shape=shape,
        gpu=gpu,
        n_gpus=n_gpus,
        method=method,  # type: ignore[arg-type]  # Plan checks it
        seq_len=_whole_or(given, "seq_len", workload.seq_len.value),
        micro_batch=_whole_or(given, "micro_batch", workload.micro_batch.value),
        grad_accum=_whole_or(given, "grad_accum", workload.grad_accum.value),
        compile=_flag(given, "compile", default=False),
        lora_rank=_whole_or(given, "lora_rank", workload.lora_rank.value),
        lora_targets=lora_targets(given.get("lora_targets", workload.lora_targets), shape) if adapters else (),
        ecc=_text(given, "ecc", workload.ecc),  # type: ignore[arg-type]  # Plan checks it
        bus_gb_per_s=_bus(catalog, given, gpu, n_gpus),
        **settings,
    )


def _kinds(shape: Architecture) -> str:
    return ", ".join(kind.replace("-", " ") for kind in shape.unmodelled)


def _settings(catalog: Catalog, given: Mapping[str, str], method: str, n_gpus: int) -> dict[str, Any]:
    recipe = catalog.methods[method].ladder[0].settings.model_dump()
    settings = {**RUN_DEFAULTS, **recipe}
    if any(column in given for column in DESCRIBES_A_RUN):
        settings.update(LIBRARY_DEFAULTS)
    for column, default in settings.items():
        if isinstance(default, bool):
            settings[column] = _flag(given, column, default=default)
        elif isinstance(default, float):
            settings[column] = _share(given, column, default)
        else:
            settings[column] = _text(given, column, str(default))
    if n_gpus == 1:
        settings["sharding"] = "none"
    return settings


def _refuse_what_is_not_modelled(given: Mapping[str, str]) -> None:
    for column, (modelled_values, others) in NOT_MODELLED.items():
        text = _text(given, column, "")
        if text in others:
            raise PlanError(f"{column}: expected one of {', '.join(modelled_values)}, found {text}: not modelled")


def _model_of(catalog: Catalog, given: Mapping[str, str]) -> tuple[str, Architecture]:
    model = given.get("model", "")
    config = given.get("model_config") or (model if model.endswith(".json") else "")
    if config:
        return Path(config).stem if not model or model == config else model, shape_of_config(Path(config))
    if model:
        model_id = catalog.resolve_model(model)
        return model_id, catalog.models[model_id].architecture.shape()
    if "params_b" in given:
        size = _number(given["params_b"], "params_b")
        return f"size-{size:g}", shape_of_size(size * PARAMETERS_PER_BILLION)
    raise PlanError("model: expected a model, a model_config or params_b, found none")


def _bus(catalog: Catalog, given: Mapping[str, str], gpu: str, n_gpus: int) -> float | None:
    if "bus_gb_per_s" in given:
        return _number(given["bus_gb_per_s"], "bus_gb_per_s")
    for rig in catalog.rigs.values():
        if rig.gpu == gpu and rig.count == n_gpus:
            return rig.interconnect.bus_gb_per_s.value
    return None


def lora_targets(text: str, shape: Architecture) -> tuple[str, ...]:
    """Names of the matrices that adapters wrap; raises PlanError for a name that the model does not have."""
    name = text.strip().lower()
    if name in ("all", "all-linear"):
        return LORA_TARGETS["all-linear"]
    if name in LORA_TARGETS:
        return LORA_TARGETS[name]
    known = tuple(linear_shapes(shape))
    chosen: list[str] = []
    for part in name.replace("+", ",").split(","):
        target = part.strip()
        names = _TARGET_NAMES.get(target, (target,))
        if names[0] in known:
            chosen += [each for each in names if each not in chosen]
        elif target not in _OTHER_ARCHITECTURES:
            options = ", ".join((*LORA_TARGETS, *known))
            raise PlanError(f"lora_targets: expected some of {options}, found `{_short(target)}`")
    if not chosen:
        raise PlanError(f"lora_targets: expected a matrix of this model ({', '.join(known)}), found `{_short(text)}`")
    return tuple(each for each in known if each in chosen)


def _required(given: Mapping[str, str], column: str) -> str:
    if column not in given:
        raise PlanError(f"{column}: expected {COLUMNS[column]}, found nothing")
    return given[column]


def _text(given: Mapping[str, str], column: str, default: str) -> str:
    text = given.get(column, default).lower()
    return SPELLINGS.get(column, {}).get(text, text)


def _flag(given: Mapping[str, str], column: str, *, default: bool) -> bool:
    text = given.get(column, "").lower()
    if text in YES:
        return True
    if text in NO:
        return False
    if not text:
        return default
    raise PlanError(f"{column}: expected y or n, found `{_short(text)}`")


def _share(given: Mapping[str, str], column: str, default: float) -> float:
    share = _converted(given[column]) if column in given else default
    if share is None or not 0 <= share < 1:
        raise PlanError(f"{column}: expected a share from 0 to below 1, found `{_short(given[column])}`")
    return share


def _whole_or(given: Mapping[str, str], column: str, default: float) -> int:
    return _whole(given[column], column) if column in given else int(default)


def _whole(text: str, column: str) -> int:
    value = _converted(text)
    if value is None or value != int(value) or not 1 <= value <= 10**9:
        raise PlanError(f"{column}: expected a whole number above 0, found `{_short(text)}`")
    return int(value)


def _number(text: str, column: str) -> float:
    value = _converted(text)
    if value is None or value <= 0:
        raise PlanError(f"{column}: expected a number above 0, found `{_short(text)}`")
    if not SMALLEST <= value <= LARGEST:
        raise PlanError(f"{column}: expected a number from {SMALLEST:g} to {LARGEST:.0f}, found `{_short(text)}`")
    return value


def _converted(text: str) -> float | None:
    """The number in a text without underscores, infinities and the like; none where there is none."""
    if not text.isascii() or "_" in text:
        return None
    try:
        value = float(text)
    except ValueError:
        return None
    return value if abs(value) < float("inf") else None


def _short(text: str) -> str:
    return " ".join(text.split())[:60]
