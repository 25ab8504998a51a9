"""The calculator: a form, a place for the answer, and the data and words that its scripts need."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any, get_args, get_type_hints

from generator.architecture import LORA_TARGETS
from generator.estimate import Plan
from generator.estimate.results import PHASES
from generator.site.browser.bundle import ENGINE, MODELS
from generator.site.calculator_url import CALCULATOR_PATH, PARAMETERS
from generator.site.messages import Message, Messages
from generator.site.page import Page
from generator.site.pages_site import SIGNS, Site
from generator.views.calculator import calculator_data

SCRIPTS = (
    ENGINE,
    MODELS,
    "assets/js/calculator-words.js",
    "assets/js/calculator-state.js",
    "assets/js/calculator-view.js",
    "assets/js/calculator.js",
)
STYLES = ("assets/css/calculator.css",)

SETTINGS = (
    "precision", "optimizer", "optimizer_impl", "sharding", "cpu_offload", "grad_checkpointing", "attention", "kernels",
    "fused_ce", "compile", "reduce_dtype", "root_wrap", "reshard", "quant", "lora_rank", "lora_targets",
    "adapter_dtype", "lora_dropout", "train_embeddings", "kbit_preparation", "shifted_logits", "chunked_ce",
    "whole_copy", "load_on_card", "matmul_keeps_input", "fabric_quantization", "fp32_logits", "keeps_last_step",
)  # fmt: skip
"""Fields of a plan in the order of the form; those that a plan does not have are left out."""
ADAPTERS_ONLY = frozenset({"lora_rank", "lora_targets", "adapter_dtype", "lora_dropout", "train_embeddings"})
QUANTISED_ONLY = frozenset({"quant", "kbit_preparation", "load_on_card", "matmul_keeps_input", "fabric_quantization"})
SEVERAL_GPUS_ONLY = frozenset({"sharding", "reduce_dtype", "root_wrap", "reshard", "whole_copy", "load_on_card"})
SHARES = frozenset({"lora_dropout"})
"""Numbers from 0 to 1."""

WORDS = (
    "calculator.result.", "calculator.model.", "calculator.machine.", "calculator.method.", "calculator.choice.",
    "calculator.settings.", "calculator.setting.", "calculator.work.", "reasons.", "common.plain.",
    "common.limit.token", "common.no_data", "assumptions.", "methodology.phase.", "methodology.term.",
    "shell.unit.", "models.feature.",
)  # fmt: skip
"""Beginnings of the keys of messages that the scripts say."""


def calculator_page(site: Site) -> Page:
    """The calculator; without JavaScript it leads to the tables that are computed in advance."""
    writer = site.writer(CALCULATOR_PATH)
    data = calculator_data(site.catalog)
    return writer.page(
        "calculator.md.j2",
        section="calculator",
        title=writer.messages("calculator.title"),
        description=writer.messages("calculator.description"),
        navigation_title=writer.messages("calculator.navigation"),
        scripts=SCRIPTS,
        styles=STYLES,
        data=json_in_html(data | {"texts": _texts(site), "words": words(writer.messages), "start": _start(site)}),
        settings=[name for name in SETTINGS if name in choices()],
        choices=choices(),
        gpus=gpus_by_vendor(site),
        only_for=only_for,
        shares=SHARES,
        policy=site.catalog.policy,
        **site.values(writer),
    )


def gpus_by_vendor(site: Site) -> dict[str, list[tuple[str, str]]]:
    """Vendor → ids and names of its cards."""
    found: dict[str, list[tuple[str, str]]] = {}
    for gpu_id, gpu in site.catalog.gpus.items():
        found.setdefault(gpu.vendor, []).append((gpu_id, gpu.name))
    return found


def choices() -> Mapping[str, tuple[str, ...]]:
    """Field of a plan → what may be chosen; nothing for a number."""
    hints = get_type_hints(Plan)
    found = {each.name: _choices(hints[each.name]) for each in fields(Plan)}
    return found | {"lora_targets": tuple(LORA_TARGETS)}


def _choices(hint: Any) -> tuple[str, ...]:
    if hint is bool:
        return ("y", "n")
    options = get_args(hint)
    return tuple(map(str, options)) if options and all(isinstance(option, str) for option in options) else ()


def only_for(name: str) -> str:
    """For which plans alone a setting means something; empty for all."""
    groups = {
        "adapters": ADAPTERS_ONLY,
        "quantised": QUANTISED_ONLY,
        "several": SEVERAL_GPUS_ONLY,
    }
    return next((group for group, names in groups.items() if name in names), "")


def words(messages: Messages) -> dict[str, Message]:
    """The messages that the scripts say, by key."""
    wanted = (*WORDS, *(f"verdicts.{verdict}.word" for verdict in SIGNS))
    return {key: message for key, message in messages.catalogue.items() if key.startswith(wanted)}


def _texts(site: Site) -> dict[str, Any]:
    """Names in the language of the page, and what the scripts need to know of the site."""
    catalog = site.catalog
    return {
        "signs": dict(SIGNS),
        "phases": list(PHASES),
        "parameters": list(PARAMETERS),
        "rigs": {rig_id: site.of(rig.name) for rig_id, rig in catalog.rigs.items()},
        "methods": {method_id: site.of(method.name) for method_id, method in catalog.methods.items()},
        "recipes": {
            recipe.id: {"name": site.of(recipe.name), "gives_up": site.of(recipe.gives_up) if recipe.gives_up else ""}
            for method in catalog.methods.values()
            for recipe in method.ladder
        },
        "only": {"adapters": sorted(ADAPTERS_ONLY), "quantised": sorted(QUANTISED_ONLY)},
        "pages": sorted(_pages(site)),
    }


def _pages(site: Site) -> Iterator[str]:
    """Pages that the answer may link to."""
    yield from (site.rig_path(rig) for rig in site.catalog.rigs)
    yield from (site.model_path(model) for model in site.catalog.models)


def _start(site: Site) -> dict[str, str]:
    """What the form shows first: the first rig, and the largest model whose weights it trains comfortably."""
    verdicts = site.first_report.verdicts
    order = [model for (model, method), verdict in verdicts.items() if verdict.rungs and method == "full"]
    comfortable = [model for model in order if verdicts[model, "full"].verdict == "comfortable"]
    return {"rig": site.first_rig, "model": (comfortable or order or list(site.catalog.models))[-1]}


def json_in_html(content: Any) -> str:
    """JSON that may stand inside a script element: nothing in it can end the element."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")
