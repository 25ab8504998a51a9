"""Which wrong programs the tests notice: each mutant of `benchmarks.mutants` against the tests of its package.

A mutant takes the place of its module in a copy of the checkout, and the tests run until the first that fails. The
process forks for each mutant after the libraries have been imported, which is most of what a start costs.
usage: python -m benchmarks.mutation FOLDER [FIRST LAST]
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

JUDGED = ("tests/accuracy", "tests/commands/test_accuracy.py")
FORMULAS = ("tests/estimate", "tests/verdict", "tests/accuracy", "tests/commands/test_lock.py")
TESTS = {
    "generator/estimate/accuracy.py": JUDGED,
    "generator/estimate/bands.py": JUDGED,
    "generator/estimate/leave_one_out.py": JUDGED,
    "generator/estimate/peers.py": JUDGED,
    "generator/estimate": FORMULAS,
    "generator/verdict": ("tests/verdict", "tests/commands/test_fit.py", "tests/commands/test_lock.py", "tests/views"),
}
"""Tests that may notice, by module or else by package, the quick ones first."""
SECONDS = 240
"""A mutant that runs longer loops for ever: it is noticed."""


def copy_of_checkout(target: Path) -> Path:
    """All tracked files, copied below `target`; the copy's root."""
    listed = subprocess.run(["git", "ls-files", "-z"], check=True, capture_output=True, text=True).stdout  # noqa: S607
    for name in filter(None, listed.split("\0")):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        if Path(name).is_file():
            shutil.copy(name, target / name)
    return target


def prepare(root: Path) -> None:
    """Imports the libraries that all mutants share; the product's own modules are read anew for each."""
    os.chdir(root)
    sys.path.insert(0, str(root))
    sys.dont_write_bytecode = True
    for library in ("hypothesis.strategies", "numpy", "pandas", "pydantic", "pytest", "yaml", "ruamel.yaml"):
        import_module(library)


def survives(tests: tuple[str, ...]) -> bool:
    """Whether all tests pass with the files as they stand."""
    child = os.fork()
    if child:
        _, status = os.waitpid(child, 0)
        return status == 0
    signal.alarm(SECONDS)
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    import pytest

    os._exit(int(pytest.main(["-x", "-q", "--assert=plain", "-p", "no:cacheprovider", *tests])))


def main(folder: Path, first: int, last: int | None) -> None:
    """Prints every survivor at once and the score at the end; writes the outcome of each into `outcomes.json`."""
    mutants: list[dict[str, Any]] = json.loads((folder / "mutants.json").read_text(encoding="utf-8"))[first:last]
    folder, outcomes = folder.resolve(), []
    with tempfile.TemporaryDirectory() as temporary:
        prepare(copy_of_checkout(Path(temporary) / "checkout"))
        if not survives(tuple(sorted({name for names in TESTS.values() for name in names}))):
            sys.exit("mutation: expected the tests to pass before anything is changed, found a failure")
        for mutant in mutants:
            module = Path(mutant["path"])
            original = module.read_text(encoding="utf-8")
            module.write_text((folder / f"{mutant['id']}.py").read_text(encoding="utf-8"), encoding="utf-8")
            alive = survives(TESTS.get(mutant["path"], TESTS.get(str(module.parent), ())))
            module.write_text(original, encoding="utf-8")
            outcomes.append({**mutant, "survived": alive})
            if alive:
                print(
                    f"{mutant['path']}:{mutant['line']}: {mutant['before']}\n    became {mutant['after']}", flush=True
                )
            (folder / f"outcomes-{first}.json").write_text(json.dumps(outcomes, indent=0), encoding="utf-8")
    killed = sum(not each["survived"] for each in outcomes)
    print(f"{killed} of {len(outcomes)} mutants noticed: {killed / max(1, len(outcomes)):.1%}")


if __name__ == "__main__":
    bounds = [int(number) for number in sys.argv[2:4]]
    main(Path(sys.argv[1]), bounds[0] if bounds else 0, bounds[1] if len(bounds) > 1 else None)
