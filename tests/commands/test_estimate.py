from __future__ import annotations

import csv
import io
import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from generator import cli
from generator.catalog import Catalog
from generator.commands import cases as cases_command
from generator.commands.cases import RESULTS, CasesError, read_cases, run_cases
from generator.commands.plans import plan_of
from generator.estimate import estimate

ONE = ("--model", "qwen3-8b", "--gpu", "rtx-6000-ada", "--count", "4", "--method", "full")


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def cases(catalog: Catalog, folder: Path, text: str) -> list[dict[str, str]]:
    source, target = folder / "in.csv", folder / "out.csv"
    source.write_text(text, encoding="utf-8")
    run_cases(catalog, source, target)
    return rows(target.read_text(encoding="utf-8"))


def test_a_table(catalog: Catalog, tmp_path: Path) -> None:
    found = cases(
        catalog,
        tmp_path,
        "id,note,model,method,gpu,n_gpus\n"
        '1,"kept, as it is",Qwen/Qwen3-8B,full,RTX 6000 Ada,4\n'
        "2,,no-such-model,full,rtx-6000-ada,4\n"
        "3,x,qwen3-32b,qlora,rtx-6000-ada,4\n"
        "4,x,llama-3.1-70b,full,rtx-6000-ada,4\n",
    )
    assert list(found[0]) == ["id", "note", "model", "method", "gpu", "n_gpus", *RESULTS]
    assert found[0]["note"] == "kept, as it is"
    case = {"model": "qwen3-8b", "gpu": "rtx-6000-ada", "n_gpus": "4"}
    result = estimate(catalog, plan_of(catalog, case))
    assert found[0]["peak_gib_expected"] == f"{result.peak_gib.expected:.4f}"
    assert found[0]["params_total"] == found[0]["params_trainable"] == "8190735360"
    assert [row["fits"] for row in found] == ["yes", "unknown", "yes", "no"]
    assert [bool(row["error"]) for row in found] == [False, True, False, False]
    assert found[1]["error"].startswith("unknown model `no-such-model`")
    assert found[1]["peak_gib_expected"] == ""


def test_an_unknown_card_still_gets_its_memory(catalog: Catalog, tmp_path: Path) -> None:
    known, unknown = cases(
        catalog,
        tmp_path,
        "model,gpu,n_gpus,sharding\nqwen3-8b,rtx-6000-ada,3,fsdp1\nqwen3-8b,Mystery 96GB,3,fsdp1\n",
    )
    assert unknown["peak_gib_expected"] == known["peak_gib_expected"]
    assert (unknown["fits"], unknown["usable_gib"], unknown["tokens_per_sec_per_gpu"]) == ("unknown", "", "")
    assert unknown["error"] == "unknown gpu `Mystery 96GB`"


@pytest.mark.parametrize(
    ("row", "error"),
    [
        ("qwen3-8b,rtx-6000-ada,4,extra,more", "expected 3 fields, found 5"),
        ("qwen3-8b,rtx-6000-ada", ""),
        ("qwen3-8b,,", "gpu: expected catalogue id or alias of the GPU, found nothing"),
        (",rtx-6000-ada,1", "model: expected a model, a model_config or params_b, found none"),
        ("qwen3-8b,rtx-6000-ada,999999999", ""),
        ("qwen3-8b,rtx-6000-ada,9999999999999999999", "n_gpus: expected a whole number above 0, found `99999999999999"),
        ("'; DROP TABLE models; --,rtx-6000-ada,1", "unknown model `'; DROP TABLE models; --`"),
        ("x\x00y,rtx-6000-ada,1", "unknown model"),
        ('"two\nlines",rtx-6000-ada,1', "unknown model `two lines`"),
    ],
)
def test_a_bad_row_stops_nothing(catalog: Catalog, tmp_path: Path, row: str, error: str) -> None:
    found = cases(catalog, tmp_path, f"model,gpu,n_gpus\n{row}\nqwen3-0.6b,rtx-6000-ada,1\n")
    assert len(found) == 2
    assert found[0]["error"].startswith(error) if error else found[0]["error"] == ""
    assert (found[1]["error"], found[1]["fits"]) == ("", "yes")


