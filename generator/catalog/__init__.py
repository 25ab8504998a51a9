"""Reads data/ and nothing else does."""

from generator.catalog.catalogue import Catalog, Usage
from generator.catalog.load import DATA_DIR, load_catalog, load_finished

__all__ = ["DATA_DIR", "Catalog", "Usage", "load_catalog", "load_finished"]
