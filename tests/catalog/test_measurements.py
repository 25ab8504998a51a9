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
