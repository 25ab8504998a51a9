"""The formula engine, and that every formula keeps to its small language."""

from __future__ import annotations

import ast

import pytest

from generator.estimate import FORMULAS
from generator.estimate.layer import LAYER
from generator.estimate.phases import PHASE_STEPS, phase_terms
from generator.estimate.results import PHASES, TERMS
from generator.estimate.steps import FUNCTIONS, Formulas

ALLOWED = (
    ast.Expression, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Name, ast.Load, ast.Constant, ast.Call,
)  # fmt: skip
STEPS = [step for group in (LAYER, *FORMULAS) for step in group.steps.values()]


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_formula_uses_only_its_inputs_and_the_small_language(step) -> None:
    tree = ast.parse(step.formula, mode="eval")
    assert not [node for node in ast.walk(tree) if not isinstance(node, ALLOWED)]
    calls = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call)}
    assert calls <= set(FUNCTIONS)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} - calls
    assert names == set(step.inputs)
    assert step.unit


def test_every_formula_is_explained_in_the_data(catalog) -> None:
    assert {name.replace("-", "_") for name in catalog.constants.formulas} == {step.name for step in STEPS}


def test_a_step_that_does_more_than_return_is_refused() -> None:
    formulas = Formulas()
    with pytest.raises(TypeError, match="expected a docstring and one return"):

        @formulas.step("bytes")
        def doubled(value: float) -> float:
            """Twice the value."""
            assert value
            return value * 2


def test_the_same_name_twice_is_refused() -> None:
    formulas = Formulas()

    def one(value: float) -> float:
        """The value."""
        return value

    formulas.step("bytes")(one)
    with pytest.raises(ValueError, match="two"):
        formulas.step("bytes")(one)


def test_phases_and_terms_are_those_that_results_name() -> None:
    assert tuple(PHASE_STEPS) == PHASES
    used = {term.replace("_", "-") for phase in PHASES for term in phase_terms(phase)}
    assert used == set(TERMS)
