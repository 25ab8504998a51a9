"""The reduced data: the real data/ with some rigs and models left out, small enough to be built several times.

Everything else is as it is: all cards, methods, constants, thresholds, the stack, the measured runs.
What only the files that are left out cited goes with them. The tables of verdicts and their history keep the rows of
what is left: they are up to date.
"""

from __future__ import annotations

import csv
import io
import re
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterable
from functools import cache
from pathlib import Path

from generator.catalog import DATA_DIR, Catalog, load_catalog
from generator.errors import CatalogErrors, DataError

RIGS = (
    "1x-rtx-4090", "1x-t4", "4x-rtx-5090", "4x-rtx-6000-ada", "8x-gaudi3", "8x-mi300x",
)  # fmt: skip
"""One and several cards, with and without links between them, without bf16, of three vendors."""
FAMILIES = ("qwen3", "gemma-3", "llama-3.1", "llama-3.2", "llama-3.3", "mistral-small", "deepseek-r1-distill")
"""Those that the reports of rigs name, complete."""
MODELS = (
    "avibe", "deepseek-v3", "embeddinggemma-300m", "gemma-3n-e2b", "gemma-4-e2b", "gpt-oss-20b", "granite-4.0-h-tiny",
    "mixtral-8x7b", "phi-4-mini", "qwen3-embedding-0.6b", "qwen3-next-80b-a3b", "qwen3-reranker-0.6b",
    "yandexgpt-5-lite-8b",
)  # fmt: skip
"""Further ones: of every kind of layer, of other objectives, with fused matrices, unmodelled ones."""
PASSES = 4


def reduce_data(target: Path, source: Path = DATA_DIR) -> Path:
    """Writes the reduced data to `target` and returns it; raises CatalogErrors where they are not valid."""
    shutil.copytree(source, target)
    _keep(target.glob("rigs/*.yml"), lambda path: path.stem in RIGS)
    kept = {*MODELS, *_measured(source)}
    _keep(target.glob("models/*/*.yml"), lambda path: path.parent.name in FAMILIES or path.stem in kept)
    for folder in target.glob("models/*"):
        if not any(folder.iterdir()):
            folder.rmdir()
    models = {path.stem for path in target.glob("models/*/*.yml")}
    for name in ("verdicts.csv", "changes.csv"):
        _rows(target / name, lambda row: row["rig"] in RIGS and row["model"] in models)
    for path in target.glob("stack/environments/*.yml"):
        path.write_text(_without_models(path.read_text(encoding="utf-8"), models), encoding="utf-8")
    for _ in range(PASSES):
        left = [error for error in _errors(target) if not _mended(target, error)]
        if left:
            raise CatalogErrors(left)
        if not _errors(target):
            return target
    raise CatalogErrors(_errors(target))


@cache
def reduced_catalog() -> Catalog:
    """What is in the reduced data, read once in a worker."""
    with tempfile.TemporaryDirectory() as folder:
        return load_catalog(reduce_data(Path(folder) / "data"))


def _keep(paths: Iterable[Path], wanted: Callable[[Path], bool]) -> None:
    for path in paths:
        if not wanted(path):
            path.unlink()


def _rows(path: Path, wanted: Callable[[dict[str, str]], bool]) -> None:
    """Leaves rows out of a table."""
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        rows = [row for row in reader if wanted(row)]
        names = reader.fieldnames or []
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    path.write_text(text.getvalue(), encoding="utf-8", newline="")


def _without_models(text: str, models: Collection[str]) -> str:
    """An environment without the models that are left out: no list of it is left empty."""
    text = re.sub(
        r"(?m)^(without_\w+):\n((?:  \S.*\n)+)",
        lambda found: found[1] + ":\n" + "".join(
            line for line in found[2].splitlines(keepends=True) if line.split(":")[0].strip() in models
        ),
        text,
    )  # fmt: skip
    return re.sub(r"(?m)^without_\w+:\n(?!  )", "", text)


def _measured(data: Path) -> set[str]:
    """Models that measured runs are of."""
    found: set[str] = set()
    for path in data.glob("measurements/*.csv"):
        with path.open(encoding="utf-8", newline="") as file:
            found.update(row["shape"] for row in csv.DictReader(file))
    return found


def _errors(data: Path) -> tuple[DataError, ...]:
    try:
        load_catalog(data)
    except CatalogErrors as problem:
        return tuple(problem.errors)
    return ()


def _mended(data: Path, error: DataError) -> bool:
    """Takes away what only made sense with the files that are left out; says whether it could."""
    path = data.parent / error.path
    if error.rule == "source-used" and path.parent.name == "sources":
        path.unlink(missing_ok=True)
        return True
    if error.rule == "link-exceptions":
        key = error.field.partition(".")[2]
        text = path.read_text(encoding="utf-8")
        path.write_text(re.sub(rf"(?m)^  {re.escape(key)}:\n(?:    .*\n)+", "", text), encoding="utf-8")
        return True
    return False
