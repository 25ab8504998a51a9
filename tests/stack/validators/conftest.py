"""Checks by a library that has an environment of its own: `make test-validators`. They run without the generator."""

from __future__ import annotations

import json
import os
import sys
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parents[3]
SAMPLE = Path(os.environ.get("TRAINFIT_STACK_FOLDER") or ROOT / "build/stack-sample")
OWN = ("measure", "measure_axolotl", "measure_torchtitan", "pretrain")
"""Modules that every job has its own of."""

if find_spec("torchaudio") is None:
    # LLaMA-Factory imports it for sounds, which no file has; its wheel on PyPI wants CUDA's libraries.
    silent = ModuleType("torchaudio")
    silent.__spec__ = ModuleSpec("torchaudio", None)
    sys.modules["torchaudio"] = silent


def settings_of(folder: Path) -> dict[str, Any]:
    """The settings that the files of a job stand for."""
    loaded = json.loads((folder / "trainfit.json").read_text(encoding="utf-8"))["settings"]
    assert isinstance(loaded, dict)
    return loaded


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Every job of the framework that a file is named after is a case of its own."""
    if "job" in metafunc.fixturenames:
        framework = metafunc.module.__name__.rpartition("check_")[2].replace("_", "-")
        folders = sorted((SAMPLE / framework).iterdir())
        assert folders, f"{SAMPLE} is empty: run make test-validators"
        metafunc.parametrize("job", folders, ids=lambda folder: folder.name)


@pytest.fixture
def job_folder(job: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of a job as the place where a reader starts its command."""
    monkeypatch.chdir(job)
    monkeypatch.syspath_prepend(str(job))
    yield job
    for name in OWN:
        sys.modules.pop(name, None)
