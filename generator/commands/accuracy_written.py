"""What of the accuracy stands in files: bands in constants.yml, counts in policy.yml, figures in each README."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from generator.catalog import Catalog
from generator.errors import COMMAND, DataError
from generator.estimate.accuracy import Comparison, overall
from generator.estimate.bands import proposed
from generator.site.formats import Formats
from generator.site.messages import Message, Messages, load_messages
from generator.site.page import Language

HINT = f"run `{COMMAND} accuracy --write`"
START, END = "<!-- accuracy: written by `trainfit accuracy --write` -->", "<!-- /accuracy -->"
LOW, HIGH = 0.8, 0.95
"""Ratios of memory that the reasons in data/policy.yml count published runs below and above of."""
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


def with_counts(text: str, comparisons: Sequence[Comparison]) -> str:
    """The text of data/policy.yml with the numbers of published runs below and above its thresholds replaced."""
    judged = [(each.ratio, each.run.published.outcome) for each in comparisons if each.ratio is not None]
    low = [outcome for ratio, outcome in judged if ratio <= LOW]
    high = sum(ratio > HIGH for ratio, _ in judged)
    done = low.count("finished")
    counts = {
        ("low",): len(low),
        ("all_finished", "finished") if done == len(low) else ("finished", "all_finished"): done,
        ("high",): high,
    }
    for language in README:
        words, forms = Messages(language), load_messages(language)
        for names, count in counts.items():
            found = [each for name in names for each in _forms(forms[f"accuracy.counted.{name}"])]
            pattern = "|".join(re.escape(each).replace(re.escape("{count}"), r"\d+") for each in sorted(found))
            text = re.sub(pattern, words(f"accuracy.counted.{names[0]}", count=count), text)
    return text


def _forms(message: Message) -> Iterable[str]:
    return [message] if isinstance(message, str) else message.values()


def changes(catalog: Catalog, comparisons: Sequence[Comparison], data_dir: Path) -> Iterator[tuple[Path, str, str]]:
    """Each file of `data_dir`, and each README beside it, that does not hold the figures of today: old and new text."""
    texts: dict[Path, Callable[[str], str]] = {
        data_dir / "constants.yml": partial(with_bands, values=proposed(comparisons)),
        data_dir / "policy.yml": partial(with_counts, comparisons=comparisons),
    }
    for language, name in README.items():
        texts[data_dir.parent / name] = partial(with_figures, lines=figures(catalog, comparisons, language))
    for path, changing in texts.items():
        if path.is_file():
            old = path.read_text(encoding="utf-8")
            new = changing(old)
            if new != old:
                yield path, old, new


def write(catalog: Catalog, comparisons: Sequence[Comparison], data_dir: Path) -> tuple[Path, ...]:
    """Writes all that into the files; returns those that changed."""
    changed = []
    for path, _, new in changes(catalog, comparisons, data_dir):
        path.write_text(new, encoding="utf-8", newline="\n")
        changed.append(path)
    return tuple(changed)


def stale(catalog: Catalog, comparisons: Sequence[Comparison], data_dir: Path) -> list[DataError]:
    """An error at the first line of each file that `write` would change."""
    found = []
    for path, old, new in changes(catalog, comparisons, data_dir):
        lines = enumerate(zip(old.split("\n"), new.split("\n"), strict=False), start=1)
        line = next((number for number, (one, other) in lines if one != other), 1)
        shown = path.relative_to(data_dir.parent).as_posix()
        message = "expected what the measured runs come to today, found other figures"
        hint = f"{HINT}: your edit of the runs, of the data or of the formulas changes them"
        found.append(DataError(shown, line, 1, "", message, hint, "accuracy"))
    return found
