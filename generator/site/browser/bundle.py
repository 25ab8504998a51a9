"""The scripts that the build makes: the engine, the reader of config.json, the models of the catalogue."""

from __future__ import annotations

import dataclasses
import enum
import json
from functools import cache
from pathlib import Path
from typing import Any

from generator import architecture
from generator.catalog import Catalog
from generator.site.browser.program import Program

HERE = Path(__file__).resolve().parent
RUNTIME, API, READING = HERE / "runtime.js", HERE / "api.js", HERE / "reader.js"

ENGINE = "assets/js/engine.js"
CONFIGS = "assets/js/engine-configs.js"
MODELS = "assets/js/engine-models.js"

ROOTS = (
    ("generator.estimate.run", "estimate"),
    ("generator.estimate.plan", "Plan"),
    ("generator.architecture.counts", "LORA_TARGETS"),
    ("generator.architecture.stand_in", "shape_of_size"),
    ("generator.verdict.ladder", "loaded"),
    ("generator.verdict.ladder", "_memory"),
    ("generator.verdict.ladder", "_machine"),
    ("generator.verdict.ladder", "_link"),
    ("generator.verdict.ladder", "_time"),
    ("generator.verdict.ladder", "training_time"),
    ("generator.verdict.ladder", "worst"),
    ("generator.verdict.advice", "max_seq_len"),
    ("generator.verdict.changes", "changes_that_fit"),
)
"""What the calculator calls; everything that they rest on comes along."""
CALLED_BY_PAGES = ("catalogOf", "judged", "planOf", "plain", "unpacked", "$json", "$Refusal", "Dict")
PARTS: tuple[type, ...] = tuple(
    each
    for each in vars(architecture).values()
    if isinstance(each, type) and (dataclasses.is_dataclass(each) or issubclass(each, enum.Enum))
)
"""All that a shape may consist of."""

READER = ("generator.catalog.hugging_face", "shape_of")
HELPERS = "Dict Float $Member $Refusal $errors"
"""What the reader of config.json takes from the engine beside functions of the runtime."""


@cache
def _engine_program() -> Program:
    program = Program()
    for part in PARTS:
        program.add(part.__module__, part.__name__)
    for module, name in ROOTS:
        program.add(module, name)
    return program


def _runtime_names() -> list[str]:
    """Functions of the runtime, which the second script shares."""
    words = (line.split() for line in RUNTIME.read_text("utf-8").splitlines() if line.startswith("const $"))
    return [*HELPERS.split(), *(parts[1] for parts in words)]


@cache
def engine_js() -> str:
    """The estimate as a script that sets `TrainfitEngine`."""
    program = _engine_program()
    scope = dict.fromkeys([*_runtime_names(), *program.done.values()])
    return "\n".join(
        [
            'globalThis.TrainfitEngine = (() => {\n"use strict";',
            RUNTIME.read_text("utf-8"),
            program.code,
            f"const scope = {{{', '.join(scope)}}};",
            API.read_text("utf-8"),
            f"return {{...scope, {', '.join(CALLED_BY_PAGES)}}};",
            "})();\n",
        ]
    )


@cache
def configs_js() -> str:
    """The reader of config.json as a script that adds `shape_of` to the engine, loaded when somebody has a file."""
    engine = _engine_program()
    program = Program(done=dict(engine.done))
    program.add(*READER)
    names = dict.fromkeys([*_runtime_names(), *engine.done.values()])
    return "\n".join(
        [
            '(() => {\n"use strict";',
            f"const {{{', '.join(names)}}} = TrainfitEngine;",
            program.code,
            READING.read_text("utf-8"),
            "})();\n",
        ]
    )


def packed(value: Any) -> Any:
    """A shape as JSON: dataclasses and members of enumerations by the name of their class, defaults left out."""
    if isinstance(value, enum.Enum):
        return {"$": type(value).__name__, "value": value.value}
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        kept = {each.name: getattr(value, each.name) for each in dataclasses.fields(value)}
        defaults = {each.name: each.default for each in dataclasses.fields(value)}
        return {
            "$": type(value).__name__,
            **{name: packed(each) for name, each in kept.items() if each != defaults[name]},
        }
    if isinstance(value, tuple | list):
        return [packed(each) for each in value]
    return value


def models_js(catalog: Catalog) -> str:
    """The models of the catalogue as a script that sets `TrainfitModels`: id → name, other names, context, shape."""
    models = {
        model_id: {
            "name": model.name,
            "names": [*model.aliases, *model.hugging_face],
            "context": model.context_tokens.value if model.context_tokens else None,
            "shape": packed(model.architecture.shape()),
        }
        for model_id, model in catalog.models.items()
        if model.objective == "causal-lm"
    }
    text = json.dumps(models, ensure_ascii=False, separators=(",", ":"))
    return f"globalThis.TrainfitModels = {text};\n"


def scripts(catalog: Catalog) -> dict[str, str]:
    """Path below the root of a language → text of each script that the build makes."""
    return {ENGINE: engine_js(), CONFIGS: configs_js(), MODELS: models_js(catalog)}
