"""Whatever bytes stand in a table of measured runs: rows, or errors with a place in the file and a hint."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator import cli
from generator.catalog.measured_rows import MAX_BYTES, MEANING, REQUIRED, read_rows
from generator.catalog.measurements import Measurement
from generator.errors import DataError
from tests.support import tiny_catalog, write

HEADER = "id,where,model,shape,method,n_gpus,gpu,outcome,peak,unit,reading,note\n"
ROW = "run-1,p. 1,M,qwen3-0.6b,full,4,RTX 6000 Ada,finished,5.5,GiB,max-allocated,n\n"
SRC = "data/measurements/zero.csv"
COMMAS = "(the first line names the columns, with commas between them)"


def read(tmp_path: Path, raw: str | bytes) -> tuple[list[dict[str, str]], list[str]]:
    path = tmp_path / "x.csv"
    path.write_bytes(raw if isinstance(raw, bytes) else raw.encode())
    errors: list[DataError] = []
    rows = [dict(row.cells) for row in read_rows(path, "x.csv", errors)]
    return rows, [str(error) for error in errors]


@pytest.mark.parametrize(
    ("raw", "errors"),
    [
        ("", [f"1:1: expected a table, found an empty file {COMMAS}"]),
        ("\n\n", [f"1:1: expected a table, found an empty file {COMMAS}"]),
        (
            HEADER.replace(",", ";"),
            [
                (
                    "1:3: expected commas between cells, found semicolons (save the table with commas, and numbers"
                    " with a decimal point)"
                )
            ],
        ),
        ("# c\n" + HEADER, [f"1:1: expected the columns of a measurement, found `# c` {COMMAS}"]),
        ("a\tb\n", ["1:2: expected visible text, found a tab (put commas between cells)"]),
        (
            HEADER.replace("note", "gpu") + ROW,
            ["1:66: gpu: expected each column once, found `gpu` again (first at 1:36)"],
        ),
        (HEADER.replace("note", ""), ["1:66: expected one of the columns of a measurement, found nothing"]),
        (
            HEADER.replace("note", "=cmd|' /C calc'!A0"),
            ["1:66: =cmd|' /C calc'!A0: expected one of the columns of a measurement, found `=cmd|' /C calc'!A0`"],
        ),
        (
            HEADER.replace("gpu,", "") + ROW.replace("RTX 6000 Ada,", ""),
            ["1:1: gpu: expected a column, found none (the card by any of its names, such as `RTX 4090`)"],
        ),
        (HEADER + ROW.replace("p. 1", "p\x00"), ["2:8: expected visible text, found the character U+0000 (delete it)"]),
        (
            HEADER + ROW.replace("p. 1", "p\u202e\ufeff"),
            [
                "2:8: expected visible text, found the character U+202E (delete it)",
                "2:9: expected visible text, found the character U+FEFF (delete it)",
            ],
        ),
        (
            (HEADER + ROW + "\xe9").encode("latin-1"),
            ["3:1: expected UTF-8, found the byte 0xE9 (save the file as UTF-8)"],
        ),
        (
            HEADER + ROW.replace("p. 1", 'p"1'),
            [
                (
                    "2:8: expected quotes around the whole cell, found one inside"
                    " (quote the cell and write this quote twice)"
                )
            ],
        ),
        (
            HEADER + ROW.replace("p. 1", '"p"1'),
            ["2:10: expected a comma after a closed quote, found text (write a quote in a quoted cell twice)"],
        ),
        (
            HEADER + ROW + ROW.replace(",n\n", ',"n\n'),
            ["3:76: expected a closed quote, found the end of the file (close the quote that opens here)"],
        ),
        (HEADER + "x" * MAX_BYTES, ["1:1: expected at most 1024 KiB, found a larger file (split it by source)"]),
        (
            f"{HEADER}<<<<<<< HEAD\n{ROW}=======\n{ROW}>>>>>>> x\n",
            [
                f"{line}:1: expected a row, found the mark of a merge that is not solved"
                " (keep one side, delete the marks)"
                for line in (2, 4, 6)
            ],
        ),
    ],
)
def test_what_is_no_table(tmp_path: Path, raw: str | bytes, errors: list[str]) -> None:
    rows, found = read(tmp_path, raw)
    assert rows == []
    assert found == [f"x.csv:{error}" for error in errors]


def test_line_ends_signatures_and_quotes_are_harmless(tmp_path: Path) -> None:
    text = HEADER + ROW.replace("p. 1", '"p, ""1"""') + "\n" + ROW.replace("run-1", "run-2").replace(",n\n", ",")
    usual, errors = read(tmp_path, text)
    assert errors == []
    assert [(row["id"], row["where"], row["note"]) for row in usual] == [
        ("run-1", 'p, "1"', "n"),
        ("run-2", "p. 1", ""),
    ]
    for other in (text.replace("\n", "\r\n"), text.replace("\n", "\r"), "\ufeff" + text):
        assert read(tmp_path, other) == (usual, [])


