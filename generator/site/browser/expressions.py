"""Python expressions as JavaScript, for the plain part of the language that counts and reads: no files, no classes."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

RESERVED = frozenset((
    "arguments", "await", "break", "case", "catch", "class", "const", "continue", "debugger", "default", "delete",
    "do", "else", "enum", "eval", "export", "extends", "false", "finally", "for", "function", "if", "implements",
    "import", "in", "instanceof", "interface", "let", "new", "null", "package", "private", "protected", "public",
    "return", "static", "super", "switch", "this", "throw", "true", "try", "typeof", "var", "void", "while", "with",
    "yield",
))  # fmt: skip
"""Words that no name in JavaScript may be."""

ARITHMETIC: Mapping[type[ast.operator], str] = {
    ast.Add: "$add",
    ast.Sub: "$sub",
    ast.BitOr: "$or",
    ast.BitAnd: "$and",
    ast.FloorDiv: "$floordiv",
    ast.Mod: "$mod",
}
"""Operators that Python also has for texts, lists, sets and mappings: functions of the runtime decide."""
PLAIN_ARITHMETIC: Mapping[type[ast.operator], str] = {ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
COMPARISONS: Mapping[type[ast.cmpop], str] = {
    ast.Lt: "({} < {})",
    ast.LtE: "({} <= {})",
    ast.Gt: "({} > {})",
    ast.GtE: "({} >= {})",
    ast.Is: "({} === {})",
    ast.IsNot: "({} !== {})",
    ast.Eq: "$eq({}, {})",
    ast.NotEq: "!$eq({}, {})",
    ast.In: "$in({}, {})",
    ast.NotIn: "!$in({}, {})",
}
BUILTINS = frozenset((
    "abs", "all", "any", "bool", "dict", "enumerate", "float", "frozenset", "getattr", "int", "isinstance", "iter",
    "len", "list", "map", "max", "min", "next", "range", "sorted", "set", "str", "sum", "tuple", "type", "zip",
    "replace",
))  # fmt: skip
"""Functions of Python, and `dataclasses.replace`, that the runtime has under the same name after a `$`."""
TEXT_METHODS = frozenset((
    "join", "split", "endswith", "startswith", "lower", "strip", "removeprefix", "removesuffix", "union", "append",
))  # fmt: skip
"""Methods of texts, lists and sets that JavaScript lacks or names otherwise."""
TYPES = frozenset({"str", "int", "float", "bool", "list", "tuple", "Mapping", "Sequence", "dict", "object"})


class UntranslatableError(TypeError):
    """Python that has no counterpart here."""


@dataclass(frozen=True, slots=True)
class Signature:
    """Parameters of a function without `self`, in the order in which JavaScript takes them."""

    names: tuple[str, ...]
    rest: str = ""
    """Name of the parameter that collects further keywords; empty for none."""


class Scope(Protocol):
    """What an expression needs to know of the place where it stands."""

    def name(self, name: str) -> str:
        """The JavaScript of a name, or of `self`."""

    def signature(self, call: ast.Call) -> Signature | None:
        """The signature of the called function; none where nothing is known about it."""

    def is_class(self, name: str) -> bool:
        """Whether a name is a class that we translate."""


def identifier(name: str) -> str:
    """A name that JavaScript accepts."""
    return f"{name}_" if name in RESERVED else name


def literal(value: object) -> str:
    """Plain data as JavaScript; raises UntranslatableError for anything that is not."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if type(value) in (int, float, str):
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    if isinstance(value, tuple | list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, frozenset | set):
        return f"new Set([{', '.join(literal(item) for item in sorted(value, key=str))}])"
    if isinstance(value, Mapping):
        pairs = ", ".join(f"[{literal(key)}, {literal(item)}]" for key, item in value.items())
        return f"new Dict([{pairs}])"
    raise UntranslatableError(f"expected plain data, found {type(value).__name__}")


