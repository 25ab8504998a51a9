"""Plain tables and numbers for a terminal."""

from __future__ import annotations

from collections.abc import Sequence


def table(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> str:
    """Rows in columns of equal width, two blanks apart; `right` lists columns that are set flush right."""
    if not rows:
        return ""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return "".join(f"{line}\n" for line in lines)


def gib(value: float) -> str:
    """GiB with two digits after the point."""
    return f"{value:.2f} GiB"


def quantity(value: float, unit: str) -> str:
    """A value as `explain` shows it: counts and bytes in full, the rest with six significant digits."""
    if value == int(value) and abs(value) < 10**15:
        return f"{int(value):,} {unit}".rstrip()
    return f"{value:,.6g} {unit}".rstrip() if abs(value) < 10**6 else f"{value:,.0f} {unit}".rstrip()
