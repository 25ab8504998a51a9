#!/usr/bin/env python3
"""Derives JSON Schemas of configuration files from the field definitions of the libraries that read them.

Downloads the released packages that data/stack/environments names (`pip download --no-deps`), reads their sources
without running them, and writes tests/stack/schemas/*.json with the version and the hash of the file that was read.
usage: scripts/stack_schemas.py [FOLDER with packages that are already there]
"""

from __future__ import annotations

import ast
import hashlib
import json
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TARGET = ROOT / "tests/stack/schemas"
SIMPLE = {"bool": "boolean", "int": "integer", "float": "number", "str": "string", "dict": "object", "list": "array"}
SIMPLE |= {"Dict": "object", "List": "array", "tuple": "array", "None": "null"}


@dataclass
class Package:
    """One released package, unpacked."""

    name: str
    version: str
    sha256: str
    root: Path
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    functions: dict[str, ast.FunctionDef] = field(default_factory=dict)

    def read(self, *patterns: str) -> Package:
        """Adds the classes (nested ones as `Outer.Config`) and functions of these files."""
        for pattern in patterns:
            paths = sorted(self.root.glob(pattern))
            if not paths:
                raise SystemExit(f"{self.name} {self.version} has no {pattern}")
            for path in paths:
                for node in ast.parse(path.read_text(encoding="utf-8")).body:
                    self._add(node, "")
        return self

    def _add(self, node: ast.stmt, prefix: str) -> None:
        if isinstance(node, ast.ClassDef):
            self.classes[f"{prefix}{node.name}"] = node
            for inner in node.body:
                if isinstance(inner, ast.ClassDef):
                    self._add(inner, f"{prefix}{node.name}.")
        elif isinstance(node, ast.FunctionDef) and not prefix:
            self.functions[node.name] = node

    def fields(self, name: str) -> Iterator[tuple[str, ast.expr]]:
        """Annotated fields of a class and of its bases that were read, the own ones last."""
        node = self.classes[name]
        outer = name.rpartition(".")[0]
        for base in node.bases:
            base_name = ast.unparse(base)
            for candidate in (f"{outer}.{base_name}" if outer else base_name, base_name, base_name.rpartition(".")[2]):
                if candidate in self.classes and candidate != name:
                    yield from self.fields(candidate)
                    break
        for statement in node.body:
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
                yield _alias(statement.value) or statement.target.id, statement.annotation

    def schema(self, names: Iterable[str]) -> dict[str, Any]:
        """What an object with the fields of these classes may hold."""
        properties = {key: self.type_of(kind) for name in names for key, kind in self.fields(name)}
        return {"type": "object", "properties": dict(sorted(properties.items())), "additionalProperties": False}

    def type_of(self, node: ast.expr) -> dict[str, Any]:
        """The schema of an annotation; anything goes where it says nothing that JSON knows."""
        if isinstance(node, ast.Constant) and node.value is None:
            return {"type": "null"}
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return self.type_of(ast.parse(node.value, mode="eval").body)
        if isinstance(node, ast.BinOp):
            return union([self.type_of(node.left), self.type_of(node.right)])
        if isinstance(node, ast.Subscript):
            return self._subscript(node)
        name = ast.unparse(node)
        if name in SIMPLE:
            return {"type": SIMPLE[name]}
        if name in self.classes:
            return self._of_class(name)
        return {}

    def _of_class(self, name: str) -> dict[str, Any]:
        values = [
            statement.value.value
            for statement in self.classes[name].body
            if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant)
        ]
        bases = {ast.unparse(base) for base in self.classes[name].bases}
        if bases & {"str", "Enum", "StrEnum"} and values:
            return {"enum": values}
        return self.schema([name]) if any(True for _ in self.fields(name)) else {}

    def _subscript(self, node: ast.Subscript) -> dict[str, Any]:
        outer = ast.unparse(node.value).rpartition(".")[2]
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        match outer:
            case "Literal":
                return {"enum": [ast.literal_eval(item) for item in inner]}
            case "Optional":
                return union([self.type_of(inner[0]), {"type": "null"}])
            case "Union":
                return union([self.type_of(item) for item in inner])
            case "Annotated":
                return self.type_of(inner[0])
            case "list" | "List":
                return {"type": "array", "items": self.type_of(inner[0])}
            case "dict" | "Dict" | "Mapping":
                return {"type": "object"}
        return {}


def _alias(value: ast.expr | None) -> str | None:
    """The name that a pydantic field goes by in a file, where it is not its own."""
    if isinstance(value, ast.Call) and ast.unparse(value.func).rpartition(".")[2] == "Field":
        for keyword in value.keywords:
            if keyword.arg == "alias" and isinstance(keyword.value, ast.Constant):
                return str(keyword.value.value)
    return None


