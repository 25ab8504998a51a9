"""The difference of two states of data/ as Markdown, in the words of a language.

The text ends up in a comment on a pull request of anybody's: ids are ids, every other string from data/ stands in a
code span, where it is neither markup nor a mention nor a link.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from generator.catalog import Catalog
from generator.catalog.fields import ID_PATTERN
from generator.site.formats import MOST_DECIMALS, Formats
from generator.site.messages import Messages
from generator.site.page import Language
from generator.site.urls import markdown_link
from generator.verdict.results import VERDICTS
from generator.views.diff import REASONS, ChangedValue, Difference, FileId, Flip, Key
from generator.views.moved import Shift

LONGEST = 60
"""Characters of a value that are shown."""
PAGES = {"model": "models", "gpu": "gpus", "rig": "rigs", "method": "methods", "source": "sources"}
LISTED = ("model", "gpu", "rig", "method")
"""Kinds whose new and removed entries are named one by one."""
COUNTED = {"source": ("source",), "stack": ("stack", "choice", "environment", "library")}
"""Those that are counted, by their common name."""
SHARES = ("least", "median", "most")
"""Columns of a change in per cent."""


def markdown(
    difference: Difference, moved: Sequence[Shift] | None, catalog: Catalog, language: Language, limit: int
) -> str:
    """Heading, verdicts, entries, values and what they move; of each list at most `limit` lines.

    `moved` is none where nobody can tell: the old data are those of another version of the program.
    """
    words = Messages(language)
    if difference.empty:
        return f"## {words('diff.heading')}\n\n{words('diff.nothing')}\n"
    parts = [
        f"## {words('diff.heading')}\n\n{words('diff.counted-flips', count=len(difference.flips))}\n",
        *_flips(difference.flips, catalog, words, limit),
        *_counted("appeared", difference.appeared, catalog, words),
        *_counted("gone", difference.gone, catalog, words),
        *_entries(difference, words, limit),
        *_values(difference.values, words, limit),
    ]
    if difference.values:
        parts.append(_moved(moved, words))
    if difference.remarks:
        parts.append(f"{words('diff.remarks', count=difference.remarks)}\n")
    return "\n".join(parts)


def _flips(flips: Sequence[Flip], catalog: Catalog, words: Messages, limit: int) -> Iterator[str]:
    if not flips:
        return
    counts = Counter((flip.before, flip.after) for flip in flips)
    summary = (
        f"- {_verdict(words, before)} → {_verdict(words, after)}: {number}\n"
        for (before, after), number in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    )
    yield "".join(summary)
    rows = (
        [
            _page("rigs", flip.rig, words, f"#{flip.model}", flip.model),
            _method(catalog, flip.method, words),
            _page("rigs", flip.rig, words),
            _verdict(words, flip.before),
            f"**{_verdict(words, flip.after)}**",
            ", ".join(words(f"diff.reason.{reason}") for reason in REASONS if reason in flip.reasons),
        ]
        for flip in flips[:limit]
    )
    heads = [words(f"diff.column.{name}") for name in ("model", "method", "rig", "before", "after", "reason")]
    yield _table(heads, rows) + _more(len(flips), limit, words)


def _counted(kind: str, verdicts: Mapping[Key, str], catalog: Catalog, words: Messages) -> Iterator[str]:
    """How many verdicts only one side has, by method and verdict."""
    if not verdicts:
        return
    counts = Counter((method, verdict) for (_, _, method), verdict in verdicts.items())
    shown = [verdict for verdict in VERDICTS if any(verdict == each for _, each in counts)]
    methods = [method for method in catalog.methods if any(method == each for each, _ in counts)]
    rows = (
        [_method(catalog, method, words), *(str(counts[method, verdict]) for verdict in shown)] for method in methods
    )
    heads = [words("diff.column.method"), *(_verdict(words, verdict) for verdict in shown)]
    yield f"{words(f'diff.{kind}', count=len(verdicts))}\n\n{_table(heads, rows)}"


def _moved(moved: Sequence[Shift] | None, words: Messages) -> str:
    """What the changed values do to the estimates."""
    if moved is None:
        return f"{words('diff.moved.unknown')}\n"
    if not moved:
        return f"{words('diff.moved.nothing')}\n"
    formats = Formats(words.language)
    rows = (
        [
            words(f"diff.moved.{shift.quantity}"),
            words("diff.moved.share", count=shift.estimates, compared=shift.compared),
            *(str(number) for number in (shift.rigs, shift.models)),
            *(_signed(formats, share) for share in (shift.lowest, shift.median, shift.highest)),
        ]
        for shift in moved
    )
    heads = [words(f"diff.column.{name}") for name in ("estimate", "verdicts", "rigs", "models", *SHARES)]
    return f"### {words('diff.moved.heading')}\n\n{words('diff.moved.explained')}\n\n{_table(heads, rows)}"


def _signed(formats: Formats, share: float) -> str:
    """A change in per cent, with as many decimals as a small one needs."""
    digits = next((digits for digits in (1, 2, 3) if abs(share) * 100 >= 10**-digits), MOST_DECIMALS)
    return f"{'+' if share > 0 else ''}{formats.percent(share, digits)}"


def _values(values: Sequence[ChangedValue], words: Messages, limit: int) -> Iterator[str]:
    if not values:
        return
    rows = (
        [_entry(each.file, words), code(each.field), _side(each.before, words), _side(each.after, words)]
        for each in values[:limit]
    )
    heads = [words(f"diff.column.{name}") for name in ("entry", "field", "before", "after")]
    yield f"### {words('diff.values')}\n\n{_table(heads, rows)}{_more(len(values), limit, words)}"


def _entries(difference: Difference, words: Messages, limit: int) -> Iterator[str]:
    for title, files in (("added", difference.added), ("removed", difference.removed)):
        if not files:
            continue
        lines = [f"### {words(f'diff.{title}')}\n\n"]
        for kind in LISTED:
            named = [file for file in files if file.kind == kind]
            if named:
                shown = ", ".join(
                    _entry(file, words) if title == "added" else _plain_id(file.id) for file in named[:limit]
                )
                more = ", …" if len(named) > limit else ""
                lines.append(f"- {words(f'diff.kind.{kind}', count=len(named))}: {shown}{more}\n")
        for kind, kinds in COUNTED.items():
            number = sum(1 for file in files if file.kind in kinds)
            if number:
                lines.append(f"- {words(f'diff.kind.{kind}', count=number)}: {number}\n")
        yield "".join(lines)


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _more(total: int, limit: int, words: Messages) -> str:
    return f"\n{words('diff.more', count=total - limit)}\n" if total > limit else ""


def _verdict(words: Messages, verdict: str) -> str:
    key = f"verdicts.{verdict}.word"
    return words(key) if key in words else code(verdict)


def _method(catalog: Catalog, method: str, words: Messages) -> str:
    known = catalog.methods.get(method)
    return code(known.name.in_language(words.language)) if known else code(method)


def _side(value: str | None, words: Messages) -> str:
    return words("diff.none") if value is None else code(value)


def _entry(file: FileId, words: Messages) -> str:
    section = PAGES.get(file.kind)
    return _page(section, file.id, words) if section else _plain_id(file.id)


def _page(section: str, record_id: str, words: Messages, fragment: str = "", text: str = "") -> str:
    """A link to a page of the site, as far as its address was given; a name that is no id is shown and not linked."""
    if not re.fullmatch(ID_PATTERN, record_id) or (text and not re.fullmatch(ID_PATTERN, text)):
        return code(text or record_id)
    return markdown_link(text or record_id, f"{section}/{record_id}/", words.language, fragment)


def _plain_id(record_id: str) -> str:
    return record_id if re.fullmatch(ID_PATTERN, record_id) else code(record_id)


def code(text: str) -> str:
    """Text as a code span of one line that fits a table's cell."""
    line = " ".join(text.split())
    line = "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in line)
    line = f"{line[:LONGEST]}…" if len(line) > LONGEST else line
    line = line.replace("`", "'").replace("|", "\N{BROKEN BAR}")  # a bar ends a cell, also in a code span
    return f"`{line or ' '}`"