def test_columns_of_an_earlier_result_are_replaced(catalog: Catalog, tmp_path: Path) -> None:
    [found] = cases(catalog, tmp_path, "error,model,gpu,fits\nold,qwen3-0.6b,rtx-6000-ada,maybe\n")
    assert list(found) == ["model", "gpu", *RESULTS]
    assert (found["error"], found["fits"]) == ("", "yes")


def test_a_byte_order_mark_windows_lines_and_empty_lines(catalog: Catalog, tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_bytes("\ufeffmodel,gpu\r\n\r\nqwen3-0.6b,rtx-6000-ada\r\n".encode())
    [found] = rows(run_cases(catalog, source, None))
    assert found["fits"] == "yes"


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "in.csv:1: expected a header, found an empty file"),
        (b"\xff\xfe", "expected UTF-8, found the byte 0xFF"),
        (b"a,a\n", "in.csv:1: expected each column once, found a again"),
        (b'a,b\n"x', "expected CSV, found an error"),
        (b"a\n" + b"x" * 200_000, "expected CSV, found an error: field larger than field limit"),
    ],
)
def test_a_table_that_is_none(tmp_path: Path, raw: bytes, message: str) -> None:
    source = tmp_path / "in.csv"
    source.write_bytes(raw)
    with pytest.raises(CasesError) as caught, read_cases(source) as (_, found):
        list(found)
    assert message in str(caught.value)


def test_a_place_that_cannot_be_written_leaves_nothing_behind(catalog: Catalog, tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("model,gpu\nqwen3-0.6b,rtx-6000-ada\n")
    with pytest.raises(CasesError, match="expected a place to write to"):
        run_cases(catalog, source, tmp_path / "gone" / "out.csv")
    target = tmp_path / "folder"
    target.mkdir()
    with pytest.raises(CasesError, match="expected a place to write to"):
        run_cases(catalog, source, target)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "in.csv"]


def test_a_link_stays_and_its_target_is_written(catalog: Catalog, tmp_path: Path) -> None:
    source, target, link = tmp_path / "in.csv", tmp_path / "real.csv", tmp_path / "link.csv"
    source.write_text("model,gpu\nqwen3-0.6b,rtx-6000-ada\n")
    target.write_text("old")
    link.symlink_to(target)
    run_cases(catalog, source, link)
    assert link.is_symlink()
    assert rows(target.read_text())[0]["fits"] == "yes"


def test_a_pipe_gets_the_table(catalog: Catalog, tmp_path: Path) -> None:
    source, pipe = tmp_path / "in.csv", tmp_path / "pipe"
    source.write_text("model,gpu\nqwen3-0.6b,rtx-6000-ada\n")
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert run_cases(catalog, source, pipe) == ""
        assert rows(os.read(reader, 100_000).decode())[0]["fits"] == "yes"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_standard_output_by_its_path(tmp_path: Path, repo_root: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("model,gpu\nqwen3-0.6b,rtx-6000-ada\n")
    done = subprocess.run(
        [sys.executable, "-m", "generator.cli", "estimate", "--cases", str(source), "--out", "/dev/stdout"],
        cwd=repo_root, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert [row["fits"] for row in rows(done.stdout)] == ["yes"]


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ("model;gpu", "in.csv:1: expected columns separated by commas, found `;`"),
        ("model\tgpu", "in.csv:1: expected columns separated by commas, found a tab"),
        ("Model,GPU", "in.csv:1: expected `model`, found the column `Model`"),
        ("model,N GPUs", "in.csv:1: expected `n_gpus`, found the column `N GPUs`"),
    ],
)
def test_a_header_that_would_be_passed_over(tmp_path: Path, header: str, message: str) -> None:
    source = tmp_path / "in.csv"
    source.write_text(f"{header}\nx\n")
    with pytest.raises(CasesError) as caught, read_cases(source) as (_, found):
        list(found)
    assert message in str(caught.value)


