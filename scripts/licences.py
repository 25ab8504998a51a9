"""Lists the licence of every package in requirements.lock and requirements-dev.lock, as the package itself states it.

usage: python scripts/licences.py

A package that is not installed here (one for another system or another Python) is listed as such.
"""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCKS = ("requirements.lock", "requirements-dev.lock")


def packages(lock: str) -> dict[str, str]:
    """Name → version of everything that a lock file pins."""
    text = (ROOT / lock).read_text(encoding="utf-8")
    return dict(re.findall(r"(?m)^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^\s;\\]+)", text))


def licence(name: str) -> str:
    """What the installed package says: its SPDX expression, else its short text, else its classifiers."""
    try:
        stated = metadata.metadata(name)
    except metadata.PackageNotFoundError:
        return "not installed here"
    expression, text = stated.get("License-Expression"), stated.get("License")
    if expression:
        return str(expression)
    classified = [
        each.rpartition(" :: ")[2] for each in stated.get_all("Classifier") or [] if each.startswith("License ::")
    ]
    if classified:
        return ", ".join(classified)
    return " ".join(text.split())[:60] if text else "not stated"


if __name__ == "__main__":
    runtime, every = packages(LOCKS[0]), packages(LOCKS[1])
    width = max(map(len, {**runtime, **every}))
    for title, chosen in (("site", runtime), ("tests", {key: every[key] for key in every if key not in runtime})):
        print(f"# {title}: {len(chosen)} packages")
        for name, version in sorted(chosen.items()):
            print(f"{name:{width}}  {version:16}  {licence(name)}")
