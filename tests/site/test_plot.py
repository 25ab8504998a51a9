"""Scatter plots: places by hand."""

from __future__ import annotations

import pytest

from generator.site.plot import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, named, power_of_ten, scatter, ticks


@pytest.mark.parametrize(
    ("low", "high", "wanted"),
    [(2.6, 75.0, (2, 5, 10, 20, 50, 100)), (10.0, 20.0, (10, 20)), (0.3, 0.4, (0.2, 0.5))],
)
def test_ticks_enclose_the_values(low: float, high: float, wanted: tuple[float, ...]) -> None:
    assert ticks(low, high) == pytest.approx(wanted)


def test_a_right_estimate_lies_on_the_diagonal() -> None:
    plot = scatter(
        [(10.0, 10.0, "full", True, "a"), (100.0, 10.0, "lora", False, "b"), (1.0, 1.0, "full", True, "c")], 0.1
    )
    assert plot is not None
    first, last, low = plot.points
    assert (first.name, last.name, low.name) == ("a", "c", "b")
    middle = (LEFT + WIDTH - RIGHT) / 2
    assert first.x == pytest.approx(middle)
    assert first.y == pytest.approx((TOP + HEIGHT - BOTTOM) / 2)
    assert (last.x, last.y) == (LEFT, HEIGHT - BOTTOM)
    assert (low.x, low.y) == (WIDTH - RIGHT, first.y)
    assert (plot.equal.x1, plot.equal.y1, plot.equal.x2, plot.equal.y2) == (LEFT, HEIGHT - BOTTOM, WIDTH - RIGHT, TOP)


def test_bounds_stay_inside_the_frame() -> None:
    plot = scatter([(2.0, 3.0, "full", True, "a"), (60.0, 70.0, "full", True, "b")], 0.1)
    assert plot is not None
    for line in (*plot.bounds, plot.equal):
        for x, y in ((line.x1, line.y1), (line.x2, line.y2)):
            assert plot.left <= x <= plot.right
            assert plot.top <= y <= plot.bottom


def test_without_runs_there_is_no_plot() -> None:
    assert scatter([], 0.1) is None


def test_numbers_below_the_plot_do_not_touch() -> None:
    placed = tuple(
        (float(place), value) for place, value in ((0, 5000.0), (44, 10_000.0), (88, 20_000.0), (200, 50_000.0))
    )
    assert [value for _, value in named(placed)] == [10_000, 50_000]
    assert named(placed[:1]) == placed[:1]


def test_powers_of_ten() -> None:
    assert [power_of_ten(value) for value in (0.1, 1.0, 1000.0, 2.0, 500.0)] == [True, True, True, False, False]
