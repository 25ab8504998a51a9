"""How cost grows: the site with one, three and ten times the models, on a few rigs that stay the same."""

from __future__ import annotations

import resource
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from generator.catalog import DATA_DIR, load_catalog

FACTORS = (1, 3, 10)
RIGS = ("1x-rtx-4090", "4x-rtx-6000-ada")
BUILD = """
import sys
from pathlib import Path
from generator.site import build as building
data, site, work, rigs = sys.argv[1:]
building.build(Path(data), Path(site), work_dir=Path(work), rigs=tuple(rigs.split(",")))
"""


@dataclass(frozen=True, slots=True)
class Growth:
    """One build."""

    factor: int
    models: int
    files: int
    size_mb: float
    seconds: float
    peak_mb: float
    """Of the largest process."""


def copies(data: Path, factor: int) -> int:
    """Adds `factor` − 1 copies of every model to a copy of data/, under other ids and names; returns how many.

    A copy has no sources of its own inside: it cites those of the original, so that the number of sources stays.
    """
    shutil.copytree(DATA_DIR, data)
    originals = sorted((data / "models").rglob("*.yml"))
    for number in range(2, factor + 1):
        for path in originals:
            _write_copy(path, number)
    (data / "verdicts.csv").unlink()
    (data / "changes.csv").unlink()
    return len(originals) * factor


def _write_copy(path: Path, number: int) -> None:
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    kept, skipping = [], False
    for line in lines:
        top = line[:1] not in (" ", "-", "#", "\n")
        if top:
            skipping = line.startswith(("sources:", "hugging_face:", "aliases:"))
        if not skipping:
            kept.append(
                f"name: {line[6:].strip().strip(chr(39))} copy {number}\n" if line.startswith("name:") else line
            )
    path.with_name(f"{path.stem}-copy-{number}.yml").write_text("".join(kept), encoding="utf-8")


def grow(folder: Path, factor: int) -> Growth:
    """Builds the site with `factor` times the models."""
    data, site = folder / f"data-{factor}" / "data", folder / f"site-{factor}"
    data.parent.mkdir(parents=True)
    models = copies(data, factor)
    load_catalog(data)
    command = [sys.executable, "-c", BUILD, str(data), str(site), str(folder / f"work-{factor}")]
    began = time.perf_counter()
    subprocess.run([*command, ",".join(RIGS)], check=True)
    seconds = time.perf_counter() - began
    sizes = [path.stat().st_size for path in site.rglob("*") if path.is_file()]
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    shutil.rmtree(site)
    return Growth(factor, models, len(sizes), sum(sizes) / 1e6, seconds, peak * 1024 / 1e6)


def report(folder: Path) -> str:
    """A table of all factors."""
    rows = [grow(folder, factor) for factor in FACTORS]
    head = f"{'models':>8}{'files':>8}{'MB':>8}{'seconds':>9}{'ms/file':>9}{'peak MB':>9}   on {', '.join(RIGS)}"
    lines = [
        f"{row.models:8d}{row.files:8d}{row.size_mb:8.0f}{row.seconds:9.1f}"
        f"{row.seconds / row.files * 1000:9.2f}{row.peak_mb:9.0f}"
        for row in rows
    ]
    return "\n".join([head, *lines])
