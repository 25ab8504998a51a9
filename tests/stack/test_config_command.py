"""`trainfit config` on the command line, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from generator.catalog import Catalog
from generator.cli import main
from generator.estimate import Plan

RIG = "4x-rtx-6000-ada"


@pytest.fixture(autouse=True)
def read_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, catalog: Catalog) -> None:
    """Reading data/ takes the command two seconds: one test does so, the others share what was read."""
    if request.node.originalname != "test_it_writes_a_configuration":
        monkeypatch.setattr("generator.commands.config.load_catalog", lambda _: catalog)


def config(tmp_path: Path, *options: str, model: str = "qwen3-8b", method: str = "full") -> tuple[int, Path]:
    out = tmp_path / "out"
    return main(["config", "--model", model, "--rig", RIG, "--method", method, "--out", str(out), *options]), out


def test_it_writes_a_configuration(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out = config(tmp_path)
    assert status == 0
    assert "README.md" in capsys.readouterr().out
    assert yaml.safe_load((out / "sft.yaml").read_text("utf-8"))["model_name_or_path"] == "Qwen/Qwen3-8B"
    readme = (out / "README.md").read_text("utf-8")
    peak = json.loads((out / "trainfit.json").read_text("utf-8"))["expected"]["peak_gib"]
    for name in ("low", "expected", "high"):
        assert f"{peak[name]:.1f}\u00a0GiB" in readme
    assert "accelerate launch --config_file accelerate.yaml train.py --config sft.yaml" in readme


def test_the_reader_chooses_the_language(tmp_path: Path) -> None:
    status, out = config(tmp_path, "--language", "ru")
    assert status == 0
    assert "Если не хватило памяти" in (out / "README.md").read_text("utf-8")
    assert "Обучение" in (out / "sft.yaml").read_text("utf-8")


def test_versions_are_pinned(tmp_path: Path) -> None:
    _, out = config(tmp_path)
    lines = (out / "requirements.txt").read_text("utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert {line.partition("==")[0] for line in pins} >= {"torch", "transformers", "trl", "peft", "accelerate"}
    assert all(version for _, _, version in (line.partition("==") for line in pins))


def test_a_plan_that_does_not_fit_is_refused_with_what_does(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out = config(tmp_path, model="llama-3.1-70b")
    said = capsys.readouterr().err
    assert status == 1
    assert not out.exists()
    assert "no recipe fits" in said
    assert "GiB of 44.4" in said
    assert "what fits: qlora (try --method qlora)" in said


def test_one_that_takes_too_long_says_how_long(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _ = config(tmp_path, method="pretrain")
    assert status == 1
    assert "days of at most 45" in capsys.readouterr().err


def test_a_framework_that_cannot_names_those_that_can(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _ = config(tmp_path, "--framework", "torchtitan")
    assert status == 1
    said = capsys.readouterr().err
    assert "torchtitan has no setting for method = full" in said
    assert "frameworks that can: trl, deepspeed" in said


@pytest.mark.parametrize(
    ("rig", "said"),
    [
        ("8x-mi300x", "expected a card for PyTorch"),
        ("1x-t4", "the card has no bf16"),
        ("8x-gaudi2", "its libraries do not run on this card"),
    ],
)
def test_a_card_that_the_versions_are_not_for_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], rig: str, said: str
) -> None:
    """The PyTorch that requirements.txt names is built for CUDA; memory and time have nothing to do with it."""
    out = tmp_path / "out"
    assert main(["config", "--model", "qwen3-1.7b", "--rig", rig, "--method", "lora", "--out", str(out)]) == 1
    assert said in capsys.readouterr().err
    assert not out.exists()


def test_llama_factory_leaves_adapters_under_fsdp2_to_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its Accelerate would make the frozen base fp32."""
    status, _ = config(tmp_path, "--framework", "llama-factory", model="qwen3-32b", method="lora")
    said = capsys.readouterr().err
    assert status == 1
    assert "no setting for sharding = fsdp2" in said
    assert "frameworks that can: trl, deepspeed, axolotl" in said


@pytest.mark.parametrize(
    ("framework", "method", "line"),
    [
        ("trl", "full", "save_total_limit: 2"),
        ("llama-factory", "full", "save_total_limit: 2"),
        ("axolotl", "full", "save_total_limit: 2"),
    ],
)
def test_no_more_checkpoints_are_kept_than_the_disk_is_asked_for(
    tmp_path: Path, framework: str, method: str, line: str
) -> None:
    _, out = config(tmp_path, "--framework", framework, method=method)
    record = json.loads((out / "trainfit.json").read_text("utf-8"))
    settings = next(path for path in out.iterdir() if path.name in ("sft.yaml", "llama_factory.yaml", "axolotl.yaml"))
    assert line in settings.read_text("utf-8").splitlines()
    expected = record["expected"]
    one = (expected["disk_gib"] - expected["first_disk_gib"]) / 2
    assert expected["checkpoints"] == 3
    assert 0 < one < expected["first_disk_gib"]
    assert f"{expected['disk_gib']:,.0f}\u00a0GiB" in (out / "README.md").read_text("utf-8")


