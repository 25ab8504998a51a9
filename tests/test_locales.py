"""Words of the site: in both languages, complete, and nowhere else than in the catalogues."""

from __future__ import annotations

import ast
import re
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import pytest
from babel import Locale

from generator.catalog import Catalog
from generator.catalog.absent import GpuLack, ModelLack
from generator.catalog.fields import Cited, Kind, Record
from generator.catalog.loading import Kind as RecordKind
from generator.catalog.measurements import KnownMiss, Reading
from generator.catalog.records import Gpu, Model, Policy, Reasoned, Recipe, Rig, Settings, SourceType, Workload
from generator.estimate.accuracy import Reason
from generator.estimate.assumptions import ASSUMPTIONS
from generator.estimate.bands import KINDS
from generator.estimate.peers import PEERS
from generator.estimate.results import PHASES, TERMS, Fits
from generator.site.messages import Message, load_messages, placeholders
from generator.site.page import LANGUAGES, Language
from generator.site.pages_calculator import SETTINGS as CALCULATOR_SETTINGS
from generator.site.pages_settings import ADAPTERS_ONLY, SETTINGS
from generator.site.pages_values import unit_key
from generator.verdict.levers import STEPS
from generator.verdict.results import VERDICTS, Improvement, ReasonId
from generator.views.methodology import FORMULAS, formula_inputs

ROOT = Path(__file__).resolve().parents[1]
TEMPLATES = sorted((ROOT / "generator/site/templates").rglob("*.j2"))
SITE_MODULES = sorted(
    [
        *(ROOT / "generator/site").glob("pages*.py"),
        *(ROOT / "generator/site").glob("light*.py"),
        *(ROOT / "generator/views").glob("*.py"),
    ]
)
LOGIC_MODULES = sorted((ROOT / "generator").rglob("*.py"))
TAG = re.compile(r"</?([a-z]+)[^>]*>")
ALLOWED_TAGS = frozenset({"em", "strong", "code", "a", "kbd", "span"})
CYRILLIC = re.compile("[А-Яа-яЁё]")


def forms(message: Message) -> list[str]:
    return [message] if isinstance(message, str) else list(message.values())


def test_both_languages_have_the_same_messages() -> None:
    ru, en = (set(load_messages(language)) for language in LANGUAGES)
    assert sorted(ru - en) == []
    assert sorted(en - ru) == []


def test_both_languages_fill_in_the_same_values() -> None:
    ru, en = (load_messages(language) for language in LANGUAGES)
    different = {key for key in ru if placeholders(ru[key]) != placeholders(en[key])}
    assert not different


def test_plural_messages_are_plural_in_both_languages() -> None:
    ru, en = (load_messages(language) for language in LANGUAGES)
    assert {key for key in ru if isinstance(ru[key], str) != isinstance(en[key], str)} == set()


@pytest.mark.parametrize("language", LANGUAGES)
def test_plural_messages_have_every_form_of_the_language(language: Language) -> None:
    wanted = {*Locale.parse(language).plural_form.tags, "other"}
    for key, message in load_messages(language).items():
        if not isinstance(message, str):
            assert set(message) == wanted, key


@pytest.mark.parametrize("language", LANGUAGES)
def test_messages_are_finished_texts(language: Language) -> None:
    for key, message in load_messages(language).items():
        for text in forms(message):
            assert text == text.strip(), key
            assert text, key
            assert "  " not in text, key
            assert {tag.lower() for tag in TAG.findall(text)} <= ALLOWED_TAGS, key


def test_english_messages_have_no_russian_letters() -> None:
    for key, message in load_messages("en").items():
        assert key.startswith("shell.language.") or not CYRILLIC.search(" ".join(forms(message))), key


def test_russian_messages_are_not_left_in_english() -> None:
    en = load_messages("en")
    for key, message in load_messages("ru").items():
        words = re.findall(r"[A-Za-z]{3,}", re.sub(r"\{\w+\}", "", " ".join(forms(message))))
        if len(words) >= 3 and not CYRILLIC.search(" ".join(forms(message))):
            assert forms(message) != forms(en[key]) or key.startswith("shell.date."), key


def literals(annotation: Any) -> Iterator[str]:
    """The strings of every Literal inside an annotation."""
    if get_origin(annotation) is Literal:
        yield from (value for value in get_args(annotation) if isinstance(value, str))
    else:
        for option in get_args(annotation):
            yield from literals(option)


def cited_fields(record: type[Record], prefix: str = "") -> Iterator[str]:
    """Dotted paths of the cited values of a record."""
    for name, field in record.model_fields.items():
        annotation = field.annotation
        union = get_origin(annotation) in (Union, types.UnionType)
        for option in get_args(annotation) if union else (annotation,):
            if not isinstance(option, type):
                continue
            if issubclass(option, Cited):
                yield f"{prefix}{name}"
            elif issubclass(option, Record):
                yield from cited_fields(option, f"{prefix}{name}.")


