"""Measured runs: every wrong cell at its line, all at once."""

from __future__ import annotations

from pathlib import Path

from generator.catalog.measurements import read_measurements

HEADER = (
    "id,source,where,model,shape,method,precision,optimizer,optimizer_impl,sharding,n_gpus,gpu,seq_len,micro_batch,"
    "grad_checkpointing,attention,fused_ce,kernels,reduce_dtype,root_wrap,quant,lora_rank,lora_targets,outcome,peak_gib\n"
)
GOOD = (
    "run-1,src,p. 1,M,m,full,bf16-mixed,adamw,fused,fsdp2,4,gpu,4096,1,y,sdpa,y,stock,bf16,separate,"
    "none,,,finished,30.5\n"
)


def read(tmp_path: Path, rows: str) -> tuple[int, list[str]]:
    folder = tmp_path / "data" / "measurements"
    folder.mkdir(parents=True)
    (folder / "runs.csv").write_text(HEADER + rows, encoding="utf-8")
    found, errors = read_measurements(tmp_path / "data", {"m"}, {"src"})
    return len(found), [str(error) for error in errors]


def test_a_good_row(tmp_path: Path) -> None:
    assert read(tmp_path, GOOD) == (1, [])


def test_wrong_cells_are_reported_together(tmp_path: Path) -> None:
    rows = GOOD.replace(",4,gpu", ",-4,gpu") + GOOD.replace("run-1", "run-2").replace(",m,full", ",nope,full")
    _, errors = read(tmp_path, rows)
    assert any(error.startswith("data/measurements/runs.csv:2:") and "n_gpus" in error for error in errors)
    assert any(error.startswith("data/measurements/runs.csv:3:") and "`nope`" in error for error in errors)


def test_a_finished_run_has_a_reading_and_a_failed_one_none(tmp_path: Path) -> None:
    _, errors = read(tmp_path, GOOD.replace("finished,30.5", "finished,") + GOOD.replace("finished", "failed"))
    assert len([error for error in errors if "expected a reading for a finished run alone" in error]) == 2


def test_ids_are_unique(tmp_path: Path) -> None:
    _, errors = read(tmp_path, GOOD + GOOD)
    assert any("found that of data/measurements/runs.csv:2" in error for error in errors)


def test_a_wrong_cell_is_shown_where_it_stands(tmp_path: Path) -> None:
    row = GOOD.replace("p. 1", '"p. 1, ""x"""').replace(",4,gpu", ",-4,gpu").replace(",y,sdpa", ",maybe,sdpa")
    _, errors = read(tmp_path, "\n" + row.replace(",30.5", ",much"))
    line = "data/measurements/runs.csv:3"
    assert errors == [
        f"{line}:{row.index('-4,gpu') + 1}: n_gpus: expected a number above 0, found `-4`",
        f"{line}:{row.index('maybe') + 1}: grad_checkpointing: expected true or false, found `maybe`",
        f"{line}:{row.index('30.5') + 1}: peak_gib: expected a number, found `much`",
    ]


def test_an_empty_cell_has_a_place(tmp_path: Path) -> None:
    row = GOOD.replace("finished,30.5", "finished,")
    _, errors = read(tmp_path, row)
    place = f"data/measurements/runs.csv:2:{len(row.rstrip()) + 1}: peak_gib: "
    assert errors == [f"{place}expected a reading for a finished run alone, found nothing"]


def test_columns_that_are_missing_or_unknown(tmp_path: Path) -> None:
    folder = tmp_path / "data" / "measurements"
    folder.mkdir(parents=True)
    (folder / "runs.csv").write_text(HEADER.replace(",shape", ",shapes") + GOOD, encoding="utf-8")
    (folder / "bytes.csv").write_bytes(b"\xff")
    (folder / "notes.txt").write_text("x")
    _, errors = read_measurements(tmp_path / "data", {"m"}, {"src"})
    assert [str(error) for error in errors] == [
        "data/measurements/bytes.csv:1:1: expected UTF-8, found the byte 0xFF",
        "data/measurements/notes.txt:1:1: expected a plain file that ends in `.csv`, found something else",
        (
            "data/measurements/runs.csv:1:23: shapes: expected one of the columns of a measurement, found `shapes`"
            " (did you mean `shape`?)"
        ),
        "data/measurements/runs.csv:1:1: shape: expected a column, found none",
    ]


def test_rows_of_another_length(tmp_path: Path) -> None:
    _, errors = read(tmp_path, GOOD.replace("\n", ",x\n") + GOOD.replace("\n", "\r") + "a,b\n")
    assert errors == [
        "data/measurements/runs.csv:2:1: expected 25 cells as in the header, found 26",
        "data/measurements/runs.csv:4:1: expected 25 cells as in the header, found 2",
    ]
