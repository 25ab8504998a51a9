"""What of the accuracy stands in files: the bands in data/constants.yml, the figures in the README of each language."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from generator.catalog import Catalog
from generator.estimate.accuracy import Comparison, overall
from generator.estimate.bands import proposed
from generator.site.formats import Formats
from generator.site.page import Language

START, END = "<!-- accuracy: written by `trainfit accuracy --write` -->", "<!-- /accuracy -->"
README: Mapping[Language, str] = {"en": "README.md", "ru": "README.ru.md"}


def figures(catalog: Catalog, comparisons: Sequence[Comparison], language: Language) -> str:
    """Lines of a Markdown table, a method each: runs, median error, 90th percentile, share more than 10 % too low."""
    f = Formats(language)
    lines = []
    for row in sorted(overall(comparisons), key=lambda row: list(catalog.methods).index(row.method)):
        name = catalog.methods[row.method].name.in_language(language)
        shares = (row.over_rows, row.over_sources, row.ninetieth_percentile, row.too_low_share)
        cells = (name, f.number(row.runs), *(f.percent(share, 1) for share in shares))
        lines.append("| " + " | ".join(cells).replace("\u00a0", " ") + " |\n")
    return "".join(lines)


def with_figures(text: str, lines: str) -> str:
    """The text of a README with the rows of its table of accuracy replaced; as it was where it has no such table."""
    pattern = re.compile(rf"({re.escape(START)}\n\n\|[^\n]*\n\|[-| :]*\n)(?:\|[^\n]*\n)*(\n{re.escape(END)})")
    return pattern.sub(lambda match: match[1] + lines + match[2], text)


def with_bands(text: str, values: Mapping[str, float]) -> str:
    """The text of data/constants.yml with the values of these constants replaced."""
    for name, value in values.items():
        text = re.sub(rf"(^  {re.escape(name)}:\n    value: )[0-9.]+", rf"\g<1>{value:g}", text, flags=re.MULTILINE)
    return text


def write(catalog: Catalog, comparisons: Sequence[Comparison], data_dir: Path) -> tuple[Path, ...]:
    """Writes the bands into `data_dir` and the figures into the README files beside it; returns what changed."""
    texts: dict[Path, Callable[[str], str]] = {
        data_dir / "constants.yml": partial(with_bands, values=proposed(comparisons)),
    }
    for language, name in README.items():
        texts[data_dir.parent / name] = partial(with_figures, lines=figures(catalog, comparisons, language))
    changed = []
    for path, changing in texts.items():
        if path.is_file():
            old = path.read_text(encoding="utf-8")
            new = changing(old)
            if new != old:
                path.write_text(new, encoding="utf-8", newline="\n")
                changed.append(path)
    return tuple(changed)
