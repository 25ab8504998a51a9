"""data/ as it was at a revision of the repository."""

from __future__ import annotations

import io
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from generator.errors import TrainfitError


class RevisionError(TrainfitError):
    """There is no repository, no such revision, or no data/ in it."""


@contextmanager
def data_at(revision: str, data_dir: Path) -> Iterator[Path]:
    """A folder of the same name with the files that `data_dir` had at `revision`; gone afterwards.

    Raises RevisionError.
    """
    commit = commit_of(revision, data_dir)
    archive = _git(["archive", "--format=tar", commit, "."], data_dir, f"expected {data_dir.name}/ in {revision!r}")
    with tempfile.TemporaryDirectory(prefix="trainfit-") as folder:
        target = Path(folder) / data_dir.name
        target.mkdir()
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(target, filter="data")
        yield target


def changed_files(data_dir: Path, *, new: bool = False) -> tuple[str, ...]:
    """Files below `data_dir`, relative to it, whose content differs from the last commit; raises RevisionError.

    With `new` also those that git does not know and does not ignore.
    """
    expected = f"expected {data_dir.name}/ in a repository"
    listed = _git(["diff", "--name-only", "--relative", "-z", "HEAD", "--", "."], data_dir, expected)
    if new:
        listed += _git(["ls-files", "--others", "--exclude-standard", "-z", "--", "."], data_dir, expected)
    return tuple(name for name in listed.decode("utf-8", "replace").split("\0") if name)


def released_before(data_dir: Path) -> tuple[str, ...]:
    """Tags of releases (`v…`) that are not of the commit at hand; none where there is no repository."""
    try:
        listed = _git(["tag", "--list", "v*", "--no-contains", "HEAD"], data_dir, "expected a repository")
    except RevisionError:
        return ()
    return tuple(listed.decode("utf-8", "replace").split())


def commit_of(revision: str, data_dir: Path) -> str:
    """The commit that a revision means; raises RevisionError."""
    expected = f"expected a revision of the repository that holds {data_dir.name}/, found {revision[:80]!r}"
    if revision.startswith("-"):
        raise RevisionError(expected)
    found = _git(["rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"], data_dir, expected)
    return found.decode("ascii").strip()


def _git(arguments: list[str], folder: Path, expected: str) -> bytes:
    command = ["git", "-C", str(folder), *arguments]
    try:
        return subprocess.run(command, capture_output=True, check=True).stdout
    except FileNotFoundError as error:
        raise RevisionError("expected git, found none") from error
    except subprocess.CalledProcessError as error:
        detail = " ".join(error.stderr.decode("utf-8", "replace").split())[:200]
        raise RevisionError(f"{expected}{f': {detail}' if detail else ''}") from error
