"""Bands and figures stand in files as they are computed, and are put there by one command."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from generator import cli
from generator.catalog import Catalog
from generator.commands import check
from generator.commands.accuracy_written import END, README, START, figures, with_bands, with_counts, with_figures
from generator.estimate.accuracy import Comparison, compare
from generator.site.page import LANGUAGES, Language
from tests.support import tiny_catalog

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_readme_holds_the_figures_of_today(catalog: Catalog, language: Language) -> None:
    text = (ROOT / README[language]).read_text(encoding="utf-8")
    lines = figures(catalog, compare(catalog).comparisons, language)
    assert lines.count("\n") == 3
    assert lines in text, "run `trainfit accuracy --write`"
    assert with_figures(text, lines) == text


def test_rows_are_replaced_between_the_marks() -> None:
    table = "| a | b |\n|---|---|\n"
    old = f"before\n\n{START}\n\n{table}| 1 | 2 |\n| 3 | 4 |\n\n{END}\nafter\n"
    assert with_figures(old, "| 5 | 6 |\n") == f"before\n\n{START}\n\n{table}| 5 | 6 |\n\n{END}\nafter\n"
    assert with_figures("nothing here\n", "| 5 | 6 |\n") == "nothing here\n"


def test_a_band_is_replaced_by_its_name_alone() -> None:
    old = "constants:\n  error-low-full:\n    value: 0.1\n    unit: x\n  error-low-lora:\n    value: 0.1\n"
    new = with_bands(old, {"error-low-full": 0.16})
    assert new == old.replace("value: 0.1\n    unit", "value: 0.16\n    unit")


def test_the_command_writes_beside_the_data(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = tiny_catalog(tmp_path)
    readme = data.parent / "README.md"
    readme.write_text(f"{START}\n\n| a |\n|---|\n| 1 |\n\n{END}\n", encoding="utf-8")
    assert cli.main(["accuracy", "--write", "--data-dir", str(data)]) == 0
    assert "wrote README.md" in capsys.readouterr().out
    assert "| 1 |" not in readme.read_text(encoding="utf-8")
    assert cli.main(["accuracy", "--write", "--data-dir", str(data)]) == 0
    assert capsys.readouterr().out == "bands, counts and figures are up to date\n"


def test_bands_are_printed_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["accuracy", "--bands"]) == 0
    assert "error-high-qlora" in capsys.readouterr().out


REASONS = (
    '    ru: "Из 456 опубликованных запусков с прогнозом не выше 0,80 завершились 455."\n'
    '    en: "Of 456 published runs predicted at 0.80 or below, 455 finished."\n'
    '    ru: "фрагментации: из 93 опубликованных запусков с прогнозом больше 0,95 не завершился ни один."\n'
    '    en: "fragmentation: of 93 published runs predicted above 0.95, none finished."\n'
)


def runs(catalog: Catalog, finished: int, failed: int, high: int) -> list[Comparison]:
    """So many comparisons of one run, with a ratio below and above the thresholds."""
    comparisons = compare(catalog).comparisons
    good = next(each for each in comparisons if each.run.published.outcome == "finished" and each.ratio is not None)
    bad = next(each for each in comparisons if each.run.published.outcome == "failed" and each.ratio is not None)
    low = [replace(good, ratio=0.8)] * finished + [replace(bad, ratio=0.5)] * failed
    return [*low, *([replace(bad, ratio=0.96)] * high), replace(good, ratio=0.9), replace(good, ratio=None)]


def test_the_reasons_of_the_policy_count_the_runs_of_today(catalog: Catalog) -> None:
    assert with_counts(REASONS, runs(catalog, 7, 3, 5)) == (
        REASONS.replace("456", "10").replace("455", "7").replace("93", "5")
    )
    one = with_counts(REASONS, runs(catalog, 21, 10, 31))
    assert "Из 31 опубликованного запуска с прогнозом не выше 0,80 завершился 21." in one
    assert "из 31 опубликованного запуска с прогнозом больше 0,95 не завершился ни один" in one
    every = with_counts(one, runs(catalog, 22, 0, 2))
    assert "Из 22 опубликованных запусков с прогнозом не выше 0,80 завершились все 22." in every
    assert "Of 22 published runs predicted at 0.80 or below, all 22 finished." in every
    assert with_counts(every, runs(catalog, 455, 1, 93)) == REASONS
    policy = (ROOT / "data" / "policy.yml").read_text(encoding="utf-8")
    assert with_counts(policy, compare(catalog).comparisons) == policy


def test_check_says_what_a_new_run_makes_stale(
    tmp_path: Path, reduced_data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = Path(shutil.copytree(reduced_data, tmp_path / "data"))
    for name in README.values():
        shutil.copy(ROOT / name, tmp_path / name)
    monkeypatch.setattr(check, "DATA_DIR", data)
    table = data / "measurements" / "fms-acceleration.csv"
    lines = table.read_text(encoding="utf-8").splitlines(keepends=True)
    table.write_text("".join([*lines, lines[1].replace("fms-accel-001", "fms-accel-x")]), encoding="utf-8")
    assert cli.main(["check", "--data-dir", str(data)]) == 1
    *errors, _ = capsys.readouterr().out.splitlines()
    assert [error.partition(":")[0] for error in errors if "[warning]" not in error] == [
        "data/policy.yml", "README.md", "README.ru.md",
    ]  # fmt: skip
    wanted = (
        "expected what the measured runs come to today, found other figures (run `.venv/bin/trainfit accuracy --write`:"
        " your edit of the runs, of the data or of the formulas changes them)"
    )
    assert all(error.endswith(wanted) for error in errors)
    assert cli.main(["accuracy", "--write", "--data-dir", str(data)]) == 0
    assert cli.main(["check", "--data-dir", str(data)]) == 0


def test_check_fix_leaves_the_order_of_files_that_nobody_edits_alone(tmp_path: Path, reduced_data: Path) -> None:
    data = Path(shutil.copytree(reduced_data, tmp_path / "data"))
    names = ("rigs/1x-t4.yml", "rigs/1x-rtx-4090.yml", "rigs/4x-rtx-5090.yml")
    for name in names:
        schema, first, *rest = (data / name).read_text(encoding="utf-8").splitlines(keepends=True)
        (data / name).write_text("".join([schema, *rest, first]), encoding="utf-8")
    for command in (["init", "-q"], ["add", "."], ["-c", "user.name=x", "-c", "user.email=x", "commit", "-qm", "x"]):
        subprocess.run(["git", "-C", str(tmp_path), *command], check=True)
    with (data / names[1]).open("a", encoding="utf-8") as file:
        file.write("# edited\n")
    (data / names[2]).rename(data / "rigs" / "4x-new.yml")
    before = {path: path.read_bytes() for path in data.rglob("*.yml")}
    cli.main(["check", "--fix", "--data-dir", str(data)])
    changed = {path.stem for path, raw in before.items() if path.read_bytes() != raw}
    assert changed == {"1x-rtx-4090", "4x-new"}


def test_check_wants_files_as_check_fix_leaves_them(
    tmp_path: Path, reduced_data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = Path(shutil.copytree(reduced_data, tmp_path / "data"))
    monkeypatch.setattr(check, "DATA_DIR", data)
    rig = data / "rigs" / "1x-t4.yml"
    schema, *rest = rig.read_text(encoding="utf-8").splitlines()
    assert schema.startswith("# yaml-language-server:")
    rig.write_text("\n".join([rest[0] + "  ", *rest[1:], "", ""]), encoding="utf-8")
    assert cli.main(["check", "--data-dir", str(data)]) == 1
    fix = "(run `.venv/bin/trainfit check --fix`)"
    assert capsys.readouterr().out.splitlines() == [
        f"data/rigs/1x-t4.yml:1:1: expected the line that names the schema, found none {fix}",
        f"data/rigs/1x-t4.yml:1:{len(rest[0]) + 1}: expected no blanks here, found some {fix}",
        f"data/rigs/1x-t4.yml:{len(rest) + 2}:1: expected one line end at the end of the file {fix}",
        "3 errors in 1 file",
    ]
    assert cli.main(["check", "--fix", "--data-dir", str(data)]) == 0
