"""The command as a user runs it: in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from generator import cli
from generator.commands import check
from generator.errors import DataError
from generator.site.swap import MARKER
from tests.support import GPU, MODEL, RIG, edit, tiny_catalog, write


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tiny_catalog(tmp_path)


def trainfit(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "generator.cli", *map(str, arguments)],
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_check_of_valid_data(data: Path) -> None:
    done = trainfit("check", "--data-dir", data)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "no errors: 1 model, 1 GPU, 1 rig, 4 methods, 3 sources; newest reading 2026-12-01\n"


def break_it(data: Path) -> None:
    edit(data, MODEL, "vendor:", "vendr:")
    edit(data, GPU, "value: 960,", "value: -960,")
    edit(data, RIG, ", en: Usual for such a workstation.", "")


def test_check_of_broken_data(data: Path) -> None:
    break_it(data)
    done = trainfit("--data-dir", data, "check")
    assert (done.returncode, done.stderr) == (1, "")
    lines = done.stdout.splitlines()
    assert lines[0] == (f"data/{GPU}:8:29: bandwidth_gb_per_s.value: expected a number above 0, found number `-960`")
    assert lines[1] == (
        f"data/{MODEL}:3:1: vendr: expected a field that exists; found unknown key `vendr` (did you mean `vendor`?)"
    )
    assert lines[2] == (
        f"data/{RIG}:7:3: host_memory_gib.reason.en: expected text, found nothing"
        ' (readers get both languages; `"?? a translation"` asks somebody else for it)'
    )
    assert lines[3:] == ["3 errors in 3 files"]


def test_check_as_json(data: Path) -> None:
    break_it(data)
    done = trainfit("check", "--format", "json", "--data-dir", data)
    assert (done.returncode, done.stderr) == (1, "")
    found = json.loads(done.stdout)
    assert found[0] == {
        "level": "error",
        "path": f"data/{GPU}",
        "line": 8,
        "column": 29,
        "field": "bandwidth_gb_per_s.value",
        "message": "expected a number above 0, found number `-960`",
        "hint": "",
        "rule": "schema",
    }
    assert len(found) == 3


def test_check_as_workflow_annotations(data: Path) -> None:
    break_it(data)
    done = trainfit("check", "--format", "github", "--data-dir", data)
    assert done.returncode == 1
    assert done.stdout.splitlines()[0] == (
        f"::error file=data/{GPU},line=8,col=29,title=data%3A schema::"
        "bandwidth_gb_per_s.value: expected a number above 0, found number `-960`"
    )


def test_an_annotation_cannot_be_broken_out_of() -> None:
    error = DataError("data/a,b:c%.yml", 1, 2, "x", "expected\r\n::warning::100%", "a, b: c")
    assert check.annotation("error", error) == (
        "::error file=data/a%2Cb%3Ac%25.yml,line=1,col=2,title=data%3A schema::"
        "x: expected%0D%0A::warning::100%25 (a, b: c)"
    )


def test_warnings_are_shown_and_fail_nothing(data: Path) -> None:
    edit(data, "sources/zero.yml", "read: 2026-12-01", "read: 2025-01-01")
    done = trainfit("check", "--data-dir", data)
    assert done.returncode == 0
    warning, summary = done.stdout.splitlines()
    assert warning.startswith("data/sources/zero.yml:6:7: read: expected a day within 365 days of 2026-12-01")
    assert warning.endswith("[warning]")
    assert summary.endswith("; 1 warning")
    done = trainfit("check", "--data-dir", data, "--format", "github")
    assert done.stdout.startswith("::warning file=data/sources/zero.yml,line=6,col=7,")


@pytest.mark.parametrize(
    "arguments",
    [
        ["fit", "--rig", "4x-rtx-6000-ada"],
        ["estimate", "--model", "qwen3-0.6b", "--gpu", "rtx-6000-ada", "--count", "1"],
        ["render"],
    ],
)
def test_other_commands_list_the_errors_too(data: Path, arguments: list[str]) -> None:
    write(data, "rigs/4x-rtx-6000-ada.yml", "name: [\n")
    done = trainfit(*arguments, "--data-dir", data)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("data/rigs/4x-rtx-6000-ada.yml:")
    assert done.stderr.endswith("1 error in 1 file\n")
    assert "Traceback" not in done.stderr


def test_a_failed_build_leaves_the_site_as_it_was(data: Path, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / MARKER).write_text("")
    (site / "index.html").write_text("the old site")
    break_it(data)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    done = trainfit("build", "--site-dir", site, "--data-dir", data)
    assert done.returncode == 1
    assert done.stderr.endswith("3 errors in 3 files\n")
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fit", "--rig", "nope"], "error: unknown rig `nope` (did you mean `4x-rtx-6000-ada`?)"),
        (["fit", "--gpu", "rtx-6000", "--count", "2"], "error: unknown gpu `rtx-6000` (did you mean `rtx-6000-ada`?)"),
        (["fit", "--rig", "4x-rtx-6000-ada", "--model", "gpt"], "error: unknown model `gpt`"),
        (["estimate", "--model", "x", "--gpu", "rtx-6000-ada", "--count", "1"], "error: unknown model `x`"),
        (["estimate", "--model", "gone.json", "--gpu", "rtx-6000-ada", "--count", "1"],
         "error: gone.json: expected a readable file, found No such file or directory"),
        (["estimate", "--cases", "gone.csv"], "error: gone.csv: expected a readable file, found No such file"),
    ],
)  # fmt: skip
def test_one_line_for_what_is_wrong(data: Path, arguments: list[str], message: str) -> None:
    done = trainfit(*arguments, "--data-dir", data)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(message)
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["nothing"],
        ["check", "--format", "xml"],
        ["fit"],
        ["fit", "--rig", "x", "--gpu", "y", "--count", "1"],
        ["fit", "--gpu", "y"],
        ["fit", "--count", "2"],
        ["fit", "--gpu", "y", "--count", "-1"],
        ["fit", "--rig", "x", "--host-memory-gib", "64"],
        ["estimate"],
        ["estimate", "--model", "x"],
        ["estimate", "--model", "x", "--gpu", "y", "--count", "1", "--out", "o.csv"],
        ["estimate", "--cases", "i.csv", "--model", "x"],
        ["estimate", "--cases", "i.csv", "--format", "json"],
        ["explain", "--gpu", "y", "--count", "1"],
        ["fit", "--rig", ""],
        ["fit", "--gpu", "", "--count", "1"],
        ["fit", "--rig", "4x-rtx-6000-ada", "--model", " "],
        ["fit", "--gpu", "rtx-6000-ada", "--count", "2", "--bus-gb-per-s", "1e-320"],
        ["fit", "--gpu", "rtx-6000-ada", "--count", "2", "--host-memory-gib", "1e308"],
        ["fit", "--gpu", "rtx-6000-ada", "--count", "999999999999"],
        ["schema", "--out", __file__],
        ["build", "--lang", "de"],
        ["build", "--lang", ","],
        ["serve", "--port", "65536"],
    ],
)
def test_wrong_usage_is_exit_status_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    try:
        status = cli.main(arguments)
    except SystemExit as stop:
        status = int(stop.code or 0)
    assert status == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("usage: trainfit")
    assert "error: " in captured.err.splitlines()[-1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--count", "two"], "argument --count: expected a whole number above 0, found `two`"),
        (["--count", "1", "--quant", "nf4"], "argument --quant: expected none for method full, found nf4"),
        (["--count", "1", "--seq-len", "x"], "argument --seq-len: expected a whole number above 0, found `x`"),
    ],
)
def test_a_wrong_option_is_named_as_it_was_given(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["estimate", "--model", "qwen3-0.6b", "--gpu", "rtx-6000-ada", *options]) == 2
    captured = capsys.readouterr().err
    assert captured.startswith("usage: trainfit estimate ")
    assert captured.splitlines()[-1] == f"trainfit estimate: error: {message}"


def explode(_: object) -> None:
    raise RuntimeError("out of\ncheese")


def test_the_unexpected_is_one_line_unless_asked(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(check, "load_catalog", explode)
    assert cli.main(["check", "--data-dir", str(data)]) == 1
    assert capsys.readouterr().err == "error: RuntimeError: out of cheese (`--debug` shows where)\n"
    assert cli.main(["check", "--debug"]) == 1
    assert "Traceback" in capsys.readouterr().err


def test_an_interrupt_is_not_an_error(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(check, "load_catalog", interrupt)
    assert cli.main(["check"]) == cli.INTERRUPTED
    assert capsys.readouterr().err == ""


def test_a_reader_may_leave_early() -> None:
    script = f"{sys.executable} -m generator.cli explain --model qwen3-8b --gpu rtx-6000-ada --count 4 | head -1"
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {script}"],
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("qwen3-8b: full on 4× rtx-6000-ada")


def test_schema_writes_and_checks(tmp_path: Path) -> None:
    out = tmp_path / "schemas"
    assert cli.main(["schema", "--check", "--out", str(out)]) == 1
    assert cli.main(["schema", "--out", str(out)]) == 0
    assert cli.main(["schema", "--check", "--out", str(out)]) == 0
    assert (out / "model.schema.json").is_file()


def test_the_terminal_may_know_ascii_only() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "generator.cli", "fit", "--rig", "4x-rtx-6000-ada"],
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        env={"PYTHONIOENCODING": "ascii", "PATH": "/usr/bin:/bin"},
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"4\\xd7 NVIDIA RTX 6000 Ada Generation" in done.stdout
