"""What the checks with the real libraries share. They run in .venv-stack, without the generator: `make test-stack`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

NO_GPU = "no CUDA device"
SAMPLE = Path(__file__).resolve().parents[3] / "build/stack-sample"


def folders(kind: str) -> list[Path]:
    """Folders of jobs that tests/stack/write_sample.py wrote."""
    found = sorted((SAMPLE / kind).iterdir())
    assert found, f"{SAMPLE} is empty: run make test-stack"
    return found


def about(folder: Path) -> dict[str, Any]:
    """What a folder holds."""
    loaded = json.loads((folder / "about.json").read_text(encoding="utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every folder of a kind is a case of its own."""
    for kind in ("parsed", "trained", "measured"):
        if kind in metafunc.fixturenames:
            metafunc.parametrize(kind, folders(kind), ids=lambda folder: folder.name)


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """What needs a GPU and did not run is said last and loudly: a green run without it has measured nothing."""
    left_out = [report for report in terminalreporter.stats.get("skipped", ()) if NO_GPU in str(report.longrepr)]
    if left_out:
        terminalreporter.section("NOT MEASURED ON A GPU", sep="!", yellow=True, bold=True)
        for report in left_out:
            terminalreporter.write_line(f"{report.nodeid}: {report.longrepr[2]}")
        terminalreporter.write_line("measure.py was not run on a GPU, and no row of it was compared with the estimate.")
