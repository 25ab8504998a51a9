"""Steps of the estimate as equations in MathML, from the same expressions that Python and the browser compute.

A long equation is a row of short formulas, each a `math` element of its own: a browser breaks lines between elements,
never inside one, and on a phone nothing has to scroll. What a screen reader says is the whole equation as a text.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from markupsafe import Markup, escape

from generator.estimate.steps import Step
from generator.site.messages import Messages

SIGNS: Mapping[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "−", ast.Mult: "×", ast.Div: "÷"}
STRENGTH: Mapping[type[ast.operator], int] = {ast.Add: 1, ast.Sub: 1, ast.Mult: 2, ast.Div: 2}
"""How tightly an operator binds."""
BRACKETS: Mapping[str, tuple[str, str]] = {"largest": ("max(", ")"), "smallest": ("min(", ")"), "ceil": ("⌈", "⌉")}
CHOICE = "where"
ATOM = 3
"""A name, a number or a call binds tighter than any operator."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an equation that no line breaks: MathML, and the same as text."""

    mathml: str
    text: str


def _number(value: object) -> Piece:
    return Piece(f"<mn>{value}</mn>", str(value))


def _name(name: str) -> Piece:
    return Piece(f"<mi>{escape(name)}</mi>", name)


def _sign(sign: str) -> Piece:
    return Piece(f"<mo>{sign}</mo>", sign)


def _operator(operator: ast.operator) -> Piece:
    """An operator at the start of a piece: `infix`, or it would stand as close as a sign."""
    sign = SIGNS[type(operator)]
    return Piece(f'<mo form="infix">{sign}</mo>', sign)


def _glued(*pieces: Piece, space: str = " ") -> Piece:
    return Piece("".join(piece.mathml for piece in pieces), space.join(piece.text for piece in pieces))


def _bracketed(opening: str, pieces: list[Piece], closing: str) -> list[Piece]:
    """Pieces with brackets around them, glued to the first and the last."""
    first, *rest = pieces
    inside = [_glued(_sign(opening), first, space=""), *rest]
    return [*inside[:-1], _glued(inside[-1], _sign(closing), space="")]


def _fraction(above: list[Piece], below: list[Piece]) -> list[Piece]:
    """One piece over another; as a row with a sign where either is longer than a piece."""
    if len(above) == len(below) == 1:
        (top,), (bottom,) = above, below
        mathml = f"<mfrac><mrow>{top.mathml}</mrow><mrow>{bottom.mathml}</mrow></mfrac>"
        return [Piece(mathml, f"{top.text} ÷ {bottom.text}")]
    first, *rest = below
    return [*above, _glued(_operator(ast.Div()), first), *rest]


def _joined(pieces: list[Piece]) -> str:
    return " ".join(piece.text for piece in pieces)


def _strength(node: ast.expr) -> int:
    return STRENGTH[type(node.op)] if isinstance(node, ast.BinOp) else ATOM


class Writer:
    """Equations in the words of one language."""

    def __init__(self, messages: Messages) -> None:
        self.messages = messages

    def equation(self, step: Step) -> Markup:
        """`name = expression`, with a link to every quantity where it stands alone."""
        pieces = [_glued(_name(step.name), _sign("=")), *self._pieces(ast.parse(step.formula, mode="eval").body)]
        spoken = _joined(pieces)
        shown = Markup(" ").join(Markup("<math>{}</math>").format(Markup(piece.mathml)) for piece in pieces)  # noqa: S704
        return Markup('<span class="tf-math" role="math" aria-label="{}">{}</span>').format(spoken, shown)

    def text(self, formula: str) -> str:
        """A formula in the same signs without markup, for where equations would weigh too much."""
        return _joined(self._pieces(ast.parse(formula, mode="eval").body))

    def _pieces(self, node: ast.expr) -> list[Piece]:
        """The expression from left to right; raises TypeError for anything that steps do not use."""
        match node:
            case ast.Constant(value=int() | float() as value):
                return [_number(value)]
            case ast.Name(id=name):
                return [_name(name)]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                first, *rest = self._inside(operand, ATOM)
                return [_glued(_sign("−"), first, space=""), *rest]
            case ast.BinOp(left=left, op=operator, right=right):
                strength = STRENGTH[type(operator)]
                if isinstance(operator, ast.Div) and _strength(left) == _strength(right) == ATOM:
                    return _fraction(self._pieces(left), self._pieces(right))
                # What follows a minus or a division is bracketed when it binds no tighter.
                after = strength + isinstance(operator, ast.Sub | ast.Div)
                first, *rest = self._inside(right, after)
                return [*self._inside(left, strength), _glued(_operator(operator), first), *rest]
            case ast.Call(func=ast.Name(id=name), args=arguments) if name in BRACKETS:
                opening, closing = BRACKETS[name]
                return _bracketed(opening, self._listed(arguments), closing)
            case ast.Call(func=ast.Name(id=name), args=[condition, then, otherwise]) if name == CHOICE:
                return _bracketed("[", list(self._choice(condition, then, otherwise)), "]")
        raise TypeError(f"expected arithmetic, found {ast.unparse(node)}")

    def _inside(self, node: ast.expr, strength: int) -> list[Piece]:
        """The expression, in brackets where it binds less tightly than what is around it."""
        pieces = self._pieces(node)
        return pieces if _strength(node) >= strength else _bracketed("(", pieces, ")")

    def _listed(self, arguments: list[ast.expr]) -> list[Piece]:
        found: list[Piece] = []
        for index, argument in enumerate(arguments):
            *rest, last = self._pieces(argument)
            found += [*rest, last if index == len(arguments) - 1 else _glued(last, _sign(","), space="")]
        return found

    def _choice(self, condition: ast.expr, then: ast.expr, otherwise: ast.expr) -> Iterator[Piece]:
        """`then, if condition ≠ 0; otherwise …`."""
        *rest, last = self._pieces(then)
        yield from (*rest, _glued(last, _sign(","), space=""))
        *rest, last = self._pieces(condition)
        first, *rest = [*rest, _glued(last, _sign("≠"), _glued(_number(0), _sign(";"), space=""))]
        yield from (_glued(self._word("if"), first), *rest)
        first, *rest = self._pieces(otherwise)
        yield _glued(self._word("else"), first)
        yield from rest

    def _word(self, name: str) -> Piece:
        word = self.messages(f"methodology.equation.{name}")
        return Piece(f"<mtext>{escape(word)}&nbsp;</mtext>", word)