def test_pure_bf16_of_llama_factory_is_not_mixed(tmp_path: Path) -> None:
    """With `bf16: true` its Accelerate makes the weights fp32 under FSDP2, twice what was estimated."""
    _, out = config(tmp_path, "--framework", "llama-factory", "--recipe", "full-fsdp2-bf16")
    settings = yaml.safe_load((out / "llama_factory.yaml").read_text("utf-8"))
    assert (settings["pure_bf16"], settings["bf16"]) == (True, False)


@pytest.mark.parametrize(("rig", "ecc"), [("4x-rtx-6000-ada", True), ("2x-rtx-3090", False)])
def test_ecc_is_spoken_of_where_there_is_any(tmp_path: Path, rig: str, ecc: bool) -> None:
    out = tmp_path / "out"
    assert main(["config", "--model", "qwen3-8b", "--rig", rig, "--method", "qlora", "--out", str(out)]) == 0
    assert ("ECC" in (out / "README.md").read_text("utf-8")) is ecc


@pytest.mark.parametrize(("rig", "said"), [("1x-rtx-3090", True), ("2x-rtx-3090", False)])
def test_one_card_splits_nothing(tmp_path: Path, rig: str, said: bool) -> None:
    """The recipe is called DDP on one card too."""
    out = tmp_path / "out"
    assert main(["config", "--model", "qwen3-8b", "--rig", rig, "--method", "qlora", "--out", str(out)]) == 0
    assert ("nothing to split: one process runs" in (out / "README.md").read_text("utf-8")) is said


def test_offload_asks_for_a_compiler(tmp_path: Path) -> None:
    _, out = config(tmp_path, "--framework", "deepspeed", "--recipe", "full-zero3-offload")
    assert "g++ and python3-dev" in (out / "README.md").read_text("utf-8")


def test_a_model_that_nobody_modelled_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], catalog: Catalog
) -> None:
    unmodelled = next(
        (model for model, record in catalog.models.items() if record.architecture.shape().unmodelled), None
    )
    assert unmodelled is not None
    status, _ = config(tmp_path, model=unmodelled, method="full")
    assert status == 1
    assert "whose memory is modelled" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "value"), [("--model", "qwen3-9b"), ("--rig", "4x-rtx-6000"), ("--method", "lorra")]
)
def test_unknown_ids_are_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str], option: str, value: str) -> None:
    given = {"--model": "qwen3-8b", "--rig": RIG, "--method": "full"} | {option: value}
    arguments = [part for pair in given.items() for part in pair]
    assert main(["config", *arguments, "--out", str(tmp_path / "out")]) == 1
    said = capsys.readouterr().err
    assert f"unknown {option.removeprefix('--')} `{value}`" in said
    assert "did you mean" in said


def test_files_of_somebody_else_stay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine", encoding="utf-8")
    status, out = config(tmp_path)
    assert status == 1
    assert "expected a new or empty folder" in capsys.readouterr().err
    assert [path.name for path in out.iterdir()] == ["mine.txt"]


def test_a_folder_that_cannot_be_made_is_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "out").write_text("a file", encoding="utf-8")
    status, _ = config(tmp_path)
    assert status == 1
    assert "expected a folder" in capsys.readouterr().err


def test_the_measured_row_has_the_columns_of_the_data(tmp_path: Path) -> None:
    from generator.catalog.measurements import Measurement

    _, out = config(tmp_path, method="qlora")
    row = json.loads((out / "trainfit.json").read_text("utf-8"))["row"]
    assert list(row) == list(Measurement.model_fields)
    read = {"outcome": "finished", "peak": "12.5", "unit": "GiB", "reading": "max-allocated"}
    measured = Measurement.model_validate({**row, **read})
    assert (measured.lora_targets, measured.peak_gib) == ("all-linear", 12.5)
    assert Measurement.model_validate({**row, "outcome": "failed"}).peak is None


@pytest.mark.parametrize("method", ["full", "lora"])
def test_the_row_says_nothing_of_what_there_is_not(tmp_path: Path, method: str) -> None:
    _, out = config(tmp_path, method=method)
    row = json.loads((out / "trainfit.json").read_text("utf-8"))["row"]
    assert bool(row["lora_rank"]) is bool(row["adapter_dtype"]) is (method == "lora")


