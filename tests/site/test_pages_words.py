"""How pages put numbers and settings into words."""

from __future__ import annotations

import pytest

from generator.catalog.records import Constant
from generator.estimate.results import Band
from generator.site.messages import Messages
from generator.site.page import LANGUAGES
from generator.site.pages_env import PageWriter, typeset, within_sentence
from generator.site.pages_reasons import ReasonWriter
from generator.site.pages_settings import recipe_idea, settings_of
from generator.site.pages_values import ValueWriter
from generator.verdict.results import Reason
from tests.site.html_tree import parse
from tests.site.pages_support import site_catalog, site_pages, site_reports

DAYS = 365.25


def plain(text: object) -> str:
    return str(text).replace("\u00a0", " ").replace("\u202f", " ")


@pytest.mark.parametrize(
    ("value", "goal", "form", "ru", "en"),
    [
        (0.004, "fine-tuning", "plain", "1 минута", "1 minute"),
        (0.4, "fine-tuning", "plain", "24 минуты", "24 minutes"),
        (0.999, "fine-tuning", "plain", "1 час", "1 hour"),
        (1.5, "fine-tuning", "plain", "1,5 часа", "1.5 hours"),
        (24, "fine-tuning", "limit", "24 часов", "24 hours"),
        (0.4, "pretraining", "plain", "9,6 часа", "9.6 hours"),
        (21, "pretraining", "plain", "21 день", "21 days"),
        (21, "pretraining", "limit", "21 дня", "21 days"),
        (3, "pretraining", "limit", "3 дней", "3 days"),
        (8 * DAYS, "pretraining", "plain", "8 лет", "8 years"),
        (2 * DAYS, "pretraining", "plain", "2 года", "2 years"),
        (2.3 * DAYS, "pretraining", "plain", "2,3 года", "2.3 years"),
        (3 * DAYS, "pretraining", "limit", "3 лет", "3 years"),
        (500 * DAYS, "pretraining", "plain", "больше 100 лет", "over 100 years"),
    ],
)
def test_durations(value, goal, form, ru, en) -> None:
    assert plain(ReasonWriter(PageWriter("", "ru")).duration(value, goal, form)) == ru
    assert plain(ReasonWriter(PageWriter("", "en")).duration(value, goal, form)) == en


@pytest.mark.parametrize(
    ("low", "high", "ru"),
    [(0.3, 0.5, "18–30 минут"), (0.5, 1.1, "30 минут – 1,1 часа"), (3, 17, "3–17 часов"), (2, 2, "2 часа")],
)
def test_a_range_names_one_unit_once(low, high, ru) -> None:
    assert (
        plain(ReasonWriter(PageWriter("", "ru")).duration_range(Band(low, (low + high) / 2, high), "fine-tuning")) == ru
    )


def test_tokens_after_up_to_stand_in_the_genitive() -> None:
    reasons = ReasonWriter(PageWriter("", "ru"))
    assert plain(reasons.tokens_limit(131_072)) == "131 072 токенов"
    assert plain(reasons.tokens_limit(1)) == "1 токена"


@pytest.mark.parametrize(
    ("value", "unit", "ru", "en"),
    [
        (1, "copies", "1 копия", "1 copy"),
        (32, "units of 2·hidden bytes per token", "32 единицы по 2·hidden байт на токен", None),
        (37.5, "units of 2·hidden bytes per token", "37,5 единицы по 2·hidden байт на токен", None),
        (0.85, "ratio", "0,85", "0.85"),
    ],
)
def test_units_of_constants_agree_with_their_numbers(value, unit, ru, en) -> None:
    some = next(iter(site_catalog().constants.constants.values()))
    constant: Constant = some.model_copy(update={"value": value, "unit": unit})
    assert plain(ValueWriter(PageWriter("", "ru")).constant(constant)) == ru
    if en is not None:
        assert plain(ValueWriter(PageWriter("", "en")).constant(constant)) == en


