"""What a few Python functions rest on, found by name and written as one JavaScript program.

Classes become classes, `dataclass` fields constructor parameters, enumerations objects that are compared by identity,
and steps of the estimate (`Formulas`) functions of plain arithmetic. Anything that is not translated raises
UntranslatableError while the site is built, and names what it found.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import types
import typing
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from generator.estimate.steps import Formulas
from generator.site.browser.expressions import Signature, UntranslatableError, identifier, literal
from generator.site.browser.formulas import group_code
from generator.site.browser.statements import Body

PACKAGE = "generator."
WITHOUT_IMPORT = {"ValueError": "$errors.ValueError", "KeyError": "$errors.KeyError", "int": "$intType", "str": "$str"}
"""Names that Python always has, where they stand as values."""
ONLY_IN_PYTHON = ("__hash__", "_hash")
"""Methods without a counterpart: the runtime compares values by its own keys."""
OF_THE_RUNTIME = {("generator.estimate.results", "Later"): "$later"}
"""Our own classes that the runtime writes otherwise: a page looks at everything, nothing is put off."""


@dataclass(frozen=True, slots=True)
class Definition:
    """A function, class or value at the top of a module."""

    module: str
    name: str
    node: ast.stmt

    @property
    def is_function(self) -> bool:
        """Whether it is a function."""
        return isinstance(self.node, ast.FunctionDef)


@dataclass(frozen=True, slots=True)
class Module:
    """A module with what stands at its top."""

    name: str
    live: types.ModuleType
    definitions: dict[str, Definition]
    imports: dict[str, tuple[str, str]]
    """Local name → module and name there."""


@cache
def module_of(name: str) -> Module:
    """The module called `name`, read once."""
    live = importlib.import_module(name)
    definitions: dict[str, Definition] = {}
    imports: dict[str, tuple[str, str]] = {}
    for node in ast.parse(inspect.getsource(live)).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            definitions[node.name] = Definition(name, node.name, node)
        elif isinstance(node, ast.ImportFrom) and node.module:
            imports |= {each.asname or each.name: (node.module, each.name) for each in node.names}
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                for each in target.elts if isinstance(target, ast.Tuple) else [target]:
                    if isinstance(each, ast.Name):
                        definitions[each.id] = Definition(name, each.id, node)
    return Module(name, live, definitions, imports)


def parameters(function: ast.FunctionDef, *, method: bool) -> Signature:
    """Parameters in the order in which JavaScript takes them."""
    arguments = function.args
    names = [each.arg for each in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return Signature(tuple(names[1:] if method else names), arguments.kwarg.arg if arguments.kwarg else "")


def is_static(function: ast.FunctionDef) -> bool:
    """Whether a method takes no `self`."""
    return any(isinstance(each, ast.Name) and each.id == "staticmethod" for each in function.decorator_list)


def fields_of(definition: ast.ClassDef) -> Iterator[tuple[str, ast.expr | None]]:
    """Fields of a dataclass with their defaults."""
    for node in definition.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield node.target.id, node.value


def default_of(node: ast.expr, body: Body) -> str:
    """The default of a field; a factory makes a new one each time, as the default of a parameter does anyway."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "field":
        return f"${ast.unparse(node.keywords[0].value)}()"
    return body.expression(node)


