"""`load_catalog`: the one way in."""

from __future__ import annotations

from pathlib import Path

from generator.catalog.catalogue import Catalog, build
from generator.catalog.loading import read_data
from generator.catalog.rules import apply_rules
from generator.errors import CatalogErrors

DATA_DIR = Path(__file__).resolve().parents[2] / "data"
"""data/ of this repository."""


def load_catalog(data_dir: Path | str = DATA_DIR) -> Catalog:
    """The catalogue in `data_dir`; raises CatalogErrors with everything that is wrong in any of its files."""
    reading = read_data(Path(data_dir))
    errors, warnings = apply_rules(reading)
    if reading.errors or errors:
        raise CatalogErrors([*reading.errors, *errors])
    return build(reading, warnings)
