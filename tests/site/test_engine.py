"""The engine that the build makes for the browser answers what Python answers, to the last bit."""

from __future__ import annotations

import copy
import json
import random
import struct
from pathlib import Path
from typing import Any

import pytest
import yaml
from playwright.sync_api import Page  # noqa: TC002

from generator.architecture import adapter_targets, count_parameters, lora_parameters, shape_of_size
from generator.catalog.hugging_face import shape_of
from generator.errors import PlanError, UnsupportedArchitecture
from generator.estimate import Plan, estimate
from generator.site.browser import bundle
from generator.verdict.advice import max_seq_len
from generator.verdict.changes import changes_that_fit
from generator.views.calculator import engine_data
from tests.site.pages_support import whole_catalog
from tests.site.random_plans import CHOICES, random_plans

REAL: list[dict[str, Any]] = yaml.safe_load(
    (Path(__file__).resolve().parents[1] / "architecture" / "real_configs.yml").read_text("utf-8")
)
PLANS = 10_000

ESTIMATE_ALL = """([data, plans]) => {
  const E = TrainfitEngine;
  const catalog = E.catalogOf(data);
  const shapes = {};
  const shape = (id) => shapes[id] ??= E.unpacked(TrainfitModels[id].shape);
  const bytes = new DataView(new ArrayBuffer(8));
  const hex = (value) => { bytes.setFloat64(0, value); return bytes.getBigUint64(0).toString(16).padStart(16, "0"); };
  return plans.map((settings) => {
    const result = E.estimate(catalog, E.planOf({ ...settings, shape: shape(settings.model) }));
    const band = (values) => values && [values.low, values.expected, values.high];
    return [
      [...result.quantities.values()].map((quantity) => `${quantity.name}=${hex(quantity.value)}`).join(" "),
      result.peak_phase, result.fits, result.bound, result.parameters_total, result.parameters_trainable,
      [...band(result.peak_gib), ...(band(result.tokens_per_sec_per_gpu) ?? []), result.usable_gib, result.device_gib,
        result.overhead_gib, result.ratio, result.headroom_gib, result.host_ram_gib, result.break_even_tokens].map(hex),
      E.plain(result.phases_gib),
    ];
  });
}"""


def bits(value: float) -> str:
    """The sixteen hexadecimal digits of a double."""
    return struct.pack(">d", value).hex()


@pytest.fixture(scope="session")
def engine(browser) -> Page:
    """An empty page with the three scripts."""
    page = browser.new_page()
    for script in bundle.scripts(whole_catalog()).values():
        page.add_script_tag(content=script)
    return page


def test_ten_thousand_random_plans_agree_to_the_last_bit(engine: Page) -> None:
    catalog = whole_catalog()
    plans = list(random_plans(catalog, PLANS, seed=20261202))
    answers = engine.evaluate(ESTIMATE_ALL, [engine_data(catalog), [settings for settings, _ in plans]])
    assert len(answers) == PLANS
    for (settings, plan), answer in zip(plans, answers, strict=True):
        expected = estimate(catalog, plan)
        band, speed = expected.peak_gib, expected.tokens_per_sec_per_gpu
        numbers = [band.low, band.expected, band.high]
        numbers += [speed.low, speed.expected, speed.high] if speed else []
        numbers += [expected.usable_gib, expected.device_gib, expected.overhead_gib, expected.ratio]
        numbers += [expected.headroom_gib, expected.host_ram_gib, expected.break_even_tokens]
        assert answer == [
            " ".join(f"{each.name}={bits(each.value)}" for each in expected.quantities.values()),
            expected.peak_phase,
            expected.fits,
            expected.bound,
            expected.parameters_total,
            expected.parameters_trainable,
            [bits(number) for number in numbers],
            {phase: dict(terms) for phase, terms in expected.phases_gib.items()},
        ], settings


def test_random_plans_hold_every_choice() -> None:
    plans = [plan for _, plan in random_plans(whole_catalog(), 2000, seed=1)]
    for name, values in CHOICES.items():
        assert {getattr(plan, name) for plan in plans} == set(values), name
    assert {plan.n_gpus for plan in plans} >= {1, 2, 1024}
    assert {plan.seq_len for plan in plans} >= {1, 4095, 4096, 4097}


ADVISE_ALL = """([data, plans]) => {
  const E = TrainfitEngine;
  const catalog = E.catalogOf(data);
  return plans.map((settings) => {
    const plan = E.planOf({ ...settings, shape: E.unpacked(TrainfitModels[settings.model].shape) });
    const changes = E.changes_that_fit(catalog, plan, 131072);
    return [E.max_seq_len(catalog, plan, 131072), changes.map((each) => [each.settings.items(), each.peak_gib, each.memory])];
  });
}"""


def test_advice_is_the_same(engine: Page) -> None:
    catalog = whole_catalog()
    plans = list(random_plans(catalog, 300, seed=8))
    answers = engine.evaluate(ADVISE_ALL, [engine_data(catalog), [settings for settings, _ in plans]])
    proposed = 0
    for (settings, plan), (longest, changes) in zip(plans, answers, strict=True):
        expected = changes_that_fit(catalog, plan, 131_072)
        proposed += len(expected)
        told = [[json.loads(json.dumps(list(each.settings.items()))), each.peak_gib, each.memory] for each in expected]
        assert [longest, changes] == [max_seq_len(catalog, plan, 131_072), told], settings
    assert proposed > 50