NUMBERS = (
    "nan",
    "inf",
    "-inf",
    "-5",
    "0",
    "1e400",
    "1" + "0" * 400,
    "0x10",
    "1_000",
    "1,000",
    "\u0665",
    "\uff15",
    " 5",
    "True",
)


@pytest.mark.parametrize("cell", NUMBERS)
@pytest.mark.parametrize("column", ["peak", "n_gpus"])
def test_a_number_is_one(tmp_path: Path, cell: str, column: str, capsys: pytest.CaptureFixture[str]) -> None:
    data = tiny_catalog(tmp_path)
    old = {"peak": "5.5,GiB", "n_gpus": "4,RTX"}[column]
    row = ROW.replace(old, f'"{cell}",{old.partition(",")[2]}')
    write(data, "measurements/zero.csv", HEADER + row)
    assert cli.main(["--data-dir", str(data), "check"]) == 1
    error, _ = capsys.readouterr().out.splitlines()
    assert error.startswith(f"{SRC}:2:{row.index(chr(34)) + 1}: {column}: expected a")
    assert len(error) < 300


def test_what_leads_out_of_the_folder_is_not_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tiny_catalog(tmp_path)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.csv").write_text("a secret")
    (outside / "secret.json").write_text("{}")
    folder = data / "measurements"
    folder.mkdir()
    write(data, "measurements/zero.csv", HEADER + ROW)
    (folder / "zero.yml").symlink_to(outside / "secret.csv")
    (folder / "configs").symlink_to(outside)
    (data / "changes.csv").symlink_to(outside / "secret.csv")
    (data / "verdicts.csv").symlink_to(outside / "secret.csv")
    assert cli.main(["--data-dir", str(data), "check"]) == 1
    link = "1:1: expected a file or a folder, found a symbolic link (copy what it points to)"
    names = ("changes.csv", "measurements/configs", "measurements/zero.yml", "verdicts.csv")
    *errors, _last = capsys.readouterr().out.splitlines()
    assert errors == [f"data/{name}:{link}" for name in names]


