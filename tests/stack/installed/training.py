"""Runs train.py of a generated configuration with a model and data that are made on the spot."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from unittest.mock import patch

import torch
import yaml
from accelerate.commands.launch import _validate_launch_command, launch_command_parser
from accelerate.utils.launch import prepare_deepspeed_cmd_env, prepare_multi_gpu_env
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedTokenizerFast

WORDS = [f"w{index}" for index in range(61)]
SPECIAL = ["<pad>", "<eos>", "<unk>"]
ALONE = {"OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
SPECIAL_IDS = {"pad_token_id": 0, "eos_token_id": 1, "bos_token_id": 1}


def made(folder: Path, kind: str, shape: Mapping[str, object], rows: int = 64) -> Path:
    """A folder with a model of this shape with random weights, a tokenizer of a few words, and lines of them."""
    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = {word: index for index, word in enumerate([*SPECIAL, *WORDS])}
    words = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    words.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>")
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = AutoConfig.for_model(kind, **SPECIAL_IDS, **shape)
    AutoModelForCausalLM.from_config(config).save_pretrained(folder)
    lines = (" ".join(WORDS[(row * 7 + place) % len(WORDS)] for place in range(40)) for row in range(rows))
    text = "".join(json.dumps({"text": line}) + "\n" for line in lines)
    (folder / "data.jsonl").write_text(text, encoding="utf-8")
    return folder


def launched(folder: Path) -> argparse.Namespace:
    """accelerate.yaml as `accelerate launch` reads it, on a machine that is said to have enough GPUs."""
    with patch.object(torch.cuda, "is_available", lambda: True), patch.object(torch.cuda, "device_count", lambda: 8):
        arguments = launch_command_parser().parse_args(["--config_file", str(folder / "accelerate.yaml"), "train.py"])
        return _validate_launch_command(arguments)[0]


def split_environment(folder: Path) -> dict[str, str]:
    """What `accelerate launch` tells its processes of FSDP or DeepSpeed; nothing where the files ask for neither."""
    arguments = launched(folder)
    if arguments.use_fsdp:
        environment = prepare_multi_gpu_env(arguments)
    elif arguments.use_deepspeed:
        _, environment = prepare_deepspeed_cmd_env(with_deepspeed_fields(arguments, folder))
    else:
        return {}
    return {name: value for name, value in environment.items() if name.startswith(("FSDP_", "ACCELERATE_"))}


def with_deepspeed_fields(arguments: argparse.Namespace, folder: Path) -> argparse.Namespace:
    """The arguments with the fields that accelerate's launch_command notes beside them."""
    keys = yaml.safe_load((folder / "accelerate.yaml").read_text(encoding="utf-8"))["deepspeed_config"]
    arguments.deepspeed_fields_from_accelerate_config = ",".join(keys)
    return arguments


def train(folder: Path, model: Path, out: Path, processes: int, *more: str, cpu: bool = True) -> str:
    """Runs train.py as README.md says, and returns what it printed; fails with it."""
    sharding = split_environment(folder) if processes > 1 else {}
    # DeepSpeed works on a CPU by itself, where DS_ACCELERATOR says so.
    wrapped = any(name.startswith("FSDP_") for name in sharding)
    script = [str(Path(__file__).with_name("sharded_on_cpu.py")), "train.py"] if wrapped else ["train.py"]
    common = [*script, "--config", "sft.yaml", "--output_dir", str(out), *(("--use_cpu", "true") if cpu else ())]
    common += ["--model_name_or_path", str(model), "--dataset_name", str(model / "data.jsonl")]
    common += ["--dataset_config", "default", "--dataset_streaming", "false", *more]
    launcher = [sys.executable]
    if processes > 1:
        # `accelerate launch --cpu` starts one process whatever one asks for; for several GPUs it calls torchrun.
        launcher += ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(processes)]
    elif not cpu:
        launcher += ["-m", "accelerate.commands.launch", "--config_file", "accelerate.yaml"]
    done = subprocess.run(
        [*launcher, *common],
        cwd=folder,
        env={**os.environ, **sharding, **ALONE, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    printed = done.stdout + done.stderr
    assert done.returncode == 0, printed[-4000:]
    return printed