def test_settings_and_plan_have_the_same_names() -> None:
    from generator.launch.record import NO_SETTINGS

    assert set(NO_SETTINGS) < set(Plan.__dataclass_fields__)


def test_the_reader_chooses_recipe_and_workload(tmp_path: Path) -> None:
    status, out = config(tmp_path, "--recipe", "full-fsdp2-bf16", "--seq-len", "2048", "--grad-accum", "4")
    assert status == 0
    record = json.loads((out / "trainfit.json").read_text("utf-8"))
    settings = record["settings"]
    assert (record["recipe"], settings["seq_len"], settings["grad_accum"]) == ("full-fsdp2-bf16", 2048, 4)
    sft = yaml.safe_load((out / "sft.yaml").read_text("utf-8"))
    assert (sft["dtype"], sft["max_length"], sft["gradient_accumulation_steps"]) == ("bfloat16", 2048, 4)
    readme = (out / "README.md").read_text("utf-8")
    assert "`max_length: 1024` in sft.yaml" in readme
    assert "--method full --framework trl --seq-len 2048 --grad-accum 4 --recipe full-fsdp2-adam8bit" in readme


def test_a_workload_that_does_not_fit_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, out = config(tmp_path, "--micro-batch", "512")
    assert status == 1
    assert not out.exists()
    assert "can run no recipe that fits" in capsys.readouterr().err


def test_an_unknown_recipe_is_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _ = config(tmp_path, "--recipe", "full-fsdp")
    assert status == 1
    assert "unknown recipe `full-fsdp`" in capsys.readouterr().err


def test_a_framework_that_resumes_gets_a_trial_of_its_own(tmp_path: Path) -> None:
    _, out = config(tmp_path, "--framework", "llama-factory")
    readme = (out / "README.md").read_text("utf-8")
    command = "accelerate launch --config_file accelerate.yaml run.py llama_factory.yaml"
    anew = "overwrite_output_dir=true save_strategy='\"no\"'"
    assert f"{command} max_steps=20 output_dir=trial {anew}\n{command}\n" in readme
    assert "delete it afterwards" in readme


@pytest.mark.parametrize(("model", "gated"), [("llama-3.1-8b", True), ("qwen3-8b", False)])
def test_a_model_that_wants_a_licence_says_where(tmp_path: Path, model: str, gated: bool) -> None:
    _, out = config(tmp_path, model=model, method="lora")
    readme = (out / "README.md").read_text("utf-8")
    assert ("python preflight.py\nhf auth login\n" in readme) is gated
    assert ("accept the licence at https://huggingface.co/meta-llama/Llama-3.1-8B" in readme) is gated
    assert "Weights of some models" not in readme


@pytest.mark.parametrize(
    ("framework", "method", "said"),
    [
        ("trl", "full", "attention goes across their borders"),
        ("llama-factory", "lora", "set `packing: false` in llama_factory.yaml"),
        ("axolotl", "full", "none is packed"),
    ],
)
def test_the_readme_says_what_packing_does(tmp_path: Path, framework: str, method: str, said: str) -> None:
    _, out = config(tmp_path, "--framework", framework, method=method)
    readme = (out / "README.md").read_text("utf-8")
    assert said in readme
    assert "nobody here measured this run" in readme
    assert ("small updates are lost to rounding" in readme) is (framework == "axolotl")


@pytest.mark.parametrize(
    ("model", "method", "framework", "said"),
    [
        ("llama-3.3-70b", "qlora", "trl", "keeps it in host memory"),
        ("qwen3-32b", "qlora", "trl", ""),
        ("qwen3-8b", "lora", "trl", ""),
        ("qwen2.5-32b", "qlora", "axolotl", ""),
    ],
)
def test_where_a_quantised_base_waits_to_be_split(
    tmp_path: Path, model: str, method: str, framework: str, said: str
) -> None:
    status, out = config(tmp_path, "--framework", framework, model=model, method=method)
    assert status == 0
    readme = (out / "README.md").read_text("utf-8")
    record = json.loads((out / "trainfit.json").read_text("utf-8"))
    splits = record["settings"]["sharding"] == "fsdp2" and method == "qlora"
    assert said in readme
    assert ("keeps it in host memory" in readme) is (splits and framework == "trl")
    assert ("holds the whole 4-bit base" in readme) is (splits and framework != "trl")
    assert record["settings"]["load_on_card"] is (splits and framework != "trl")
    if said:
        assert record["expected"]["host_gib"] > 4 * 36  # a copy of the base for each of four processes


