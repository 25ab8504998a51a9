"""Putting a finished directory in the place of an old one, so that whoever looks sees one of them, whole."""

from __future__ import annotations

import ctypes
import ctypes.util
import errno
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from generator.errors import BuildError

MARKER = "build.json"
"""File at the root of every site that we wrote: nothing else is ever replaced."""

AT_FDCWD = -100
RENAME_EXCHANGE = 2
RENAME_SWAP = 2
NOT_OFFERED = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP}


def check_replaceable(site_dir: Path) -> None:
    """Raises BuildError where `site_dir` is a file, or holds anything but a site that we wrote."""
    if site_dir.is_symlink() or (site_dir.exists() and not site_dir.is_dir()):
        raise BuildError(f"{site_dir} is not a directory")
    if site_dir.is_dir() and any(site_dir.iterdir()) and not (site_dir / MARKER).is_file():
        raise BuildError(f"{site_dir} holds something that Trainfit did not write: name an empty or a new directory")


def exchange(first: Path, second: Path) -> bool:
    """Exchanges two directories in one step; False where the system has no such step."""
    library = ctypes.CDLL(ctypes.util.find_library("c"), use_errno=True)
    names = (os.fsencode(first), os.fsencode(second))
    if sys.platform == "linux" and hasattr(library, "renameat2"):
        failed = library.renameat2(AT_FDCWD, names[0], AT_FDCWD, names[1], RENAME_EXCHANGE)
    elif sys.platform == "darwin" and hasattr(library, "renamex_np"):
        failed = library.renamex_np(names[0], names[1], RENAME_SWAP)
    else:
        return False
    if failed:
        number = ctypes.get_errno()
        if number in NOT_OFFERED:
            return False
        raise OSError(number, os.strerror(number), str(second))
    return True


def aside_of(site_dir: Path) -> Path:
    """Where the old site waits for a moment on a system that cannot exchange two directories."""
    return site_dir.with_name(f"{site_dir.name}-old")


def restore(site_dir: Path) -> bool:
    """Brings back an old site that a killed build left aside; whether there was one. Raises BuildError."""
    aside = aside_of(site_dir)
    if site_dir.exists() or not (aside / MARKER).is_file():
        return False
    try:
        aside.rename(site_dir)
    except OSError as error:
        raise BuildError(f"the old site could not be moved back from {aside}: {error}") from error
    return True


def put_in_place(new_dir: Path, site_dir: Path, done: Callable[[], object] = lambda: None) -> None:
    """Makes `new_dir` the site, in one step; calls `done`; removes the old site. Both stand in one directory.

    Where the system cannot exchange two directories, the old one is renamed first and comes back if the second
    renaming fails, or with the next build (`restore`) if the process was killed between the two.
    """
    try:
        if not site_dir.exists():
            new_dir.rename(site_dir)
            done()
            return
        if not exchange(new_dir, site_dir):
            aside = aside_of(site_dir)
            shutil.rmtree(aside, ignore_errors=True)
            site_dir.rename(aside)
            try:
                new_dir.rename(site_dir)
            except OSError:
                aside.rename(site_dir)
                raise
            new_dir = aside
    except OSError as error:
        raise BuildError(f"the site could not be put into {site_dir}: {error}") from error
    done()
    shutil.rmtree(new_dir, ignore_errors=True)
