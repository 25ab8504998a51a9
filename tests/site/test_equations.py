"""Equations say what the program computes."""

from __future__ import annotations

import random
import re
from html import unescape
from xml.etree import ElementTree

import pytest

from generator.estimate.steps import ON_NUMBERS, Step
from generator.site.equations import Writer
from generator.site.messages import Messages
from generator.views.methodology import FORMULAS

STEPS = [step for steps in FORMULAS.values() for step in steps]
SIGNS = {"×": "*", "÷": "/", "−": "-", "max(": "largest(", "min(": "smallest(", "⌈": "ceil(", "⌉": ")"}
CHOICE = re.compile(r"\[([^\[\]]*), if ([^\[\]]*) ≠ 0; otherwise ([^\[\]]*)\]")


def spoken(step: Step, language: str = "en") -> str:
    """What a screen reader says."""
    found = re.search(r'aria-label="([^"]*)"', Writer(Messages(language)).equation(step))  # type: ignore[arg-type]
    assert found
    return unescape(found.group(1))


def as_python(equation: str) -> str:
    """The right side of an equation as Python, read by somebody who knows school arithmetic alone."""
    text = equation.partition(" = ")[2]
    while "[" in text:
        shorter = CHOICE.sub(r"where(\2, \1, \3)", text)
        assert shorter != text
        text = shorter
    for sign, word in SIGNS.items():
        text = text.replace(sign, word)
    return text


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_an_equation_read_as_it_stands_gives_the_value_of_the_step(step: Step) -> None:
    equation = spoken(step)
    assert equation.startswith(f"{step.name} = ")
    rng = random.Random(step.name)
    for _ in range(20):
        values = {name: float(rng.choice([0, 1, 2, 3, rng.randint(1, 9999)])) for name in step.inputs}
        try:
            expected = step.compute(**values)
        except ZeroDivisionError:
            continue
        found = eval(as_python(equation), {"__builtins__": {}}, {**ON_NUMBERS, **values})  # our own formulas
        assert found == expected, (equation, values)


@pytest.mark.parametrize("language", ["ru", "en"])
@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_what_is_drawn_is_what_is_said(step: Step, language: str) -> None:
    html = str(Writer(Messages(language)).equation(step)).replace("&nbsp;", " ")  # type: ignore[arg-type]
    tree = ElementTree.fromstring(html)  # our own formulas
    assert {element.tag for element in tree.iter()} <= {"span", "math", "mrow", "mfrac", "mi", "mn", "mo", "mtext"}
    drawn = "".join(tree.itertext())
    said = spoken(step, language)
    # A fraction is drawn without a sign.
    assert re.sub(r"[\s÷]", "", drawn) == re.sub(r"[\s÷]", "", said)
    assert drawn.count("÷") + sum(element.tag == "mfrac" for element in tree.iter()) == said.count("÷")


def test_the_words_are_of_the_language() -> None:
    step = next(step for step in STEPS if step.name == "state_number_bytes")
    assert spoken(step, "ru") == "state_number_bytes = [4, если separate_master ≠ 0; иначе trained_bytes]"
