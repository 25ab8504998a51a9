"""Reads the files of a configuration as the libraries do, and says which plan they stand for: settings by their names.

Written apart from the templates on purpose: what both agree on is what the libraries will do.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from typing import Any

import yaml

Settings = dict[str, Any]

OPTIMIZERS = {
    "adamw_torch_fused": ("adamw", "fused"),
    "adamw_torch": ("adamw", "foreach"),
    "adamw_8bit": ("adamw-8bit", "fused"),
    "adamw_torch_8bit": ("adamw-8bit", "fused"),
    "ao_adamw_8bit": ("adamw-8bit", "fused"),
    "paged_adamw_8bit": ("paged-adamw-8bit", "fused"),
    "adafactor": ("adafactor", "fused"),
    "lion_32bit": ("lion", "fused"),
    "sgd": ("sgd", "fused"),
}
ATTENTION = {
    "varlen": "flash",
    "sdpa": "sdpa",
    "eager": "eager",
    "disabled": "eager",
}


def read_back(framework: str, files: Mapping[str, str]) -> Settings:
    """The settings that the files of a framework turn on."""
    return {
        "trl": _trl,
        "deepspeed": _trl,
        "axolotl": _axolotl,
        "llama-factory": _llama_factory,
        "torchtitan": _torchtitan,
    }[framework](files)


def _launch(files: Mapping[str, str], quantised: bool) -> Settings:
    """What accelerate.yaml decides."""
    accelerate = yaml.safe_load(files["accelerate.yaml"])
    found: Settings = {"n_gpus": accelerate["num_processes"], "mixed": accelerate.get("mixed_precision") == "bf16"}
    match accelerate["distributed_type"]:
        case "FSDP":
            fsdp = accelerate["fsdp_config"]
            assert fsdp["fsdp_auto_wrap_policy"] == "TRANSFORMER_BASED_WRAP"
            assert fsdp["fsdp_activation_checkpointing"] is False if "fsdp_activation_checkpointing" in fsdp else True
            found["sharding"] = f"fsdp{fsdp['fsdp_version']}"
            found["cpu_offload"] = "all" if fsdp["fsdp_offload_params"] else "none"
            found["reshard"] = fsdp["fsdp_reshard_after_forward"]
            found |= _loading(fsdp["fsdp_cpu_ram_efficient_loading"], quantised)
        case "DEEPSPEED":
            name = accelerate["deepspeed_config"]["deepspeed_config_file"]
            zero = json.loads(files[name])
            found["mixed"] = zero["bf16"]["enabled"]
            found["sharding"] = f"zero{zero['zero_optimization']['stage']}"
            found["cpu_offload"] = "optimizer" if "offload_optimizer" in zero["zero_optimization"] else "none"
            found["reduce_dtype"] = zero["communication_data_type"]
        case "MULTI_GPU":
            found |= {"sharding": "ddp", "cpu_offload": "none"}
        case other:
            assert other == "NO"
            found |= {"sharding": "none", "cpu_offload": "none"}
    return found


def _loading(efficient: bool, quantised: bool) -> Settings:
    """One process reads the checkpoint, the others start on the meta device; where that is off, nobody says.

    A quantised base is read by every process and no copy of it stays: Axolotl 0.19 refuses anything else by its own
    validator, and Accelerate before 1.14 waits for ever (its pull request 3981).
    """
    return {"whole_copy": False, "load_on_card": quantised} if efficient is not quantised else {}


def _precision(weights: str, mixed: bool) -> str:
    return {
        ("bfloat16", True): "bf16-mixed",
        ("float32", True): "bf16-mixed",
        ("bfloat16", False): "bf16-pure",
        ("float32", False): "fp32",
    }[weights, mixed]


def _optimizer(word: str, precision: str, trains_all: bool) -> Settings:
    optimizer, implementation = OPTIMIZERS[word]
    # The states of torch's AdamW have the type of the weights.
    if optimizer == "adamw" and precision == "bf16-pure" and trains_all:
        optimizer = "adamw-bf16"
    return {"optimizer": optimizer, "optimizer_impl": implementation}


def _trl(files: Mapping[str, str]) -> Settings:
    sft = yaml.safe_load(files["sft.yaml"])
    launch = _launch(files, sft.get("load_in_4bit", False))
    mixed = launch.pop("mixed")
    assert sft["bf16"] is mixed, "sft.yaml and the launcher say different precisions"
    adapters, quantised = sft.get("use_peft", False), sft.get("load_in_4bit", False)
    trains_all = not adapters
    precision = _precision(sft["dtype"], mixed)
    if trains_all and mixed:
        assert sft["dtype"] == "float32", "mixed precision keeps fp32 weights"
    found: Settings = {
        **launch,
        "precision": precision,
        **_optimizer(sft["optim"], precision, trains_all),
        "seq_len": sft["max_length"],
        "micro_batch": sft["per_device_train_batch_size"],
        "grad_accum": sft["gradient_accumulation_steps"],
        "grad_checkpointing": sft["gradient_checkpointing"],
        "attention": ATTENTION[sft["attn_implementation"]],
        "compile": sft["torch_compile"],
        "kernels": "fused" if sft["use_liger_kernel"] else "stock",
        # TRL 1.16 computes `nll` in chunks, always.
        "fused_ce": sft["loss_type"] == "nll" and not sft.get("label_smoothing_factor", 0),
        **_adapters(sft, "lora_r", "lora_target_modules"),
        "quant": _quant(quantised, sft.get("bnb_4bit_quant_type"), sft.get("use_bnb_nested_quant")),
    }
    assert sft["packing"] is True
    if launch["sharding"] == "fsdp2":
        found["root_wrap"] = "separate"  # Accelerate 1.15 makes units of embedding and head
        found["reduce_dtype"] = "fp32" if precision == "fp32" else "bf16"  # it reduces in the compute type
        if quantised:
            assert sft["bnb_4bit_quant_storage"] == "bfloat16"
    if quantised and launch["sharding"] in ("fsdp2", "zero3"):  # train.py loads it itself where that is said
        found["load_on_card"] = sft.get("model_init_kwargs", {}).get("device_map") != "cpu"
    if adapters:
        # SFTTrainer casts adapters over a quantised base, and all at ZeRO-3, to bf16; PEFT casts others to fp32.
        cast = quantised and launch["sharding"] != "fsdp2"  # which makes fp32 of what is trained
        found["adapter_dtype"] = "bf16" if cast or launch["sharding"] == "zero3" else "fp32"
    if "accelerator_config" in sft:
        each = sft["accelerator_config"]["gradient_accumulation_kwargs"]["sync_each_batch"]
        found["grad_sync"] = "each" if each else "last"
    return found


def _adapters(config: Mapping[str, Any], rank: str, targets: str) -> Settings:
    if targets not in config:
        return {}
    names = config[targets]
    listed = (names,) if isinstance(names, str) else tuple(names)
    if len(listed) == 1:  # which TRL takes for a pattern, as Axolotl takes a text; LLaMA-Factory joins names by commas
        pattern = re.fullmatch(r"\.\*\[\.\]language_model\[\.\]\.\*\[\.\]\(([\w|]+)\)", listed[0])
        listed = tuple(pattern[1].split("|") if pattern else listed[0].split(","))
    return {"lora_rank": config[rank], "lora_targets": listed, "lora_dropout": config["lora_dropout"]}


def _quant(quantised: bool, kind: object, double: object) -> str:
    if not quantised:
        return "none"
    assert kind == "nf4"
    return "nf4-dq" if double else "nf4"


def _axolotl(files: Mapping[str, str]) -> Settings:
    config = yaml.safe_load(files["axolotl.yaml"])
    trains_all = "adapter" not in config
    # `bf16: true` loads the weights in bf16, and its FSDP2 keeps them so.
    precision = ("bf16-pure" if trains_all else "bf16-mixed") if config["bf16"] else "fp32"
    assert config["plugins"] == ["axolotl.integrations.liger.LigerPlugin", "measure_axolotl.MeasurePlugin"]
    others = {name for name in config if name.startswith("liger_")} - {"liger_fused_linear_cross_entropy"}
    each = config["accelerator_config"]["gradient_accumulation_kwargs"]["sync_each_batch"]
    found: Settings = {
        "precision": precision,
        **_optimizer(config["optimizer"], precision, trains_all),
        "seq_len": config["sequence_len"],
        "micro_batch": config["micro_batch_size"],
        "grad_accum": config["gradient_accumulation_steps"],
        "grad_sync": "each" if each else "last",
        "grad_checkpointing": config["gradient_checkpointing"],
        "attention": ATTENTION[config["attn_implementation"]],
        "compile": config["torch_compile"],
        "kernels": "fused" if others else "stock",
        "fused_ce": config["liger_fused_linear_cross_entropy"],
        **_adapters(config, "lora_r", "lora_target_modules"),
        "quant": _quant(
            config.get("load_in_4bit", False),
            config.get("bnb_config_kwargs", {}).get("bnb_4bit_quant_type"),
            config.get("bnb_config_kwargs", {}).get("bnb_4bit_use_double_quant"),
        ),
        "cpu_offload": "none",
    }
    if "fsdp_config" in config:
        assert config["fsdp_config"]["offload_params"] is False
        found["sharding"] = f"fsdp{config['fsdp_version']}"
        found["reshard"] = config["fsdp_config"]["reshard_after_forward"]
        found |= _loading(config["fsdp_config"]["cpu_ram_efficient_loading"], config.get("load_in_4bit", False))
        found["root_wrap"] = "root"  # Accelerate 1.13 leaves embedding and head there
        found["reduce_dtype"] = "bf16" if config["bf16"] else "fp32"
    if not trains_all:
        found["adapter_dtype"] = "fp32"
        # It turns on what is not set.
        kernels = {config.get(f"lora_{part}_kernel", True) for part in ("mlp", "qkv", "o", "embedding")}
        assert kernels == {found["kernels"] == "fused"}
    return found


def _llama_factory(files: Mapping[str, str]) -> Settings:
    config = yaml.safe_load(files["llama_factory.yaml"])
    launch = _launch(files, config.get("quantization_bit") == 4)
    trains_all = config["finetuning_type"] == "full"
    precision = "bf16-pure" if config["pure_bf16"] else "bf16-mixed" if config["bf16"] else "fp32"
    assert launch.pop("mixed") is (precision == "bf16-mixed")
    each = config["accelerator_config"]["gradient_accumulation_kwargs"]["sync_each_batch"]
    found: Settings = {
        **launch,
        "precision": precision,
        **_optimizer(config["optim"], precision, trains_all),
        "seq_len": config["cutoff_len"],
        "micro_batch": config["per_device_train_batch_size"],
        "grad_accum": config["gradient_accumulation_steps"],
        "grad_sync": "each" if each else "last",
        "grad_checkpointing": not config["disable_gradient_checkpointing"],
        "attention": ATTENTION[config["flash_attn"]],
        "compile": config["torch_compile"],
        "kernels": "fused" if config["enable_liger_kernel"] else "stock",
        "fused_ce": config["enable_liger_kernel"],
        **_adapters(config, "lora_rank", "lora_target"),
        "quant": _quant(
            config.get("quantization_bit") == 4, config.get("quantization_type"), config.get("double_quantization")
        ),
    }
    if found.get("sharding") == "fsdp2":
        found["root_wrap"] = "root"  # Accelerate 1.11 leaves embedding and head there
        found["reduce_dtype"] = "fp32" if precision == "fp32" else "bf16"
    if not trains_all:
        found["adapter_dtype"] = "fp32"
    return found


def calls(source: str) -> dict[str, dict[str, Any]]:
    """Name of what is called in a Python file → its keyword arguments, those that are plain values."""
    found: dict[str, dict[str, Any]] = {}
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call):
            arguments = {}
            for keyword in node.keywords:
                try:
                    arguments[str(keyword.arg)] = ast.literal_eval(keyword.value)
                except ValueError:
                    arguments[str(keyword.arg)] = ...
            found[ast.unparse(node.func)] = arguments
    return found


def _torchtitan(files: Mapping[str, str]) -> Settings:
    found = calls(files["pretrain.py"])
    training, parallelism = found["TrainingConfig"], found["ParallelismConfig"]
    copies, shards = parallelism["data_parallel_replicate_degree"], parallelism["data_parallel_shard_degree"]
    gpus = copies * shards
    precision = {"bfloat16": "bf16-pure", "float32": "bf16-mixed"}[training["dtype"]]
    if training["mixed_precision_param"] == "float32":
        precision = "fp32"
    settings: Settings = {
        "n_gpus": gpus,
        "sharding": "fsdp2" if shards > 1 else "ddp" if copies > 1 else "none",
        "precision": precision,
        "optimizer": "adamw-bf16" if precision == "bf16-pure" else "adamw",
        "optimizer_impl": "fused",  # OptimizersContainer.Config, implementation
        "seq_len": training["seq_len"],
        "micro_batch": training["local_batch_size"],
        "grad_accum": training["global_batch_size"] // (training["local_batch_size"] * gpus),
        "grad_checkpointing": "FullAC.Config" in found,
        "attention": ATTENTION[found["model_registry"]["attn_backend"]],
        "compile": found["CompileConfig"]["enable"],
        "fused_ce": "ChunkedLossWrapper.Config" in found,
        "kernels": "stock",
        "quant": "none",
        "cpu_offload": "none",
    }
    if shards > 1:
        settings |= {
            "root_wrap": "separate",
            "reduce_dtype": {"float32": "fp32"}[training["mixed_precision_reduce"]],
            "reshard": {"always": True, "never": False}[parallelism["fsdp_reshard_after_forward"]],
        }
    return settings
