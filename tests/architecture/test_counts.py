"""Counts that can be redone by hand."""

from __future__ import annotations

import pytest

from generator.architecture import (
    LORA_TARGETS,
    Architecture,
    QkNorm,
    count_parameters,
    lora_parameters,
    shape_of_size,
)

TINY = Architecture(
    layers=2, hidden=4, intermediate=10, heads=2, kv_heads=1, head_dim=3, vocab=7, tied_embeddings=False
)


def test_tiny_model_by_hand() -> None:
    counts = count_parameters(TINY)
    # q 4×6, k and v 4×3 each, o 6×4; gate, up, down 4×10 each
    assert counts.linear_per_layer == 24 + 12 + 12 + 24 + 3 * 40
    assert counts.small_per_layer == 2 * 4
    assert counts.total == 28 + 28 + 2 * (192 + 8) + 4


def test_tied_head_is_counted_once_but_multiplied() -> None:
    tied = Architecture(**{**_fields(TINY), "tied_embeddings": True})
    assert count_parameters(tied).total == count_parameters(TINY).total - 28
    assert count_parameters(tied).matmul == count_parameters(TINY).matmul


def test_biases_norms_and_tower() -> None:
    with_biases = Architecture(
        **{**_fields(TINY), "qkv_bias": True, "output_bias": True, "qk_norm": QkNorm.PER_HEAD, "tower_parameters": 99}
    )
    per_layer = (6 + 2 * 3) + 4 + 2 * 3
    assert count_parameters(with_biases).total == count_parameters(TINY).total + 2 * per_layer + 99


def test_every_model_of_the_catalogue_has_its_verified_count(catalog) -> None:
    assert len(catalog.models) >= 23
    for model_id, model in catalog.models.items():
        assert count_parameters(model.architecture.shape()).total == model.parameters.exact.value, model_id


def test_lora_of_llama_8b_at_rank_16(catalog) -> None:
    shape = catalog.model("llama-3.1-8b").architecture.shape()
    # q, o: 4096+4096; k, v: 4096+1024; gate, up, down: 4096+14336; 32 layers
    by_hand = 32 * 16 * (2 * 8192 + 2 * 5120 + 3 * 18432)
    assert lora_parameters(shape, 16, LORA_TARGETS["all-linear"]) == by_hand == 41_943_040


@pytest.mark.parametrize("billions", [0.5, 1, 1.5, 3, 7, 13, 30, 70])
def test_stand_in_is_close_to_its_size(billions: float) -> None:
    total = count_parameters(shape_of_size(billions * 1e9)).total
    assert total == pytest.approx(billions * 1e9, rel=0.15)


def _fields(shape: Architecture) -> dict[str, object]:
    return {name: getattr(shape, name) for name in Architecture.__dataclass_fields__}
