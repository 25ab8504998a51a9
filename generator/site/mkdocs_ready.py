"""MkDocs, started while its pages are still being made: by the time that they are there it has imported everything.

As a program: MkDocs that waits for a word before it does what its arguments say.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path

from generator.errors import BuildError
from generator.site.page import Language
from generator.site.render import ROOT

GO = "go\n"
CONFIGURATIONS: dict[Language, str] = {"ru": "mkdocs.yml", "en": "mkdocs.en.yml"}


def run_mkdocs(languages: Sequence[Language], work_dir: Path, variables: Mapping[str, str]) -> dict[Language, Path]:
    """Builds the languages side by side; returns where each stands. Raises BuildError with MkDocs' own output."""
    with mkdocs_ready(languages, work_dir, variables) as run:
        return run()


@contextmanager
def mkdocs_ready(
    languages: Sequence[Language], work_dir: Path, variables: Mapping[str, str]
) -> Iterator[Callable[[], dict[Language, Path]]]:
    """Starts a MkDocs for each language, and gives what lets them build and does what `run_mkdocs` does.

    Not with `--quiet`: it hides warnings from `--strict` too.
    """
    built = {language: work_dir / "html" / language for language in languages}
    command = [sys.executable, "-m", "generator.site.mkdocs_ready", "build", "--strict", "--clean"]
    running = {
        language: subprocess.Popen(
            [*command, "--config-file", str(ROOT / CONFIGURATIONS[language]), "--site-dir", str(directory)],
            cwd=ROOT,
            env=dict(variables),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for language, directory in built.items()
    }
    try:
        yield partial(_finish, running, built)
    finally:
        for process in running.values():
            if process.poll() is None:
                process.kill()
                process.communicate()


def _finish(running: Mapping[Language, subprocess.Popen[str]], built: dict[Language, Path]) -> dict[Language, Path]:
    for process in running.values():
        with suppress(BrokenPipeError):  # it has ended already, and its output says why
            process.stdin.write(GO)  # type: ignore[union-attr]
            process.stdin.flush()  # type: ignore[union-attr]
    output = {language: process.communicate()[0] for language, process in running.items()}
    failed = [language for language, process in running.items() if process.returncode]
    if failed:
        raise BuildError(
            "\n".join(f"MkDocs ({language}) failed:\n{worth_reading(output[language])}" for language in failed)
        )
    return built


def worth_reading(output: str) -> str:
    """What a program said, without the lines that only tell of its progress."""
    return "\n".join(line for line in output.splitlines() if line.strip() and not line.startswith(("INFO", "DEBUG")))


def main(arguments: Sequence[str]) -> None:
    """MkDocs' own command line, once told to go on; nothing where whoever started it has gone."""
    from mkdocs.__main__ import cli

    import generator.site.hooks  # noqa: F401

    if sys.stdin.readline() == GO:
        cli(list(arguments), prog_name="mkdocs")


if __name__ == "__main__":
    main(sys.argv[1:])
