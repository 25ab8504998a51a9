"""Python as JavaScript: what is translated behaves as in Python, and what is not translated is refused by name."""

from __future__ import annotations

import ast
import json
import sys
import textwrap
import types
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page  # noqa: TC002

from generator.site.browser import program
from generator.site.browser.bundle import RUNTIME
from generator.site.browser.expressions import UntranslatableError
from generator.site.browser.formulas import javascript
from generator.site.browser.program import Program

NAME = "generator.translated_sample"


@pytest.fixture
def sample(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Makes a module of this source that Program can find; returns it."""

    def make(source: str) -> types.ModuleType:
        text = (
            "from __future__ import annotations\nfrom dataclasses import dataclass, replace\nfrom enum import StrEnum\n"
        )
        text += textwrap.dedent(source)
        module = types.ModuleType(NAME)
        monkeypatch.setitem(sys.modules, NAME, module)
        exec(compile(text, NAME, "exec"), vars(module))  # the text is in this file
        monkeypatch.setattr(program.inspect, "getsource", lambda _: text)
        program.module_of.cache_clear()
        return module

    yield make
    program.module_of.cache_clear()


@pytest.fixture(scope="session")
def blank(browser: Any) -> Page:
    """An empty page."""
    return browser.new_page()


SAMPLES = {
    "truth": "def f(): return [bool([]) or 3, [] or 'x', 0 or None, (1,) and 2, not {}, not 'a', not 0.5]",
    "default argument named like a word of JavaScript": "def f(default=3, *, new=4): return default + new",
    "keywords in any order": "def g(a, b=2, *, c=3): return [a, b, c]\ndef f(): return [g(1, c=9), g(b=5, a=4), g(1)]",
    "equal by value": """
        @dataclass(frozen=True)
        class P:
            x: int
            y: tuple = (1,)
        def f(): return [P(1) == P(1), P(1) == P(2), len({P(1): 1, P(1, (1,)): 2, P(1, (2,)): 3}), P(3) in (P(2), P(3))]
    """,
    "replace and properties": """
        @dataclass(frozen=True)
        class P:
            x: int
            y: int = 5
            @property
            def both(self): return self.x * self.y
        def f(): return [replace(P(2), y=7).both, replace(P(2), **{'x': 4}).both]
    """,
    "members": """
        class K(StrEnum):
            A = "a"
            B = "b"
            def twice(self): return {K.A: 2, K.B: 4}[self]
        def f(): return [K.A is K.A, K.A is K.B, [k.twice() for k in K], f"{K.B}"]
    """,
    "comprehensions": "def f(): return [[a + b for a in (1, 2) for b in (10, 20) if b > a * 9], sum(x * x for x in range(4)), "
    "list({k: v for k, v in (('a', 1), ('b', 2))}.items())]",
    "sets": "def f(): return sorted(({1, 2} | {3}) - {2}) + [len(set().union([1], (1, 2))), bool({1} & {2})]",
    "dictionaries in place": "def g(d): d |= {'b': 2}\ndef f():\n    d = {'a': 1}\n    g(d)\n    d['a'] += 4\n    return list(d.items())",
    "loops": "def f():\n    n = 0\n    for i in range(10):\n        if i % 2:\n            continue\n        n += i\n"
    "    while n > 7:\n        n -= 6\n    return n",
    "generators": "def g():\n    yield 1\n    yield from (2, 3)\ndef f(): return tuple(g())",
    "best by a key": "W = ('a', 'b', 'c')\ndef f(): return [max(['b', 'c', 'a'], key=W.index), min([], default=7), "
    "max((3, 1), (3, 0), key=lambda p: p[0])[1], next(iter([]), 'none')]",
    "texts": "def f(): return ['-'.join(('a', 'b')), ' a  b '.split(), 'a-b-c'.replace('-', '_'), f'{None} {True} {[1, \"x\"]}', "
    "'xy'.endswith(('y', 'z')), 'abc'[1:], 'abc'[-1]]",
    "whole division": "def f(): return [7 // 2, 7 % 3, -7 % 3, 2 ** 10, 7 / 2]",
    "unpacking": "def f():\n    *first, last = (1, 2, 3)\n    a, b = first\n    return [a, b, last]",
    "kinds of values": "def f(): return [isinstance('a', str), isinstance(True, bool), type(3) is int, type(True) is int, "
    "isinstance([1], list), isinstance(None, str)]",
}


@pytest.mark.parametrize("source", SAMPLES.values(), ids=SAMPLES.keys())
def test_a_function_answers_as_in_python(sample: Any, blank: Page, source: str) -> None:
    expected = sample(source).f()
    made = Program()
    name = made.add(NAME, "f")
    text = f"(() => {{\n{RUNTIME.read_text('utf-8')}\n{made.code}\nreturn {name}(); }})()"
    assert blank.evaluate(text) == json.loads(json.dumps(expected))


def test_an_error_of_python_is_an_error_with_the_same_words(sample: Any, blank: Page) -> None:
    sample("def f(x):\n    if x < 1:\n        raise ValueError(f'x: expected 1 or more, found {x}')\n    return x")
    made = Program()
    made.add(NAME, "f")
    text = f"(() => {{\n{RUNTIME.read_text('utf-8')}\n{made.code}\ntry {{ f(-2); }} catch (error) {{ return error.message; }} }})()"
    assert blank.evaluate(text) == "x: expected 1 or more, found -2"


UNTRANSLATABLE = {
    "a file": "def f(): return open('x')",
    "a module": "import os\ndef f(): return os.getcwd()",
    "a context": "def f(x):\n    with x:\n        return 1",
    "waiting": "async def g(): return 1\ndef f(): return g()",
    "an unknown keyword": "def g(a): return a\ndef f(): return g(b=1)",
    "another operator": "def f(a): return a << 2",
}


@pytest.mark.parametrize("source", UNTRANSLATABLE.values(), ids=UNTRANSLATABLE.keys())
def test_what_is_not_translated_is_refused_and_named(sample: Any, source: str) -> None:
    sample(source)
    with pytest.raises(UntranslatableError, match=rf"{NAME}"):
        Program().add(NAME, "f")


@pytest.mark.parametrize("formula", ["a ** b", "min(a, b)", "a if b else c", "a < b", "f(a)", "a // b", "'a'"])
def test_a_formula_that_steps_do_not_use_is_refused(formula: str) -> None:
    with pytest.raises(TypeError, match="expected arithmetic"):
        javascript(formula)


@pytest.mark.parametrize("formula", ["a - (b - c)", "a / (b * c)", "a * b + c", "(a + b) * c", "-a - -b", "a - b - c"])
def test_a_formula_keeps_its_order(formula: str, blank: Page) -> None:
    values = {"a": 0.1, "b": 0.7, "c": 1e17}
    expected = eval(compile(ast.parse(formula, mode="eval"), "formula", "eval"), {}, values)
    assert blank.evaluate(f"(({{a, b, c}}) => {javascript(formula)})({json.dumps(values)})") == expected
