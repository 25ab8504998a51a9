"""The settings in the files and the plan that was estimated are one record."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import fields, replace
from typing import Any

import pytest
import yaml

from generator.architecture import lora_parameters
from generator.catalog import Catalog
from generator.estimate import Plan, estimate
from generator.launch import FRAMEWORKS, Job, file_names, job_of
from generator.launch.frameworks import WRAPPED_LAYERS
from generator.launch.record import NO_SETTINGS, settings_of
from generator.site.launch import written
from generator.verdict import setup_of
from tests.stack.jobs import sample, verdict_of
from tests.stack.read_back import read_back

OUTSIDE: dict[str, set[str]] = {
    "axolotl": {"n_gpus"},  # it starts a process on every card that it sees
    "deepspeed": {"grad_sync"},  # DeepSpeed partitions gradients after every micro-batch by itself
    "torchtitan": {"grad_sync", "whole_copy"},  # it makes every model on the meta device
}
"""Settings that a framework has no word for, and what stands for them."""
NEVER = {
    "method",
    "kbit_preparation",
    "shifted_logits",
    "chunked_ce",
    "train_embeddings",
    "matmul_keeps_input",
    "fabric_quantization",
    "fp32_logits",
    "keeps_last_step",
}
"""The method is what the others make; the rest describes older libraries, torchtune, LitGPT and Lightning Fabric, and
what no recipe does."""


def meaningful(plan: Plan, name: str) -> bool:
    """Whether a setting means anything for this plan."""
    if name in ("adapter_dtype", "lora_rank", "lora_targets", "lora_dropout"):
        return plan.trains_adapters
    if name == "load_on_card":
        return plan.sharded and plan.quant != "none"
    if name == "whole_copy":  # ZeRO-3 partitions the weights where they were loaded
        return plan.sharding == "fsdp2"
    if name in ("reduce_dtype", "root_wrap", "reshard"):  # ZeRO-3 always gives gathered weights back
        return plan.sharding == "fsdp2" or (plan.sharding == "zero3" and name == "reduce_dtype")
    return not (name == "sharding" and plan.n_gpus == 1)


def expected(job: Job) -> dict[str, Any]:
    """Settings of the plan that the files of its framework have to say."""
    untold = OUTSIDE.get(job.framework, set()) | NEVER
    if job.framework == "axolotl" and job.plan.sharding != "fsdp2":
        untold |= {"sharding"}  # a process per card is DDP
    settings = {
        field.name: getattr(job.plan, field.name)
        for field in fields(Plan)
        if field.name not in untold | set(NO_SETTINGS) and meaningful(job.plan, field.name)
    }
    # A preset of the plan wraps other names where a model fuses matrices: the files have the model's own.
    return settings | ({"lora_targets": job.lora_targets} if job.plan.trains_adapters else {})


def test_files_turn_on_what_was_estimated(catalog: Catalog) -> None:
    """Every setting of every plan of the sample is read back from its files with the same value."""
    for job in sample():
        found = read_back(job.framework, written(catalog, job, "en"))
        wanted = expected(job)
        assert {name: found.get(name, "not in the files") for name in wanted} == wanted, (job.framework, job.recipe)


def test_the_sample_holds_every_framework_method_and_recipe(catalog: Catalog) -> None:
    counted = Counter((job.framework, job.method) for job in sample())
    assert {framework for framework, _ in counted} == set(FRAMEWORKS)
    assert {job.recipe for job in sample()} == {
        recipe.id for method in catalog.methods.values() for recipe in method.ladder
    }
    assert all(counted["trl", method] >= 3 for method in catalog.methods)


@pytest.mark.parametrize(
    ("framework", "file", "old", "new", "setting"),
    [
        ("trl", "sft.yaml", "loss_type: nll", "loss_type: dft", "fused_ce"),
        ("trl", "sft.yaml", "optim: adamw_torch_fused", "optim: adamw_torch", "optimizer_impl"),
        ("trl", "sft.yaml", "gradient_checkpointing: true", "gradient_checkpointing: false", "grad_checkpointing"),
        ("trl", "sft.yaml", "max_length: 4096", "max_length: 2048", "seq_len"),
        ("trl", "sft.yaml", "sync_each_batch: true", "sync_each_batch: false", "grad_sync"),
        ("trl", "accelerate.yaml", "fsdp_version: 2", "fsdp_version: 1", "sharding"),
        ("trl", "accelerate.yaml", "efficient_loading: true", "efficient_loading: false", "whole_copy"),
        ("axolotl", "axolotl.yaml", "efficient_loading: true", "efficient_loading: false", "whole_copy"),
        ("deepspeed", "ds_zero3.json", '"stage": 3', '"stage": 2', "sharding"),
        ("axolotl", "axolotl.yaml", "cross_entropy: true", "cross_entropy: false", "fused_ce"),
        ("llama-factory", "llama_factory.yaml", "liger_kernel: true", "liger_kernel: false", "fused_ce"),
        ("torchtitan", "pretrain.py", "ChunkedLossWrapper.Config(", "CrossEntropyLoss.Config(", "fused_ce"),
    ],
)
def test_a_setting_that_is_off_is_noticed(
    catalog: Catalog, framework: str, file: str, old: str, new: str, setting: str
) -> None:
    job = next(
        job
        for job in sample()
        if job.framework == framework and job.plan.sharding in ("fsdp2", "zero3") and not job.plan.trains_adapters
    )
    files = dict(written(catalog, job, "en"))
    assert old in files[file]
    files[file] = files[file].replace(old, new)
    assert read_back(framework, files).get(setting) != expected(job)[setting]


def test_every_setting_of_a_plan_is_known_here(catalog: Catalog) -> None:
    """A new setting of the estimate has to get its word in the files, or a reason for having none."""
    jobs = [job for job in sample() if job.framework == "trl"]
    known = {name for job in jobs[::5] for name in read_back("trl", written(catalog, job, "en"))}
    assert {field.name for field in fields(Plan)} - known - set(NO_SETTINGS) - NEVER == set()


def test_adapters_wrap_the_matrices_that_the_estimate_counts(catalog: Catalog) -> None:
    """Also in models that fuse projections, whose modules have names of their own."""
    for job in sample():
        if job.plan.trains_adapters:
            counted = lora_parameters(job.plan.shape, job.plan.lora_rank, job.plan.lora_targets)
            assert lora_parameters(job.plan.shape, job.plan.lora_rank, job.lora_targets) == counted
    verdict = verdict_of(catalog, "phi-4-mini", "lora", setup_of(catalog, "4x-rtx-6000-ada"))
    job = job_of(catalog, verdict, setup_of(catalog, "4x-rtx-6000-ada"), "trl")
    assert set(job.lora_targets) == {"qkv_proj", "o_proj", "gate_up_proj", "down_proj"}


def test_no_adapters_are_put_on_towers(catalog: Catalog) -> None:
    """Their matrices have the same names: the files say whose are meant. LLaMA-Factory leaves towers out by itself."""
    jobs = [job for job in sample() if job.has_towers and job.plan.trains_adapters]
    assert {job.framework for job in jobs} >= {"trl", "deepspeed", "axolotl"}
    text, tower = (
        "model.language_model.layers.0.self_attn.q_proj",
        "model.vision_tower.encoder.layers.0.self_attn.q_proj",
    )
    for job in jobs:
        files = written(catalog, job, "en")
        if job.framework == "axolotl":
            pattern = yaml.safe_load(files["axolotl.yaml"])["lora_target_modules"]
        elif job.framework == "llama-factory":
            continue
        else:
            (pattern,) = yaml.safe_load(files["sft.yaml"])["lora_target_modules"]
        assert re.fullmatch(pattern, text)
        assert not re.fullmatch(pattern, tower)


def test_units_of_fsdp_are_named_where_a_model_names_too_many(catalog: Catalog) -> None:
    several = ("gemma-3-4b", "gemma-3-12b", "gemma-3-27b")
    jobs = [job for job in sample() if job.plan.sharding == "fsdp2" and job.framework != "torchtitan"]
    assert {job.model in several for job in jobs} == {True, False}
    for job in jobs:
        name, prefix = ("axolotl.yaml", "") if job.framework == "axolotl" else ("accelerate.yaml", "fsdp_")
        fsdp = yaml.safe_load(written(catalog, job, "en")[name])["fsdp_config"]
        named = fsdp.get(f"{prefix}transformer_layer_cls_to_wrap")
        # Whose pretraining starts without towers: train.py leaves them out.
        alone = job.framework == "trl" and job.goal == "pretraining"
        if job.model in several:
            assert named == (None if alone else "Gemma3DecoderLayer,SiglipEncoderLayer")
        elif not job.model.startswith("gemma-4-"):
            assert named is None


def test_every_model_of_those_classes_is_known(catalog: Catalog) -> None:
    """A new model of theirs has to be looked at: whether it has all the layers that its class names."""
    complete = {"gemma-4-12b", "gemma-4-e2b", "gemma-4-e4b"}  # a class of its own; towers for images and for sound
    found = {
        model
        for model, record in catalog.models.items()
        if record.family in ("Gemma 3", "Gemma 4") and record.architecture.shape().tower_parameters
    }
    assert found - complete == set(WRAPPED_LAYERS)


def test_the_record_beside_the_files_is_the_plan(catalog: Catalog) -> None:
    for job in sample()[::17]:
        record = json.loads(written(catalog, job, "ru")["trainfit.json"])
        assert record["settings"] == settings_of(job.plan)
        assert record["expected"]["peak_gib"]["expected"] == job.estimate.peak_gib.expected


def test_the_estimate_is_that_of_the_plan_in_the_files(catalog: Catalog) -> None:
    for job in sample()[::11]:
        assert estimate(catalog, job.plan).peak_gib == job.estimate.peak_gib
        assert job.estimate.plan == job.plan


def test_a_framework_that_does_otherwise_says_so(catalog: Catalog) -> None:
    changed = [job for job in sample() if job.changed]
    assert changed
    for job in changed[::7]:
        readme = written(catalog, job, "en")["README.md"]
        for name in job.changed:
            assert f"`{name}: {getattr(job.plan, name)}`" in readme


def test_all_files_are_there_in_both_languages(catalog: Catalog) -> None:
    for job in sample()[::13]:
        for language in ("ru", "en"):
            texts = written(catalog, job, language)  # type: ignore[arg-type]
            assert tuple(texts) == file_names(job)
            assert all(text.endswith("\n") and not text.endswith("\n\n") for text in texts.values()), job


def test_the_same_job_gives_the_same_bytes(catalog: Catalog) -> None:
    job = sample()[0]
    assert written(catalog, job, "ru") == written(catalog, replace(job), "ru")