def test_the_folder_itself_may_not_be_a_link(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tiny_catalog(tmp_path)
    (tmp_path / "outside" / "configs").mkdir(parents=True)
    (tmp_path / "outside" / "shapes.yml").write_text("a secret")
    (data / "measurements").symlink_to(tmp_path / "outside")
    assert cli.main(["--data-dir", str(data), "check"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "data/measurements:1:1: expected a file or a folder, found a symbolic link (copy what it points to)",
        "1 error in 1 file",
    ]


def test_a_pipe_is_no_file_to_wait_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tiny_catalog(tmp_path)
    (data / "measurements" / "configs").mkdir(parents=True)
    names = (
        "changes.csv",
        "measurements/configs/x.json",
        "measurements/zero.csv",
        "measurements/zero.yml",
        "verdicts.csv",
    )
    for name in names:
        os.mkfifo(data / name)
    assert cli.main(["--data-dir", str(data), "check"]) == 1
    *errors, _ = capsys.readouterr().out.splitlines()
    assert errors == [f"data/{name}:1:1: expected a file or a folder, found a device (delete it)" for name in names]


def test_names_of_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tiny_catalog(tmp_path)
    folder = data / "measurements"
    (folder / "configs").mkdir(parents=True)
    for name in ("a\nb.csv", "c\u202e.csv", ".zero.csv", "zero.CSV", "zeros.yml", "configs/x.txt"):
        (folder / name).write_text(HEADER + ROW)
    (folder / ".DS_Store").write_text("x")
    (folder / "zero.csv").write_text(HEADER + ROW)
    assert cli.main(["--data-dir", str(data), "check"]) == 1
    *errors, _ = capsys.readouterr().out.splitlines()
    kinds = "`<source>.csv`, `<source>.yml`, `shapes.yml`, `known-misses.yml` or `configs`"
    assert errors == [
        (
            "data/measurements/.zero.csv:1:1: expected a name without a dot in front, found a hidden file"
            " (rename or delete it)"
        ),
        "data/measurements/a\ufffdb.csv:1:1: expected a name of visible characters, found others (rename it)",
        (
            "data/measurements/configs/x.txt:1:1: expected a `<shape>.json` that shapes.yml lists, found `x.txt`"
            " (say in shapes.yml where it was read, or delete it)"
        ),
        "data/measurements/c\ufffd.csv:1:1: expected a name of visible characters, found others (rename it)",
        f"data/measurements/zero.CSV:1:1: expected {kinds}, found `zero.CSV` (move or delete it)",
        "data/measurements/zeros.yml:1:1: expected zeros.csv beside it, found no such file (did you mean `zero`?)",
    ]


@given(
    st.binary(max_size=200) | st.text(alphabet='ab,"\n\r\t =', max_size=60).map(lambda text: (HEADER + text).encode())
)
def test_any_bytes_are_rows_or_errors_in_the_file(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    path = tmp_path_factory.getbasetemp() / "any.csv"
    path.write_bytes(raw)
    errors: list[DataError] = []
    rows = list(read_rows(path, "any.csv", errors))
    assert not (rows and errors)
    lines = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    for error in errors:
        assert 1 <= error.line <= len(lines)
        assert error.column >= 1
        assert "\n" not in str(error)


@pytest.mark.parametrize("name", ["CONTRIBUTING.md", "CONTRIBUTING.ru.md"])
def test_the_table_for_contributors_is_one(tmp_path: Path, repo_root: Path, name: str) -> None:
    text = (repo_root / name).read_text(encoding="utf-8")
    start = text.index("   id,where,model,")
    table = "".join(line.strip() + "\n" for line in text[start:].split("```")[0].strip().splitlines())
    rows, errors = read(tmp_path, table)
    assert errors == []
    assert set(MEANING) <= set(rows[0])
    assert Measurement.model_validate(rows[0]).peak == 18.41


def test_every_column_that_is_needed_is_explained() -> None:
    assert set(MEANING) == set(REQUIRED)


def test_a_wrong_model_hides_no_wrong_card(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tiny_catalog(tmp_path)
    write(data, "measurements/zero.csv", HEADER + ROW.replace("qwen3-0.6b", "qwen3-0.6").replace("RTX 6000", "RTX 600"))
    assert cli.main(["--data-dir", str(data), "check"]) == 1
    shape, gpu, _ = capsys.readouterr().out.splitlines()
    assert shape == (
        f"{SRC}:2:14: shape: expected the id of a model or a shape, found `qwen3-0.6` (did you mean `qwen3-0.6b`?)"
    )
    assert gpu.startswith(f"{SRC}:2:31: gpu: expected the name of a card, or `not stated`, found `RTX 600 Ada`")
