"""Builds for `serve`, each in a process of its own, so that changed Python counts too.

Between two builds the process of the next one waits with everything imported and data/ read: what an edit leaves as it
was need not be parsed again.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from generator.site.page import LANGUAGES
from generator.site.render import ROOT

STANDS = "stands"
"""What a build tells whoever started it."""
AHEAD = "ahead"
"""Argument of a process that is started before it is needed."""

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Shown:
    """How much of the site is built."""

    languages: tuple[str, ...] = LANGUAGES
    rigs: tuple[str, ...] = ()
    """All for none."""

    def with_changed(self, paths: Iterable[str], data_dir: Path) -> Shown:
        """The same and the rigs whose files are among these: who edits one wants to see it."""
        changed = (Path(path) for path in paths)
        ids = [path.stem for path in changed if path.parent == data_dir / "rigs" and path.suffix == ".yml"]
        return replace(self, rigs=tuple(dict.fromkeys((*self.rigs, *sorted(ids))))) if self.rigs else self

    @property
    def line(self) -> str:
        """The same as a line of text."""
        return f"{','.join(self.languages)} {','.join(self.rigs)}\n"

    @classmethod
    def of(cls, line: str) -> Shown:
        """From such a line."""
        languages, rigs = line.rstrip("\n").split(" ")
        return cls(tuple(languages.split(",")), tuple(filter(None, rigs.split(","))))


@dataclass(slots=True)
class Builder:
    """Builds one site again and again."""

    site_dir: Path
    data_dir: Path
    say: Say
    _ahead: subprocess.Popen[str] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _closed: bool = False

    def build(self, shown: Shown) -> bool:
        """Builds and says how long it took, or what is wrong; whether it went well.

        Returns as soon as the new site stands: its search index is made and the old site removed meanwhile, and a next
        build waits for that.
        """
        started = time.monotonic()
        process = self._taken()
        with suppress(BrokenPipeError):  # it has ended already, and its output says why
            process.stdin.write(shown.line)  # type: ignore[union-attr]
            process.stdin.flush()  # type: ignore[union-attr]
        heard: list[str] = []
        for line in process.stdout or ():
            if line == f"{STANDS}\n":
                threading.Thread(target=self._end, args=(process,), daemon=True).start()
                self.say(f"built in {time.monotonic() - started:.1f} s")
                return True
            heard.append(line)
        self._end(process)
        self.say("".join(heard).rstrip())
        self.say("not built: the site stays as it was")
        return False

    def forget(self) -> None:
        """Ends the process that waits: what it has imported is no longer what the files hold."""
        with self._lock:
            waiting, self._ahead = self._ahead, None
        if waiting is not None:
            waiting.kill()
            waiting.communicate()

    def close(self) -> None:
        """The same for good."""
        self._closed = True
        self.forget()

    def _taken(self) -> subprocess.Popen[str]:
        with self._lock:
            waiting, self._ahead = self._ahead, None
        return waiting or self._started()

    def _started(self, *arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "generator.site.rebuild", str(self.site_dir), str(self.data_dir), *arguments]
        return subprocess.Popen(
            command,
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def _end(self, process: subprocess.Popen[str]) -> None:
        """Waits for the end of a build, says what went wrong after the site stood, and starts the next ahead of time.

        Not earlier: the two would take turns on the processors.
        """
        said = process.communicate()[0]
        if process.returncode and said:
            self.say(said.rstrip())
        with self._lock:
            if self._ahead is None and not self._closed:
                self._ahead = self._started(AHEAD)


def main(site_dir: Path, data_dir: Path, ahead: bool) -> int:
    """Builds into `site_dir` what a line on standard input asks for; prints what is wrong. Exit status 0 or 1."""
    from generator.catalog import load_catalog
    from generator.errors import TrainfitError
    from generator.site.build import build

    if ahead:
        with suppress(TrainfitError):
            load_catalog(data_dir)
    asked = sys.stdin.readline()
    if not asked:  # whoever was going to ask has gone
        return 0
    shown = Shown.of(asked)
    done = partial(print, STANDS, flush=True)
    try:
        build(data_dir, site_dir, shown.languages, rigs=shown.rigs, search_last=True, done=done)
    except TrainfitError as error:
        sys.stdout.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    _site, _data, *_rest = sys.argv[1:]
    sys.exit(main(Path(_site), Path(_data), AHEAD in _rest))