def wanted_keys() -> Iterator[str]:
    """A message for every id that the data or the program can bring up."""
    yield from (f"verdicts.{verdict}.word" for verdict in VERDICTS)
    yield from (f"common.kind.{kind}.{form}" for kind in get_args(Kind) for form in ("word", "long"))
    yield from (f"accuracy.left.reasons.{reason}" for reason in literals(Reason))
    yield from (f"accuracy.kinds.{reading}" for reading in get_args(Reading))
    yield from (f"accuracy.fits.{answer}" for answer in get_args(Fits))
    yield from (f"accuracy.bands.kinds.{kind}" for kind in KINDS)
    yield from (f"accuracy.peers.{form}.{peer}" for peer in PEERS for form in ("names", "what"))
    yield from (f"accuracy.misses.known.{known}" for known in get_args(KnownMiss.model_fields["known"].annotation))
    yield from (f"sources.type.{kind}.{form}" for kind in get_args(SourceType) for form in ("name", "one", "counted"))
    without_sources = ("source", "permalinks", "link-exceptions")
    yield from (f"sources.kind.{kind}" for kind in get_args(RecordKind) if kind not in without_sources)
    yield from (f"quality.absent.lacks.{lack}" for lack in (*get_args(ModelLack), *get_args(GpuLack)))
    yield from (f"methodology.phase.{phase}.{form}" for phase in PHASES for form in ("name", "what", "when"))
    yield from (f"methodology.term.{term}" for term in TERMS)
    yield from (f"assumptions.{assumption}" for assumption in ASSUMPTIONS)
    yield from (f"calculator.settings.{name}" for name in CALCULATOR_SETTINGS)
    yield from (f"methodology.lever.{lever}" for lever in STEPS)
    yield from (f"home.context.lever.{lever}" for lever in list(STEPS)[1:])
    yield from (f"methods.need.{need}" for need in literals(Recipe.model_fields["needs"].annotation))
    for steps in FORMULAS.values():
        yield from (f"methodology.units.{unit_key(step.unit)}" for step in steps)
    for quantity in formula_inputs():
        yield f"methodology.input.{quantity.kind}"
        if quantity.kind != "constant" and not quantity.choice and not quantity.of_layers:
            yield f"quantities.{quantity.name}"
    for name in SETTINGS:
        yield f"methods.setting.{name}.name"
        options = literals(Settings.model_fields[name].annotation)
        yield from (f"methods.setting.{name}.{value}" for value in options if value != "none")
    for kind, record in (("model", Model), ("gpu", Gpu), ("rig", Rig)):
        yield from (f"facts.{kind}.{field}" for field in cited_fields(record))
    for area, record in (("policy", Policy), ("workload", Workload)):
        reasoned = (name for name, field in record.model_fields.items() if field.annotation is Reasoned)
        yield from (f"methodology.{area}.{name}" for name in reasoned)
    yield from (
        f"methodology.targets.{v.replace('+', '-')}" for v in literals(Workload.model_fields["lora_targets"].annotation)
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_that_can_be_named_has_a_name(language: Language) -> None:
    messages = load_messages(language)
    assert sorted(set(wanted_keys()) - set(messages)) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reason_has_a_sentence(language: Language) -> None:
    messages = load_messages(language)
    for key in (f"{area}.{reason}" for area in ("reasons", "short") for reason in get_args(ReasonId)):
        assert key in messages or {f"{key}.fine-tuning", f"{key}.pretraining"} <= set(messages), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_improvement_has_a_sentence(language: Language) -> None:
    messages = load_messages(language)
    for kind in literals(get_type_hints(Improvement)["kind"]):
        assert f"models.improve.{kind}" in messages


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_unit_of_a_constant_has_words(language: Language, catalog: Catalog) -> None:
    messages = load_messages(language)
    for constant in catalog.constants.constants.values():
        assert f"methodology.constant_unit.{unit_key(constant.unit)}" in messages


def test_settings_for_adapters_are_shown_settings() -> None:
    assert set(SETTINGS) >= ADAPTERS_ONLY


@pytest.mark.parametrize("template", TEMPLATES, ids=lambda path: path.name)
def test_templates_hold_no_words(template: Path) -> None:
    text = template.read_text(encoding="utf-8")
    bare = re.sub(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", "", text, flags=re.DOTALL)
    bare = re.sub(r"<[^>]*>", "", bare)
    assert not re.findall(r"[A-Za-zА-Яа-яЁё]{2,}", bare)
    for attribute in re.findall(r'(?:title|aria-label|alt|placeholder)="([^"]*)"', text):
        assert not re.search(r"[A-Za-zА-Яа-я]", re.sub(r"\{\{.*?\}\}", "", attribute)), attribute


def strings(tree: ast.AST) -> Iterator[ast.Constant]:
    """String constants that are neither docstrings nor what an error says."""
    skipped: set[ast.AST] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Raise) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            skipped.update(ast.walk(node))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in skipped:
            yield node


@pytest.mark.parametrize("module", SITE_MODULES, ids=lambda path: path.name)
def test_pages_and_views_hold_no_sentences(module: Path) -> None:
    for node in strings(ast.parse(module.read_text(encoding="utf-8"))):
        assert not re.search(r"(?:^|\s)[A-Za-z]{2,} [a-z]{2,} [a-z]{2,}", str(node.value)), node.value


@pytest.mark.parametrize("module", LOGIC_MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_python_holds_no_russian_text(module: Path) -> None:
    for node in strings(ast.parse(module.read_text(encoding="utf-8"))):
        assert not CYRILLIC.search(re.sub(r"\[[^]]*\]", "", str(node.value))), node.value
