"""Every model file: the verified count, the official card, names that lead to it."""

from __future__ import annotations

import pytest

from generator.architecture import count_parameters
from generator.catalog import load_catalog

VERIFIED = {
    "qwen3-0.6b": 596_049_920,
    "qwen3-1.7b": 1_720_574_976,
    "qwen3-4b": 4_022_468_096,
    "qwen3-8b": 8_190_735_360,
    "qwen3-14b": 14_768_307_200,
    "qwen3-32b": 32_762_123_264,
    "gemma-3-1b": 999_885_952,
    "gemma-3-4b": 4_300_079_472,
    "gemma-3-12b": 12_187_325_040,
    "gemma-3-27b": 27_432_406_640,
    "llama-3.1-8b": 8_030_261_248,
    "llama-3.1-70b": 70_553_706_496,
    "llama-3.1-405b": 405_853_388_800,
    "llama-3.2-1b": 1_235_814_400,
    "llama-3.2-3b": 3_212_749_824,
    "llama-3.3-70b": 70_553_706_496,
    "mistral-small-3.1-24b": 24_011_361_280,
    "deepseek-r1-distill-qwen-1.5b": 1_777_088_000,
    "deepseek-r1-distill-qwen-7b": 7_615_616_512,
    "deepseek-r1-distill-llama-8b": 8_030_261_248,
    "deepseek-r1-distill-qwen-14b": 14_770_033_664,
    "deepseek-r1-distill-qwen-32b": 32_763_876_352,
    "deepseek-r1-distill-llama-70b": 70_553_706_496,
}
"""Parameters of the transformers class on the meta device, equal to the elements of the checkpoint or explained."""

VISION = {
    "gemma-3-4b": 3_880_263_168,
    "gemma-3-12b": 11_766_034_176,
    "gemma-3-27b": 27_009_346_304,
    "mistral-small-3.1-24b": 23_572_403_200,
}
"""Parameters of the language model alone, for models that load a vision tower."""

NAMES = {
    "Qwen/Qwen3-14B-Base": "qwen3-14b",
    "qwen/qwen3-14b": "qwen3-14b",
    "meta-llama/Meta-Llama-3.1-8B-Instruct": "llama-3.1-8b",
    "meta-llama/Llama-3.1-8B": "llama-3.1-8b",
    "meta-llama/Llama-3.1-405B": "llama-3.1-405b",
    "google/gemma-3-27b-it": "gemma-3-27b",
    "gemma3:12b": "gemma-3-12b",
    "mistralai/Mistral-Small-3.1-24B-Instruct-2503": "mistral-small-3.1-24b",
    "DeepSeek R1 Distill Llama 70B": "deepseek-r1-distill-llama-70b",
    "deepseek-ai/DeepSeek-R1-Distill-Qwen-1.5B": "deepseek-r1-distill-qwen-1.5b",
}


MODELS = sorted(load_catalog().models)


def test_the_models_of_the_report_are_there(catalog):
    assert set(VERIFIED) <= set(catalog.models)


@pytest.mark.parametrize("model_id", sorted(VERIFIED))
def test_count_is_the_verified_one(catalog, model_id):
    model = catalog.models[model_id]
    assert model.parameters.exact.value == VERIFIED[model_id]
    assert count_parameters(model.architecture.shape()).total == VERIFIED[model_id]


@pytest.mark.parametrize("model_id", MODELS)
def test_count_follows_from_the_architecture(catalog, model_id):
    model = catalog.models[model_id]
    assert count_parameters(model.architecture.shape()).total == model.parameters.exact.value


@pytest.mark.parametrize("model_id", sorted(VISION))
def test_vision_tower_is_apart_from_the_language_model(catalog, model_id):
    model = catalog.models[model_id]
    assert model.modality == "text-and-vision"
    assert count_parameters(model.architecture.shape()).text == VISION[model_id]


@pytest.mark.parametrize("model_id", MODELS)
def test_only_models_with_images_have_a_tower(catalog, model_id):
    model = catalog.models[model_id]
    assert (model.architecture.tower_parameters is not None) == (model.modality == "text-and-vision")


UNWITNESSED = {
    "magistral-small-1.2-24b",
    "magistral-small-24b",
    "mistral-small-3.2-24b",
    "qwen3-reranker-0.6b",
    "qwen3-reranker-4b",
    "qwen3-reranker-8b",
    "t-lite-1.0",
    "t-pro-1.0",
    "yandexgpt-5-lite-8b",
}
"""Nobody who counts the elements of checkpoints has them: their dimensions are assumed, each with its reason."""


