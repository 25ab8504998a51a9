"""Axolotl's own validator reads every axolotl.yaml, as `axolotl train` has it read, on a GPU that computes in bf16."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from axolotl.cli.config import prepare_plugins
from axolotl.cli.main import cli
from axolotl.utils.chat_templates import get_chat_template_from_config
from axolotl.utils.config import validate_config
from axolotl.utils.dict import DictDefault
from conftest import settings_of

TEMPLATES = {"base": None, "instruct": "{{ messages }}"}
PRECISIONS = {"bf16-mixed": True, "bf16-pure": True, "fp32": False}


def validated(content: dict[str, object], gpus: int) -> DictDefault:
    """What Axolotl makes of a file, on a machine that is said to have these GPUs; raises what it complains of."""
    config = DictDefault(content)
    prepare_plugins(config)
    card = {"bf16": True, "fp8": False, "tf32": True, "n_gpu": gpus, "compute_capability": "sm_89"}
    return validate_config(config, capabilities=card, env_capabilities={"torch_version": "2.13.0"})


def test_axolotl_accepts_the_file(job_folder: Path) -> None:
    settings = settings_of(job_folder)
    read = validated(yaml.safe_load((job_folder / "axolotl.yaml").read_text(encoding="utf-8")), settings["n_gpus"])
    assert read.sequence_len == settings["seq_len"]
    assert read.micro_batch_size == settings["micro_batch"]
    assert read.gradient_accumulation_steps == settings["grad_accum"]
    assert bool(read.gradient_checkpointing) is settings["grad_checkpointing"]
    assert bool(read.bf16) is PRECISIONS[settings["precision"]]
    assert bool(read.load_in_4bit) is (settings["quant"] != "none")
    assert bool(read.fsdp_config) is (settings["sharding"] == "fsdp2")
    assert read.attn_implementation == settings["attention"]
    assert bool(read.liger_fused_linear_cross_entropy) is settings["fused_ce"]
    assert read.save_total_limit == 2
    for part in ("mlp", "qkv", "o", "embedding"):
        assert not read[f"lora_{part}_kernel"], "the estimate does not model it"


def test_axolotl_knows_the_options_of_the_commands(job_folder: Path) -> None:
    """Those of the trial, and the one that goes on with a run that stopped."""
    lines = (job_folder / "README.md").read_text(encoding="utf-8").splitlines()
    trial, whole, resumed = (line.split()[2:] for line in lines if line.startswith("axolotl train "))
    read = [cli.commands["train"].make_context("train", arguments).params for arguments in (trial, whole, resumed)]
    assert [each["config"] for each in read] == ["axolotl.yaml"] * 3
    assert [each["max_steps"] for each in read] == ["20", None, None]
    assert [each["auto_resume_from_checkpoints"] for each in read] == [None, None, True]


def test_a_base_model_gets_a_template(job_folder: Path) -> None:
    """The data of the example are dialogues; where the tokenizer knows how to write one, that stays."""
    content = DictDefault(yaml.safe_load((job_folder / "axolotl.yaml").read_text(encoding="utf-8")))
    tokenizers = {name: type("Tokenizer", (), {"chat_template": text})() for name, text in TEMPLATES.items()}
    assert "<|im_start|>" in get_chat_template_from_config(content, tokenizer=tokenizers["base"])
    assert get_chat_template_from_config(content, tokenizer=tokenizers["instruct"]) == TEMPLATES["instruct"]


def test_it_would_refuse_what_is_wrong(job_folder: Path) -> None:
    """The validator sees the file at all: a 4-bit base under FSDP2 that one process reads is refused."""
    content = yaml.safe_load((job_folder / "axolotl.yaml").read_text(encoding="utf-8"))
    if "fsdp_config" not in content or not content.get("load_in_4bit"):
        content["micro_batch_size"] = "many"
    else:
        content["fsdp_config"]["cpu_ram_efficient_loading"] = True
    with pytest.raises(ValueError, match=r"micro_batch_size|cpu_ram_efficient_loading"):
        validated(content, 2)
