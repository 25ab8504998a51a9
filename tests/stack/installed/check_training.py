"""The generated script trains a tiny random model of the same architecture on the CPU, end to end, by its files.

What is changed on the command line and nothing else: the model and the data (tiny, local), the context, the number of
steps, and that there is no GPU. QLoRA keeps its 4-bit base: bitsandbytes has kernels for the CPU.
"""

from __future__ import annotations

import csv
import json
import math
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from conftest import about, folders
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import AutoConfig, AutoModelForCausalLM, PreTrainedTokenizerFast

WORDS = [f"w{index}" for index in range(61)]
SPECIAL = ["<pad>", "<eos>", "<unk>"]
STEPS = 4
FILES = Path(__file__).resolve().parents[3] / "generator/launch/files"
SHAPE = {
    "hidden_size": 64,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "vocab_size": len(WORDS) + len(SPECIAL),
    "max_position_embeddings": 128,
    "pad_token_id": 0,
    "eos_token_id": 1,
    "bos_token_id": 1,
}


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A function from a `model_type` to a folder with a tiny random model, its tokenizer and data."""
    made: dict[str, Path] = {}

    def make(kind: str) -> Path:
        if kind in made:
            return made[kind]
        folder = tmp_path_factory.mktemp(kind)
        vocabulary = {word: index for index, word in enumerate([*SPECIAL, *WORDS])}
        words = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
        words.pre_tokenizer = pre_tokenizers.Whitespace()
        tokenizer = PreTrainedTokenizerFast(
            tokenizer_object=words, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>"
        )
        tokenizer.save_pretrained(folder)
        torch.manual_seed(0)
        shape = SHAPE if kind != "phi3" else {key: value for key, value in SHAPE.items() if key != "head_dim"}
        config = AutoConfig.for_model(kind, **shape)
        AutoModelForCausalLM.from_config(config).save_pretrained(folder)
        lines = (" ".join(WORDS[(row * 7 + place) % len(WORDS)] for place in range(40)) for row in range(64))
        text = "".join(json.dumps({"text": line}) + "\n" for line in lines)
        (folder / "data.jsonl").write_text(text, encoding="utf-8")
        made[kind] = folder
        return folder

    return make


def train(folder: Path, model: Path, out: Path, processes: int, *more: str) -> str:
    """Runs train.py as README.md says, and returns what it printed; fails with it."""
    common = ["train.py", "--config", "sft.yaml", "--use_cpu", "true", "--output_dir", str(out)]
    common += ["--model_name_or_path", str(model), "--dataset_name", str(model / "data.jsonl")]
    common += ["--dataset_config", "default", "--dataset_streaming", "false", "--max_length", "32"]
    common += ["--max_steps", str(STEPS), "--logging_steps", "1", "--save_steps", "2", *more]
    launcher = [sys.executable]
    if processes > 1:
        # `accelerate launch --cpu` starts one process whatever one asks for; for several GPUs it calls torchrun.
        launcher += ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(processes)]
    done = subprocess.run(
        [*launcher, *common],
        cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"},
        capture_output=True,
        text=True,
        check=False,
    )
    printed = done.stdout + done.stderr
    assert done.returncode == 0, printed[-4000:]
    return printed


def losses(printed: str) -> list[float]:
    """The loss of every step."""
    return [float(loss) for loss in re.findall(r"'loss': '?([-\w.]+)'?", printed)]


def test_it_trains(trained: Path, tiny: Any, tmp_path: Path) -> None:
    facts = about(trained)
    out = tmp_path / "out"
    model = tiny(facts["model_type"])
    printed = train(trained, model, out, facts["gpus"])
    found = losses(printed)
    assert len(found) == STEPS
    assert all(math.isfinite(loss) for loss in found)
    reload(facts["method"], model, out)
    row = next(csv.DictReader((trained / "measurement.csv").open(encoding="utf-8")))
    assert (row["outcome"], row["peak"], row["seq_len"]) == ("finished", "", "32")  # no GPU, no peak
    assert float(row["tokens_per_sec_per_gpu"]) > 0
    assert (row["method"], row["n_gpus"]) == (facts["method"], str(facts["gpus"]))


def reload(method: str, model: Path, out: Path) -> None:
    """What was saved is there and can be used, and is not what training began with."""
    if method in ("lora", "qlora"):
        from peft import PeftModel

        base = AutoModelForCausalLM.from_pretrained(model)
        loaded = PeftModel.from_pretrained(base, out)
        changed = [weight for name, weight in loaded.named_parameters() if "lora_B" in name]
        assert changed
        assert any(bool(weight.any()) for weight in changed), "adapters start at zero and should have moved"
    else:
        loaded = AutoModelForCausalLM.from_pretrained(out)
    logits = loaded(input_ids=torch.tensor([[3, 4, 5, 6]])).logits
    assert bool(torch.isfinite(logits).all())


def test_a_checkpoint_goes_on(trained: Path, tiny: Any, tmp_path: Path) -> None:
    """Training resumes from the checkpoint of step 2 and ends at the same step."""
    facts = about(trained)
    if facts["gpus"] > 1 or facts["model_type"] != "qwen3":
        assert facts["model_type"]
        return
    model = tiny(facts["model_type"])
    train(trained, model, tmp_path / "out", 1)
    printed = train(trained, model, tmp_path / "out", 1, "--resume_from_checkpoint", str(tmp_path / "out/checkpoint-2"))
    assert len(losses(printed)) == STEPS - 2


def copied(target: Path, *names: str) -> Path:
    """A folder with the measuring programs of the first job and its record."""
    source = folders("trained")[0]
    for name in ("measure.py", "trainfit.json", *names):
        shutil.copyfile(source / name if (source / name).is_file() else FILES / name, target / name)
    return target


@pytest.mark.parametrize(
    ("error", "row"),
    [
        ("RuntimeError('CUDA out of memory. Tried to allocate 2.00 GiB')", ("failed", "", "")),
        ("torch.OutOfMemoryError('2.00 GiB')", ("failed", "", "")),
        ("ValueError('a wrong value')", None),
    ],
)
def test_running_out_of_memory_is_written_down(tmp_path: Path, error: str, row: tuple[str, ...] | None) -> None:
    """The hook turns such a failure into a row, on any process, and any other into none; both end the run."""
    folder = copied(tmp_path)
    script = f"import measure, torch; measure.watch(); raise {error}"
    environment = {**os.environ, "RANK": "1"}
    done = subprocess.run([sys.executable, "-c", script], cwd=folder, env=environment, check=False, capture_output=True)
    assert done.returncode == 1
    assert b"Traceback" in done.stderr
    table = folder / "measurement.csv"
    found = next(csv.DictReader(table.open(encoding="utf-8"))) if table.is_file() else None
    assert (found and (found["outcome"], found["peak"], found["tokens_per_sec_per_gpu"])) == row


AXOLOTL = """
import sys, types
module = types.ModuleType("axolotl.integrations.base")
module.BasePlugin = type("BasePlugin", (), {})
sys.modules |= {"axolotl": module, "axolotl.integrations": module, module.__name__: module}
import measure, measure_axolotl
plugin = measure_axolotl.MeasurePlugin()
plugin.register({})
(callback,) = plugin.add_callbacks_post_trainer({}, None)
assert isinstance(callback, measure.MeasureCallback) and sys.excepthook is not sys.__excepthook__
"""
TORCHTITAN = """
import dataclasses, sys, types
sys.modules["transformers"] = None  # its set of versions has none
module = types.ModuleType("torchtitan.trainer")
class Trainer:
    class Config:
        training = types.SimpleNamespace(steps=5)
    def __init__(self):
        self.step, self.ntokens_seen, self.config = 0, 0, self.Config
    def train(self):
        for self.step in range(1, 6):
            self.train_step(None)
    def train_step(self, data_iterator):
        self.ntokens_seen += 100
module.Trainer = Trainer
sys.modules |= {"torchtitan": module, module.__name__: module}
import measure, measure_torchtitan
said = []
measure_torchtitan.finish = lambda *given: said.append(given)
measure_torchtitan.MeasuredTrainer().train()
((tokens, seconds),) = said
assert tokens == 300 and seconds > 0, said
"""


@pytest.mark.parametrize(("name", "script"), [("measure_axolotl.py", AXOLOTL), ("measure_torchtitan.py", TORCHTITAN)])
def test_other_trainers_are_hooked(tmp_path: Path, name: str, script: str) -> None:
    """With stand-ins for trainers that are not installed here: what is timed leaves the first steps out."""
    subprocess.run([sys.executable, "-c", script], cwd=copied(tmp_path, name), check=True)
