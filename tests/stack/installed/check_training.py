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
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import torch
from comparison import complaints
from conftest import about, folders
from training import SPECIAL, WORDS, made, train
from transformers import AutoModelForCausalLM

STEPS = 4
RESUME = ("--resume_from_checkpoint", "last")
FILES = Path(__file__).resolve().parents[3] / "generator/launch/files"
SCHEMAS = Path(__file__).resolve().parents[1] / "schemas"
SHAPE = {
    "hidden_size": 64,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 16,
    "vocab_size": len(WORDS) + len(SPECIAL),
    "max_position_embeddings": 128,
}
IMAGES = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2}
SHAPES: dict[str, dict[str, Any]] = {
    "phi3": {key: value for key, value in SHAPE.items() if key != "head_dim"},
    "gemma3": {
        "text_config": SHAPE,
        "vision_config": {**IMAGES, "image_size": 28, "patch_size": 14, "vision_use_head": False},
        "mm_tokens_per_image": 4,
        "boi_token_index": 61,
        "eoi_token_index": 62,
        "image_token_index": 63,
    },
}
"""Tiny shapes of architectures that take others: one fuses projections, one also sees, by a tower."""


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A function from a `model_type` to a folder with a tiny random model, its tokenizer and data."""
    there: dict[str, Path] = {}

    def make(kind: str) -> Path:
        if kind not in there:
            there[kind] = made(tmp_path_factory.mktemp(kind), kind, SHAPES.get(kind, SHAPE))
        return there[kind]

    return make


def shortened(*more: str) -> tuple[str, ...]:
    """Options for a run of a few steps on the CPU that saves and logs."""
    return ("--max_length", "32", "--max_steps", f"{STEPS}", "--logging_steps", "1", "--save_steps", "2", *more)


def losses(printed: str) -> list[float]:
    """The loss of every step."""
    return [float(loss) for loss in re.findall(r"'loss': '?([-\w.]+)'?", printed)]


def can_build(facts: dict[str, Any]) -> None:
    """Skips what DeepSpeed needs a compiler for, where there is none."""
    if facts["framework"] == "deepspeed" and shutil.which("c++") is None:
        pytest.skip("no C++ compiler: ZeRO-3 was not trained with")


def test_it_trains(trained: Path, tiny: Any, tmp_path: Path) -> None:
    facts = about(trained)
    can_build(facts)
    out = tmp_path / "out"
    model = tiny(facts["model_type"])
    printed = train(trained, model, out, facts["gpus"], *shortened())
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
    began = AutoModelForCausalLM.from_pretrained(model)
    if method in ("lora", "qlora"):
        from peft import PeftModel

        loaded = PeftModel.from_pretrained(AutoModelForCausalLM.from_pretrained(model), out)
        changed = [weight for name, weight in loaded.named_parameters() if "lora_B" in name]
        assert changed
        assert any(bool(weight.any()) for weight in changed), "adapters start at zero and should have moved"
    else:
        loaded = AutoModelForCausalLM.from_pretrained(out)
    before, after = {}, {}
    if hasattr(loaded.config, "vision_config"):  # training on text leaves its tower alone
        tower = "vision_tower"
        before = {name: weight for name, weight in began.named_parameters() if tower in name}
        after = {name.removeprefix("base_model.model."): weight for name, weight in loaded.named_parameters()}
        assert before
        assert {name for name in after if tower in name} == set(before)
    assert all(torch.equal(weight.to(after[name].dtype), after[name]) for name, weight in before.items())
    logits = loaded(input_ids=torch.tensor([[3, 4, 5, 6]])).logits
    assert bool(torch.isfinite(logits).all())


def test_a_base_model_learns_dialogues(tiny: Any, tmp_path: Path) -> None:
    """The data of the example are dialogues, and a base model has no template for them: TRL alone stops there."""
    model = shutil.copytree(tiny("qwen3"), tmp_path / "model")
    turns = [{"role": "user", "content": "w1 w2 w3 w4"}, {"role": "assistant", "content": "w5 w6 w7 w8"}]
    (model / "data.jsonl").write_text((json.dumps({"messages": turns}) + "\n") * 64, encoding="utf-8")
    folder = next(path for path in folders("trained") if about(path)["method"] == "full")
    printed = train(folder, model, tmp_path / "out", 1, *shortened())
    assert "ChatML" in printed
    assert len(losses(printed)) == STEPS
    assert "<|im_start|>" in (tmp_path / "out/chat_template.jinja").read_text(encoding="utf-8")


def test_one_process_keeps_to_one_card(tmp_path: Path) -> None:
    """Trainer would split the batch over all cards that it sees; what the reader chose stays."""
    for folder in folders("trained"):
        before = (folder / "train.py").read_text(encoding="utf-8").partition("from datasets import")[0]
        script = f"{before}\nprint(os.environ.get('CUDA_VISIBLE_DEVICES'))"
        (tmp_path / "head.py").write_text(script, encoding="utf-8")
        shutil.copyfile(folder / "trainfit.json", tmp_path / "trainfit.json")
        for given, seen in ((None, "0" if about(folder)["gpus"] == 1 else "None"), ("3", "3")):
            others = {name: value for name, value in os.environ.items() if name != "CUDA_VISIBLE_DEVICES"}
            command = [sys.executable, str(tmp_path / "head.py")]
            env = others | ({} if given is None else {"CUDA_VISIBLE_DEVICES": given})
            done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
            assert done.stdout.strip() == seen


def test_a_checkpoint_goes_on(trained: Path, tiny: Any, tmp_path: Path) -> None:
    """Training resumes from the newest checkpoint, as README.md says, and ends at the same step."""
    facts = about(trained)
    can_build(facts)
    if facts["model_type"] != "qwen3":
        assert facts["model_type"]
        return
    model = tiny(facts["model_type"])
    train(trained, model, tmp_path / "out", facts["gpus"], *shortened())
    shutil.rmtree(tmp_path / "out/checkpoint-4")
    option = f" {' '.join(RESUME)}\n"
    assert option in (trained / "README.md").read_text(encoding="utf-8")
    printed = train(trained, model, tmp_path / "out", facts["gpus"], *shortened(*RESUME))
    assert len(losses(printed)) == STEPS - 2


IN_MEMORY = """
import sys, types
import torch, train
from transformers import AutoConfig, AutoModelForCausalLM
def resident():
    return int(open("/proc/self/statm").read().split()[1]) * 4096 / (1 << 20)
