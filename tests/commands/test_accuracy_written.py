"""Bands and figures stand in files as they are computed, and are put there by one command."""

from __future__ import annotations

from pathlib import Path

import pytest

from generator import cli
from generator.catalog import Catalog
from generator.commands.accuracy_written import END, README, START, figures, with_bands, with_figures
from generator.estimate.accuracy import compare
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
    assert capsys.readouterr().out == "bands and figures are up to date\n"


def test_bands_are_printed_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["accuracy", "--bands"]) == 0
    assert "error-high-qlora" in capsys.readouterr().out
