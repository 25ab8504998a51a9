"""Each rule by an edit that breaks it; the small catalogue itself breaks none (test_loading)."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import get_args

import pytest

from generator.catalog import Catalog, load_catalog
from generator.catalog.loading import METHOD_IDS
from generator.catalog.records import Settings
from generator.catalog.rules import RULES, rule
from generator.catalog.rules.completeness import REQUIRED_CONSTANTS, contradictions
from generator.catalog.rules.texts import placeholders
from generator.errors import CatalogErrors, DataError, PlanError
from generator.estimate import FORMULAS, Plan
from generator.estimate.inputs import card_numbers, inputs_of, name_of
from tests.catalog.rule_samples import BAD, GOOD, OTHER, Edit
from tests.support import FILES, GPU, MODEL, RIG, edit, tiny_catalog, write


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return tiny_catalog(tmp_path)


def errors(data: Path) -> list[DataError]:
    try:
        return list(load_catalog(data).warnings)
    except CatalogErrors as problem:
        return list(problem.errors)


@pytest.mark.parametrize(("rule_id", "name", "old", "new", "message"), BAD, ids=[case[0] for case in BAD])
def test_a_broken_rule_says_so_at_its_line(
    data: Path, rule_id: str, name: str, old: str, new: str, message: str
) -> None:
    edit(data, name, old, new)
    found = [str(error) for error in errors(data) if error.rule == rule_id]
    place = RIG if rule_id == "rig-link" else name
    assert f"data/{place}:{message}" in found if message else found == [], found


def test_a_reason_explains_a_vendors_figure(data: Path) -> None:
    new = "{value: 0.7, source: qwen3-0.6b-card, where: x, reason: {ru: С буферами., en: With buffers.}}"
    edit(data, MODEL, "{value: 0.6, source: qwen3-0.6b-card, as_printed: 0.6B}", new)
    assert errors(data) == []


def test_a_speed_is_the_share_of_the_peak_that_its_class_says(data: Path) -> None:
    shares = "cautious: 0.2, expected: 0.3, best: 0.4"
    named = "id: ada, name: {ru: Ада, en: Ada}, reason: {ru: Измерено., en: Measured.}, citations: [{source: zero}]"
    edit(data, "policy.yml", "size_classes:", f"speed_classes:\n  - {{{named}, {shares}}}\nsize_classes:")
    edit(data, GPU, "sustained_tflops:\n", "sustained_tflops:\n  speed_class: ada\n")
    assert errors(data) == []
    edit(data, GPU, "  best: 146", "  best: 160")
    assert [str(error) for error in errors(data)] == [
        f"data/{GPU}:29:9: sustained_tflops.best: expected about 145.7 TFLOPS (0.4 of the dense peak), found 160"
    ]


def second_model(data: Path, *edits: tuple[str, str]) -> None:
    text = (data / MODEL).read_text(encoding="utf-8")
    changes = [("name: Qwen3-0.6B", "name: Other"), ("[Qwen/Qwen3-0.6B, Qwen/Qwen3-0.6B-Base]", "[]"), *edits]
    for old, new in changes:
        text = text.replace(old, new)
    write(data, OTHER, text)


def test_a_source_in_a_file_belongs_to_that_file(data: Path) -> None:
    second_model(data)
    assert [str(error) for error in errors(data) if error.rule == "unique-ids"] == [
        (
            f"data/{MODEL}:27:3: sources.qwen3-0.6b-card: expected an id of its own, found `qwen3-0.6b-card` also in"
            f" data/{OTHER} (move it to sources/ to cite it from several files)"
        )
    ]


def test_an_id_in_two_folders(data: Path) -> None:
    write(data, "models/qwen/qwen3-0.6b.yml", (data / MODEL).read_text(encoding="utf-8"))
    found = [error for error in errors(data) if error.rule == "unique-ids"]
    assert str(found[0]).startswith(
        f"data/{MODEL}:1:1: expected an id of its own, found `qwen3-0.6b` also in data/models/qwen/qwen3-0.6b.yml"
    )


def test_names_of_two_models(data: Path) -> None:
    own = ("qwen3-0.6b-card", "other-card")
    second_model(data, own, ("family: Qwen3", "family: QWEN"), ("vendor:", "aliases: [QWEN3-0.6B]\nvendor:"))
    assert [(error.rule, error.path, error.field) for error in errors(data)] == [
        ("one-family-per-folder", f"data/{OTHER}", "family"),
        ("unique-names", f"data/{OTHER}", "aliases.0"),
        ("one-source-per-document", f"data/{OTHER}", "sources.other-card.url"),
    ][: len(errors(data))]


def test_a_name_that_is_taken_is_said_with_both_files(data: Path) -> None:
    second_model(data, ("qwen3-0.6b-card", "other-card"), ("vendor:", "aliases: [qwen/qwen3-0.6B]\nvendor:"))
    assert [str(error) for error in errors(data) if error.rule == "unique-names"] == [
        (
            f"data/{MODEL}:4:16: hugging_face.0: expected a name of its own, found `Qwen/Qwen3-0.6B`, which means"
            f" `other` (it is in data/{OTHER}:3 too: delete one of them)"
        )
    ]


def folders(data: Path, *models: tuple[str, str]) -> list[str]:
    """What is said of models in other folders: path and family of each."""
    text = (data / MODEL).read_text(encoding="utf-8")
    for number, (path, family) in enumerate(models):
        own = text.replace("name: Qwen3-0.6B", f"name: Other{number}").replace("qwen3-0.6b-card", f"card-{number}")
        own = own.replace("[Qwen/Qwen3-0.6B, Qwen/Qwen3-0.6B-Base]", "[]")
        write(data, f"models/{path}.yml", own.replace("family: Qwen3", f"family: {family}"))
    return [str(error) for error in errors(data) if error.rule == "one-family-per-folder"]


def test_the_model_in_the_wrong_folder_is_named_and_no_other(data: Path) -> None:
    wrong = "family: expected `Gemma` like 2 other models in data/models/gemma/, found `Qwen3` (move the file to"
    there = (("gemma/b", "Gemma"), ("gemma/c", "Gemma"))
    assert folders(data, ("gemma/a", "Qwen3"), *there) == [
        f"data/models/gemma/a.yml:2:9: {wrong} data/models/qwen3/, or correct the family)"
    ]


def test_of_two_models_it_is_the_one_with_a_folder_elsewhere(data: Path) -> None:
    home = "(move the file to data/models/qwen3/, or correct the family)"
    one = "family: expected `My Llama` like 1 other model in data/models/llama/, found `Qwen3`"
    assert folders(data, ("llama/a", "Qwen3"), ("llama/b", "My Llama")) == [
        f"data/models/llama/a.yml:2:9: {one} {home}"
    ]


def test_of_two_models_without_another_folder_it_is_the_one_with_another_name(data: Path) -> None:
    assert folders(data, ("acme-1/a", "Brand New"), ("acme-1/b", "Acme 1")) == [
        (
            "data/models/acme-1/a.yml:2:9: family: expected `Acme 1` like 1 other model in data/models/acme-1/, found"
            " `Brand New` (move the file to data/models/brand-new/, or correct the family)"
        )
    ]


def test_a_card_in_the_folder_of_another_vendor(data: Path) -> None:
    text = (data / GPU).read_text(encoding="utf-8").replace("RTX 6000 Ada", "Pro 5").replace("RTX A6000", "Pro 6")
    write(data, "gpus/nvidia/pro-5.yml", text.replace("vendor: NVIDIA", "vendor: AMD"))
    assert [str(error) for error in errors(data) if error.rule == "one-vendor-per-folder"] == [
        (
            "data/gpus/nvidia/pro-5.yml:2:9: vendor: expected `NVIDIA` like 1 other GPU in data/gpus/nvidia/, found"
            " `AMD` (move the file to data/gpus/amd/, or correct the vendor)"
        )
    ]


def test_every_rule_has_a_failing_example() -> None:
    shown = {case[0] for case in BAD if case[4]} | {"unique-ids", "one-family-per-folder", "one-vendor-per-folder"}
    assert shown == set(RULES)


@pytest.mark.parametrize("rule_id", GOOD)
def test_what_comes_near_breaks_nothing(data: Path, rule_id: str) -> None:
    for change in GOOD[rule_id]:
        apply(data, change)
    assert [str(error) for error in errors(data)] == []


def apply(data: Path, change: Edit) -> None:
    """One edit of a good sample."""
    name, old, new = change
    text = (data / name).read_text(encoding="utf-8")
    if not old:
        write(data, new, text)
        return
    assert old in text, f"{name} does not hold {old!r}"
    write(data, name, text.replace(old, new))


def test_every_rule_has_a_good_example() -> None:
    assert set(GOOD) == set(RULES)


def test_the_constants_are_those_that_formulas_name(catalog: Catalog) -> None:
    named = {name for group in FORMULAS for step in group.steps.values() for name in step.inputs}
    assert {name_of(id_) for id_ in REQUIRED_CONSTANTS} <= named
    plan = Plan("m", catalog.models["qwen3-0.6b"].architecture.shape(), "g", n_gpus=1, method="full")
    given = {**inputs_of(plan, catalog.constants), **card_numbers(catalog.gpus["rtx-6000-ada"])}
    computed = {name for group in FORMULAS for name in group.steps}
    assert named - computed <= set(given)


def test_the_rule_for_recipes_says_what_a_plan_says(catalog: Catalog) -> None:
    shape = catalog.models["qwen3-0.6b"].architecture.shape()
    fields = ("precision", "optimizer", "optimizer_impl", "sharding", "cpu_offload", "quant")
    options = [get_args(Settings.model_fields[field].annotation) for field in fields]
    for method in METHOD_IDS:
        for values in itertools.product(*options):
            settings = Settings(**dict(zip(fields, values, strict=True)))
            wrong = bool(list(contradictions(method, settings)))
            try:
                Plan("m", shape, "g", 4, method, lora_targets=("q_proj",), **settings.model_dump())  # type: ignore[arg-type]
            except PlanError:
                assert wrong, settings
            else:
                assert not wrong, settings


def test_a_source_in_a_file_has_an_id_that_makes_an_address(data: Path) -> None:
    path = data / MODEL
    path.write_text(path.read_text(encoding="utf-8").replace("qwen3-0.6b-card", "card.html"), encoding="utf-8")
    assert any("expected an id that makes an address, found `card.html`" in str(error) for error in errors(data))


def test_a_rule_id_is_taken_once() -> None:
    with pytest.raises(ValueError, match="two rules are called fresh"):
        rule("fresh")(lambda _: iter(()))


@pytest.mark.parametrize(
    ("text", "names"), [("{a} and {b_2}", {"a", "b_2"}), ("none", set()), ("{{not}}", set()), ("{a}{a}", {"a"})]
)
def test_placeholders(text: str, names: set[str]) -> None:
    assert placeholders(text) == names


@pytest.mark.parametrize("text", ["{", "}", "{}", "{0}", "{a!r}", "{a:>5}", "{a.b}", "{a[0]}", "{A}", "{a{b}}"])
def test_no_placeholders(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - any
        placeholders(text)


@pytest.mark.parametrize(
    ("value", "printed"),
    [("960", "0.96 TB/s"), ("960", "960 GB/s"), ("960", "up to 960GB/sec"), ("960", "see the table"), ("960", "960,0")],
)
def test_the_figure_may_be_printed_in_another_unit(data: Path, value: str, printed: str) -> None:
    edit(data, GPU, f"value: {value}, source: rtx-6000-ada-datasheet, as_printed: 960 GB/s",
         f"value: {value}, source: rtx-6000-ada-datasheet, as_printed: '{printed}'")  # fmt: skip
    assert errors(data) == []


def test_files_are_texts_of_the_small_catalogue(data: Path) -> None:
    assert {path.relative_to(data).as_posix() for path in data.rglob("*.yml")} == set(FILES)