class Expressions:
    """Translates expressions of one scope."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

    def __call__(self, node: ast.expr) -> str:
        """The expression as JavaScript; raises UntranslatableError, naming what is not translated."""
        translate: Callable[[ast.expr], str] | None = getattr(self, f"_{type(node).__name__.lower()}", None)
        if translate is None:
            raise UntranslatableError(f"expected plain Python, found {ast.unparse(node)}")
        return translate(node)

    def truth(self, node: ast.expr) -> str:
        """The expression as a condition, with what Python takes for true."""
        if isinstance(node, ast.Compare) or (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
            return self(node)
        if isinstance(node, ast.BoolOp):
            return f"({(' || ' if isinstance(node.op, ast.Or) else ' && ').join(map(self.truth, node.values))})"
        return f"$truth({self(node)})"

    def target(self, node: ast.expr) -> str:
        """What a loop or an assignment names."""
        if isinstance(node, ast.Name):
            return identifier(node.id)
        if isinstance(node, ast.Tuple):
            return f"[{', '.join(map(self.target, node.elts))}]"
        raise UntranslatableError(f"expected names to assign, found {ast.unparse(node)}")

    def _constant(self, node: ast.Constant) -> str:
        return literal(node.value)

    def _name(self, node: ast.Name) -> str:
        return self.scope.name(node.id)

    def _attribute(self, node: ast.Attribute) -> str:
        if node.attr == "index":  # the method of a list
            return f"$index({self(node.value)})"
        return f"{self(node.value)}.{identifier(node.attr)}"

    def _tuple(self, node: ast.Tuple) -> str:
        return f"[{', '.join(map(self, node.elts))}]"

    def _list(self, node: ast.List) -> str:
        return f"[{', '.join(map(self, node.elts))}]"

    def _set(self, node: ast.Set) -> str:
        return f"new Set([{', '.join(map(self, node.elts))}])"

    def _starred(self, node: ast.Starred) -> str:
        return f"...$list({self(node.value)})"

    def _dict(self, node: ast.Dict) -> str:
        pairs = (
            f"...$items({self(value)})" if key is None else f"[{self(key)}, {self(value)}]"
            for key, value in zip(node.keys, node.values, strict=True)
        )
        return f"new Dict([{', '.join(pairs)}])"

    def _binop(self, node: ast.BinOp) -> str:
        left, right = self(node.left), self(node.right)
        if function := ARITHMETIC.get(type(node.op)):
            return f"{function}({left}, {right})"
        if isinstance(node.op, ast.Mult) and isinstance(node.left, ast.List | ast.Tuple):
            return f"$repeat({left}, {right})"
        if (sign := PLAIN_ARITHMETIC.get(type(node.op))) is None:
            raise UntranslatableError(f"expected plain arithmetic, found {ast.unparse(node)}")
        return f"({left} {sign} {right})"

    def _unaryop(self, node: ast.UnaryOp) -> str:
        return f"!{self.truth(node.operand)}" if isinstance(node.op, ast.Not) else f"(-{self(node.operand)})"

    def _boolop(self, node: ast.BoolOp) -> str:
        function = "$either" if isinstance(node.op, ast.Or) else "$both"
        *first, last = map(self, node.values)
        result = last
        for value in reversed(first):
            result = f"{function}({value}, () => {result})"
        return result

    def _compare(self, node: ast.Compare) -> str:
        values = [node.left, *node.comparators]
        parts = [
            COMPARISONS[type(operator)].format(self(left), self(right))
            for operator, left, right in zip(node.ops, values, values[1:], strict=False)
        ]
        return parts[0] if len(parts) == 1 else f"({' && '.join(parts)})"

    def _ifexp(self, node: ast.IfExp) -> str:
        return f"({self.truth(node.test)} ? {self(node.body)} : {self(node.orelse)})"

    def _lambda(self, node: ast.Lambda) -> str:
        return f"({', '.join(identifier(each.arg) for each in node.args.args)}) => {self(node.body)}"

    def _subscript(self, node: ast.Subscript) -> str:
        if isinstance(node.slice, ast.Slice):
            bounds = (node.slice.lower, node.slice.upper)
            low, high = (self(bound) if bound else "undefined" for bound in bounds)
            return f"{self(node.value)}.slice({low}, {high})"
        return f"$at({self(node.value)}, {self(node.slice)})"

    def _joinedstr(self, node: ast.JoinedStr) -> str:
        return f'[{", ".join(map(self._piece, node.values))}].join("")'

    def _piece(self, node: ast.expr) -> str:
        if not isinstance(node, ast.FormattedValue):
            return self(node)
        # `:g` of the few whole or short numbers that stand in messages is how they are written anyway.
        return f"{'$repr' if node.conversion == ord('r') else '$str'}({self(node.value)})"

    # --- comprehensions -------------------------------------------------------------------------------------------

    def _listcomp(self, node: ast.ListComp) -> str:
        return self._comprehension(node.generators, self(node.elt))

    def _generatorexp(self, node: ast.GeneratorExp) -> str:
        return self._comprehension(node.generators, self(node.elt))

    def _setcomp(self, node: ast.SetComp) -> str:
        return f"new Set({self._comprehension(node.generators, self(node.elt))})"

    def _dictcomp(self, node: ast.DictComp) -> str:
        return f"new Dict({self._comprehension(node.generators, f'[{self(node.key)}, {self(node.value)}]')})"

    def _comprehension(self, generators: Sequence[ast.comprehension], element: str) -> str:
        first, *others = generators
        inner = self._comprehension(others, element) if others else element
        parameter = f"({self.target(first.target)})"
        chain = f"$list({self(first.iter)})"
        for condition in first.ifs:
            chain += f".filter({parameter} => {self.truth(condition)})"
        if not others and inner == parameter[1:-1]:
            return chain
        return f"{chain}.{'flatMap' if others else 'map'}({parameter} => {inner})"

    # --- calls ----------------------------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> str:
        function = node.func
        if isinstance(function, ast.Name) and function.id in BUILTINS:
            return self._builtin(function.id, node)
        if isinstance(function, ast.Attribute):
            if isinstance(function.value, ast.Name) and function.value.id == "dict" and function.attr == "fromkeys":
                return f"$fromkeys({', '.join(map(self, node.args))})"
            if function.attr == "get_close_matches":  # what a reader may have meant: the browser does without
                return "[]"
            if function.attr == "replace":  # of a text; `replace` by itself is that of dataclasses
                return f"{self(function.value)}.replaceAll({', '.join(map(self, node.args))})"
            if function.attr in TEXT_METHODS:
                return f"${function.attr}({', '.join(map(self, [function.value, *node.args]))})"
        signature = self.scope.signature(node) if node.keywords else None
        if isinstance(function, ast.Name) and self.scope.is_class(function.id):
            return f"new {self(function)}({self._arguments(node, signature)})"
        return f"{self(function)}({self._arguments(node, signature)})"

    def _arguments(self, node: ast.Call, signature: Signature | None) -> str:
        """All arguments by position; those left out between others as `undefined`, which takes the default."""
        given = [self(argument) for argument in node.args]
        if not node.keywords:
            return ", ".join(given)
        if signature is None:
            raise UntranslatableError(f"expected a known function, found keywords in {ast.unparse(node)}")
        spread = [keyword for keyword in node.keywords if keyword.arg is None]
        named = {keyword.arg: self(keyword.value) for keyword in node.keywords if keyword.arg}
        rest = {name: named.pop(name) for name in list(named) if name not in signature.names}
        if rest and not signature.rest:
            raise UntranslatableError(f"expected known parameters, found {', '.join(rest)} in {ast.unparse(node)}")
        if spread and not signature.rest:
            # Keywords that arrive in an object of their own, whose names are parameters.
            collected = self(spread[0].value)
            named = {name: named.get(name, f"{collected}.{identifier(name)}") for name in signature.names[len(given) :]}
        last = max((signature.names.index(name) for name in named), default=len(given) - 1)
        if signature.rest:
            last = len(signature.names) - 1
        given += [named.get(name, "undefined") for name in signature.names[len(given) : last + 1]]
        if signature.rest:
            given.append(f"{{{', '.join(f'{identifier(name)}: {value}' for name, value in rest.items())}}}")
        return ", ".join(given)

    def _builtin(self, name: str, node: ast.Call) -> str:
        if name == "isinstance":
            return f"$isinstance({self(node.args[0])}, [{', '.join(self._types(node.args[1]))}])"
        given = [self(argument) for argument in node.args]
        named = {keyword.arg: self(keyword.value) for keyword in node.keywords}
        if name == "replace":
            values = ", ".join(
                f"{identifier(key)}: {value}" if key else f"...$named({value})" for key, value in named.items()
            )
            return f"$replace({given[0]}, {{{values}}})"
        named.pop("strict", None)
        if named:
            options = ", ".join(f"{identifier(str(key))}: {value}" for key, value in named.items())
            return f"${name}With({{{options}}}, {', '.join(given)})"
        return f"${name}({', '.join(given)})"

    def _types(self, node: ast.expr) -> list[str]:
        if isinstance(node, ast.BinOp):
            return self._types(node.left) + self._types(node.right)
        if isinstance(node, ast.Tuple):
            return [each for item in node.elts for each in self._types(item)]
        if isinstance(node, ast.Name) and node.id in TYPES:
            return [literal(node.id)]
        return [self(node)]
