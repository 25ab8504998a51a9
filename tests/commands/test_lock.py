"""`trainfit lock` writes data/verdicts.csv, `trainfit check` compares it with what is computed."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from generator import cli
from generator.catalog import DATA_DIR, Catalog, load_catalog
from generator.catalog.locked import read_locked, write_locked
from generator.commands import locked
from generator.commands.check import in_one
from generator.commands.locked import locked_text, stale
from generator.errors import CatalogErrors, DataError
from generator.verdict import judge_rig

RIG = "4x-rtx-6000-ada"


@pytest.fixture(scope="module")
def catalog(reduced_data: Path) -> Catalog:
    return load_catalog(reduced_data)


@pytest.fixture(scope="module")
def text(catalog: Catalog) -> str:
    return locked_text(catalog)


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch, text: str) -> str:
    """The table, computed once: the tests are about what lies in the folder."""
    monkeypatch.setattr(locked, "locked_text", lambda catalog: text)  # noqa: ARG005
    return text


@pytest.fixture
def data(tmp_path: Path, reduced_data: Path) -> Path:
    return Path(shutil.copytree(reduced_data, tmp_path / "data"))


def found(catalog: Catalog, data: Path, stored: str) -> list[str]:
    (data / "verdicts.csv").write_text(stored, encoding="utf-8", newline="")
    return [str(error) for error in stale(catalog, data)]


def test_the_table_of_this_repository_is_up_to_date() -> None:
    assert stale(load_catalog(), DATA_DIR) == []
    assert read_locked(DATA_DIR) is not None


def test_leaving_rigs_and_models_out_changes_no_other_verdict(reduced_data: Path, text: str) -> None:
    """The tests that build and edit the reduced data see the verdicts that are published."""
    assert read_locked(reduced_data) == text


def test_the_table_has_a_row_for_each_rig_and_model(catalog: Catalog, text: str) -> None:
    rows = list(csv.DictReader(io.StringIO(text)))
    assert list(rows[0]) == ["rig", "model", *catalog.methods]
    keys = [(row["rig"], row["model"]) for row in rows]
    judged = [model_id for model_id, model in catalog.models.items() if model.objective == "causal-lm"]
    assert keys == sorted((rig, model_id) for rig in catalog.rigs for model_id in judged)
    report = judge_rig(catalog, RIG)
    for row in rows:
        if row["rig"] == RIG:
            for method in catalog.methods:
                assert row[method] == report.verdicts[row["model"], method].verdict


def test_lock_mends_what_check_complains_of(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    policy = data / "policy.yml"
    source = policy.read_text(encoding="utf-8")
    start = source.index("comfortable_ratio:")
    policy.write_text(source[:start] + source[start:].replace("0.8", "0.3", 1), encoding="utf-8")
    assert cli.main(["check", "--data-dir", str(data)]) == 1
    told = capsys.readouterr().out.splitlines()
    assert all(line.startswith("data/verdicts.csv:") for line in told[:-1])
    assert len(told) == 2  # one cause, one error
    assert " others differ too (an edit of data/ or of the program changes them: correct it, or" in told[0]
    assert told[0].endswith("run `.venv/bin/trainfit lock`)")
    assert told[-1] == "1 error in 1 file"
    before = (data / "verdicts.csv").read_text(encoding="utf-8")
    assert cli.main(["lock", "--data-dir", str(data)]) == 0
    *changes, last, history = capsys.readouterr().out.splitlines()
    assert last.startswith("wrote data/verdicts.csv: ")
    assert history.startswith("wrote data/changes.csv: ")
    assert len(changes) == int(told[0].partition("; ")[2].split()[0]) + 1
    assert f"qwen3-8b, full, {RIG}: 'comfortable' → 'borderline'" in changes
    assert before != (data / "verdicts.csv").read_text(encoding="utf-8")
    assert cli.main(["check", "--data-dir", str(data)]) == 0
    assert cli.main(["lock", "--data-dir", str(data)]) == 0
    assert capsys.readouterr().out.endswith("data/verdicts.csv is up to date\n")


def test_lock_refuses_broken_data(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (data / "verdicts.csv").read_bytes()
    (data / "policy.yml").write_text("workload: [\n", encoding="utf-8")
    assert cli.main(["lock", "--data-dir", str(data)]) == 1
    assert capsys.readouterr().err.startswith("data/policy.yml:")
    assert (data / "verdicts.csv").read_bytes() == before


def test_a_verdict_is_located(catalog: Catalog, data: Path, computed: str) -> None:
    lines = computed.splitlines(keepends=True)
    number = next(i for i, line in enumerate(lines) if line.startswith(f"{RIG},qwen3-14b,"))
    lines[number] = f"{RIG},qwen3-14b,comfortable," + lines[number].split(",", 3)[3]
    column = len(f"{RIG},qwen3-14b,") + 1
    assert found(catalog, data, "".join(lines)) == [
        (
            f"data/verdicts.csv:{number + 1}:{column}: full: expected `borderline` for qwen3-14b on {RIG}, "
            "found `comfortable` (run `.venv/bin/trainfit lock`)"
        )
    ]


def test_a_finding_in_all_formats(data: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    changed = text.replace(f"{RIG},qwen3-14b,borderline", f"{RIG},qwen3-14b,comfortable")
    assert changed != text
    (data / "verdicts.csv").write_text(changed, encoding="utf-8")
    assert cli.main(["check", "--format", "json", "--data-dir", str(data)]) == 1
    (finding,) = (each for each in json.loads(capsys.readouterr().out) if each["level"] == "error")
    assert (finding["path"], finding["field"], finding["rule"]) == ("data/verdicts.csv", "full", "verdicts")
    assert finding["hint"] == "run `.venv/bin/trainfit lock`"


def test_rows_that_are_missing_or_too_many(catalog: Catalog, data: Path, computed: str) -> None:
    lines = computed.splitlines(keepends=True)
    missing = found(catalog, data, "".join([lines[0], *lines[2:]]))
    assert len(missing) == 4
    assert all(line.startswith("data/verdicts.csv:2:") and "found nothing" in line for line in missing)
    extra = found(catalog, data, computed + f"{RIG},zzz,comfortable\n")
    assert extra == [
        (
            f"data/verdicts.csv:{len(lines) + 1}:{len(RIG) + 6}: full: expected nothing for zzz on {RIG}, "
            "found `comfortable` (run `.venv/bin/trainfit lock`)"
        )
    ]
    assert "once" in found(catalog, data, computed + lines[1])[0]


def test_a_new_model_or_rig_is_one_error(catalog: Catalog, data: Path, computed: str) -> None:
    lines = computed.splitlines(keepends=True)
    known = [line for line in lines if ",qwen3-14b," not in line]
    assert found(catalog, data, "".join(known)) == [
        (
            f"data/verdicts.csv:{next(i for i, line in enumerate(lines, 1) if ',qwen3-14b,' in line)}:1: expected the"
            " verdicts of the model `qwen3-14b`, found none (run `.venv/bin/trainfit lock`)"
        )
    ]
    row = lines[1].partition(",")[2]
    gone = f"9x-gone,{row}9x-gone,a,{row.partition(',')[2]}"
    assert found(catalog, data, computed + gone) == [
        (
            f"data/verdicts.csv:{len(lines) + 1}:1: expected nothing about the rig `9x-gone`, which is gone; found its"
            " verdicts (run `.venv/bin/trainfit lock`)"
        )
    ]


def test_a_table_of_many_strangers_is_compared_in_no_time(catalog: Catalog, data: Path, computed: str) -> None:
    strangers = "".join(f"r{number},m{number},{','.join(['comfortable'] * 4)}\n" for number in range(20_000))
    begun = time.monotonic()
    assert len(found(catalog, data, computed + strangers)) == 80_000
    assert time.monotonic() - begun < 10


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (lambda text: "", "1:1: expected the columns"),  # noqa: ARG005
        (lambda text: text.replace("rig,model", "model,rig", 1), "1:1: expected the columns"),
        (lambda text: text.replace("\n", "\r\n"), "1:1: expected rows sorted"),
        (lambda text: text + "\n", "expected rows sorted"),
        (lambda text: text + '"', "1:1: expected each rig and model once in a CSV table"),
    ],
)
def test_other_shapes(catalog: Catalog, data: Path, computed: str, change, place: str) -> None:
    (only,) = found(catalog, data, change(computed))
    assert only.startswith("data/verdicts.csv:")
    assert place in only


def test_another_order(catalog: Catalog, data: Path, computed: str) -> None:
    lines = computed.splitlines(keepends=True)
    (only,) = found(catalog, data, "".join([lines[0], lines[2], lines[1], *lines[3:]]))
    assert only.startswith("data/verdicts.csv:2:1: expected rows sorted by id")


def test_bytes_that_are_no_text(catalog: Catalog, data: Path, computed: str) -> None:
    (data / "verdicts.csv").write_bytes(computed.encode("utf-8").replace(b"qwen3-14b", b"\xff"))
    (only,) = stale(catalog, data)
    assert "expected UTF-8, found the byte 0xFF" in only.message
    assert only.line > 2


def test_only_the_repository_must_have_the_table(catalog: Catalog, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (data / "verdicts.csv").unlink()
    assert stale(catalog, data) == []
    monkeypatch.setattr(locked, "DATA_DIR", data)
    assert [str(error) for error in stale(catalog, data)] == [
        "data/verdicts.csv:1:1: expected the published verdicts, found no file (run `.venv/bin/trainfit lock`)"
    ]


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "verdicts.csv").mkdir()
    with pytest.raises(CatalogErrors, match="expected a place to write to"):
        write_locked(tmp_path, "x\n")
    with pytest.raises(CatalogErrors, match="expected a readable file"):
        read_locked(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["verdicts.csv"]


def test_many_stale_rows_are_one_error_that_names_the_edit(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    (folder / "constants.yml").write_text("a: 1\n", encoding="utf-8")
    for command in (["init", "-q"], ["add", "."], ["-c", "user.name=x", "-c", "user.email=x", "commit", "-qm", "x"]):
        subprocess.run(["git", "-C", str(tmp_path), *command], check=True)
    (folder / "constants.yml").write_text("a: 2\n", encoding="utf-8")
    rows = [DataError("data/verdicts.csv", line, 9, "full", "expected `a`, found `b`") for line in range(2, 14)]
    assert [str(error) for error in in_one(rows, folder)] == [
        (
            "data/verdicts.csv:2:9: full: expected `a`, found `b`; 11 others differ too (the edit of data/constants.yml"
            " changes them: correct it, or where that is meant run `.venv/bin/trainfit lock`)"
        )
    ]
