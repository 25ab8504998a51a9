"""The calculator in a browser: the same answers as the command line, a state that lives in the address."""

from __future__ import annotations

import argparse
import json
import random
import re
import shlex
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
import yaml
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page  # noqa: TC002

from generator.commands.estimate import add as add_estimate
from generator.commands.plans import COLUMNS, plan_of
from generator.estimate import estimate
from generator.site.calculator_url import calculator_path
from generator.site.formats import Formats
from generator.site.launch import find_files
from generator.verdict import judge
from generator.verdict.ladder import try_ladder
from generator.verdict.setup import setup_of, subject_of
from tests.site.pages_support import site_catalog
from tests.site.random_plans import random_plans
from tests.site.test_browser import RULES
from tests.site.test_engine import REAL, bits

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PLANS = 1000
LANGUAGES = {"": "ru", "en/": "en"}
LOOKS = [("light", 1280), ("dark", 1280), ("light", 390), ("dark", 390)]
RIG = "4x-rtx-6000-ada"
FULL = calculator_path(model="llama-3.1-8b", rig=RIG, method="full")
CONFIG = next(each["config"] for each in REAL if each["config"].get("model_type") == "qwen3")

SHOW_ALL = """async (queries) => {
  const bytes = new DataView(new ArrayBuffer(8));
  const hex = (value) => { bytes.setFloat64(0, value); return bytes.getBigUint64(0).toString(16).padStart(16, "0"); };
  const C = TrainfitCalculator, found = [];
  for (const query of queries) {
    history.replaceState(null, "", `?${query}`);
    dispatchEvent(new PopStateEvent("popstate"));
    await C.ready;
    const { result, verdict } = C.shown.answer, speed = result.tokens_per_sec_per_gpu;
    found.push({
      command: document.querySelector(".tf-command code").textContent,
      shown: document.querySelector(".tf-answer__numbers strong").textContent,
      verdict, fits: result.fits, phase: result.peak_phase,
      numbers: [result.peak_gib.low, result.peak_gib.expected, result.peak_gib.high, result.usable_gib, result.host_ram_gib,
        ...(speed ? [speed.low, speed.expected, speed.high] : [])].map(hex),
    });
  }
  return found;
}"""


def query_of(settings: dict[str, Any]) -> str:
    """The address of random settings."""
    presets = {"q_proj,v_proj": "q+v", "q_proj,k_proj,v_proj,o_proj": "qkvo"}
    state = dict(settings) | {"lora_targets": None}
    if settings["lora_targets"]:
        state["lora_targets"] = presets.get(",".join(settings["lora_targets"]), "all-linear")
    return calculator_path(**state).partition("?")[2]


