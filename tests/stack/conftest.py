"""Configurations as tests see them."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

FILES = Path(__file__).resolve().parents[2] / "generator/launch/files"


def module_of(name: str, path: Path) -> ModuleType:
    """A program that is no module of the package, loaded from its file."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def preflight() -> ModuleType:
    """The check of a machine, as readers get it."""
    return module_of("trainfit_preflight", FILES / "preflight.py")
