"""Licences by their identifiers in the SPDX list: <https://spdx.org/licenses/>, those that models and papers use."""

from __future__ import annotations

import re

SPDX = (
    "0BSD",
    "AFL-3.0", "AGPL-3.0-only", "AGPL-3.0-or-later", "Apache-2.0", "Artistic-2.0", "BSD-2-Clause", "BSD-3-Clause",
    "BSD-3-Clause-Clear", "BSL-1.0", "CC-BY-2.0", "CC-BY-3.0", "CC-BY-4.0", "CC-BY-NC-2.0", "CC-BY-NC-3.0",
    "CC-BY-NC-4.0", "CC-BY-NC-ND-3.0", "CC-BY-NC-ND-4.0", "CC-BY-NC-SA-2.0", "CC-BY-NC-SA-3.0", "CC-BY-NC-SA-4.0",
    "CC-BY-ND-4.0", "CC-BY-SA-3.0", "CC-BY-SA-4.0", "CC0-1.0", "CDLA-Permissive-1.0", "CDLA-Permissive-2.0",
    "CDLA-Sharing-1.0", "ECL-2.0", "EPL-1.0", "EPL-2.0", "EUPL-1.1", "EUPL-1.2", "GFDL-1.3-only", "GPL-2.0-only",
    "GPL-2.0-or-later", "GPL-3.0-only", "GPL-3.0-or-later", "ISC", "LGPL-2.1-only", "LGPL-2.1-or-later",
    "LGPL-3.0-only", "LGPL-3.0-or-later", "MIT", "MIT-0", "MPL-2.0", "MS-PL", "MulanPSL-2.0", "NCSA", "ODC-By-1.0",
    "OFL-1.1", "ODbL-1.0", "OSL-3.0", "PDDL-1.0", "PostgreSQL", "Unlicense", "WTFPL", "Zlib",
)  # fmt: skip
_NOISE = re.compile(r"licen[cs]es?\b|\bthe\b|\bversion\b|\bv(?=\d)|[^a-z0-9]")
SHORTEST_PART = 5
"""Letters and digits of an identifier from which on it is looked for inside a longer text."""


def _folded(name: str) -> str:
    return _NOISE.sub("", name.lower())


_BY_FOLD = {
    **{_folded(name).removesuffix("0"): name for name in SPDX if name.endswith(".0")},
    **{_folded(name): name for name in SPDX},
}
"""Letters and digits alone → identifier; `apache2` is `Apache-2.0` too."""


def spdx_spelling(name: str) -> str | None:
    """The identifier that somebody means by `apache 2.0` or `MIT License`; none for a licence that is not listed."""
    return _BY_FOLD.get(_folded(name))


def mentioned_licences(text: str) -> set[str]:
    """Identifiers of the listed licences that a text names; a changed one, `modified-mit`, is not the listed one."""
    whole = spdx_spelling(text.rpartition(":")[2])
    if whole is not None:
        return {whole}
    if re.search(r"modif|derived|based", text, re.IGNORECASE):
        return set()
    folded = _folded(text)
    found = {name for part, name in _BY_FOLD.items() if len(part) >= SHORTEST_PART and part in folded}
    if re.search(r"\bMIT\b", text, re.IGNORECASE) and not any(name.startswith("MIT") for name in found):
        found.add("MIT")
    return found