def test_more_than_there_is_comes_as_two_numbers() -> None:
    reasons = ReasonWriter(PageWriter("", "ru"))
    over = {"ratio": 1.66, "peak_gib": 73.8, "usable_gib": 44.4, "overhead_gib": 1.8, "limit": 0.93}
    assert plain(reasons.short(Reason("memory-exceeds", over), "fine-tuning", 1.66)) == "нужно 73,8 ГиБ, есть 44,4 ГиБ"
    tight = {**over, "ratio": 0.95, "peak_gib": 42.2}
    assert plain(reasons.short(Reason("memory-exceeds", tight), "fine-tuning", 0.95)) == "95 % памяти карты"


def test_time_that_is_not_modelled_is_no_data() -> None:
    reasons = ReasonWriter(PageWriter("", "ru"))
    assert reasons.time(None, "fine-tuning") == "нет данных"
    assert reasons.duration_range(None, "fine-tuning") == ""
    offload = [r for v in site_reports()["4x-rtx-6000-ada"].verdicts.values() for r in v.rungs if r.time is None]
    assert offload
    assert all(reasons.deciding(rung, "fine-tuning") for rung in offload)


def test_precision_says_what_the_weights_are_kept_in() -> None:
    catalog, writer = site_catalog(), PageWriter("", "en")
    shown = {
        recipe.id: (settings_of(writer, recipe, method.trains == "all")["precision"], recipe_idea(writer, recipe, 4))
        for method in catalog.methods.values()
        for recipe in method.ladder
    }
    assert shown["full-fsdp2-adamw"] == ("compute in bf16, weights fp32", "FSDP2")
    assert shown["lora-ddp"] == ("compute in bf16, frozen base in bf16", "DDP")
    assert shown["qlora-fsdp2"][0] == "compute in bf16, frozen base in NF4"
    assert shown["full-zero3-offload"] == (
        "weights and gradients in bf16, master weights in fp32",
        "ZeRO-3, offload to host",
    )
    assert shown["full-fsdp2-adam8bit"][1] == "FSDP2, all in bf16, 8-bit AdamW"
    alone = {
        recipe.id: recipe_idea(writer, recipe, 1) for method in catalog.methods.values() for recipe in method.ladder
    }
    assert alone["full-fsdp2-adamw"] == alone["lora-ddp"] == ""
    assert alone["full-fsdp2-adam8bit"] == "all in bf16, 8-bit AdamW"
    assert alone["full-zero3-offload"] == "ZeRO-3, offload to host"


def test_russian_lines_do_not_break_before_a_dash_or_after_a_preposition() -> None:
    assert typeset("QLoRA — до 70B, 48 ГБ на карту", "ru") == "QLoRA\u00a0— до\u00a070B, 48\u00a0ГБ на\u00a0карту"
    assert typeset('<a href="../a/">в 4 бита</a>', "ru") == '<a href="../a/">в\u00a04\u00a0бита</a>'
    assert typeset("4 718 592 числа у Llama 3.1 405B", "ru") == "4\u00a0718\u00a0592\u00a0числа у\u00a0Llama 3.1 405B"
    assert typeset("one — two a b", "en") == "one — two a b"
    for page in site_pages("ru").values():
        assert all(" —" not in text for html in page.fragments.values() for text, _ in parse(html).texts()), page.path


@pytest.mark.parametrize(("language", "words"), [("ru", "«LoRA/QLoRA"), ("en", "“LoRA/QLoRA")])
def test_the_home_page_says_why_lora_ends_before_qlora(language, words) -> None:
    page = site_pages(language)[""]
    line = site_reports()["4x-rtx-6000-ada"].headline
    assert line.lora != line.qlora
    assert words in parse(page.fragments["pools"]).text
    assert "sync_each_batch: true" in parse(page.fragments["context"]).text


def test_what_is_not_modelled_has_a_name_in_both_languages() -> None:
    models = site_catalog().models.values()
    features = {feature for model in models for feature in model.architecture.shape().unmodelled}
    assert "linear-attention" in features
    for language in LANGUAGES:
        messages = Messages(language)
        assert all(messages(f"models.feature.{feature}") for feature in (*features, "embedding", "reranker"))


@pytest.mark.parametrize(
    ("name", "inside"),
    [
        ("Full fine-tuning", "full fine-tuning"),
        ("Полное дообучение", "полное дообучение"),
        ("QLoRA", "QLoRA"),
        ("", ""),
    ],
)
def test_names_of_methods_keep_no_capital_inside_a_sentence(name: str, inside: str) -> None:
    assert within_sentence(name) == inside
