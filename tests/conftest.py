"""What all tests share: where the checkout is, the catalogue, read once, and a smaller one to build and to edit."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from generator.catalog import Catalog

# No example fails because the machine is busy: time is for benchmarks.
settings.register_profile("trainfit", deadline=None)
settings.load_profile("trainfit")


@pytest.fixture(scope="session")
def repo_root() -> Path:
    """Root of the checkout."""
    return Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def shared_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory that all workers of this run share."""
    base = tmp_path_factory.getbasetemp()
    return base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base


@pytest.fixture(scope="session")
def reduced_data(shared_dir: Path) -> Path:
    """The reduced data of tests/reduced.py: the first worker writes them, nobody changes them."""
    from tests.reduced import reduce_data

    target = shared_dir / "reduced" / "data"
    with (shared_dir / "reduced.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            reduce_data(target)
    return target


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    """All of data/, read once in a worker."""
    from generator.catalog import load_catalog

    return load_catalog()