shape = dict(hidden_size=1024, intermediate_size=4096, num_hidden_layers=8, vocab_size=1024, head_dim=64)
before = resident()
with train.made_of_nothing(types.SimpleNamespace(process_index=int(sys.argv[1]))):
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model("qwen3", tie_word_embeddings=True, **shape))
model.tie_weights()
assert model.lm_head.weight is model.model.embed_tokens.weight
assert bool(model.model.rotary_emb.inv_freq[0] == 1)
print(round(resident() - before), round(sum(weight.nbytes for weight in model.parameters()) / (1 << 20)))
"""


@pytest.mark.skipif(not Path("/proc/self/statm").is_file(), reason="memory is read as Linux tells it")
def test_only_the_first_process_fills_a_model_from_scratch(tmp_path: Path) -> None:
    """README.md asks for host memory for one such model, whatever the number of processes."""
    folder = copied(tmp_path, "train.py")
    grown, whole = [], 0
    for process in (0, 1):
        command = [sys.executable, "-c", IN_MEMORY, f"{process}"]
        done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
        more, whole = map(int, done.stdout.split()[-2:])
        grown.append(more)
    assert whole > 500
    assert grown[0] > 0.9 * whole
    assert grown[1] < 0.2 * whole


TEKKEN = """
import base64, json, train
words = [bytes([number]) for number in range(256)] + [b"he", b"llo", b"hello"]
vocabulary = [{"rank": rank, "token_bytes": base64.b64encode(word).decode()} for rank, word in enumerate(words)]
names = ("<unk>", "<s>", "</s>", "[INST]", "[/INST]")
special = [{"rank": rank, "token_str": name, "is_control": True} for rank, name in enumerate(names)]
sizes = dict(default_vocab_size=len(words) + 8, default_num_special_tokens=8, version="v11")
config = dict(pattern=r"[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}|\\s+", num_vocab_tokens=len(words), **sizes)
json.dump(dict(config=config, vocab=vocabulary, special_tokens=special), open("tekken.json", "w"))
parts = dict(text_config={"model_type": "mistral", "eos_token_id": 2}, vision_config={"model_type": "pixtral"})
json.dump(dict(model_type="mistral3", **parts), open("config.json", "w"))
tokenizer = train.tokenizer_for(".", None, [{"text": "hello"}], templated=False)
assert tokenizer("hello</s>").input_ids == [8 + 258, 2], tokenizer("hello</s>").input_ids
assert (tokenizer.eos_token, tokenizer.eos_token_id) == ("</s>", 2)
"""


def test_a_tokenizer_of_mistral_needs_no_package_of_its_own(tmp_path: Path) -> None:
    """Transformers reads tekken.json by itself; where texts end, the model's configuration says."""
    assert find_spec("mistral_common") is None
    subprocess.run([sys.executable, "-c", TEKKEN], cwd=copied(tmp_path, "train.py"), check=True)


def copied(target: Path, *names: str, source: Path | None = None) -> Path:
    """A folder with the measuring programs of a job, by default of the first one, and its record."""
    source = source or folders("trained")[0]
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


ON_A_GPU = """
import sys, torch
GIB = 1 << 30
build = torch.tensor
torch.tensor = lambda *given, device=None, **named: build(*given, **named)
torch.cuda.is_available = lambda: True
torch.cuda.reset_peak_memory_stats = torch.cuda.synchronize = lambda: None
torch.cuda.max_memory_allocated = lambda: int(float(sys.argv[1]) * GIB)
import measure
measure.start()
measure.finish(40960, 4.0, dict(part.split("=") for part in sys.argv[2:]))
"""
"""A run as measure.py sees it, on a GPU that says what is asked of it."""


