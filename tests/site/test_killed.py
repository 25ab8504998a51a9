"""Builds that are killed or run out of something: what stands afterwards is the old site or the new one, whole."""

from __future__ import annotations

import errno
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from generator.errors import BuildError
from generator.site import build as building
from tests.support import MODEL, edit, tiny_catalog

pytestmark = pytest.mark.slow

KILLS = 6
SIGNALS = (signal.SIGKILL, signal.SIGTERM, signal.SIGINT)


def tree(site: Path) -> str:
    """One hash of all names and contents."""
    total = hashlib.sha256()
    for path in sorted(path for path in site.rglob("*") if path.is_file()):
        total.update(f"{path.relative_to(site)}\\0{hashlib.sha256(path.read_bytes()).hexdigest()}\\n".encode())
    return total.hexdigest()


BUILD = """
import pathlib, sys
from generator.site.build import build
data, site, work = map(pathlib.Path, sys.argv[1:])
build(data, site, ["en"], work_dir=work)
"""


def start(data: Path, site: Path, root: Path) -> subprocess.Popen[bytes]:
    """A build in a process group of its own, so that a signal reaches MkDocs too, as from a terminal."""
    return subprocess.Popen(
        [sys.executable, "-c", BUILD, str(data), str(site), str(data.with_name("work"))],
        cwd=root,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def test_a_killed_build_leaves_one_site_whole(tmp_path: Path, repo_root: Path) -> None:
    data, site = tiny_catalog(tmp_path), tmp_path / "site"
    began = time.monotonic()
    assert start(data, site, repo_root).wait() == 0
    duration = time.monotonic() - began
    old = tree(site)
    edit(data, MODEL, "name: Qwen3-0.6B\n", "name: Qwen3-0.6B renamed\n")
    new_site = tmp_path / "other"
    assert start(data, new_site, repo_root).wait() == 0
    new = tree(new_site)
    assert old != new
    chance = random.Random(20261202)
    for number in range(KILLS):
        running = start(data, site, repo_root)
        time.sleep(duration * chance.uniform(0.1, 1.0))
        if running.poll() is None:
            os.killpg(running.pid, SIGNALS[number % len(SIGNALS)])
        running.wait()
        assert tree(site) in (old, new), number
    assert start(data, site, repo_root).wait() == 0
    assert tree(site) == new
    assert not list(tmp_path.glob("site-*"))
    shutil.rmtree(site)


@pytest.mark.parametrize("part", ["styles.trim", "search.index", "assemble.finish", "write_api", "put_in_place"])
@pytest.mark.usefixtures("without_programs")
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.ENOENT])
def test_an_error_of_the_system_is_said_and_leaves_the_old_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str, number: int
) -> None:
    """A full disk, a read-only one, a missing file such as a font: in whatever part of the build."""
    data, site = tiny_catalog(tmp_path), tmp_path / "site"
    site.mkdir()
    (site / "build.json").write_text("{}", encoding="utf-8")
    old = tree(site)

    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number), "somewhere")

    monkeypatch.setattr(f"generator.site.build.{part}", fail)
    with pytest.raises(BuildError, match="somewhere"):
        building.build(data, site, ["en"], work_dir=tmp_path / "work")
    assert tree(site) == old
    assert not list(tmp_path.glob("site-*"))
