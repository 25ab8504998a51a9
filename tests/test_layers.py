"""The layers of generator/: imports point downwards, modules stay short, only the catalogue reads data/."""

from __future__ import annotations

import ast
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support import tiny_catalog

LAYERS = (
    ("units", "errors"),
    ("architecture",),
    ("catalog",),
    ("estimate",),
    ("verdict",),
    ("launch",),
    ("views",),
    ("site",),
    ("commands", "cli"),
)
"""From the bottom up: a module imports from its own layer and from those before it."""

RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}
MAX_LINES = 400


def modules(root: Path) -> Iterator[tuple[str, Path]]:
    """Dotted name and path of each module of generator/."""
    for path in sorted((root / "generator").rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


def imported(tree: ast.Module, module: str, *, is_package: bool) -> Iterator[tuple[int, str]]:
    """Line and dotted name of all that a module imports, wherever in the module the import stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = module.split(".") if is_package else module.split(".")[:-1]
                base = ".".join([*package[: len(package) - node.level + 1], *filter(None, [base])])
            for alias in node.names:
                yield node.lineno, f"{base}.{alias.name}"


def layer_of(dotted: str) -> str | None:
    """`catalog` for `generator.catalog.fields`; none for what is not ours and for the package's front door."""
    parts = dotted.split(".")
    if parts[0] != "generator" or len(parts) == 1 or parts[1].startswith("_"):
        return None
    return parts[1]


def violations(source: str, module: str, *, is_package: bool = False) -> list[str]:
    """What is wrong with the imports of one module."""
    own = layer_of(module)
    if own is None:
        return []  # generator/__init__.py offers names of all layers
    if own not in RANK:
        return [f"{module}: generator/{own} has no place in LAYERS"]
    found = []
    for line, name in imported(ast.parse(source), module, is_package=is_package):
        other = layer_of(name)
        if other is None:
            if name.split(".")[0] == "generator":
                found.append(f"{module}:{line}: imports {name}: name the layer")
        elif other not in RANK:
            found.append(f"{module}:{line}: imports {name}, which has no place in LAYERS")
        elif RANK[other] > RANK[own]:
            found.append(f"{module}:{line}: {own} imports {name}: upwards")
    return found


def test_imports_point_downwards(repo_root: Path) -> None:
    found = [
        problem
        for module, path in modules(repo_root)
        for problem in violations(path.read_text("utf-8"), module, is_package=path.name == "__init__.py")
    ]
    assert found == []


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("generator.catalog.load", "from generator.estimate import estimate"),
        ("generator.estimate.memory", "import generator.verdict.ladder"),
        ("generator.views.rigs", "def late():\n    from generator.site.page import Page\n"),
        ("generator.verdict.ladder", "from ..site import build"),
        ("generator.site.build", "from generator.cli import main"),
        ("generator.errors", "from generator.catalog import Catalog"),
        ("generator.views.rigs", "from generator import judge"),
        ("generator.nowhere.module", ""),
        ("generator.views.rigs", "from generator.nowhere import thing"),
    ],
)
def test_the_checker_sees_an_upward_import(module: str, source: str) -> None:
    assert len(violations(source, module)) == 1


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("generator.estimate.memory", "from generator.catalog.records import Model\nfrom generator import units"),
        ("generator.catalog.load", "from .fields import Text\nfrom ..errors import DataError\nimport yaml"),
        ("generator.cli", "from generator.commands import build\nfrom generator.site import build as site"),
    ],
)
def test_the_checker_allows_what_is_below(module: str, source: str) -> None:
    assert violations(source, module) == []


def test_modules_are_short(repo_root: Path) -> None:
    lengths = {module: len(path.read_text("utf-8").splitlines()) for module, path in modules(repo_root)}
    assert {module: length for module, length in lengths.items() if length > MAX_LINES} == {}


WATCH = """
    import os
    import sys
    from pathlib import Path

    root, given = Path(sys.argv[1]), Path(sys.argv[3])
    data = (str(root / "data") + "/", str(given) + "/")
    ours = str(root / "generator") + "/"
    readers = set()

    def watch(event, arguments):
        if event != "open" or isinstance(arguments[0], int):
            return
        if not os.path.abspath(os.fsdecode(arguments[0])).startswith(data):
            return
        frame = sys._getframe(1)
        while frame is not None and not frame.f_code.co_filename.startswith(ours):
            frame = frame.f_back
        readers.add(frame.f_code.co_filename.removeprefix(ours) if frame else "nobody")

    sys.addaudithook(watch)
"""
"""Notes which module of generator/ opens each file of data/, that of the checkout and the one given."""

RENDER = """
    from generator.catalog import load_catalog
    from generator.site.build import render

    render(load_catalog(given), Path(sys.argv[2]))
"""

TRESPASS = """
    intruder = compile("open(name).close()", ours + "site/intruder.py", "exec")
    exec(intruder, {"name": data[0] + "policy.yml"})
"""

REPORT = """
    print(*sorted(readers), sep="\\n")
"""


def readers_of_data(repo_root: Path, tmp_path: Path, *parts: str) -> list[str]:
    """Modules of generator/ that open files of data/ while the parts of a script run, in a process of their own.

    Every kind of page is made from small data: what reads a file reads it whatever their number.
    """
    script = "\n".join(textwrap.dedent(part) for part in (WATCH, *parts, REPORT))
    done = subprocess.run(
        [sys.executable, "-c", script, str(repo_root), str(tmp_path / "pages"), str(tiny_catalog(tmp_path))],
        cwd=repo_root,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


@pytest.mark.slow
def test_only_the_catalogue_reads_data(repo_root: Path, tmp_path: Path) -> None:
    readers = readers_of_data(repo_root, tmp_path, RENDER)
    assert readers
    assert [reader for reader in readers if not reader.startswith("catalog/")] == []


def test_the_watch_sees_another_reader(repo_root: Path, tmp_path: Path) -> None:
    assert readers_of_data(repo_root, tmp_path, TRESPASS) == ["site/intruder.py"]