def union(options: list[dict[str, Any]]) -> dict[str, Any]:
    """Any of several schemas."""
    flat = [inner for option in options for inner in option.get("anyOf", [option])]
    if {} in flat:
        return {}
    return {"anyOf": [option for index, option in enumerate(flat) if option not in flat[:index]]}


def parameters(function: ast.FunctionDef) -> dict[str, Any]:
    """What a function may be called with by name."""
    names = [argument.arg for argument in [*function.args.args, *function.args.kwonlyargs]]
    closed = function.args.kwarg is None
    properties: dict[str, Any] = {name: {} for name in names}
    return {"type": "object", "properties": properties, "additionalProperties": not closed}


def fetch(folder: Path, work: Path, name: str, version: str) -> Package:
    """The package from `folder`, or from the registry, unpacked below `work`."""
    wanted = f"{name}-{version}".replace("_", "-").lower()
    found = [path for path in folder.iterdir() if path.name.replace("_", "-").lower().startswith(wanted)]
    if not found:
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "-q",
            "--no-deps",
            "--no-build-isolation",
            "-d",
            str(folder),
        ]
        subprocess.run([*command, f"{name}=={version}"], check=True)
        return fetch(folder, work, name, version)
    archive, root = found[0], work / wanted
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(root)  # noqa: S202 (zipfile keeps it inside)
    else:
        with tarfile.open(archive) as tar:
            tar.extractall(root, filter="data")
        root = next(path for path in root.iterdir() if path.is_dir())
    return Package(name, version, hashlib.sha256(archive.read_bytes()).hexdigest(), root)


def axolotl(package: Package) -> dict[str, Any]:
    """axolotl.yaml: AxolotlInputConfig and the arguments of the Liger plugin."""
    package.read(
        "axolotl/utils/schemas/*.py", "axolotl/utils/schemas/internal/*.py", "axolotl/integrations/liger/args.py"
    )
    return package.schema(["AxolotlInputConfig", "LigerArgs"])


def llama_factory(package: Package, transformers: Package) -> dict[str, Any]:
    """llama_factory.yaml: the argument classes that HfArgumentParser reads it into; the function that run.py calls."""
    transformers.read("transformers/training_args.py", "transformers/training_args_seq2seq.py")
    package.read("llamafactory/hparams/*.py")
    names = ["ModelArguments", "DataArguments", "TrainingArguments", "FinetuningArguments", "GeneratingArguments"]
    schema = package.schema(names)
    base = transformers.schema(["Seq2SeqTrainingArguments"])
    schema["properties"] = dict(sorted({**base["properties"], **schema["properties"]}.items()))
    package.read("llamafactory/train/tuner.py")
    functions = {"llamafactory.train.tuner": {"run_exp": parameters(package.functions["run_exp"])}}
    return schema | {"$comment": f"with transformers {transformers.version}", "x-functions": functions}


def deepspeed(package: Package) -> dict[str, Any]:
    """ds_zero3.json: names of the top level from the constants, ZeRO and bf16 from their classes; `auto` everywhere."""
    package.read("deepspeed/runtime/zero/*.py", "deepspeed/runtime/precision_config.py")
    tree = ast.parse((package.root / "deepspeed/runtime/constants.py").read_text(encoding="utf-8"))
    names = {
        node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    }
    properties: dict[str, Any] = {name: {} for name in sorted(names) if name.isidentifier()}
    zero = package.schema(["DeepSpeedZeroConfig"])
    zero["properties"]["stage"] = {"enum": [0, 1, 2, 3]}
    for key, name in (("offload_optimizer", "Optimizer"), ("offload_param", "Param")):
        zero["properties"][key] = package.schema([f"DeepSpeedZeroOffload{name}Config"])
    properties["zero_optimization"] = allowing_auto(zero)
    properties["bf16"] = allowing_auto(package.schema(["DeepSpeedBF16Config"]))
    properties["communication_data_type"] = {"enum": ["fp16", "bf16", "fp32"]}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def allowing_auto(schema: dict[str, Any]) -> dict[str, Any]:
    """Transformers fills in `auto` before DeepSpeed reads the file."""
    schema["properties"] = {
        key: {"anyOf": [value, {"const": "auto"}]} if value else value for key, value in schema["properties"].items()
    }
    return schema


