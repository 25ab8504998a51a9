"""Steps of the estimate as JavaScript: the same operations in the same order, on the same IEEE doubles."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Mapping

from generator.estimate.steps import Formulas, Step

OPERATORS: Mapping[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}
FUNCTIONS: Mapping[str, Callable[..., str]] = {
    "where": lambda condition, then, otherwise: f"({condition} ? {then} : {otherwise})",
    "largest": lambda *values: f"Math.max({', '.join(values)})",
    "smallest": lambda *values: f"Math.min({', '.join(values)})",
    "ceil": lambda value: f"Math.ceil({value})",
}


def javascript(formula: str) -> str:
    """The expression of a step; raises TypeError for anything that steps do not use."""
    return _expression(ast.parse(formula, mode="eval").body)


def _expression(node: ast.expr) -> str:
    match node:
        case ast.Constant(value=int() | float() as value):
            return repr(value)
        case ast.Name(id=name):
            return name
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in OPERATORS:
            return f"({_expression(left)} {OPERATORS[type(operator)]} {_expression(right)})"
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return f"(-{_expression(operand)})"
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS:
            return FUNCTIONS[name](*map(_expression, arguments))
    raise TypeError(f"expected arithmetic, found {ast.unparse(node)}")


def inputs_of(steps: Mapping[str, Step]) -> tuple[str, ...]:
    """What a group of steps takes from outside, in the order of first use."""
    return tuple(dict.fromkeys(name for step in steps.values() for name in step.inputs if name not in steps))


def group_code(group: Formulas) -> str:
    """A group as an object whose `evaluate` takes the inputs and returns them with the value of every step."""
    given = inputs_of(group.steps)
    lines = [
        "$group((read) => {",
        *(f"const {name} = read({json.dumps(name)});" for name in given),
        *(f"const {name} = {javascript(step.formula)};" for name, step in group.steps.items()),
        f"return {{{', '.join(group.steps)}}};",
        f"}}, {json.dumps([[step.name, step.unit, step.inputs] for step in group.steps.values()])})",
    ]
    return "\n".join(lines)
