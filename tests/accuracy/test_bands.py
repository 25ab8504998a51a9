"""Bands of error: the procedure by hand, and that the published ones are what it gives."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from generator.catalog import Catalog
from generator.estimate.accuracy import Comparison, compare
from generator.estimate.bands import (
    ENOUGH,
    KINDS,
    NARROWEST,
    TAIL,
    Residual,
    band_of,
    coverage,
    left_out_coverage,
    proposed,
    quantile,
    residuals,
)
from generator.estimate.results import Band


@pytest.fixture(scope="module")
def comparisons(catalog: Catalog) -> tuple[Comparison, ...]:
    return compare(catalog).comparisons


def of(source: str, *values: float) -> list[Residual]:
    return [Residual(source, value, -0.1, 0.1) for value in values]


def test_the_published_bands_are_those_of_the_procedure(catalog: Catalog, comparisons: tuple[Comparison, ...]) -> None:
    published = {name: constant.value for name, constant in catalog.constants.constants.items()}
    wanted = proposed(comparisons)
    assert {name: published[name] for name in wanted} == pytest.approx(wanted), (
        "`trainfit accuracy --bands` prints what data/constants.yml should hold"
    )


def test_a_quantile_by_weight() -> None:
    assert quantile([(3.0, 1), (1.0, 1), (2.0, 1)], 0.5) == 2.0
    assert quantile([(1.0, 1), (2.0, 8), (3.0, 1)], 0.1) == 1.0
    assert quantile([(1.0, 1), (2.0, 8), (3.0, 1)], 0.11) == 2.0


def test_a_band_holds_what_runs_and_what_sources_ask_for() -> None:
    many = of("a", *[0.0] * 95, *[0.2] * 5)
    assert band_of(many) == (NARROWEST, NARROWEST)
    few = of("b", 0.401, 0.401)
    assert band_of([*many, *few]) == (NARROWEST, 0.41)
    assert band_of(of("a", *[0.0] * 9, -0.2)) == (0.2, NARROWEST)


def test_without_runs_the_band_is_the_narrowest() -> None:
    assert band_of([]) == (NARROWEST, NARROWEST)


def run(source: str, method: str = "full") -> Comparison:
    """A run whose reading is what was expected."""
    row = SimpleNamespace(method=method, reading="max-allocated", peak_gib=1.0, peak=1.0, outcome="finished")
    whose = SimpleNamespace(source=source, settings=row, held_out=False)
    return Comparison(whose, None, Band(0.9, 1.0, 1.1), None, None, None)  # type: ignore[arg-type]


def test_a_source_needs_four_readings_of_a_kind_for_its_own_line() -> None:
    runs = [*[run("three")] * 3, *[run("four")] * 4, *[run("two and three")] * 2, *[run("two and three", "lora")] * 3]
    assert [(line.kind, line.source, line.runs) for line in left_out_coverage(runs)] == [("full", "four", 4)]


def test_a_kind_without_runs_has_no_line() -> None:
    assert [(line.kind, line.fitting) for line in coverage([run("own", "lora")], {"own"})] == [("lora", True)]


@pytest.mark.parametrize("kind", KINDS)
def test_the_band_holds_four_of_five(catalog: Catalog, comparisons: tuple[Comparison, ...], kind: str) -> None:
    lines = [line for line in coverage(comparisons, catalog.fitting_sources) if line.kind == kind]
    assert {line.fitting for line in lines} == {True, False}
    runs = sum(line.runs for line in lines)
    assert sum(line.inside for line in lines) >= (1 - 2 * TAIL) * runs
    assert runs == len(residuals(comparisons, kind))


def test_coverage_on_a_source_that_the_band_was_not_made_from(comparisons: tuple[Comparison, ...]) -> None:
    lines = left_out_coverage(comparisons)
    assert {line.kind for line in lines} == set(KINDS)
    for line in lines:
        every = residuals(comparisons, line.kind)
        own = [row.value for row in every if row.source == line.source]
        assert len(own) == line.runs >= ENOUGH
        assert (line.low, line.high) == band_of(
            [row for row in every if row.source != line.source and not row.held_out]
        )
        assert line.inside == sum(-line.low <= value <= line.high for value in own)
