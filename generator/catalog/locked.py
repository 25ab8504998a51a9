"""data/verdicts.csv: the published verdicts, kept in git so that an edit of data/ shows which of them it changes."""

from __future__ import annotations

import os
from pathlib import Path

from generator.errors import CatalogErrors, DataError

LOCKED_NAME = "verdicts.csv"


def locked_path(data_dir: Path) -> str:
    """Path of the table for messages: `data/verdicts.csv`."""
    return f"{data_dir.name}/{LOCKED_NAME}"


def read_locked(data_dir: Path) -> str | None:
    """Text of the table exactly as it is stored, None where there is no such file.

    Raises CatalogErrors where it cannot be read or is not UTF-8.
    """
    try:
        return (data_dir / LOCKED_NAME).read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _failure(data_dir, "expected a readable file", error) from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        message = f"expected UTF-8, found the byte 0x{error.object[error.start]:02X}"
        raise CatalogErrors([DataError(locked_path(data_dir), line, 1, "", message, rule="verdicts")]) from error


def write_locked(data_dir: Path, text: str, name: str = LOCKED_NAME) -> bool:
    """Puts a table in place as a whole and says whether it changed; raises CatalogErrors where it cannot."""
    path = data_dir / name
    content = text.encode("utf-8")
    staged = data_dir / f".{name}.{os.getpid()}"
    try:
        if path.is_file() and path.read_bytes() == content:
            return False
        try:
            staged.write_bytes(content)
            staged.replace(path)
        finally:
            staged.unlink(missing_ok=True)
    except OSError as error:
        raise _failure(data_dir, "expected a place to write to", error) from error
    return True


def _failure(data_dir: Path, expected: str, error: OSError) -> CatalogErrors:
    message = f"{expected}, found {error.strerror or 'an error'}"
    return CatalogErrors([DataError(locked_path(data_dir), 1, 1, "", message, rule="verdicts")])