TITAN: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "torchtitan.components.checkpoint": ("torchtitan/components/checkpoint*/**/*.py", ("CheckpointManager",)),
    "torchtitan.components.loss": ("torchtitan/components/loss.py", ("ChunkedLossWrapper", "CrossEntropyLoss")),
    "torchtitan.components.optimizer": (
        "torchtitan/components/optimizer/*.py",
        ("LRSchedulersContainer", "default_adamw"),
    ),
    "torchtitan.config": ("torchtitan/config/*.py", ("CompileConfig", "ParallelismConfig", "TrainingConfig")),
    "torchtitan.distributed.activation_checkpoint": ("torchtitan/distributed/activation_checkpoint.py", ("FullAC",)),
    "torchtitan.hf_datasets.text_datasets": ("torchtitan/hf_datasets/text_datasets.py", ("HuggingFaceTextDataLoader",)),
    "torchtitan.models.common.config_utils": ("torchtitan/models/common/config_utils.py", ("decoder_vocab_size",)),
    "torchtitan.models.llama3": ("torchtitan/models/llama3/__init__.py", ("model_registry",)),
    "torchtitan.models.qwen3": ("torchtitan/models/qwen3/__init__.py", ("model_registry",)),
    "torchtitan.trainer": ("torchtitan/trainer.py", ("Trainer",)),
}
"""Module that pretrain.py imports from → files that define it, and the names."""


def torchtitan(package: Package) -> dict[str, Any]:
    """pretrain.py: every call by its keywords, and every module by the names that it offers."""
    calls: dict[str, Any] = {}
    modules: dict[str, Any] = {}
    for module, (pattern, names) in TITAN.items():
        package.read(pattern)
        for name in names:
            if name in package.functions:
                calls[name] = parameters(package.functions[name])
            elif f"{name}.Config" in package.classes:
                calls[f"{name}.Config"] = package.schema([f"{name}.Config"])
            elif name in package.classes:
                calls[name] = package.schema([name])
            else:
                raise SystemExit(f"torchtitan has no {name}")
        modules[module] = sorted(names)
    flavors = {
        family: sorted(set(_flavors((package.root / f"torchtitan/models/{family}/__init__.py").read_text("utf-8"))))
        for family in ("llama3", "qwen3")
    }
    package.read("torchtitan/models/common/config_utils.py")
    backends = sorted(_accepted(package.functions["get_attention_config"], "backend"))
    calls["model_registry"]["properties"]["attn_backend"] = {"enum": backends}
    return {
        "type": "object",
        "properties": calls,
        "additionalProperties": False,
        "x-modules": modules,
        "x-models": flavors,
    }


def _flavors(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Dict) and node.keys and all(isinstance(key, ast.Constant) for key in node.keys):
            yield from (str(key.value) for key in node.keys if isinstance(key, ast.Constant))


def _accepted(function: ast.FunctionDef, name: str) -> Iterator[str]:
    """Values of an argument that a function compares it with, but for those that it answers with an error at once."""
    for node in ast.walk(function):
        match node:
            case ast.If(
                test=ast.Compare(
                    left=ast.Name(id=left), ops=[ast.Eq()], comparators=[ast.Constant(value=str() as value)]
                ),
                body=[first, *_],
            ) if left == name and not isinstance(first, ast.Raise):
                yield value


def versions(environment: str) -> dict[str, str]:
    """The pins of one environment."""
    import yaml

    content = yaml.safe_load((ROOT / f"data/stack/environments/{environment}.yml").read_text(encoding="utf-8"))
    return dict(content["packages"])


def main() -> None:
    """Writes all schemas."""
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        folder = Path(sys.argv[1]) if len(sys.argv) > 1 else work / "packages"
        folder.mkdir(parents=True, exist_ok=True)

        def package(environment: str, name: str) -> Package:
            return fetch(folder, work, name, versions(environment)[name])

        of_axolotl, of_llama = package("axolotl", "axolotl"), package("llama-factory", "llamafactory")
        of_deepspeed, of_titan = package("deepspeed", "deepspeed"), package("torchtitan", "torchtitan")
        schemas = {
            "axolotl": (of_axolotl, axolotl(of_axolotl)),
            "llama-factory": (of_llama, llama_factory(of_llama, package("llama-factory", "transformers"))),
            "deepspeed": (of_deepspeed, deepspeed(of_deepspeed)),
            "torchtitan": (of_titan, torchtitan(of_titan)),
        }
        TARGET.mkdir(parents=True, exist_ok=True)
        for name, (source, schema) in schemas.items():
            head = {
                "$schema": "https://json-schema.org/draft/2020-12/schema",
                "title": f"{source.name} {source.version}",
                "x-package": {"name": source.name, "version": source.version, "sha256": source.sha256},
            }
            text = json.dumps(head | schema, ensure_ascii=False, indent=1) + "\n"
            (TARGET / f"{name}.json").write_text(text, encoding="utf-8", newline="\n")
            print(f"{name}: {len(schema['properties'])} names, {source.name} {source.version}")


if __name__ == "__main__":
    main()
