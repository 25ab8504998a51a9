"""LLaMA-Factory's own parser of settings reads every llama_factory.yaml, as run.py has it read, and finds the data."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from conftest import settings_of
from llamafactory.data.parser import get_dataset_list
from llamafactory.hparams import get_train_args, parser


def parsed(monkeypatch: pytest.MonkeyPatch, *more: str) -> tuple[object, ...]:
    """The file and options of the command line, on a machine without a GPU that is said to compute in bf16."""
    monkeypatch.setattr(parser, "is_torch_bf16_gpu_available", lambda: True)
    monkeypatch.setattr(sys, "argv", ["run.py", "llama_factory.yaml", "use_cpu=true", *more])
    monkeypatch.delenv("WORLD_SIZE", raising=False)
    return get_train_args()


def trial_of(folder: Path) -> list[str]:
    """The options of the first short run, as README.md gives them to a shell."""
    lines = (folder / "README.md").read_text(encoding="utf-8").splitlines()
    command = next(line for line in lines if "max_steps=" in line)
    return shlex.split(command.partition("llama_factory.yaml ")[2])


def test_it_goes_on_from_what_it_finds(job_folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The whole run does so by itself; the trial begins anew."""
    (tmp_path / "checkpoint-500").mkdir()
    _, _, training, *_ = parsed(monkeypatch, f"output_dir={tmp_path}")
    assert training.resume_from_checkpoint == f"{tmp_path}/checkpoint-500"
    _, _, training, *_ = parsed(monkeypatch, *trial_of(job_folder), f"output_dir={tmp_path}")
    assert training.resume_from_checkpoint is None


def test_llama_factory_accepts_the_file(job_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = settings_of(job_folder)
    model, data, training, tuning, _ = parsed(monkeypatch, *trial_of(job_folder))
    assert (training.max_steps, training.output_dir, training.overwrite_output_dir) == (20, "trial", True)
    assert training.save_strategy == "no"
    # `packing` takes a token away (hparams/data_args.py), which comes back as padding (data/processor/supervised.py).
    assert data.cutoff_len + (1 if tuning.stage == "sft" else 0) == settings["seq_len"]
    assert data.packing is True
    assert training.per_device_train_batch_size == settings["micro_batch"]
    assert training.gradient_accumulation_steps == settings["grad_accum"]
    assert training.bf16 is (settings["precision"] == "bf16-mixed")
    assert tuning.pure_bf16 is (settings["precision"] == "bf16-pure")
    assert model.disable_gradient_checkpointing is not settings["grad_checkpointing"]
    assert bool(model.quantization_bit) is (settings["quant"] != "none")
    assert model.enable_liger_kernel is (settings["kernels"] == "fused")
    assert training.accelerator_config.gradient_accumulation_kwargs == {
        "sync_each_batch": settings["grad_sync"] == "each"
    }


def test_it_finds_the_data(job_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, data, *_ = parsed(monkeypatch)
    (found,) = get_dataset_list(data.dataset, data.dataset_dir)
    assert (found.load_from, found.dataset_name) in {
        ("hf_hub", "trl-lib/Capybara"),
        ("hf_hub", "HuggingFaceFW/fineweb-edu"),
    }, job_folder


def test_it_would_refuse_what_is_wrong(job_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match="not used by the HfArgumentParser"):
        parsed(monkeypatch, "micro_batch=1")
    assert job_folder
