"""What lies in a folder of data/: regular files and folders with names that a reader sees, and nothing else."""

from __future__ import annotations

import stat
from pathlib import Path

from generator.errors import DataError

DATA_SUFFIXES = (".yml", ".yaml", ".csv", ".json")


def is_regular(path: Path) -> bool:
    """Whether it is a file of its own, neither a link, which may lead out of data/, nor a pipe, which never ends."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:
        return False


def is_folder(path: Path) -> bool:
    """Whether it is a folder of its own and no link to one."""
    return path.is_dir() and not path.is_symlink()


def children(folder: Path, shown: str, errors: list[DataError]) -> list[Path]:
    """Regular files and folders in a fixed order; links, devices and hidden data add errors."""
    try:
        paths = sorted(folder.iterdir(), key=lambda path: path.name)
    except OSError as error:
        errors.append(_error(shown, f"expected a readable folder, found {error.strerror or 'an error'}"))
        return []
    kept = []
    for path in paths:
        name = f"{shown}/{visible(path.name)}"
        if path.name.startswith("."):
            if path.name.endswith(DATA_SUFFIXES):
                message = "expected a name without a dot in front, found a hidden file"
                errors.append(_error(name, message, "rename or delete it"))
            continue
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            message = "expected a file or a folder, found a symbolic link"
            errors.append(_error(name, message, "copy what it points to"))
        elif not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
            errors.append(_error(name, "expected a file or a folder, found a device", "delete it"))
        elif name != f"{shown}/{path.name}":
            errors.append(_error(name, "expected a name of visible characters, found others", "rename it"))
        else:
            kept.append(path)
    return kept


def visible(name: str) -> str:
    """A name with a sign in place of each character that is not shown."""
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in name)


def _error(shown: str, message: str, hint: str = "") -> DataError:
    return DataError(shown, 1, 1, "", message, hint, "layout")