def case_of(command: str) -> dict[str, str]:
    """The columns that a command of the calculator gives, read by the command line's own parser."""
    parser = argparse.ArgumentParser()
    add_estimate(parser.add_subparsers(), [])
    program, *arguments = shlex.split(command.replace("\\\n", " "))
    assert program == "trainfit"
    parsed = parser.parse_args(arguments)
    return {column: value for column in COLUMNS if (value := getattr(parsed, column)) is not None}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_thousand_random_plans_answer_like_the_command_that_is_shown(
    open_page: Callable[..., Any], language: str
) -> None:
    catalog, formats = site_catalog(), Formats(LANGUAGES[language])
    plans = list(random_plans(catalog, PLANS // 2, seed=3 if language else 4))
    watcher = open_page(f"{language}{FULL}")
    answers = watcher.page.evaluate(SHOW_ALL, [query_of(settings) for settings, _ in plans])
    for (settings, _), answer in zip(plans, answers, strict=True):
        expected = estimate(catalog, plan_of(catalog, case_of(answer["command"])))
        band, speed = expected.peak_gib, expected.tokens_per_sec_per_gpu
        numbers = [band.low, band.expected, band.high, expected.usable_gib, expected.host_ram_gib]
        numbers += [speed.low, speed.expected, speed.high] if speed else []
        assert answer["numbers"] == [bits(number) for number in numbers], settings
        assert (answer["fits"], answer["phase"]) == (expected.fits, expected.peak_phase), settings
        assert answer["shown"] == formats.gib(band.expected), settings
    assert watcher.problems == []


def test_the_plan_in_the_address_is_the_plan_that_is_counted(open_page: Callable[..., Any]) -> None:
    catalog = site_catalog()
    plans = list(random_plans(catalog, 100, seed=5))
    answers = open_page(FULL).page.evaluate(SHOW_ALL, [query_of(settings) for settings, _ in plans])
    for (settings, drawn), answer in zip(plans, answers, strict=True):
        plan = drawn
        if settings["method"] == "pretrain":  # a tower is trained elsewhere and joined later
            plan = replace(plan, shape=replace(plan.shape, tower_parameters=0))
        if settings["bus_gb_per_s"] is not None:  # a blank link is that of a rig with the same cards
            assert answer["numbers"][1] == bits(estimate(catalog, plan).peak_gib.expected), settings
            speed = estimate(catalog, plan).tokens_per_sec_per_gpu
            assert speed is None or answer["numbers"][6] == bits(speed.expected), settings


def test_recipes_get_the_verdicts_of_the_site(open_page: Callable[..., Any]) -> None:
    catalog = site_catalog()
    setup = setup_of(catalog, RIG)
    queries, expected = [], []
    models = [id_ for id_, model in catalog.models.items() if not model.architecture.shape().unmodelled]
    for model in [each for each in models if catalog.models[each].objective == "causal-lm"][::3]:
        for method in catalog.methods:
            for rung in try_ladder(catalog, subject_of(catalog, model), method, setup):
                queries.append(
                    calculator_path(model=model, rig=RIG, method=method, recipe=rung.recipe).partition("?")[2]
                )
                expected.append((rung.verdict, rung.estimate.peak_gib.expected))
    answers = open_page(FULL).page.evaluate(SHOW_ALL, queries)
    for query, answer, (verdict, peak) in zip(queries, answers, expected, strict=True):
        assert (answer["verdict"], answer["numbers"][1]) == (verdict, bits(peak)), query
    assert {verdict for verdict, _ in expected} == {"comfortable", "borderline", "not-recommended"}


@pytest.mark.parametrize(
    ("model", "method", "framework"),
    [
        ("qwen3-8b", "full", "trl"),
        ("qwen3-14b", "lora", "trl"),
        ("llama-3.3-70b", "qlora", "trl"),
        ("qwen3-1.7b", "pretrain", "trl"),
    ],
)
def test_what_the_site_recommends_comes_with_its_configuration(
    open_page: Callable[..., Any], model: str, method: str, framework: str
) -> None:
    catalog = site_catalog()
    verdict = judge(catalog, subject_of(catalog, model), method, setup_of(catalog, RIG))
    assert verdict.chosen is not None
    recipe = verdict.rungs[verdict.chosen].recipe
    page = open_page("en/" + calculator_path(model=model, rig=RIG, method=method, recipe=recipe)).page
    command = page.locator(".tf-command code").nth(1).inner_text().replace("\\\n", " ")
    assert shlex.split(command) == (
        f"trainfit config --model {model} --rig {RIG} --method {method} --framework {framework} --out run".split()
    )
    assert find_files(catalog, model, RIG, method, framework, "en")
    page.locator("#c-seq_len").fill("2048")
    assert page.locator(".tf-command").count() == 1


# --- the state lives in the address ----------------------------------------------------------------------------------


def until(page: Page, condition: str) -> None:
    """Waits for a condition; not with Playwright's own function, which the policy of the page forbids."""
    for _ in range(200):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never: {condition}")


def state_of(page: Page) -> dict[str, str]:
    return page.evaluate("TrainfitCalculator.shown.state")


def test_a_state_survives_its_address(open_page: Callable[..., Any]) -> None:
    queries = [query_of(settings) for settings, _ in random_plans(site_catalog(), 300, seed=6)]
    page = open_page(FULL).page
    changed = page.evaluate(
        """(queries) => queries.filter((query) => {
          const C = TrainfitCalculator, all = C.complete(C.ofQuery(query)), again = C.complete(C.ofQuery(C.queryOf(all)));
          return JSON.stringify(all) !== JSON.stringify(again);
        })""",
        queries,
    )
    assert changed == []


def test_an_address_holds_what_differs_and_no_more(open_page: Callable[..., Any]) -> None:
    page = open_page(FULL).page
    page.get_by_label("Контекст, токенов").fill("8192")
    assert dict(parse_qsl(urlsplit(page.url).query)) == {
        "model": "llama-3.1-8b",
        "rig": RIG,
        "method": "full",
        "recipe": "full-fsdp2-adamw",
        "seq_len": "8192",
        "micro_batch": "1",
    }


def test_back_and_forward_walk_through_the_states(open_page: Callable[..., Any]) -> None:
    page = open_page(FULL).page
    page.locator("#c-method").select_option("qlora")
    page.locator("#c-seq_len").fill("2048")
    page.locator("#c-n_gpus").fill("8")
    assert (state_of(page)["method"], state_of(page)["seq_len"], state_of(page)["rig"]) == ("qlora", "2048", "")
    page.go_back()
    assert (state_of(page)["n_gpus"], page.locator("#c-n_gpus").input_value()) == ("4", "4")
    page.go_back()
    page.go_back()
    assert (state_of(page)["method"], page.locator("#c-method").input_value()) == ("full", "full")
    page.go_forward()
    assert page.locator("#c-recipe").input_value() == "qlora-ddp"


def test_the_other_language_keeps_the_state(open_page: Callable[..., Any]) -> None:
    page = open_page(FULL).page
    page.locator("#c-seq_len").fill("16384")
    before = state_of(page)
    page.locator("[data-tf-language]").first.click()
    page.wait_for_url("**/en/calculator/?*")
    assert state_of(page) == before
    assert page.locator("h1").inner_text().startswith("Calculator")


def test_the_link_to_the_answer_is_the_address(browser: Any, address: str) -> None:
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    page = context.new_page()
    page.goto(f"{address}en/{FULL}")
    page.locator("#c-seq_len").fill("2048")
    page.get_by_role("button", name="Copy the link").click()
    page.get_by_role("button", name="Copied").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.url
    assert "seq_len=2048" in copied
    context.close()


def test_a_bare_address_starts_with_the_first_rig(open_page: Callable[..., Any]) -> None:
    watcher = open_page("calculator/")
    state = state_of(watcher.page)
    assert (state["rig"], state["method"]) == (RIG, "full")
    assert watcher.page.locator(".tf-answer__head .tf-verdict--comfortable").is_visible()
    assert watcher.problems == []


HOSTILE = [
    "model=<img src=x onerror=alert(1)>&gpu=nothing&n_gpus=abc&method=zzz",
    "params_b=-1&seq_len=1e999&micro_batch=0",
    "config={}&method=lora",
    "config=%7B%22model_type%22%3A%22%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E%22%7D",
    "rig=__proto__&model=constructor&recipe=toString",
    "seq_len=4096&sharding=none&n_gpus=4&gpu=rtx-4090",
]


@pytest.mark.parametrize("query", HOSTILE)
def test_a_senseless_address_never_breaks_the_page(open_page: Callable[..., Any], query: str) -> None:
    watcher = open_page(f"en/calculator/?{query}")
    answer = watcher.page.locator("[data-answer]")
    assert answer.locator(".tf-answer__head, .tf-answer__refusal").first.is_visible()
    assert watcher.page.locator("article img").count() == 0
    assert watcher.problems == []


# --- config.json and a bare size -------------------------------------------------------------------------------------


def test_a_config_file_is_read_in_the_browser(open_page: Callable[..., Any], tmp_path: Any) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps(CONFIG | {"transformers_version": "5.0.0", "bos_token_id": 1}), encoding="utf-8")
    watcher = open_page("en/" + FULL)
    page = watcher.page
    page.locator("#c-file").set_input_files(file)
    until(page, "TrainfitCalculator.shown.state.config !== ''")
    total = page.evaluate("TrainfitCalculator.shown.answer.result.parameters_total")
    assert total == next(each["total"] for each in REAL if each["config"] == CONFIG)
    kept = json.loads(state_of(page)["config"])
    assert kept.items() <= CONFIG.items()
    assert "transformers_version" not in kept
    assert page.locator(".tf-command code").inner_text().startswith("trainfit estimate --model-config config.json ")
    page.reload()
    until(page, "TrainfitCalculator.shown?.state.config !== ''")
    assert page.evaluate("TrainfitCalculator.shown.answer.result.parameters_total") == total
    assert watcher.problems == []


def test_a_pasted_config_is_read_and_a_bad_one_says_what_is_missing(open_page: Callable[..., Any]) -> None:
    page = open_page(FULL).page
    page.locator(".tf-segments label").nth(1).click()
    field = page.locator("#c-config")
    for text, missing in [
        ("{nonsense", "expected JSON"),
        (json.dumps({"model_type": "unheard-of"}), "model_type: expected one of the"),
        (json.dumps({key: value for key, value in CONFIG.items() if key != "vocab_size"}), "vocab_size: expected"),
    ]:
        field.fill(text)
        field.blur()
        page.get_by_text(missing).first.wait_for()
        assert field.get_attribute("aria-invalid") == "true"
    field.fill(json.dumps(CONFIG))
    field.blur()
    until(page, "TrainfitCalculator.shown.state.config !== ''")
    assert page.locator("#c-config").get_attribute("aria-invalid") == "false"


def test_a_dropped_file_is_read(open_page: Callable[..., Any]) -> None:
    page = open_page(FULL).page
    page.evaluate(
        """(text) => {
          const transfer = new DataTransfer();
          transfer.items.add(new File([text], "config.json", { type: "application/json" }));
          document.querySelector(".tf-form").dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
        }""",
        json.dumps(CONFIG),
    )
    until(page, "TrainfitCalculator.shown.state.config !== ''")
    assert page.locator("#c-config").is_visible()


def test_a_bare_size_says_which_shape_is_assumed(open_page: Callable[..., Any]) -> None:
    page = open_page("en/" + calculator_path(params_b=8, rig=RIG, method="lora")).page
    assert re.search(r"like that of Llama 3: 32 layers of width 4,096", page.locator("#h-params_b").inner_text())
    page.locator("#c-params_b").fill("1,5")
    assert state_of(page)["params_b"] == "1.5"
    assert "params-b 1.5" in page.locator(".tf-command code").inner_text()


# --- how it behaves --------------------------------------------------------------------------------------------------


def test_by_keyboard_alone(open_page: Callable[..., Any]) -> None:
    watcher = open_page("en/" + FULL)
    page = watcher.page
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "c-model":
            break
    page.keyboard.press("Control+a")
    page.keyboard.type("qwen3 14b")
    assert state_of(page)["model"] == "qwen3-14b"
    for _ in range(10):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "c-method":
            break
    page.keyboard.type("QL")
    assert state_of(page)["method"] == "qlora"
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.closest('fieldset') !== null")
    until(page, "document.querySelector('[data-status]').textContent.includes('Qwen3-14B')")
    assert re.search(
        r"QLoRA, Qwen3-14B: [\d.]+\sGiB of 44\.4\sGiB per card", page.locator("[data-status]").inner_text()
    )
    assert watcher.problems == []


def test_a_change_that_is_proposed_can_be_applied(open_page: Callable[..., Any]) -> None:
    page = open_page("en/" + calculator_path(model="llama-3.3-70b", rig=RIG, method="full")).page
    assert page.locator(".tf-answer__head .tf-verdict--not-recommended").is_visible()
    page.locator(".tf-changes button").first.click()
    assert page.evaluate("['yes', 'tight'].includes(TrainfitCalculator.shown.answer.result.fits)")


def test_a_compromise_is_proposed_as_borderline_like_on_the_site(open_page: Callable[..., Any]) -> None:
    page = open_page("en/" + calculator_path(model="qwen3-14b", rig=RIG, method="full")).page
    first = page.locator(".tf-changes li").first
    assert "all in bf16" in first.inner_text()
    assert first.locator(".tf-verdict--borderline").is_visible()
    first.locator("button").click()
    assert page.locator(".tf-answer__head .tf-verdict--borderline").is_visible()
    assert page.get_by_text("What the compromise costs:").is_visible()


def test_a_changed_setting_is_named_and_can_be_taken_back(open_page: Callable[..., Any]) -> None:
    page = open_page("en/" + FULL).page
    page.locator("summary", has_text="All settings").click()
    page.locator("#c-optimizer").select_option("adamw-8bit")
    line = page.locator("[data-changed]")
    assert "8-bit AdamW" in line.inner_text()
    line.locator("button").click()
    assert not line.is_visible()
    assert state_of(page)["optimizer"] == "adamw"


def test_an_unknown_model_and_a_wrong_number_are_said_at_the_field(open_page: Callable[..., Any]) -> None:
    page = open_page("en/" + FULL).page
    page.locator("#c-model").fill("no such model")
    assert page.locator("#c-model").get_attribute("aria-invalid") == "true"
    assert "no such model" in page.locator("#h-model").inner_text()
    page.locator("#c-seq_len").fill("-5")
    assert page.locator("#c-seq_len").get_attribute("aria-invalid") == "true"
    assert state_of(page)["seq_len"] == "4096"


def test_price_and_energy(open_page: Callable[..., Any]) -> None:
    page = open_page("en/" + FULL + "&" + urlencode({"price_per_gpu_hour": 2, "price_per_kwh": 0.25})).page
    shown = page.locator(".tf-answer").inner_text()
    hours = page.evaluate("TrainfitCalculator.shown.answer.hours.expected")
    cost = hours * 4 * 2 + hours * 4 * 0.3 * 0.25
    assert f"{cost:.2f}" in shown
    assert f"{hours * 4 * 0.3:.1f}\u00a0kWh" in shown


@pytest.mark.parametrize("language", LANGUAGES)
def test_without_javascript_it_leads_to_the_tables(open_page: Callable[..., Any], language: str) -> None:
    watcher = open_page(f"{language}calculator/", javascript=False)
    page = watcher.page
    assert not page.locator(".tf-calculator").is_visible()
    links = page.locator("article .tf-note a")
    assert links.count() >= 3
    links.first.click()
    assert page.url.endswith(f"/{language}rigs/{RIG}/")


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_it_is_accessible(open_page: Callable[..., Any], language: str, scheme: str, width: int) -> None:
    watcher = open_page(
        f"{language}{calculator_path(model='qwen3-14b', rig=RIG, method='full')}", width=width, scheme=scheme
    )
    for details in watcher.page.locator(".tf-form summary").all():
        details.click()
    watcher.page.evaluate("scrollTo(0, 0)")
    assert not watcher.scrolls_sideways()
    found = Axe().run(watcher.page, options=RULES).response["violations"]
    assert [f"{rule['id']}: {[node['target'] for node in rule['nodes']][:4]}" for rule in found] == []
    assert watcher.problems == []


def test_it_works_below_a_path(open_page: Callable[..., Any]) -> None:
    watcher = open_page("name/en/" + FULL)
    watcher.page.locator("#c-seq_len").fill("2048")
    assert "/name/en/calculator/?" in watcher.page.url
    assert watcher.problems == []


BUDGET_BYTES = 450_000


def test_the_first_view_is_light_and_does_not_jump(browser: Any, address: str) -> None:
    context = browser.new_context(viewport={"width": 390, "height": 800})
    page = context.new_page()
    sizes: list[int] = []
    page.on("requestfinished", lambda request: sizes.append(request.sizes()["responseBodySize"]))
    page.add_init_script(
        "globalThis.shift = 0; new PerformanceObserver((list) => { for (const entry of list.getEntries()) "
        "if (!entry.hadRecentInput) shift += entry.value; }).observe({ type: 'layout-shift', buffered: true });"
    )
    page.goto(address + "calculator/", wait_until="networkidle")
    # The test's server does not compress: what is sent here is more than what a real one sends.
    assert 100_000 < sum(sizes) < 2 * BUDGET_BYTES
    assert page.evaluate("shift") <= 0.02
    context.close()


def test_sample_configs_are_real() -> None:
    assert len(REAL) == len(yaml.safe_load(yaml.safe_dump(REAL))) > 20
    assert random.Random(1).choice(REAL)["config"]
