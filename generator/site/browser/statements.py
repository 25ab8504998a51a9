"""Python functions as JavaScript: statements, the variables that they assign, functions inside functions."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from generator.site.browser.expressions import Expressions, Signature, UntranslatableError, identifier

if TYPE_CHECKING:
    from generator.site.browser.program import Place


class Local:
    """Names of one function around those of its module."""

    def __init__(self, place: Place, names: Iterable[str], *, method: bool, inner: dict[str, Signature]) -> None:
        self.place = place
        self.names = frozenset(names)
        self.method = method
        self.inner = inner

    def name(self, name: str) -> str:
        """The JavaScript of a name."""
        if self.method and name == "self":
            return "this"
        return identifier(name) if name in self.names else self.place.name(name)

    def is_class(self, name: str) -> bool:
        """Whether a name is a class of the module."""
        return name not in self.names and self.place.is_class(name)

    def signature(self, call: ast.Call) -> Signature | None:
        """Of a function in this one, or of anything outside."""
        if isinstance(call.func, ast.Name) and call.func.id in self.names:
            return self.inner.get(call.func.id)
        return self.place.signature(call)


def names_in(target: ast.expr) -> Iterator[str]:
    """Names that an assignment to `target` sets."""
    for node in ast.walk(target):
        if isinstance(node, ast.Name):
            yield node.id


def assigned(body: Sequence[ast.stmt]) -> Iterator[str]:
    """Variables of a function: what it assigns or loops over, functions inside it left out."""
    for node in body:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if not isinstance(target, ast.Subscript):
                    yield from names_in(target)
        elif isinstance(node, ast.AnnAssign | ast.AugAssign):
            if isinstance(node.target, ast.Name):
                yield node.target.id
        elif isinstance(node, ast.For):
            yield from names_in(node.target)
            yield from assigned(node.body)
        elif isinstance(node, ast.If | ast.While):
            yield from assigned([*node.body, *node.orelse])


def bound_in_expressions(function: ast.FunctionDef) -> Iterator[str]:
    """Names that lambdas and comprehensions of a function bind."""
    for node in ast.walk(function):
        if isinstance(node, ast.comprehension):
            yield from names_in(node.target)
        elif isinstance(node, ast.Lambda):
            yield from (each.arg for each in node.args.args)


class Body:
    """Translates functions of one module, inside the names `around` them."""

    def __init__(self, place: Place, around: Iterable[str] = (), *, method: bool = False) -> None:
        self.place = place
        self.around = frozenset(around)
        self.in_method = method

    def expression(self, node: ast.expr) -> str:
        """An expression at the top of the module."""
        bound = {
            name for each in ast.walk(node) if isinstance(each, ast.comprehension) for name in names_in(each.target)
        }
        bound |= {arg.arg for each in ast.walk(node) if isinstance(each, ast.Lambda) for arg in each.args.args}
        return Expressions(Local(self.place, bound, method=False, inner={}))(node)

    def function(self, node: ast.FunctionDef, name: str) -> str:
        """A function of the module."""
        taken, lines = self._parts(node, method=False)
        return "\n".join([f"function {name}({taken}) {{", *lines, "}"])

    def method(self, node: ast.FunctionDef) -> str:
        """A method or property of a class."""
        decorators = {each.id for each in node.decorator_list if isinstance(each, ast.Name)}
        kind = (
            "get "
            if decorators & {"property", "cached_property"}
            else "static "
            if "staticmethod" in decorators
            else ""
        )
        taken, lines = self._parts(node, method="staticmethod" not in decorators)
        return "\n".join([f"  {kind}{identifier(node.name)}({taken}) {{", *lines, "  }"])

    def _parts(self, node: ast.FunctionDef, *, method: bool) -> tuple[str, list[str]]:
        """Parameters and lines of a function."""
        arguments = node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults)) + list(
            arguments.defaults
        )
        every = [
            *zip(positional, defaults, strict=True),
            *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
        ]
        names = [each.arg for each, _ in every]
        names += [each.arg for each in (arguments.vararg, arguments.kwarg) if each]
        inner = [each for each in node.body if isinstance(each, ast.FunctionDef)]
        variables = [name for name in dict.fromkeys(assigned(node.body)) if name not in names]
        known = self.around | {*names, *variables, *(each.name for each in inner), *bound_in_expressions(node)}
        scope = Local(
            self.place, known, method=method or self.in_method, inner={each.name: _signature(each) for each in inner}
        )
        block = Block(Expressions(scope), Body(self.place, known, method=method or self.in_method))
        taken = [
            identifier(each.arg) + (f" = {block.expressions(default)}" if default else "")
            for each, default in (every[1:] if method else every)
        ]
        taken += [f"{identifier(arguments.kwarg.arg)} = {{}}"] if arguments.kwarg else []
        taken += [f"...{identifier(arguments.vararg.arg)}"] if arguments.vararg else []
        lines = [f"let {', '.join(map(identifier, variables))};"] if variables else []
        # What a generator yields is collected: nobody here stops in the middle of one.
        yields = any(isinstance(each, ast.Yield | ast.YieldFrom) for each in ast.walk(node))
        before, after = (["const $out = [];"], ["return $out;"]) if yields else ([], [])
        return ", ".join(taken), [*before, *lines, *block.lines(node.body), *after]


def _signature(node: ast.FunctionDef) -> Signature:
    return Signature(tuple(each.arg for each in (*node.args.args, *node.args.kwonlyargs)))


class Block:
    """Translates statements."""

    def __init__(self, expressions: Expressions, inner: Body) -> None:
        self.expressions = expressions
        self.inner = inner

    def lines(self, body: Sequence[ast.stmt]) -> list[str]:
        """Statements, docstrings left out."""
        return [line for node in body for line in self._statement(node)]

    def _statement(self, node: ast.stmt) -> list[str]:  # noqa: C901 (one case for each kind)
        e = self.expressions
        match node:
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                return []
            case ast.Expr(value=ast.Yield(value=ast.expr() as value)):
                return [f"$out.push({e(value)});"]
            case ast.Expr(value=ast.YieldFrom(value=value)):
                return [f"$out.push(...$list({e(value)}));"]
            case ast.Expr(value=value):
                return [f"{e(value)};"]
            case ast.Continue():
                return ["continue;"]
            case ast.Return(value=None):
                return ["return null;"]
            case ast.Return(value=ast.expr() as value):
                return [f"return {e(value)};"]
            case ast.Raise(exc=ast.expr() as error):
                return [f"throw {e(error)};"]
            case ast.If():
                otherwise = ["} else {", *self.lines(node.orelse)] if node.orelse else []
                return [f"if ({e.truth(node.test)}) {{", *self.lines(node.body), *otherwise, "}"]
            case ast.While(orelse=[]):
                return [f"while ({e.truth(node.test)}) {{", *self.lines(node.body), "}"]
            case ast.For(orelse=[]):
                return [f"for ({e.target(node.target)} of $list({e(node.iter)})) {{", *self.lines(node.body), "}"]
            case ast.FunctionDef():
                taken, lines = self.inner._parts(node, method=False)  # noqa: SLF001 # a function inside a function
                return [f"const {identifier(node.name)} = ({taken}) => {{", *lines, "};"]
            case ast.AugAssign():
                return [self._augmented(node)]
            case ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=ast.expr() as value):
                return self._assignment(target, value)
        raise UntranslatableError(f"expected a plain statement, found {ast.unparse(node).splitlines()[0]}")

    def _assignment(self, target: ast.expr, value: ast.expr) -> list[str]:
        e = self.expressions
        if isinstance(target, ast.Subscript):
            return [f"$put({e(target.value)}, {e(target.slice)}, {e(value)});"]
        if isinstance(target, ast.Tuple) and isinstance(target.elts[0], ast.Starred):
            first, *others = target.elts
            names = [e.target(each) for each in others]
            return [
                f"{e.target(first.value)} = $list({e(value)});",  # type: ignore[attr-defined]  # it is Starred
                *(f"{name} = {e.target(first.value)}.pop();" for name in reversed(names)),  # type: ignore[attr-defined]
            ]
        shown = f"$list({e(value)})" if isinstance(target, ast.Tuple) else e(value)
        return [f"{e.target(target)} = {shown};"]

    def _augmented(self, node: ast.AugAssign) -> str:
        e = self.expressions
        if isinstance(node.target, ast.Subscript):
            place = f"{e(node.target.value)}, {e(node.target.slice)}"
            return f"$put({place}, $add($at({place}), {e(node.value)}));"
        target = e.target(node.target)
        function = {ast.BitOr: "$ior", ast.Add: "$add", ast.Sub: "$sub"}.get(type(node.op))
        if function is None:
            raise UntranslatableError(f"expected += or |=, found {ast.unparse(node)}")
        return f"{target} = {function}({target}, {e(node.value)});"
