"""Formulas as ordered named steps: each is one small function whose argument names are other quantities.

A step's body is one `return` of an expression made of names, numbers, + − × ÷, `where`, `largest`, `smallest`
and `ceil`: what Python computes, what `trainfit explain` prints and what the methodology page shows are the
same lines. A test checks that no step uses anything else.
"""

from __future__ import annotations

import ast
import inspect
import math
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

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
            return function

        return register

    def evaluate(self, inputs: Mapping[str, float]) -> dict[str, float]:
        """`inputs` and the value of every step; raises KeyError when a step names an unknown quantity."""
        values = dict(inputs)
        for name, step in self.steps.items():
            values[name] = step.compute(*[values[key] for key in step.inputs])
        return values

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
