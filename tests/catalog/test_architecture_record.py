"""The architecture block of a model's file: short for a plain dense model, by its class for any other."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from generator.architecture import count_parameters
from generator.catalog.architecture_record import ArchitectureRecord, ConfigRecord
from generator.catalog.hugging_face import shape_of

DIMENSIONS = {
    "source": "config",
    "layers": 2,
    "hidden": 8,
    "intermediate": 16,
    "heads": 4,
    "kv_heads": 2,
    "head_dim": 2,
    "vocab": 100,
    "tied_embeddings": False,
}
EXPERTS = {"num_local_experts": 4, "num_experts_per_tok": 2}
LATENT = {
    **{key: value for key, value in DIMENSIONS.items() if key not in ("kv_heads", "head_dim")},
    "model_type": "deepseek_v3",
    "config": {"q_lora_rank": 0, "n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 4},
}


def record(**changes: Any) -> ArchitectureRecord:
    return ArchitectureRecord.model_validate({**DIMENSIONS, **changes})


def refusal(block: dict[str, Any]) -> str:
    with pytest.raises(ValidationError) as caught:
        ArchitectureRecord.model_validate(block)
    return str(caught.value)


def test_a_plain_dense_model_is_its_numbers() -> None:
    shape = record().shape()
    assert shape.groups == ()
    assert shape.unmodelled == ()


def test_a_class_says_what_kinds_of_layers_there_are() -> None:
    mixtral = record(model_type="mixtral", config=EXPERTS)
    assert mixtral.shape().features == {"moe"}
    config = {"model_type": "mixtral", **EXPERTS, "num_hidden_layers": 2, "hidden_size": 8, "intermediate_size": 16}
    config |= {"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 2, "vocab_size": 100}
    assert mixtral.shape() == shape_of(config)


def test_fields_of_the_class_inherit_the_source_of_the_block() -> None:
    block = record(model_type="mixtral", where="config.json", config=EXPERTS)
    assert block.config is not None
    assert block.config.num_local_experts is not None
    assert block.config.num_local_experts.source == "config"
    assert block.config.num_local_experts.where == "config.json"
    elsewhere = record(model_type="mixtral", where="config.json", config={"source": "paper", **EXPERTS}).config
    assert elsewhere is not None
    assert elsewhere.num_local_experts is not None
    assert elsewhere.num_local_experts.source == "paper"
    assert elsewhere.num_local_experts.where is None


def test_zero_says_that_queries_are_not_compressed() -> None:
    shape = ArchitectureRecord.model_validate(LATENT).shape()
    assert shape.groups[0].layer.mixers[0].query_rank is None


def test_layers_with_full_attention_by_number() -> None:
    block = record(
        model_type="granitemoehybrid",
        full_attention_layers=[1],
        config={"num_local_experts": 0, "mamba_n_heads": 2, "shared_intermediate_size": 16},
    )
    assert [sorted(group.layer.features) for group in block.shape().groups] == [["state-space"], []]


def test_an_embedding_model_and_a_tower() -> None:
    plain, changed = record().shape(), record(output_head=False, tower_parameters=7).shape()
    assert count_parameters(changed).total == count_parameters(plain).total - 800 + 7
    mixtral = record(model_type="mixtral", config=EXPERTS, output_head=False, tower_parameters=7).shape()
    assert (mixtral.output_head, mixtral.tower_parameters) == (False, 7)


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ({key: value for key, value in DIMENSIONS.items() if key != "head_dim"}, "expected head_dim, found none"),
        ({**DIMENSIONS, "config": EXPERTS}, "expected a model_type, found none"),
        ({**DIMENSIONS, "model_type": "mixtral", "config": EXPERTS, "qkv_bias": True}, "expected no qkv_bias"),
        ({**DIMENSIONS, "model_type": "mixtrall"}, "found `mixtrall`"),
        ({**DIMENSIONS, "model_type": "mixtral", "config": {"experts": 4}}, "Extra inputs are not permitted"),
        (
            {**DIMENSIONS, "model_type": "mixtral", "config": {**EXPERTS, "num_experts_per_tok": 5}},
            "num_experts_per_tok: expected at most the 4 experts, found `5`",
        ),
        ({**LATENT, "intermediate": None}, "intermediate_size: expected a whole number above 0, found nothing"),
    ],
)
def test_what_does_not_go_together_is_refused(block: dict[str, Any], message: str) -> None:
    assert message in refusal(block)


def test_config_holds_only_what_some_class_reads() -> None:
    given: dict[str, object] = {
        name: 1 for name in ConfigRecord.model_fields if name.startswith(("num_", "mamba_", "qk_"))
    }
    given["mamba_rms_norm"] = True
    assert set(ConfigRecord.model_validate({"source": "config", **given}).values()) == set(given)