def test_a_framework_that_loads_the_whole_base_onto_every_card_has_no_files_where_that_is_too_much(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _ = config(tmp_path, "--framework", "axolotl", model="llama-3.3-70b", method="qlora")
    error = capsys.readouterr().err
    assert status == 1
    assert "as this framework runs it" in error
    assert "frameworks that can: trl" in error


@pytest.mark.parametrize(
    ("framework", "model", "method", "command", "said"),
    [
        ("trl", "qwen3-8b", "full", "train.py --config sft.yaml --resume_from_checkpoint last", "from the newest one"),
        ("deepspeed", "qwen3-8b", "full", "--config sft.yaml --resume_from_checkpoint last", "from the newest one"),
        ("axolotl", "qwen3-8b", "full", "axolotl train axolotl.yaml --auto-resume-from-checkpoints", "the newest one"),
        ("llama-factory", "qwen3-8b", "full", "run.py llama_factory.yaml", "move `output` away"),
        ("torchtitan", "qwen3-1.7b", "pretrain", "--config trainfit", "move `outputs/checkpoint` away"),
    ],
)
def test_the_readme_says_how_a_run_goes_on(
    tmp_path: Path, framework: str, model: str, method: str, command: str, said: str
) -> None:
    _, out = config(tmp_path, "--framework", framework, model=model, method=method)
    section = (out / "README.md").read_text("utf-8").partition("## When the run stops halfway")[2].partition("\n## ")[0]
    assert f"{command}\n```" in section
    assert said in section
    assert ("every 1,000 steps" if framework == "torchtitan" else "every 500 steps") in section
    assert "read the part of the corpus" not in section


def test_a_streamed_corpus_is_skipped_slowly(tmp_path: Path) -> None:
    _, out = config(tmp_path, "--language", "ru", model="qwen3-1.7b", method="pretrain")
    section = (out / "README.md").read_text("utf-8").partition("## Если запуск прервался")[2].partition("\n## ")[0]
    assert "--resume_from_checkpoint last\n" in section
    assert "`--ignore_data_skip true`" in section


@pytest.mark.parametrize(
    ("model", "method", "framework", "said"),
    [
        ("internlm2.5-7b", "lora", "trl", "code from the repository internlm/internlm2_5-7b-chat (trust_remote_code)"),
        ("gigachat-20b-a3b", "qlora", "trl", "has no class for this model (deepseek)"),
        ("exaone-3.5-7.8b", "lora", "axolotl", "frameworks that can: trl, deepspeed"),
        ("gemma-3-4b", "pretrain", "llama-factory", "makes the whole model from scratch"),
        ("qwen3-vl-4b", "pretrain", "trl", "no class for the text part alone (qwen3_vl_text)"),
    ],
)
def test_a_model_that_its_library_has_no_class_for_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], model: str, method: str, framework: str, said: str
) -> None:
    """Code of somebody's repository is never trusted, and no tower is made that the estimate is without."""
    out = tmp_path / "out"
    given = ["--model", model, "--method", method, "--framework", framework, "--rig", "8x-h100-sxm"]
    assert main(["config", *given, "--out", str(out)]) == 1
    assert said in capsys.readouterr().err
    assert not out.exists()


def test_no_file_trusts_code_from_elsewhere(tmp_path: Path) -> None:
    for place, framework in enumerate(("trl", "deepspeed", "axolotl", "llama-factory")):
        _, out = config(tmp_path / f"{place}", "--framework", framework)
        assert not any("trust_remote_code" in path.read_text("utf-8") for path in out.iterdir())


@pytest.mark.parametrize(
    ("rig", "model", "method", "framework", "gib"),
    [
        ("4x-rtx-6000-ada", "qwen3-8b", "full", "trl", 4 * 7.63),  # the first process reads, in fp32
        ("4x-rtx-6000-ada", "qwen3-8b", "lora", "trl", 4 * 2 * 7.63),  # every process of DDP reads
        ("4x-rtx-6000-ada", "qwen3-8b", "lora", "axolotl", 4 * 2),  # straight onto the cards
        ("1x-a100-80-sxm", "llama-3.3-70b", "qlora", "trl", 2),
        ("4x-rtx-6000-ada", "qwen3-1.7b", "pretrain", "trl", 4 * 2),  # the first process fills it: 6.4 GiB
        ("4x-rtx-6000-ada", "qwen3-1.7b", "pretrain", "llama-factory", 4 * 4 * 1.602),
        ("4x-rtx-6000-ada", "qwen3-1.7b", "pretrain", "torchtitan", 4 * 2),
    ],
)
def test_host_memory_is_what_lies_there(
    tmp_path: Path, rig: str, model: str, method: str, framework: str, gib: float
) -> None:
    out = tmp_path / "out"
    given = ["--model", model, "--method", method, "--framework", framework, "--rig", rig]
    assert main(["config", *given, "--out", str(out)]) == 0
    record = json.loads((out / "trainfit.json").read_text("utf-8"))
    assert record["expected"]["host_gib"] == pytest.approx(gib, rel=0.01)
