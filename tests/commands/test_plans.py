from __future__ import annotations

import json
from pathlib import Path

import pytest

from generator.architecture import count_parameters
from generator.catalog import Catalog
from generator.commands.plans import COLUMNS, LIBRARY_DEFAULTS, NOT_MODELLED, lora_targets, plan_of
from generator.errors import PlanError, UnknownIdError
from generator.estimate import Plan
from generator.verdict import judge_rig

CASE = {"model": "qwen3-8b", "gpu": "rtx-6000-ada", "n_gpus": "4"}
ALL = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")


def plan(catalog: Catalog, **changes: str) -> Plan:
    return plan_of(catalog, {**CASE, **changes})


@pytest.mark.parametrize("method", ["full", "lora", "qlora", "pretrain"])
def test_what_is_left_out_gives_the_first_recipe_of_the_verdict(catalog: Catalog, method: str) -> None:
    verdict = judge_rig(catalog, "4x-rtx-6000-ada").verdicts["qwen3-8b", method]
    assert plan(catalog, method=method) == verdict.rungs[0].estimate.plan


def test_a_run_of_its_own_gets_what_libraries_do(catalog: Catalog) -> None:
    described = plan(catalog, sharding="fsdp1")
    assert {name: getattr(described, name) for name in LIBRARY_DEFAULTS} == LIBRARY_DEFAULTS
    assert plan(catalog).optimizer_impl == "fused"


def test_the_link_is_that_of_a_rig_with_the_same_cards(catalog: Catalog) -> None:
    rig = catalog.rigs["4x-rtx-6000-ada"]
    assert plan(catalog).bus_gb_per_s == rig.interconnect.bus_gb_per_s.value
    assert plan(catalog, n_gpus="3").bus_gb_per_s is None
    assert plan(catalog, bus_gb_per_s="5.5").bus_gb_per_s == 5.5


@pytest.mark.parametrize(
    ("column", "text", "value"),
    [
        ("optimizer", "adamw bf16 states", "adamw-bf16"),
        ("optimizer", "AdamW fp32", "adamw"),
        ("optimizer", "adamw8bit", "adamw-8bit"),
        ("optimizer", "paged_adamw8bit", "paged-adamw-8bit"),
        ("cpu_offload", "n", "none"),
        ("grad_checkpointing", "n", False),
        ("grad_checkpointing", "Yes", True),
        ("grad_checkpointing", "unknown", True),
        ("fused_ce", "y", True),
        ("compile", "y", True),
        ("seq_len", "512", 512),
        ("seq_len", "512.0", 512),
        ("micro_batch", "2", 2),
        ("ecc", "off", "off"),
        ("ecc", "", "on"),
        ("precision", "BF16-pure", "bf16-pure"),
        ("grad_sync", "last", "last"),
        ("kernels", "fused", "fused"),
        ("reduce_dtype", "fp32", "fp32"),
        ("root_wrap", "root", "root"),
        ("attention", "eager", "eager"),
    ],
)
def test_spellings(catalog: Catalog, column: str, text: str, value: object) -> None:
    assert getattr(plan(catalog, **{column: text}), column) == value


@pytest.mark.parametrize(
    ("text", "quant"), [("bnb-nf4", "nf4"), ("bnb-nf4-dq", "nf4-dq"), ("nf4(torchao)", "nf4"), ("nf4", "nf4")]
)
def test_spellings_of_four_bits(catalog: Catalog, text: str, quant: str) -> None:
    assert plan(catalog, method="qlora", quant=text).quant == quant


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("q+v", ("q_proj", "v_proj")),
        ("qkvo", ALL[:4]),
        ("all-linear", ALL),
        ("all", ALL),
        ("q_proj+k_proj+v_proj+o_proj", ALL[:4]),
        ("q_proj+k_proj+v_proj+o_proj+c_attn", ALL[:4]),
        ("v_proj, q_proj", ("q_proj", "v_proj")),
        ("q+k+v+o+mlp", ALL),
        ("down_proj", ("down_proj",)),
    ],
)
def test_targets(catalog: Catalog, text: str, targets: tuple[str, ...]) -> None:
    assert lora_targets(text, catalog.models["qwen3-8b"].architecture.shape()) == targets


