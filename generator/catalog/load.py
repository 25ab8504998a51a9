"""`load_catalog`: the one way in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from generator.catalog.catalogue import Catalog, build
from generator.catalog.changes import read_changes
from generator.catalog.loading import REQUIRED, read_data
from generator.catalog.measured_cards import cards_of
from generator.catalog.measured_files import cited_by_measurements, read_measurements
from generator.catalog.rules import apply_rules
from generator.errors import CatalogErrors

DATA_DIR = Path(__file__).resolve().parents[2] / "data"
"""data/ of this repository."""


def load_finished(data_dir: Path | str = DATA_DIR) -> Catalog:
    """The catalogue of the files that are right by themselves: a draft with blanks is left out.

    For adding to data/, not for answers: no rule between files is applied, and there are no measurements. Raises
    CatalogErrors where the folder or a file that must be there cannot be read.
    """
    reading = read_data(Path(data_dir))
    if not all(any(reading.of(kind)) for kind in REQUIRED):
        raise CatalogErrors(reading.errors)
    return build(reading)


def load_catalog(data_dir: Path | str = DATA_DIR) -> Catalog:
    """The catalogue in `data_dir`; raises CatalogErrors with everything that is wrong in any of its files."""
    reading = read_data(Path(data_dir))
    reading.cited_by_measurements = cited_by_measurements(Path(data_dir))
    errors, warnings = apply_rules(reading)
    catalog = build(reading, warnings) if not reading.errors and not errors else None
    shapes = {name: catalog.models[name].architecture.shape() if catalog else None for name in reading.seen["model"]}
    sources = reading.seen["source"] | reading.keys_of_unreadable
    measured = read_measurements(Path(data_dir), shapes, sources, cards_of(reading))
    changes, wrong_changes = read_changes(Path(data_dir))
    if catalog is None or measured.errors or wrong_changes:
        raise CatalogErrors([*reading.errors, *errors, *measured.errors, *wrong_changes])
    return replace(
        catalog,
        measurements=tuple(measured.runs),
        measured_shapes=measured.shapes,
        known_misses=measured.known_misses,
        fitting_sources=frozenset(measured.fitting),
        changes=changes,
    )