@dataclass
class Program:
    """A growing JavaScript program: `add` what is wanted, then take `code`."""

    done: dict[tuple[str, str], str] = field(default_factory=dict)
    """(module, name) → name in JavaScript."""
    functions: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)

    def add(self, module: str, name: str) -> str:
        """Adds a definition and everything it rests on; returns its name in JavaScript."""
        found = self._find(module, name)
        if isinstance(found, str):
            return found
        key = found.module, found.name
        if key not in self.done:
            self.done[key] = self._free_name(found.name, found.module)
            code = self._code(found)
            (self.functions if found.is_function else self.values).append(code)
        return self.done[key]

    @property
    def code(self) -> str:
        """All definitions: functions first, which are known from the start, then classes and values in order."""
        return "\n".join([*self.functions, *self.values])

    def _find(self, module: str, name: str) -> Definition | str:
        """The definition that a name means in a module, or its name in the runtime."""
        while True:
            here = module_of(module)
            if (module, name) in OF_THE_RUNTIME:
                return OF_THE_RUNTIME[module, name]
            if name in here.definitions:
                return here.definitions[name]
            if name not in here.imports and name in WITHOUT_IMPORT:
                return WITHOUT_IMPORT[name]
            if name not in here.imports:
                raise UntranslatableError(f"{module}: expected a name that is defined, found {name}")
            module, name = here.imports[name]
            if not module.startswith(PACKAGE):
                raise UntranslatableError(f"expected a name of this package, found {module}.{name}")
            live = getattr(importlib.import_module(module), name, None)
            if inspect.isclass(live) and issubclass(live, Exception):
                return f"$errors.{name}"

    def _free_name(self, name: str, module: str) -> str:
        wanted = identifier(name)
        return wanted if wanted not in self.done.values() else f"{wanted}_{module.rpartition('.')[2]}"

    def _code(self, found: Definition) -> str:
        place = Place(self, found.module)
        target = self.done[found.module, found.name]
        node = found.node
        try:
            if isinstance(node, ast.FunctionDef):
                return Body(place).function(node, target)
            if isinstance(node, ast.ClassDef):
                return self._class(node, target, place)
            return f"const {target} = {self._value(found, place)};"
        except UntranslatableError as error:
            raise UntranslatableError(f"{found.module}.{found.name}: {error}") from None

    def _value(self, found: Definition, place: Place) -> str:
        live: Any = getattr(module_of(found.module).live, found.name)
        if isinstance(live, Formulas):
            return group_code(live)
        if isinstance(live, types.UnionType) or typing.get_origin(live) is not None:
            return "null"
        try:
            return literal(live)
        except UntranslatableError:
            value = found.node.value if isinstance(found.node, ast.Assign | ast.AnnAssign) else None
            if value is None:
                raise
            return Body(place).expression(value)

    def _class(self, node: ast.ClassDef, target: str, place: Place) -> str:
        if any("Enum" in ast.unparse(base) for base in node.bases):
            return self._enumeration(node, target, place)
        body = Body(place)
        fields = list(fields_of(node))
        taken = ", ".join(
            identifier(name) + (f" = {default_of(default, body)}" if default else "") for name, default in fields
        )
        lines = [f"class {target} {{", f"  constructor({taken}) {{"]
        lines += [f"    this.{identifier(name)} = {identifier(name)};" for name, _ in fields]
        has_check = any(isinstance(each, ast.FunctionDef) and each.name == "__post_init__" for each in node.body)
        lines += ["    this.__post_init__();"] if has_check else []
        lines += ["  }", *self._methods(node, body), "}"]
        names = ", ".join(f'"{identifier(name)}"' for name, _ in fields)
        return "\n".join([*lines, f"{target}.$fields = [{names}];"])

    def _enumeration(self, node: ast.ClassDef, target: str, place: Place) -> str:
        body = Body(place)
        members = [each for each in node.body if isinstance(each, ast.Assign)]
        lines = [f"class {target} extends $Member {{", *self._methods(node, body), "}"]
        names = [each.targets[0].id for each in members if isinstance(each.targets[0], ast.Name)]
        lines += [
            f"{target}.{name} = new {target}({body.expression(each.value)});"
            for name, each in zip(names, members, strict=True)
        ]
        return "\n".join([*lines, f"{target}.$members = [{', '.join(f'{target}.{name}' for name in names)}];"])

    @staticmethod
    def _methods(node: ast.ClassDef, body: Body) -> Iterator[str]:
        for each in node.body:
            if isinstance(each, ast.FunctionDef) and each.name not in ONLY_IN_PYTHON:
                yield body.method(each)


@dataclass(frozen=True, slots=True)
class Place:
    """A module as the scope of what is translated in it."""

    program: Program
    module: str

    def name(self, name: str) -> str:
        """The JavaScript of a name at the top of the module, which is added to the program."""
        return self.program.add(self.module, name)

    def is_class(self, name: str) -> bool:
        """Whether a name is a class of ours, errors included."""
        here = module_of(self.module)
        if name not in here.definitions and name not in here.imports:
            return name in ("ValueError", "KeyError")
        return inspect.isclass(getattr(here.live, name, None))

    def signature(self, call: ast.Call) -> Signature | None:
        """Of a function or class at the top of a module, or of the methods of that name wherever they are."""
        if isinstance(call.func, ast.Attribute):
            return method_signature(call.func.attr, frozenset(module for module, _ in self.program.done))
        if not isinstance(call.func, ast.Name):
            return None
        here = module_of(self.module)
        if call.func.id not in here.definitions and call.func.id not in here.imports:
            return None
        found = self.program._find(self.module, call.func.id)  # noqa: SLF001 # one module, two classes
        if isinstance(found, str):
            return None
        if isinstance(found.node, ast.FunctionDef):
            return parameters(found.node, method=False)
        if isinstance(found.node, ast.ClassDef):
            return Signature(tuple(name for name, _ in fields_of(found.node)))
        return None


def method_signature(name: str, modules: frozenset[str]) -> Signature | None:
    """Parameters of the methods called `name` in these modules; raises UntranslatableError where they differ."""
    found = {
        parameters(each, method=not is_static(each))
        for module in modules
        for definition in module_of(module).definitions.values()
        if isinstance(definition.node, ast.ClassDef)
        for each in definition.node.body
        if isinstance(each, ast.FunctionDef) and each.name == name
    }
    if len(found) > 1:
        raise UntranslatableError(f"expected one signature of methods called {name}, found {len(found)}")
    return next(iter(found), None)
