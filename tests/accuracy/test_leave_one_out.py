"""Leave-one-out on runs whose measurements the formulas themselves wrote, with one constant known to be another."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from generator.architecture import Architecture
from generator.catalog import Catalog
from generator.estimate import leave_one_out as module
from generator.estimate.accuracy import Comparison
from generator.estimate.inputs import inputs_of, name_of
from generator.estimate.leave_one_out import ENOUGH, fitted_constants, leave_one_out
from generator.estimate.plan import Plan
from generator.estimate.results import Band
from generator.estimate.run import ALL

CONSTANT = "logits-bytes-stock"
SHAPE = Architecture(
    layers=1, hidden=64, intermediate=128, heads=4, kv_heads=2, head_dim=16, vocab=50_000, tied_embeddings=False
)
"""Nearly all of its memory are logits."""


def rows(catalog: Catalog, source: str, count: int, factor: float, held_out: bool = False) -> list[Comparison]:
    """Runs of one source as they would be if the constant were `factor` times what is published."""
    found = []
    for number in range(count):
        plan = Plan("small", SHAPE, next(iter(catalog.gpus)), 1, "full", seq_len=1024 * (number + 1))
        inputs = inputs_of(plan, catalog.constants)

        def peak(factor: float, inputs: dict[str, float] = inputs) -> float:
            changed = {**inputs, name_of(CONSTANT): factor * inputs[name_of(CONSTANT)]}
            return ALL.evaluate(changed, ("peak",))["peak"] / 2**30

        row = SimpleNamespace(method="full", reading="max-allocated", peak_gib=peak(factor))
        run = SimpleNamespace(source=source, settings=row, held_out=held_out)
        found.append(Comparison(run, plan, Band(0, peak(1), 0), None, None, None))  # type: ignore[arg-type]
    return found


@pytest.fixture
def one_constant(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "fitted_constants", lambda _: (CONSTANT,))


@pytest.mark.usefixtures("one_constant")
@pytest.mark.parametrize("factor", [0.72, 0.9, 1.1, 1.2, 1.4])
def test_a_constant_that_is_off_is_found_again(catalog: Catalog, factor: float) -> None:
    (found,) = leave_one_out(
        catalog, [*rows(catalog, "own", ENOUGH, factor), *rows(catalog, "others", ENOUGH - 1, factor)]
    )
    assert (found.source, found.before.runs, found.after.runs) == ("own", ENOUGH, ENOUGH)
    assert found.moved == {CONSTANT: pytest.approx(factor, rel=2e-3)}
    assert found.before.median_absolute > 0.05
    assert found.before.median * (1 - factor) > 0  # too high where the constant is, in truth, smaller
    assert found.after.median_absolute < 2e-3


@pytest.mark.usefixtures("one_constant")
def test_what_is_left_out_has_no_say(catalog: Catalog) -> None:
    own = rows(catalog, "own", ENOUGH, 0.8)
    (found,) = leave_one_out(catalog, [*own, *rows(catalog, "others", 3, 1.25)])
    assert found.moved == {CONSTANT: pytest.approx(1.25, rel=2e-3)}
    assert 0.2 < found.before.median < 0.25  # in truth a fifth less, nearly all of the memory
    assert found.after.median_absolute > found.before.median_absolute


@pytest.mark.usefixtures("one_constant")
@pytest.mark.parametrize(("factor", "edge"), [(2.5, 1.5), (0.3, 1 / 1.5)])
def test_no_constant_moves_by_more_than_half(catalog: Catalog, factor: float, edge: float) -> None:
    (found,) = leave_one_out(catalog, [*rows(catalog, "own", ENOUGH, 1), *rows(catalog, "others", 3, factor)])
    assert found.moved == {CONSTANT: pytest.approx(edge, rel=2e-3)}


@pytest.mark.usefixtures("one_constant")
def test_a_constant_that_is_right_stays(catalog: Catalog) -> None:
    (found,) = leave_one_out(catalog, [*rows(catalog, "own", ENOUGH, 1), *rows(catalog, "others", 3, 1)])
    assert found.moved == {}
    assert found.before == found.after
    assert found.before.median_absolute == pytest.approx(0, abs=1e-12)


@pytest.mark.usefixtures("one_constant")
def test_a_source_needs_readings_of_its_own_and_others(catalog: Catalog) -> None:
    assert leave_one_out(catalog, rows(catalog, "own", ENOUGH, 1)) == ()
    few = [*rows(catalog, "a", ENOUGH - 1, 1), *rows(catalog, "b", ENOUGH - 1, 1)]
    assert leave_one_out(catalog, few) == ()
    both = [*rows(catalog, "b", ENOUGH, 1), *rows(catalog, "a", ENOUGH, 1)]
    assert [found.source for found in leave_one_out(catalog, both)] == ["a", "b"]


def test_what_is_fitted_was_measured_and_is_no_band(catalog: Catalog) -> None:
    found = fitted_constants(catalog)
    assert found
    assert {catalog.constants.constants[name].kind for name in found} == {"measured"}
    assert not [name for name in found if name.startswith("error")]


@pytest.mark.usefixtures("one_constant")
def test_runs_that_judge_alone_have_no_say(catalog: Catalog) -> None:
    own, others = rows(catalog, "own", ENOUGH, 1.25), rows(catalog, "others", ENOUGH, 1)
    found = {each.source: each for each in leave_one_out(catalog, [*own, *others, *rows(catalog, "held", 30, 3, True)])}
    assert found["own"].moved == {}
    assert found["held"].after.median_absolute == pytest.approx(found["held"].before.median_absolute, rel=0.2)
