"""scripts/pack.py: the zip of a site for an intranet."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest


def pack(repo_root: Path, site: Path, out: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, repo_root / "scripts/pack.py", site, out], capture_output=True, text=True, check=False
    )


@pytest.fixture
def site(tmp_path: Path) -> Path:
    site = tmp_path / "site"
    for name, text in {"index.html": "<p>ж", "en/index.html": "<p>x", "a b.txt": "x", "z.svg": "<svg/>"}.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text, encoding="utf-8")
    return site


def test_everything_is_in_it_and_its_hash_is_right(repo_root: Path, site: Path, tmp_path: Path) -> None:
    assert pack(repo_root, site, tmp_path / "out").returncode == 0
    with zipfile.ZipFile(tmp_path / "out/trainfit-site.zip") as packed:
        packed.extractall(tmp_path / "unpacked")
    unpacked = tmp_path / "unpacked/trainfit-site"
    names = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()}
    assert names == {"index.html", "en/index.html", "a b.txt", "z.svg", "MANIFEST.sha256"}
    listed = (tmp_path / "out/trainfit-site.sha256").read_text(encoding="utf-8")
    assert listed.startswith((unpacked / "MANIFEST.sha256").read_text(encoding="utf-8"))
    if shutil.which("sha256sum"):
        for manifest in ("MANIFEST.sha256", tmp_path / "out/trainfit-site.sha256"):
            subprocess.run(["sha256sum", "--check", "--strict", "--quiet", manifest], cwd=unpacked, check=True)
        (unpacked / "z.svg").write_text("<svg >", encoding="utf-8")
        assert subprocess.run(
            ["sha256sum", "--check", "--quiet", "MANIFEST.sha256"], cwd=unpacked, check=False
        ).returncode


def test_the_same_site_gives_the_same_bytes(repo_root: Path, site: Path, tmp_path: Path) -> None:
    pack(repo_root, site, tmp_path / "one")
    for path in site.rglob("*"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
        if path.is_file():
            path.chmod(0o600)
    pack(repo_root, site, tmp_path / "two")
    for name in ("trainfit-site.zip", "trainfit-site.sha256"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_a_folder_without_a_site_is_refused(repo_root: Path, tmp_path: Path) -> None:
    done = pack(repo_root, tmp_path, tmp_path / "out")
    assert done.returncode == 1
    assert "expected a site with an index.html" in done.stderr
    assert "Traceback" not in done.stderr
