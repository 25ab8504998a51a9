"""Files of libraries that are not installed here, by schemas made from the libraries' own field definitions.

scripts/stack_schemas.py writes the schemas; each names the package, its version and the hash of what was read.
"""

from __future__ import annotations

import ast
import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from generator.catalog import Catalog
from generator.launch import Job
from generator.site.launch import written
from tests.stack.jobs import sample
from tests.stack.read_back import calls

SCHEMAS = Path(__file__).resolve().parent / "schemas"
PACKAGES = {
    "axolotl": "axolotl",
    "llama-factory": "llamafactory",
    "deepspeed": "deepspeed",
    "torchtitan": "torchtitan",
}


@cache
def schema_of(name: str) -> dict[str, Any]:
    loaded = json.loads((SCHEMAS / f"{name}.json").read_text("utf-8"))
    assert isinstance(loaded, dict)
    return loaded


def complaints(framework: str, content: Any) -> list[str]:
    validator = jsonschema.Draft202012Validator(schema_of(framework))
    return [
        f"{'.'.join(map(str, error.absolute_path))}: {error.message}"[:200] for error in validator.iter_errors(content)
    ]


def content_of(framework: str, files: dict[str, str]) -> Any:
    """What the library reads of a job's files."""
    match framework:
        case "axolotl":
            return yaml.safe_load(files["axolotl.yaml"])
        case "llama-factory":
            return yaml.safe_load(files["llama_factory.yaml"])
        case "deepspeed":
            return json.loads(files["ds_zero3.json"])
    called = calls(files["pretrain.py"])
    return {
        name: {key: value for key, value in arguments.items() if value is not ...} for name, arguments in called.items()
    }


def jobs_of(framework: str) -> list[Job]:
    return [job for job in sample() if job.framework == framework]


@pytest.mark.parametrize("framework", sorted(PACKAGES))
def test_every_file_is_valid(catalog: Catalog, framework: str) -> None:
    jobs = jobs_of(framework)
    assert jobs
    for job in jobs:
        files = dict(written(catalog, job, "ru"))
        assert complaints(framework, content_of(framework, files)) == [], (job.model, job.recipe)


@pytest.mark.parametrize("framework", sorted(PACKAGES))
def test_the_schema_is_of_the_version_that_is_pinned(catalog: Catalog, framework: str) -> None:
    (environment,) = (each for each in catalog.environments.values() if each.framework == framework)
    read = schema_of(framework)["x-package"]
    assert (read["name"], read["version"]) == (PACKAGES[framework], environment.packages[PACKAGES[framework]])
    assert len(read["sha256"]) == 64


@pytest.mark.parametrize(
    ("framework", "key", "value"),
    [
        ("axolotl", "micro_batch", 1),
        ("axolotl", "sequence_len", "long"),
        ("axolotl", "fsdp_config", {"fsdp_offload_params": False}),
        ("llama-factory", "lora_r", 16),
        ("llama-factory", "finetuning_type", "qlora"),
        ("llama-factory", "gradient_accumulation_steps", "eight"),
        ("deepspeed", "zero_optimisation", {"stage": 3}),
        ("deepspeed", "zero_optimization", {"stage": 4}),
        ("deepspeed", "communication_data_type", "bfp16"),
        ("torchtitan", "TrainingConfig", {"batch_size": 1}),
        ("torchtitan", "TrainingConfig", {"dtype": "bf16"}),
        ("torchtitan", "model_registry", {"attn_backend": "sdpa"}),
    ],
)
def test_the_schema_sees_what_the_library_would_refuse(
    catalog: Catalog, framework: str, key: str, value: object
) -> None:
    content = content_of(framework, dict(written(catalog, jobs_of(framework)[0], "en")))
    assert complaints(framework, content) == []
    assert complaints(framework, {**content, key: value}) != []


def test_torchtitan_has_what_the_file_imports(catalog: Catalog) -> None:
    schema = schema_of("torchtitan")
    for job in jobs_of("torchtitan"):
        tree = ast.parse(written(catalog, job, "en")["pretrain.py"])
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module != "measure_torchtitan":
                known = schema["x-modules"][node.module]
                assert {alias.name for alias in node.names} <= set(known), node.module


def test_torchtitan_has_the_models_that_are_named(catalog: Catalog) -> None:
    models = schema_of("torchtitan")["x-models"]
    (environment,) = (each for each in catalog.environments.values() if each.framework == "torchtitan")
    for native in environment.models.values():
        family, flavor = native.split("/")
        assert flavor in models[family]


def test_llama_factory_finds_its_data(catalog: Catalog) -> None:
    for job in jobs_of("llama-factory")[:4]:
        files = written(catalog, job, "en")
        config = yaml.safe_load(files["llama_factory.yaml"])
        assert config["dataset"] in json.loads(files["dataset_info.json"])


def test_llama_factory_has_what_run_py_calls(catalog: Catalog) -> None:
    """The function that trains is imported from where it is, and called with arguments that it has."""
    functions = schema_of("llama-factory")["x-functions"]
    tree = ast.parse(written(catalog, jobs_of("llama-factory")[0], "en")["run.py"])
    imported = {
        alias.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("llamafactory")
        for alias in node.names
    }
    assert imported == {"run_exp": "llamafactory.train.tuner"}
    called = calls(ast.unparse(tree))["run_exp"]
    assert set(called) == {"callbacks"}
    assert set(called) <= set(functions["llamafactory.train.tuner"]["run_exp"]["properties"])
    # Without `args` it reads the file and the options of the command line.
    assert "args" in functions["llamafactory.train.tuner"]["run_exp"]["properties"]


def test_a_quantised_base_is_read_by_every_process(catalog: Catalog) -> None:
    """What Axolotl's own validator refuses and hangs in LLaMA-Factory's Accelerate: 4 bits, FSDP2, one that reads."""
    checked = 0
    for job in sample():
        if job.plan.sharding == "fsdp2" and job.framework in ("axolotl", "llama-factory", "trl"):
            files = written(catalog, job, "en")
            name = "axolotl.yaml" if job.framework == "axolotl" else "accelerate.yaml"
            prefix = "" if job.framework == "axolotl" else "fsdp_"
            fsdp = yaml.safe_load(files[name])["fsdp_config"]
            assert fsdp[f"{prefix}cpu_ram_efficient_loading"] is (job.plan.quant == "none")
            checked += job.plan.quant != "none"
    assert checked
