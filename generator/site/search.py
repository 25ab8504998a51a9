"""The search index: Pagefind run over the finished pages, made the same on every run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from generator.errors import BuildError

DIRECTORY = "pagefind"
EXCLUDED = (".headerlink", ".tf-cite", ".footnote-backref", "script", "style")
OWN_INTERFACES = ("pagefind-ui.*", "pagefind-modular-ui.*", "pagefind-component-ui.*", "pagefind-highlight.*")
"""Files of Pagefind's own search boxes; ours is docs/assets/js/search.js."""


def index(site_dir: Path, environment: Mapping[str, str]) -> None:
    """Writes `site_dir/pagefind`, one index for each language; raises BuildError with Pagefind's output."""
    command = [sys.executable, "-m", "pagefind", "--site", str(site_dir), "--output-subdir", DIRECTORY, "--quiet"]
    command += ["--exclude-selectors", ", ".join(EXCLUDED)]
    run = subprocess.run(
        command, env=dict(environment), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if run.returncode:
        raise BuildError(f"the search index could not be made:\n{run.stdout.strip()}")
    target = site_dir / DIRECTORY
    for pattern in OWN_INTERFACES:
        for path in target.glob(pattern):
            path.unlink()
    entry = target / "pagefind-entry.json"
    try:
        content = json.loads(entry.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BuildError(f"the search index has no readable {entry.name}: {error}") from error
    entry.write_text(json.dumps(content, sort_keys=True, separators=(",", ":")), encoding="utf-8")
    for path in target.rglob("*"):
        os.utime(path, (0, 0))
