"""Packs a built site into a zip for an intranet, with the hash of every file.

usage: python scripts/pack.py SITE_DIR OUT_DIR

Writes OUT_DIR/trainfit-site.zip and OUT_DIR/trainfit-site.sha256, which `sha256sum --check` reads inside the unpacked
folder; its last line is the hash of the zip itself, as a comment. The same site gives the same bytes.
"""

from __future__ import annotations

import hashlib
import sys
import zipfile
from pathlib import Path

NAME = "trainfit-site"
MANIFEST = "MANIFEST.sha256"
EARLIEST = (1980, 1, 1, 0, 0, 0)
"""The only moment that a zip made at any time can hold for all files."""


def pack(site: Path, out: Path) -> tuple[Path, Path]:
    """The zip and the manifest that were written; raises OSError, ValueError for a folder that holds no site."""
    files = sorted(path for path in site.rglob("*") if path.is_file() and path.name != MANIFEST)
    if not (site / "index.html").is_file():
        raise ValueError(f"{site}: expected a site with an index.html, found none")
    out.mkdir(parents=True, exist_ok=True)
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(site).as_posix()}\n" for path in files
    ]
    manifest = "".join(lines)
    archive = out / f"{NAME}.zip"
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for path in files:
            _write(packed, path.relative_to(site).as_posix(), path.read_bytes())
        _write(packed, MANIFEST, manifest.encode("utf-8"))
    listed = out / f"{NAME}.sha256"
    listed.write_text(f"{manifest}# {_digest(archive)}  {archive.name}\n", encoding="utf-8")
    return archive, listed


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _write(packed: zipfile.ZipFile, name: str, content: bytes) -> None:
    entry = zipfile.ZipInfo(f"{NAME}/{name}", EARLIEST)
    entry.external_attr = 0o644 << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.create_system = 3
    packed.writestr(entry, content, compresslevel=9)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python scripts/pack.py SITE_DIR OUT_DIR")
    try:
        written = pack(Path(sys.argv[1]), Path(sys.argv[2]))
    except (OSError, ValueError) as error:
        sys.exit(f"pack: {error}")
    print(*written, sep="\n")