def mutations(configs: list[dict[str, Any]], rng: random.Random) -> list[Any]:
    """The configs, each with one field broken in several ways, and what is no config at all."""
    found: list[Any] = [[], "llama", 3, None, {}, {"model_type": "lama"}]
    for config in configs:
        found.append(config)
        for value in (None, "x", -3, 0, [1, "a"], True, 2.0, 1e9):
            broken = copy.deepcopy(config)
            inner = broken["text_config"] if isinstance(broken.get("text_config"), dict) else broken
            part = rng.choice([broken, inner])
            part[rng.choice(sorted(part))] = value
            found.append(broken)
        shorter = copy.deepcopy(config)
        del shorter[rng.choice(sorted(shorter))]
        found.append(shorter)
    return found


def counted(config: Any) -> list[Any] | str:
    """What Python says of a config.json: counts, or the refusal without the guess at what was meant."""
    try:
        shape = shape_of(config)
        counts = count_parameters(shape)
        targets = adapter_targets(shape, "all-linear")
    except UnsupportedArchitecture as error:
        return str(error).partition("; did you mean")[0]
    return [
        counts.total, counts.active, counts.text, counts.linear, counts.experts, counts.layer, list(shape.unmodelled),
        list(targets), lora_parameters(shape, 16, targets) if targets else 0,
    ]  # fmt: skip


READ_ALL = """(texts) => texts.map((text) => {
  const E = TrainfitEngine;
  try {
    const shape = E.shape_of(text), counts = E.count_parameters(shape), targets = E.adapter_targets(shape, "all-linear");
    return [counts.total, counts.active, counts.text, counts.linear, counts.experts, counts.layer, shape.unmodelled,
      targets, targets.length ? E.lora_parameters(shape, 16, targets) : 0];
  } catch (error) {
    if (error instanceof E.$Refusal) return error.message;
    throw error;
  }
})"""


def test_config_files_are_read_and_refused_alike(engine: Page) -> None:
    configs = mutations([each["config"] for each in REAL], random.Random(7))
    expected = [counted(config) for config in configs]
    assert sum(isinstance(each, str) for each in expected) > 50
    answers = engine.evaluate(READ_ALL, [json.dumps(config) for config in configs])
    for config, answer, wanted in zip(configs, answers, expected, strict=True):
        assert answer == wanted, config


def test_real_config_files_have_their_exact_counts(engine: Page) -> None:
    answers = engine.evaluate(READ_ALL, [json.dumps(each["config"]) for each in REAL])
    assert [answer[0] for answer in answers] == [each["total"] for each in REAL]


def test_models_of_the_catalogue_have_their_exact_counts(engine: Page) -> None:
    counts = engine.evaluate(
        "() => Object.entries(TrainfitModels).map(([id, { shape }]) => "
        "[id, TrainfitEngine.count_parameters(TrainfitEngine.unpacked(shape)).total])"
    )
    models = {id_: model for id_, model in whole_catalog().models.items() if model.objective == "causal-lm"}
    assert dict(counts) == {id_: model.parameters.exact.value for id_, model in models.items()}


def test_stand_ins_for_a_bare_size_are_the_same(engine: Page) -> None:
    sizes = [0.1e9, 0.5e9, 1e9, 1.5e9, 3.3e9, 7e9, 8.03e9, 13e9, 70e9, 405e9, 2e12]
    answers = engine.evaluate(
        "(sizes) => sizes.map((size) => TrainfitEngine.count_parameters(TrainfitEngine.shape_of_size(size)).total)",
        sizes,
    )
    assert answers == [count_parameters(shape_of_size(size)).total for size in sizes]


CONTRADICTIONS = (
    {"n_gpus": 0},
    {"seq_len": 0},
    {"sharding": "fsdp2"},
    {"n_gpus": 2},
    {"quant": "nf4"},
    {"method": "qlora", "lora_targets": ("q_proj",)},
    {"method": "lora"},
    {"optimizer": "sgdd"},
)


@pytest.mark.parametrize("changes", CONTRADICTIONS, ids=lambda changes: "-".join(map(str, changes)))
def test_a_plan_that_contradicts_itself_is_refused_in_the_same_words(engine: Page, changes: dict[str, Any]) -> None:
    settings: dict[str, Any] = {"model": "x", "gpu": "rtx-6000-ada", "n_gpus": 1, "method": "full"} | changes
    with pytest.raises(PlanError) as refusal:
        Plan(shape=shape_of_size(1e9), **settings)
    answer = engine.evaluate(
        "(settings) => { try { TrainfitEngine.planOf(settings); } catch (error) { return error.message; } }", settings
    )
    assert answer == str(refusal.value)


def test_the_scripts_are_the_same_every_time() -> None:
    catalog = whole_catalog()
    first = bundle.scripts(catalog)
    bundle.engine_js.cache_clear()
    bundle.configs_js.cache_clear()
    bundle._engine_program.cache_clear()
    assert bundle.scripts(catalog) == first