@pytest.mark.parametrize("text", ["c_attn", "q+k+v+o+mlp+head", "nothing", ",", "x" * 1000])
def test_no_targets(catalog: Catalog, text: str) -> None:
    with pytest.raises(PlanError, match="lora_targets: expected"):
        plan(catalog, method="lora", lora_targets=text)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model": ""}, "model: expected a model, a model_config or params_b, found none"),
        ({"gpu": ""}, "gpu: expected catalogue id or alias of the GPU, found nothing"),
        ({"n_gpus": "four"}, "n_gpus: expected a whole number above 0, found `four`"),
        ({"n_gpus": "-1"}, "n_gpus: expected a whole number above 0, found `-1`"),
        ({"n_gpus": "1_000"}, "n_gpus: expected a whole number above 0, found `1_000`"),
        ({"n_gpus": "٤"}, "n_gpus: expected a whole number above 0, found `٤`"),
        ({"seq_len": "0"}, "seq_len: expected a whole number above 0, found `0`"),
        ({"seq_len": "1e999"}, "seq_len: expected a whole number above 0, found `1e999`"),
        ({"seq_len": "nan"}, "seq_len: expected a whole number above 0, found `nan`"),
        ({"seq_len": "4096.5"}, "seq_len: expected a whole number above 0, found `4096.5`"),
        ({"model": "", "params_b": "inf"}, "params_b: expected a number above 0, found `inf`"),
        ({"grad_checkpointing": "selective"}, "grad_checkpointing: expected y or n, found `selective`"),
        (
            {"precision": "fp8"},
            "precision: expected one of bf16-mixed, bf16-pure, fp16-mixed, fp16-pure, fp32, found fp8",
        ),
        ({"sharding": "tp"}, "sharding: expected one of none, ddp, zero1, zero2, zero3, fsdp1, fsdp2, found tp: not"),
        (
            {"sharding": "none"},
            "sharding: expected one of ddp, zero1, zero2, zero3, fsdp1, fsdp2 on 4 GPUs, found none",
        ),
        ({"quant": "awq-int4", "method": "qlora"}, "quant: expected one of none, nf4, nf4-dq, int8, gptq-int4, found"),
        ({"cpu_offload": "params"}, "cpu_offload: expected one of none, optimizer, all, found params: not modelled"),
        ({"optimizer": "galore"}, "optimizer: expected one of adamw, "),
        ({"lora_dropout": "5"}, "lora_dropout: expected a share from 0 to below 1, found `5`"),
        ({"lora_dropout": "some"}, "lora_dropout: expected a share from 0 to below 1, found `some`"),
        ({"train_embeddings": "y"}, "train_embeddings: expected n for method full, which trains them anyway, found y"),
        ({"bus_gb_per_s": "1e-320"}, "bus_gb_per_s: expected a number from 0.001 to 1000000, found `1e-320`"),
        ({"ecc": "maybe"}, "ecc: expected one of on, off, found maybe"),
    ],
)
def test_a_plan_that_cannot_be_names_the_column(catalog: Catalog, changes: dict[str, str], message: str) -> None:
    with pytest.raises(PlanError) as caught:
        plan(catalog, **changes)
    assert str(caught.value).startswith(message)


def test_what_exists_and_is_not_modelled_is_said_so(catalog: Catalog) -> None:
    for column, (modelled, others) in NOT_MODELLED.items():
        assert not set(modelled) & set(others)
        for value in others:
            with pytest.raises(PlanError, match=f"found {value}: not modelled"):
                plan(catalog, **{column: value})


def test_unknown_names(catalog: Catalog) -> None:
    for column in ("model", "gpu", "method"):
        with pytest.raises(UnknownIdError):
            plan(catalog, **{column: "nothing-like-it"})


def test_sharding_means_nothing_on_one_gpu(catalog: Catalog) -> None:
    assert plan(catalog, n_gpus="1", sharding="fsdp2").sharding == "none"


def test_a_bare_size_is_a_stand_in(catalog: Catalog) -> None:
    made = plan(catalog, model="", params_b="1.5")
    assert made.model == "size-1.5"
    assert count_parameters(made.shape).total == pytest.approx(1.5e9, rel=0.1)


def test_a_config_wins_over_a_model(catalog: Catalog, tmp_path: Path) -> None:
    shape = catalog.models["llama-3.1-8b"].architecture.shape()
    path = tmp_path / "config.json"
    config = {
        "model_type": "llama",
        "num_hidden_layers": shape.layers,
        "hidden_size": shape.hidden,
        "intermediate_size": shape.intermediate,
        "num_attention_heads": shape.heads,
        "num_key_value_heads": shape.kv_heads,
        "vocab_size": shape.vocab,
    }
    path.write_text(json.dumps(config))
    assert plan(catalog, model_config=str(path)).shape == shape
    assert plan(catalog, model=str(path)).shape == shape
    assert plan(catalog, model_config=str(path)).model == "qwen3-8b"


def test_pretraining_starts_without_a_tower(catalog: Catalog) -> None:
    assert plan(catalog, model="gemma-3-4b").shape.tower_parameters > 0
    assert plan(catalog, model="gemma-3-4b", method="pretrain").shape.tower_parameters == 0


def test_every_field_of_a_plan_is_a_column() -> None:
    assert set(Plan.__dataclass_fields__) - {"shape"} <= set(COLUMNS)