def test_rows_are_read_as_they_are_needed(catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of any length takes the memory of one chunk."""
    most = 0
    original = cases_command.results_of

    def counting(catalog: Catalog, rows: list[dict[str, str]]) -> list[dict[str, str]]:
        nonlocal most
        most = max(most, len(rows))
        return original(catalog, rows)

    monkeypatch.setattr(cases_command, "CHUNK", 7)
    monkeypatch.setattr(cases_command, "results_of", counting)
    found = cases(catalog, tmp_path, "id,model,gpu\n" + "".join(f"{n},qwen3-8b,rtx-6000-ada\n" for n in range(40)))
    assert most == 7
    assert [row["id"] for row in found] == [str(n) for n in range(40)]
    assert {row["error"] for row in found} == {""}


def test_an_error_late_in_a_table_leaves_the_old_one(catalog: Catalog, tmp_path: Path) -> None:
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_bytes(b"model,gpu\n" + b"qwen3-8b,rtx-6000-ada\n" * 6000 + b"\xff,x\n")
    target.write_text("old")
    with pytest.raises(CasesError, match=r"in\.csv: expected UTF-8, found the byte 0xFF"):
        run_cases(catalog, source, target)
    assert target.read_text() == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.csv", "out.csv"]


def test_text_of_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["estimate", *ONE]) == 0
    text = capsys.readouterr().out
    assert text.startswith("qwen3-8b: full on 4× rtx-6000-ada, ECC on\nprecision bf16-mixed, optimizer adamw,")
    assert "lora_rank" not in text
    assert "parameters  8,190,735,360, trained 8,190,735,360" in text
    assert "fits        yes: " in text
    assert "backward-end" in text


def as_json(capsys: pytest.CaptureFixture[str], command: str, *arguments: str) -> Any:
    assert cli.main([command, *ONE, *arguments, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_json_of_one(catalog: Catalog, capsys: pytest.CaptureFixture[str]) -> None:
    content = as_json(capsys, "estimate")
    result = estimate(catalog, plan_of(catalog, {"model": "qwen3-8b", "gpu": "rtx-6000-ada", "n_gpus": "4"}))
    assert content["peak_gib"]["expected"] == result.peak_gib.expected
    assert content["peak_gib"]["low"] <= content["peak_gib"]["expected"] <= content["peak_gib"]["high"]
    assert content["fits"] == "yes"
    assert max(sum(terms.values()) for terms in content["breakdown"].values()) == pytest.approx(
        content["peak_gib"]["expected"]
    )
    assert set(RESULTS) - {"error", "peak_gib_low", "peak_gib_expected", "peak_gib_high"} <= set(content)
    assert {"assumptions", "sources", "breakdown", "plan"} <= set(content)
    assert {source["id"] for source in content["sources"]} <= set(catalog.sources)
    assert all(source["url"] or source["package"] for source in content["sources"])


def test_explain_gives_every_step_with_inputs_and_sources(catalog: Catalog, capsys: pytest.CaptureFixture[str]) -> None:
    content = as_json(capsys, "explain")
    by_name = {each["name"]: each for each in content["quantities"]}
    peak = by_name["peak"]
    assert peak["formula"].startswith("largest(phase_load, ")
    assert peak["value"] == max(peak["inputs"].values())
    assert by_name["host_bytes_per_parameter"]["constant"] == "host-bytes-per-parameter"
    for each in content["quantities"]:
        assert set(each["inputs"]) <= set(by_name)
        assert set(each["sources"]) <= set(catalog.sources)
        assert each["kind"] not in ("step", "constant") or each["reason"]
        assert each["kind"] not in ("gpu", "model") or each["sources"]


def test_explain_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", *ONE]) == 0
    text = capsys.readouterr().out
    assert "\nInputs from the constant\n" in text
    assert "\nSteps\n" in text
    assert "\n  peak = largest(phase_load, " in text
    assert "\nSources\n" in text
    assert "https://" in text
    assert "where(a, b, c) is b where a is not 0" in text
    assert re.search(r"^  0: .*\bmethod_lora\b", text, re.MULTILINE)
    assert text.count("      sources: qwen3-8b-card\n") == 1


def test_a_bare_size_can_be_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["explain", "--params-b", "1.5", "--gpu", "rtx-6000-ada", "--count", "1"]) == 0
    assert capsys.readouterr().out.startswith("size-1.5: full on 1× rtx-6000-ada")


def test_offload_and_adapters_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["estimate", *ONE[:-1], "full", "--sharding", "zero3", "--cpu-offload", "optimizer"]) == 0
    assert "host        " in capsys.readouterr().out
    assert cli.main(["estimate", *ONE[:-1], "qlora"]) == 0
    text = capsys.readouterr().out
    assert "lora_rank 16, lora_targets q_proj+k_proj" in text
    assert "quant nf4-dq" in text
