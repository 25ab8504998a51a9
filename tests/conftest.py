"""What all tests share: where the checkout is, and the catalogue, read once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from generator.catalog import Catalog


@pytest.fixture(scope="session")
def repo_root() -> Path:
    """Root of the checkout."""
    return Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    """All of data/, read once in a worker."""
    from generator.catalog import load_catalog

    return load_catalog()
