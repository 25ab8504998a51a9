"""The theme's stylesheet without the rules for what no page has: most of it is about parts that we do not use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

THEME_STYLES = "assets/stylesheets/main.*.css"
OWN_STYLES = "assets/css/*.css"
STATES = frozenset({"js", "no-js"})
"""Classes that a script gives to a page; all others stand in its HTML."""

# Without `\b`, which would make it ten times as slow: a rule that is kept for a `data-class` does no harm.
CLASS_ATTRIBUTE = re.compile(r"""class=(?:"([^"]*)"|'([^']*)'|([^\s>]+))""")
CLASS_IN_SELECTOR = re.compile(r"\.(-?[A-Za-z_](?:[\w-]|\\.)*)")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
STRING = re.compile(r"""("[^"\n]*"|'[^'\n]*')""")
BLANKS = re.compile(r"\s*([{};])\s*")
NESTING = ("@media", "@supports", "@layer", "@container")


def classes_of(pages: Iterable[Path]) -> set[str]:
    """Every class that an element of these HTML files has."""
    values: set[tuple[str, ...]] = set()  # few are distinct: they are taken apart once
    for page in pages:
        values.update(CLASS_ATTRIBUTE.findall(page.read_text(encoding="utf-8")))
    return set(STATES).union(*(value.split() for forms in values for value in forms))


def blocks(css: str) -> Iterator[tuple[str, str | None]]:
    """Top-level statements of a stylesheet without comments: (prelude, body), or (statement, None)."""
    css = COMMENT.sub("", css)
    start = depth = body = 0
    quote = ""
    position = 0
    while position < len(css):
        char = css[position]
        if quote:
            if char == "\\":
                position += 1
            elif char == quote:
                quote = ""
        elif char in "\"'":
            quote = char
        elif char == "{":
            depth += 1
            body = position if depth == 1 else body
        elif char == "}":
            depth -= 1
            if depth == 0:
                yield css[start:body].strip(), css[body + 1 : position]
                start = position + 1
        elif char == ";" and depth == 0:
            yield css[start:position].strip(), None
            start = position + 1
        position += 1


def selectors(prelude: str) -> list[str]:
    """The selectors of a rule, split at commas that stand in no bracket and no quotation."""
    parts, depth, start, quote = [], 0, 0, ""
    for position, char in enumerate(prelude):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "([":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(prelude[start:position])
            start = position + 1
    return [*parts, prelude[start:]]


def may_match(selector: str, classes: frozenset[str] | set[str]) -> bool:
    """Whether a page may hold what the selector names: false if it needs a class that no element has."""
    bare = selector
    while (shorter := re.sub(r"\([^()]*\)|\[[^\[\]]*\]", "", bare)) != bare:
        bare = shorter
    return all(name.replace("\\", "") in classes for name in CLASS_IN_SELECTOR.findall(bare))


def trimmed(css: str, classes: frozenset[str] | set[str]) -> str:
    """The stylesheet without rules that match nothing; what is not a plain rule stays."""
    kept = []
    for prelude, body in blocks(css):
        if body is None:
            kept.append(f"{prelude};")
        elif prelude.startswith(NESTING):
            if inner := trimmed(body, classes):
                kept.append(f"{prelude}{{{inner}}}")
        elif prelude.startswith("@"):
            kept.append(f"{prelude}{{{body}}}")
        elif matching := [selector for selector in selectors(prelude) if may_match(selector, classes)]:
            kept.append(f"{','.join(matching)}{{{body}}}")
    return "".join(kept)


def compact(css: str) -> str:
    """The same stylesheet without comments and without the blanks around braces and behind semicolons."""
    parts = STRING.split(COMMENT.sub("", css))
    parts[::2] = (BLANKS.sub(lambda match: match[1], part) for part in parts[::2])
    return "".join(parts).strip() + "\n"


def trim(site_dir: Path) -> None:
    """Trims the theme's stylesheets in place, for the pages that the site has, and makes our own compact."""
    for path in sorted(site_dir.rglob(OWN_STYLES)):
        path.write_text(compact(path.read_text(encoding="utf-8")), encoding="utf-8")
    classes = classes_of(sorted(site_dir.rglob("*.html")))
    for path in sorted(site_dir.rglob(THEME_STYLES)):
        path.write_text(trimmed(path.read_text(encoding="utf-8"), classes), encoding="utf-8")
