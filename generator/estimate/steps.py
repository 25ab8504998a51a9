"""Formulas as ordered named steps: each is one small function whose argument names are other quantities.

A step's body is one `return` of an expression made of names, numbers, + − × ÷, `where`, `largest`, `smallest`
and `ceil`: what Python computes, what the browser computes, what `trainfit explain` prints and what the methodology
page shows are the same lines. A test checks that no step uses anything else.
"""

from __future__ import annotations

import ast
import inspect
import math
import textwrap
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy as np

from generator.estimate.results import Quantity


def where(condition: float, then: float, otherwise: float) -> float:
    """`then` where the condition is not zero, else `otherwise`."""
    return then if condition else otherwise


def largest(*values: float) -> float:
    """The largest of `values`."""
    return max(values)


def smallest(*values: float) -> float:
    """The smallest of `values`."""
    return min(values)


def ceil(value: float) -> float:
    """The next whole number at or above `value`."""
    return float(math.ceil(value))


FUNCTIONS = ("where", "largest", "smallest", "ceil")
"""All that a formula may call."""

ON_NUMBERS: Mapping[str, Callable[..., Any]] = {"where": where, "largest": largest, "smallest": smallest, "ceil": ceil}
"""What a formula calls when its inputs are numbers."""

ON_COLUMNS: Mapping[str, Callable[..., Any]] = {
    "where": np.where,
    "largest": lambda *values: reduce(np.maximum, values),
    "smallest": lambda *values: reduce(np.minimum, values),
    "ceil": np.ceil,
}
"""What a formula calls when its inputs are columns (arrays of float64, all of one length, or single numbers)."""


@dataclass(frozen=True, slots=True)
class Step:
    """One named quantity and how it follows from others."""

    name: str
    unit: str
    compute: Callable[..., float]
    inputs: tuple[str, ...]
    formula: str
    summary: str
    """First line of the docstring."""


def _expression(function: Callable[..., float]) -> str:
    """The returned expression of a step as text; raises TypeError when the body is anything else."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    definition = tree.body[0]
    if not isinstance(definition, ast.FunctionDef) or not isinstance(definition.body[-1], ast.Return):
        raise TypeError(f"expected a function that ends in return, found {function.__name__}")
    returned = definition.body[-1].value
    if len(definition.body) != 2 or returned is None:
        raise TypeError(f"expected a docstring and one return, found more in {function.__name__}")
    return ast.unparse(returned)


@dataclass(slots=True)
class Formulas:
    """Steps in the order in which they are computed."""

    steps: dict[str, Step] = field(default_factory=dict)
    _evaluators: dict[tuple[str, frozenset[str]], Callable[[Mapping[str, Any]], dict[str, Any]]] = field(
        default_factory=dict, repr=False
    )

    def step(self, unit: str) -> Callable[[Callable[..., float]], Callable[..., float]]:
        """Registers the decorated function under its own name."""

        def register(function: Callable[..., float]) -> Callable[..., float]:
            name = function.__name__
            if name in self.steps:
                raise ValueError(f"expected one step called {name}, found two")
            self.steps[name] = Step(
                name=name,
                unit=unit,
                compute=function,
                inputs=tuple(inspect.signature(function).parameters),
                formula=_expression(function),
                summary=(function.__doc__ or "").strip().splitlines()[0],
            )
            self._evaluators.clear()
            return function

        return register

    def evaluate(self, inputs: Mapping[str, float], wanted: Collection[str] = ()) -> dict[str, float]:
        """`inputs` and the value of every step, or of `wanted` and what they rest on alone.

        Raises KeyError when a step names an unknown quantity.
        """
        return {**inputs, **self._evaluator("numbers", wanted)(inputs)}

    def evaluate_columns(self, inputs: Mapping[str, Any], wanted: Collection[str] = ()) -> dict[str, Any]:
        """The same over columns: arrays of float64 of one length, and numbers that hold for every row."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return {**inputs, **self._evaluator("columns", wanted)(inputs)}

    def _evaluator(self, over: str, wanted: Collection[str]) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
        key = over, frozenset(wanted)
        if key not in self._evaluators:
            self._evaluators[key] = _compiled(
                needed(self.steps, wanted), ON_COLUMNS if over == "columns" else ON_NUMBERS
            )
        return self._evaluators[key]

    def quantities(self, values: Mapping[str, float], sources: Mapping[str, str]) -> dict[str, Quantity]:
        """The steps with their values and the sources of their formulas, as `explain` shows them."""
        return {
            name: Quantity(
                name=name,
                value=values[name],
                unit=step.unit,
                formula=step.formula,
                inputs=step.inputs,
                kind="step",
                source=sources.get(name, ""),
            )
            for name, step in self.steps.items()
        }


def joined(groups: Iterable[Formulas]) -> Formulas:
    """The steps of several groups, one after the other."""
    whole = Formulas()
    for group in groups:
        whole.steps.update(group.steps)
    return whole


def outside(steps: Mapping[str, Step]) -> tuple[str, ...]:
    """What a group of steps takes from outside, in the order of first use."""
    return tuple(dict.fromkeys(name for step in steps.values() for name in step.inputs if name not in steps))


def needed(steps: Mapping[str, Step], wanted: Collection[str]) -> tuple[Step, ...]:
    """The steps that `wanted` rest on, in their order; all of them when nothing is named."""
    if not wanted:
        return tuple(steps.values())
    names = set(wanted)
    kept: list[Step] = []
    for step in reversed(tuple(steps.values())):
        if step.name in names:
            kept.append(step)
            names.update(step.inputs)
    return tuple(reversed(kept))


class _Branches(ast.NodeTransformer):
    """`where(a, b, c)` as `b if a else c`: the same number, without a call."""

    def visit_Call(self, node: ast.Call) -> ast.expr:  # the name that ast wants
        """The call with its arguments transformed; `where` as a conditional expression."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == "where":
            condition, then, otherwise = node.args
            return ast.IfExp(condition, then, otherwise)
        return node


def _branching(formula: str) -> str:
    return ast.unparse(_Branches().visit(ast.parse(formula, mode="eval")))


def _compiled(
    steps: Iterable[Step], functions: Mapping[str, Callable[..., Any]]
) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """One function that computes all steps from their inputs.

    The text of the formulas themselves becomes its lines: calling each step by itself takes five times as long, and
    every verdict asks for hundreds of peaks.
    """
    steps = tuple(steps)
    computed: set[str] = set()
    given: dict[str, None] = {}
    for step in steps:
        given.update(dict.fromkeys(name for name in step.inputs if name not in computed))
        computed.add(step.name)
    lines = [f"    {name} = _inputs[{name!r}]" for name in given]
    lines += [
        f"    {step.name} = {_branching(step.formula) if functions is ON_NUMBERS else step.formula}" for step in steps
    ]
    results = ", ".join(f"{step.name!r}: {step.name}" for step in steps)
    source = "\n".join(["def evaluate(_inputs):", *lines, f"    return {{{results}}}"])
    namespace: dict[str, Any] = dict(functions)
    exec(compile(source, "<formulas>", "exec"), namespace)  # noqa: S102 # the text comes from this package's own steps
    evaluate: Callable[[Mapping[str, Any]], dict[str, Any]] = namespace["evaluate"]
    return evaluate
