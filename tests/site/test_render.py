"""The files for MkDocs: the same whatever the number of processors."""

from __future__ import annotations

import os
from pathlib import Path

from generator.catalog import load_catalog
from generator.site.render import render
from tests.support import tiny_catalog


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_processors_change_nothing(tmp_path, monkeypatch) -> None:
    catalog = load_catalog(tiny_catalog(tmp_path))
    made = {}
    for processors in (1, 2, 6):
        monkeypatch.setattr(os, "cpu_count", lambda processors=processors: processors)
        pages = render(catalog, tmp_path / str(processors))
        made[processors] = contents(tmp_path / str(processors)), [page.path for page in pages["ru"]]
    assert made[1] == made[2] == made[6]
    assert "docs/en/index.md" in made[1][0]
