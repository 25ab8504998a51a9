"""The search index: Pagefind run over the finished pages, made the same on every run."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from generator.catalog import Catalog
from generator.errors import BuildError
from generator.site.page import Language
from generator.site.swap import put_in_place

DIRECTORY = "pagefind"
NAMES = "names.{}.json"
LOOKALIKES = dict(
    zip(
        (0x430, 0x432, 0x435, 0x43A, 0x43C, 0x43D, 0x43E, 0x440, 0x441, 0x442, 0x443, 0x445, 0xD7),
        map(ord, "abekmhopctyxx"),
        strict=True,
    )
)
"""Cyrillic letters that a hand on the wrong keyboard layout types for Latin ones, and the sign of multiplication."""
EXCLUDED = (".headerlink", ".tf-cite", ".footnote-backref", "script", "style")
OWN_INTERFACES = ("pagefind-ui.*", "pagefind-modular-ui.*", "pagefind-component-ui.*", "pagefind-highlight.*")
"""Files of Pagefind's own search boxes; ours is docs/assets/js/search.js."""


def squeezed(name: str) -> str:
    """A name as search compares it: letters and digits, Cyrillic look-alikes as Latin. As in search.js."""
    return "".join(char for char in name.lower().translate(LOOKALIKES) if char.isalnum())


def names(catalog: Catalog, language: Language) -> dict[str, list[str]]:
    """What people call models, cards and rigs, squeezed → title, path, and `meant` where the name is a wrong one."""
    found: dict[str, list[str]] = {}

    def add(entry: list[str], spellings: Iterable[str]) -> None:
        for spelling in spellings:
            found.setdefault(squeezed(spelling), entry)

    for id_, gpu in catalog.gpus.items():
        place = f"gpus/{id_}/"
        add([gpu.name, place], (id_, gpu.name, *gpu.aliases))
        add([gpu.name, place, "meant"], gpu.misnomers)
    for id_, rig in catalog.rigs.items():
        name = rig.name.in_language(language)
        add([name, f"rigs/{id_}/"], (id_, name, *rig.aliases))
    for id_, model in catalog.models.items():
        add([model.name, f"models/{id_}/"], (id_, model.name, *model.aliases, *model.hugging_face))
    return dict(sorted(found.items()))


def write_names(catalog: Catalog, site_dir: Path, languages: Iterable[Language]) -> None:
    """Writes the names of each language beside the search index."""
    folder = site_dir / DIRECTORY
    folder.mkdir(parents=True, exist_ok=True)
    for language in languages:
        text = json.dumps(names(catalog, language), ensure_ascii=False, separators=(",", ":"))
        (folder / NAMES.format(language)).write_text(text + "\n", encoding="utf-8")


def index(environment: Mapping[str, str], site_dir: Path, directory: str = DIRECTORY) -> None:
    """Writes `directory` of the site, one index for each language; raises BuildError with Pagefind's output."""
    command = [sys.executable, "-m", "pagefind", "--site", str(site_dir), "--output-subdir", directory, "--quiet"]
    command += ["--exclude-selectors", ", ".join(EXCLUDED)]
    run = subprocess.run(
        command, env=dict(environment), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if run.returncode:
        raise BuildError(f"the search index could not be made:\n{run.stdout.strip()}")
    target = site_dir / directory
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


def carry_over(old: Path, new: Path) -> None:
    """Puts the index of the site `old`, if it has one, into the site `new` too; `names` are written anew."""
    if (old / DIRECTORY).is_dir():
        anew = shutil.ignore_patterns(NAMES.format("*"))
        shutil.copytree(old / DIRECTORY, new / DIRECTORY, copy_function=_link, ignore=anew)


def _link(source: str, target: str) -> None:
    """A second name for a file, or a copy where the file system has no hard links."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def renew(site_dir: Path, environment: Mapping[str, str]) -> None:
    """Makes the index of a site that is being looked at, and puts it in the place of the one that it has."""
    fresh = site_dir / f"{DIRECTORY}-new"
    try:
        index(environment, site_dir, fresh.name)
        for path in (site_dir / DIRECTORY).glob(NAMES.format("*")):
            shutil.copy2(path, fresh)
        put_in_place(fresh, site_dir / DIRECTORY)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)