@pytest.mark.parametrize("model_id", MODELS)
def test_count_has_a_witness_that_did_not_compute_it(catalog, model_id):
    exact = catalog.models[model_id].parameters.exact
    assert exact.kind == "computed"
    assert exact.reason is not None or exact.source is not None
    printed = {citation.as_printed for citation in exact.also}
    explained = [conflict for conflict in exact.conflicts if conflict.value != exact.value]
    if model_id in UNWITNESSED:
        assert not printed
        assert not explained
        assert catalog.models[model_id].architecture.layers.kind == "assumed"
    else:
        own = exact.source is not None and (catalog.sources[exact.source].url or "").endswith("/config.json")
        known = own or model_id == "embeddinggemma-300m"  # counted from the file itself, as `trainfit add` does
        assert str(exact.value) in printed or explained or known, "nobody else counted it"


@pytest.mark.parametrize("model_id", MODELS)
def test_card_is_an_official_model_card(catalog, model_id):
    model = catalog.models[model_id]
    card = catalog.sources[model.card]
    assert card.type == "model-card"
    assert card.publisher == model.vendor


@pytest.mark.parametrize("model_id", sorted(VERIFIED))
def test_facts_that_pages_show_are_there(catalog, model_id):
    model = catalog.models[model_id]
    assert model.released is not None
    assert model.licence is not None
    assert model.context_tokens is not None
    assert model.parameters.stated_billions is not None
    assert model.context_tokens.value >= 32_768


@pytest.mark.parametrize("model_id", MODELS)
def test_a_model_has_names(catalog, model_id):
    model = catalog.models[model_id]
    assert model.hugging_face or model.aliases


@pytest.mark.parametrize(
    ("field", "least"), [("released", 0.8), ("licence", 0.9), ("gated", 0.8), ("context_tokens", 0.85)]
)
def test_most_facts_are_known(catalog, field, least):
    known = sum(getattr(model, field) is not None for model in catalog.models.values())
    assert known >= least * len(catalog.models)


@pytest.mark.parametrize(("name", "model_id"), NAMES.items())
def test_names_lead_to_the_model(catalog, name, model_id):
    assert catalog.resolve_model(name) == model_id


def test_six_distillations_of_r1(catalog):
    distills = {name for name in catalog.models if name.startswith("deepseek-r1-distill-")}
    sizes = sorted(catalog.models[name].parameters.stated_billions.value for name in distills)
    assert sizes == [1.5, 7, 8, 14, 32, 70]
    assert {catalog.family_of(name) for name in distills} == {"deepseek-r1-distill"}


@pytest.mark.parametrize(
    ("model_id", "base"),
    [("deepseek-r1-distill-llama-8b", "llama-3.1-8b"), ("deepseek-r1-distill-llama-70b", "llama-3.3-70b")],
)
def test_distillations_have_the_shape_of_their_base(catalog, model_id, base):
    model = catalog.models[model_id]
    assert model.derived_from == base
    assert model.architecture.shape() == catalog.models[base].architecture.shape()


def test_tied_and_untied_heads(catalog):
    tied = {name for name, model in catalog.models.items() if model.architecture.tied_embeddings.value}
    assert {"qwen3-4b", "llama-3.2-3b", "gemma-3-27b"} <= tied
    assert not {"qwen3-8b", "llama-3.1-8b", "deepseek-r1-distill-qwen-1.5b"} & tied


@pytest.mark.parametrize("model_id", ["qwen3-0.6b", "qwen3-1.7b"])
def test_a_checkpoint_with_a_copied_head_is_shown_as_a_conflict(catalog, model_id):
    model = catalog.models[model_id]
    counts = count_parameters(model.architecture.shape())
    (conflict,) = model.parameters.exact.conflicts
    assert conflict.value == counts.total + counts.embedding


@pytest.mark.parametrize("model_id", ["gemma-3-4b", "gemma-3-12b", "gemma-3-27b"])
def test_padded_vocabulary_of_gemma_is_shown_as_a_conflict(catalog, model_id):
    vocab = catalog.models[model_id].architecture.vocab
    assert vocab.value == 262_208
    assert [conflict.value for conflict in vocab.conflicts] == [262_144]
