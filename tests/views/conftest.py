"""The report of the first rig, computed once."""

from __future__ import annotations

import pytest

from generator.catalog import Catalog
from generator.verdict import judge_rig
from generator.verdict.results import RigReport


@pytest.fixture(scope="session")
def report(catalog: Catalog) -> RigReport:
    return judge_rig(catalog, "4x-rtx-6000-ada")