@pytest.mark.parametrize(
    ("share", "settings", "wrong"),
    [
        (0.5, (), []),
        (0.0, (), []),
        (-0.1, (), ["GiB were measured"]),
        (1.1, (), ["GiB were measured"]),
        (0.5, ("seq_len=2048",), ["seq_len: 2048 was run, 4096 was estimated"]),
    ],
)
def test_a_row_is_compared_with_its_estimate(
    tmp_path: Path, share: float, settings: tuple[str, ...], wrong: list[str]
) -> None:
    """From the counter of PyTorch to the verdict on the row, at both ends of what was expected and beyond them."""
    measured = folders("measured")[0]
    record = json.loads((measured / "trainfit.json").read_text(encoding="utf-8"))
    expected = record["expected"]["peak_gib"]
    peak = expected["low"] + share * (expected["high"] - expected["low"])
    folder = copied(tmp_path, source=measured)
    # A thousandth of a GiB above, since a row has three places.
    command = [sys.executable, "-c", ON_A_GPU, f"{peak + 0.001 * (share == 0)}", *settings]
    done = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    assert f"Peak memory {peak:.1f} GiB" in done.stderr
    row = next(csv.DictReader((folder / "measurement.csv").open(encoding="utf-8")))
    assert row["tokens_per_sec_per_gpu"] == "10240.0"
    found = complaints(row, record)
    assert len(found) == len(wrong)
    assert all(expected in text for expected, text in zip(wrong, found, strict=True))


def test_a_row_without_a_peak_is_no_success(measured: Path) -> None:
    record = json.loads((measured / "trainfit.json").read_text(encoding="utf-8"))
    nothing = {**record["row"], "outcome": "finished"}
    assert complaints(nothing, record) == ["no peak was measured"]
    (failed,) = complaints({**record["row"], "outcome": "failed"}, record)
    assert "the run failed" in failed


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
LLAMA_FACTORY = """
import runpy, sys, types
from torch import nn, rand
from transformers import Trainer, TrainingArguments
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.line = nn.Linear(4, 1)
    def forward(self, x=None, labels=None):
        return {"loss": self.line(x).square().mean()}
def train(args, callbacks):
    # As llamafactory.train.tuner: what stands on the command line is read there, the list of callbacks is added to.
    assert args is None and sys.argv[1:] == ["llama_factory.yaml", "max_steps=4"], (args, sys.argv)
    callbacks.append(type(callbacks[0]).__bases__[0]())
    out = TrainingArguments("out", max_steps=4, use_cpu=True, report_to="none", save_strategy="no", disable_tqdm=True)
    Trainer(Model(), out, train_dataset=[{"x": rand(4)} for _ in range(64)], callbacks=callbacks).train()
namespace = {"train": train}
exec(SIGNATURE, namespace)
module = types.ModuleType("llamafactory.train.tuner")
module.run_exp = namespace["run_exp"]
sys.modules |= {"llamafactory": module, "llamafactory.train": module, module.__name__: module}
sys.argv = ["run.py", "llama_factory.yaml", "max_steps=4"]
sys.path.insert(0, ".")
runpy.run_path("run.py", run_name="__main__")
assert sys.excepthook is not sys.__excepthook__
"""


def test_llama_factory_is_hooked(tmp_path: Path) -> None:
    """With a stand-in for its trainer, a real one of transformers as its own is; its function is the library's own.

    That is: has the arguments that tests/stack/schemas/llama-factory.json read in the source of the pinned version.
    """
    schema = json.loads((SCHEMAS / "llama-factory.json").read_text(encoding="utf-8"))
    names = list(schema["x-functions"]["llamafactory.train.tuner"]["run_exp"]["properties"])
    arguments = ", ".join(f"{name}=None" for name in names)
    signature = f"def run_exp({arguments}): train(args, callbacks)"
    folder = copied(tmp_path, "run.py")
    script = LLAMA_FACTORY.replace("SIGNATURE", repr(signature))
    subprocess.run([sys.executable, "-c", script], cwd=folder, check=True)
    row = next(csv.DictReader((folder / "measurement.csv").open(encoding="utf-8")))
    assert (row["outcome"], row["micro_batch"], row["peak"]) == ("finished", "8", "")
    assert float(row["tokens_per_sec_per_gpu"]) > 0


@pytest.mark.parametrize(("name", "script"), [("measure_axolotl.py", AXOLOTL), ("measure_torchtitan.py", TORCHTITAN)])
def test_other_trainers_are_hooked(tmp_path: Path, name: str, script: str) -> None:
    """With stand-ins for trainers that are not installed here: what is timed leaves the first steps out."""
    subprocess.run([sys.executable, "-c", script], cwd=copied(tmp_path, name), check=True)
