"""Scatter plots drawn at build time: estimated against measured, both axes logarithmic. Places only, no words."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

WIDTH, HEIGHT = 620, 560
LEFT, RIGHT, TOP, BOTTOM = 84, 30, 14, 62
"""Room around the plot for the numbers and names of the axes."""
STEPS = (1, 2, 5)
"""Ticks are these, times a power of ten."""
CHARACTER, BETWEEN = 8.6, 8
"""Width of a digit below the plot and the least room between two numbers."""


@dataclass(frozen=True, slots=True)
class Point:
    """One run in the plot."""

    x: float
    y: float
    kind: str
    """Method: gives shape and colour."""
    filled: bool
    name: str


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line between two places."""

    x1: float
    y1: float
    x2: float
    y2: float


@dataclass(frozen=True, slots=True)
class Scatter:
    """A finished plot in units of its viewBox."""

    points: tuple[Point, ...]
    x_ticks: tuple[tuple[float, float], ...]
    """Place and value."""
    x_names: tuple[tuple[float, float], ...]
    """Those of them whose numbers have room beside one another, powers of ten first."""
    y_ticks: tuple[tuple[float, float], ...]
    equal: Line
    """Where the estimate is the measurement."""
    bounds: tuple[Line, ...]
    """Where it is off by a share, below and above."""
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM


Dot = tuple[float, float, str, bool, str]
"""Measured, estimated, kind, filled, name."""


def ticks(low: float, high: float) -> tuple[float, ...]:
    """Round values from the last one at or below `low` to the first one at or above `high`, both above 0."""
    powers = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 2)
    values = [step * 10.0**power for power in powers for step in STEPS]
    first = max(value for value in values if value <= low)
    last = min(value for value in values if value >= high)
    return tuple(value for value in values if first <= value <= last)


def scatter(dots: Iterable[Dot], share: float) -> Scatter | None:
    """The plot of these runs with lines where the estimate is off by `share`; None without runs.

    Both axes have the same scale, so that the line of equality is the diagonal.
    """
    every = sorted(dots, key=lambda dot: (dot[2], dot[4]))
    if not every:
        return None
    marks = ticks(min(min(dot[:2]) for dot in every), max(max(dot[:2]) for dot in every))
    first, last = math.log10(marks[0]), math.log10(marks[-1])

    def across(value: float) -> float:
        return _placed(value, first, last, LEFT, WIDTH - RIGHT)

    def up(value: float) -> float:
        return _placed(value, first, last, HEIGHT - BOTTOM, TOP)

    def line(factor: float) -> Line:
        start, end = max(marks[0], marks[0] / factor), min(marks[-1], marks[-1] / factor)
        return Line(across(start), up(start * factor), across(end), up(end * factor))

    x_ticks = tuple((across(value), value) for value in marks)
    return Scatter(
        points=tuple(Point(across(x), up(y), kind, filled, name) for x, y, kind, filled, name in every),
        x_ticks=x_ticks,
        x_names=named(x_ticks),
        y_ticks=tuple((up(value), value) for value in marks),
        equal=line(1.0),
        bounds=(line(1 - share), line(1 + share)),
    )


def named(placed: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
    """The places with values whose numbers, centred on them, do not touch one another: powers of ten first."""
    kept: list[tuple[float, float]] = []
    for at, value in sorted(placed, key=lambda tick: (not power_of_ten(tick[1]), tick[0])):
        if all(abs(at - other) >= (_width(value) + _width(shown)) / 2 + BETWEEN for other, shown in kept):
            kept.append((at, value))
    return tuple(sorted(kept))


def power_of_ten(value: float) -> bool:
    """Whether it is 1, 10, 0.1 and so on."""
    return math.isclose(math.log10(value), round(math.log10(value)), abs_tol=1e-9)


def _width(value: float) -> float:
    return len(f"{value:,g}") * CHARACTER


def _placed(value: float, first: float, last: float, start: float, end: float) -> float:
    return round(start + (math.log10(value) - first) / (last - first) * (end - start), 1)
