"""What the checks with the real libraries share. They run in .venv-stack, without the generator: `make test-stack`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

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
    for kind in ("parsed", "trained"):
        if kind in metafunc.fixturenames:
            metafunc.parametrize(kind, folders(kind), ids=lambda folder: folder.name)
