"""torchtitan builds its configuration from every pretrain.py, with the options that README.md gives."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import settings_of
from torchtitan.config import ConfigManager

NAMED = ["--module", "pretrain", "--config", "trainfit"]
DTYPES = {"bf16-mixed": ("float32", "bfloat16"), "bf16-pure": ("bfloat16", "bfloat16"), "fp32": ("float32", "float32")}


def test_torchtitan_accepts_the_file(job_folder: Path) -> None:
    settings = settings_of(job_folder)
    read = ConfigManager().parse_args([*NAMED, "--training.steps", "20", "--checkpoint.no-enable"])
    training, parallelism = read.training, read.parallelism
    assert type(read).__module__ == "measure_torchtitan"
    assert (training.steps, read.checkpoint.enable) == (20, False)
    assert read.checkpoint.keep_latest_k == 2
    assert training.local_batch_size == settings["micro_batch"]
    assert training.global_batch_size == settings["micro_batch"] * settings["grad_accum"] * settings["n_gpus"]
    assert training.seq_len == settings["seq_len"]
    assert (training.dtype, training.mixed_precision_param) == DTYPES[settings["precision"]]
    split = settings["n_gpus"] if settings["sharding"] == "fsdp2" else 1
    copies = settings["n_gpus"] if settings["sharding"] == "ddp" else 1
    found = (parallelism.data_parallel_replicate_degree, parallelism.data_parallel_shard_degree)
    assert found == (copies, split)


def test_it_would_refuse_what_is_wrong(job_folder: Path) -> None:
    with pytest.raises(SystemExit):
        ConfigManager().parse_args([*NAMED, "--training.batch_size", "8"])
    assert job_folder
