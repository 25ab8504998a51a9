"""`trainfit check` warns of a measured peak that is far from the estimate, and says what may be wrong with it."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from generator import cli
from generator.catalog import Catalog
from generator.commands.far_readings import FAR, far_readings
from generator.estimate.accuracy import compare

CSV = "measurements/fms-acceleration.csv"
ASK = (
    "check `unit` (GB or GiB), `reading` and the settings left blank; a miss with a reason goes into known-misses.yml"
    ") [warning]"
)


@pytest.fixture
def data(tmp_path: Path, reduced_data: Path) -> Path:
    return Path(shutil.copytree(reduced_data, tmp_path / "data"))


def change(data: Path, run: str, *replacements: tuple[str, str]) -> tuple[int, str]:
    """Edits one row; returns its 1-based line and its text."""
    path = data / CSV
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    at = next(at for at, line in enumerate(lines) if line.startswith(f"{run},"))
    for old, new in replacements:
        assert old in lines[at]
        lines[at] = lines[at].replace(old, new, 1)
    path.write_text("".join(lines), encoding="utf-8")
    return at + 1, lines[at]


def warnings(data: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    assert cli.main(["check", "--data-dir", str(data)]) == 0
    return [line for line in capsys.readouterr().out.splitlines() if "measurements/" in line]


def test_what_is_known_of_misses_answers_for_many(catalog: Catalog) -> None:
    comparisons = compare(catalog).comparisons
    every = set(far_readings(replace(catalog, known_misses={}), comparisons))
    left = set(far_readings(catalog, comparisons))
    assert left < every
    assert len(every - left) > 5
    assert FAR > 1


def test_the_sum_of_two_cards(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line, row = change(data, "fms-accel-002", (",max-allocated,5.324,", ",max-allocated,10.7,"))
    (warning,) = warnings(data, capsys)
    assert warning.startswith(f"data/{CSV}:{line}:{row.index('10.7,') + 1}: peak: expected about ")
    assert " GiB as estimated, found 10.7 GiB, 2" in warning
    assert warning.endswith(f" times that (a peak is per GPU, is this the sum of 2?; {ASK}")


def test_a_part_of_one_card(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(data, "fms-accel-002", (",max-allocated,5.324,", ",max-allocated,2.66,"))
    (warning,) = warnings(data, capsys)
    assert f"(a peak is that of one GPU, was it divided by 2?; {ASK}" in warning


@pytest.mark.parametrize(("reading", "peak", "said"), [("nvidia-smi", "14.76", True), ("nvidia-smi", "7.1", False)])
def test_another_kind_of_reading(
    data: Path, reading: str, peak: str, said: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    change(data, "fms-accel-001", (",max-allocated,10.494,", f",{reading},{peak},"))
    (warning,) = warnings(data, capsys)
    assert (f"`{reading}`: it holds context and cache too; {ASK}" in warning) is said


def test_a_near_reading_and_a_known_miss_are_quiet(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    change(data, "fms-accel-001", (",max-allocated,10.494,", ",max-allocated,12.6,"))
    assert warnings(data, capsys) == []
    change(data, "fms-accel-001", (",max-allocated,12.6,", ",max-allocated,20.6,"))
    assert len(warnings(data, capsys)) == 1
    misses = data / "measurements" / "known-misses.yml"
    text = misses.read_text(encoding="utf-8")
    known = (
        "  santacoder:\n    name: {ru: Santacoder, en: Santacoder}\n    sources: [fms-acceleration]\n"
        "    when: {shape: [santacoder]}\n    known: unknown\n    reason: {ru: Неизвестно., en: Nobody knows.}\n"
    )
    misses.write_text(text + known, encoding="utf-8")
    assert warnings(data, capsys) == []
