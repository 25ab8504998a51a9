"""Every generated file is accepted by the parsers and classes of the real libraries, and means there what we say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
import yaml
from accelerate.utils import DeepSpeedPlugin, FullyShardedDataParallelPlugin
from accelerate.utils.launch import prepare_deepspeed_cmd_env, prepare_multi_gpu_env
from conftest import about
from peft import LoraConfig
from training import launched, with_deepspeed_fields
from trl import ModelConfig, ScriptArguments, SFTConfig, TrlParser, get_peft_config, get_quantization_config

if TYPE_CHECKING:
    import pytest


def record_of(folder: Path) -> dict[str, Any]:
    loaded = json.loads((folder / "trainfit.json").read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def parsed_of(folder: Path) -> tuple[ScriptArguments, SFTConfig, ModelConfig]:
    """sft.yaml as train.py reads it, on a machine without a GPU."""
    arguments = ["--config", str(folder / "sft.yaml"), "--use_cpu", "true"]
    script, training, model = TrlParser((ScriptArguments, SFTConfig, ModelConfig)).parse_args_and_config(arguments)
    return script, training, model


def test_trl_reads_the_settings(parsed: Path) -> None:
    _, training, model = parsed_of(parsed)
    settings = record_of(parsed)["settings"]
    assert training.max_length == settings["seq_len"]
    assert training.per_device_train_batch_size == settings["micro_batch"]
    assert training.gradient_accumulation_steps == settings["grad_accum"]
    assert training.gradient_checkpointing is settings["grad_checkpointing"]
    assert training.bf16 is (settings["precision"] == "bf16-mixed")
    assert training.packing is True
    assert training.loss_type == "nll"
    assert isinstance(training.learning_rate, float)
    assert 0 < training.warmup_steps < 1
    assert model.attn_implementation == settings["attention"]
    if "deepspeed" not in about(parsed)["framework"]:
        kwargs = training.accelerator_config.gradient_accumulation_kwargs
        assert kwargs == {"sync_each_batch": settings["grad_sync"] == "each"}


def test_peft_reads_the_adapters(parsed: Path) -> None:
    _, _, model = parsed_of(parsed)
    settings = record_of(parsed)["settings"]
    config = get_peft_config(model)
    if settings["method"] not in ("lora", "qlora"):
        assert config is None
        return
    assert isinstance(config, LoraConfig)
    assert config.r == settings["lora_rank"]
    # TRL takes one alone for a pattern.
    read = {config.target_modules} if isinstance(config.target_modules, str) else set(config.target_modules)
    assert read == set(yaml.safe_load((parsed / "sft.yaml").read_text("utf-8"))["lora_target_modules"])
    assert config.lora_dropout == settings["lora_dropout"]


def test_bitsandbytes_reads_the_quantisation(parsed: Path) -> None:
    _, _, model = parsed_of(parsed)
    settings = record_of(parsed)["settings"]
    config = get_quantization_config(model)
    if settings["quant"] == "none":
        assert config is None
        return
    assert config.load_in_4bit is True
    assert config.bnb_4bit_quant_type == "nf4"
    assert config.bnb_4bit_use_double_quant is (settings["quant"] == "nf4-dq")
    assert config.bnb_4bit_compute_dtype == torch.bfloat16
    if settings["sharding"] in ("fsdp2", "zero3"):
        assert config.bnb_4bit_quant_storage == torch.bfloat16


def test_accelerate_launches_it(parsed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = record_of(parsed)["settings"]
    arguments = launched(parsed)
    assert int(arguments.num_processes) == settings["n_gpus"]
    sharding = settings["sharding"]
    assert bool(arguments.use_fsdp) is (sharding == "fsdp2")
    deepspeed = about(parsed)["framework"] == "deepspeed"
    assert bool(arguments.use_deepspeed) is deepspeed
    if deepspeed:  # which also serves one card, to keep the optimizer in host memory
        assert sharding == "zero3" or (settings["n_gpus"], settings["cpu_offload"]) == (1, "optimizer")
    assert bool(arguments.multi_gpu) is (sharding == "ddp")
    if sharding == "fsdp2":
        environment = prepare_multi_gpu_env(arguments)
        for name, value in environment.items():
            if name.startswith(("FSDP_", "ACCELERATE_")):
                monkeypatch.setenv(name, value)
        plugin = FullyShardedDataParallelPlugin()
        assert plugin.fsdp_version == 2
        assert plugin.reshard_after_forward is settings["reshard"]
        assert arguments.mixed_precision == ("bf16" if settings["precision"] == "bf16-mixed" else "no")
        if settings["precision"] == "bf16-mixed":
            plugin.set_mixed_precision("bf16")
            policy = plugin.mixed_precision_policy
            # The estimate says: it reduces in the compute type.
            assert {policy.param_dtype, policy.reduce_dtype} == {torch.bfloat16}
            assert settings["reduce_dtype"] == "bf16"
    if deepspeed:
        _, environment = prepare_deepspeed_cmd_env(with_deepspeed_fields(arguments, parsed))
        assert environment["ACCELERATE_USE_DEEPSPEED"] == "true"
        for name, value in environment.items():
            if name.startswith("ACCELERATE_"):
                monkeypatch.setenv(name, value)
        monkeypatch.chdir(parsed)
        plugin = DeepSpeedPlugin()
        assert plugin.zero_stage == 3
        assert plugin.zero3_init_flag is True  # transformers leaves a quantised base out by itself


def test_deepspeed_reads_its_file(parsed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not (parsed / "ds_zero3.json").is_file():
        assert about(parsed)["framework"] == "trl"
        return
    from deepspeed.runtime.config import DeepSpeedConfig
    from transformers.integrations.deepspeed import HfTrainerDeepSpeedConfig

    settings = record_of(parsed)["settings"]
    _, training, _ = parsed_of(parsed)
    filled = HfTrainerDeepSpeedConfig(str(parsed / "ds_zero3.json"))
    filled.trainer_config_process(training)

    class Shape:
        hidden_size = 1024

    model = type("Model", (), {"config": Shape()})()
    filled.trainer_config_finalize(training, model, 100)
    monkeypatch.setenv("WORLD_SIZE", "1")
    read = DeepSpeedConfig(filled.config)
    assert read.zero_config.stage == 3
    assert read.bfloat16_config.enabled is True
    assert (read.zero_config.offload_optimizer is not None) is (settings["cpu_offload"] == "optimizer")
    assert read.communication_data_type == {"bf16": torch.bfloat16, "fp32": torch.float32}[settings["reduce_dtype"]]
    assert read.gradient_accumulation_steps == settings["grad_accum"]


def test_the_optimizer_exists(parsed: Path) -> None:
    """Its name is known to transformers, and its package is in the set of versions."""
    from transformers.training_args import OptimizerNames

    _, training, _ = parsed_of(parsed)
    assert training.optim in set(OptimizerNames)
    if training.optim == OptimizerNames.ADAMW_TORCH_8BIT:
        from torchao.optim import AdamW8bit

        assert AdamW8bit
        assert "torchao" in record_of(parsed)["packages"]


def test_versions_are_those_that_are_pinned(parsed: Path) -> None:
    """This environment is the set that the files ask for."""
    from importlib.metadata import PackageNotFoundError, version

    for name, wanted in record_of(parsed)["packages"].items():
        try:
            assert version(name).partition("+")[0] == wanted
        except PackageNotFoundError:
            assert name == "liger-kernel"  # needs Triton, which needs a GPU
