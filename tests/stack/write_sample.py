"""Writes the files of the sample for the environment in which the real libraries check them: `make test-stack`."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from generator.catalog import Catalog, load_catalog
from generator.catalog.records import Model
from generator.catalog.stack_records import Framework
from generator.errors import LaunchError
from generator.launch import Job, job_of
from generator.site.launch import written
from generator.verdict import ad_hoc_rig
from generator.verdict.results import FEASIBLE
from generator.verdict.setup import Setup
from tests.stack.jobs import kind, verdict_of, whole_sample

INSTALLED = ("trl", "deepspeed")
"""Frameworks whose libraries are in that environment; the others have environments of their own."""
EVERY = 14
"""The first job of each kind is parsed, and one in so many of the others."""
TOGETHER = ("qwen3-1.7b", "gemma-3-4b")
"""Models that are trained by two processes too."""
TRAINED = {
    "qwen3-1.7b": "qwen3",
    "llama-3.2-1b": "llama",
    "gemma-3-1b": "gemma3_text",
    "gemma-3-4b": "gemma3",
    "phi-4-mini": "phi3",
    "olmo-2-1b": "olmo2",
}
"""Models of which a tiny one of the same architecture is trained → `model_type` in transformers."""

MEASURED, SAME_ARCHITECTURE = "qwen3-0.6b", "qwen3-1.7b"
"""The model that is measured on a GPU, where there is one: whole, with random weights."""


def transformers_config(model: Model) -> dict[str, object]:
    """What transformers builds such a model from: a dense Qwen3, all of it in the catalogue."""
    shape = model.architecture.shape()
    return {
        "hidden_size": shape.hidden,
        "intermediate_size": shape.intermediate,
        "num_hidden_layers": shape.layers,
        "num_attention_heads": shape.heads,
        "num_key_value_heads": shape.kv_heads,
        "head_dim": shape.head_dim,
        "vocab_size": shape.vocab,
        "tie_word_embeddings": shape.tied_embeddings,
    }


def write(folder: Path, job: Job, files: dict[str, str], about: dict[str, object]) -> None:
    """One job as a folder."""
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    facts = {"framework": job.framework, "model": job.model, "method": job.method, "recipe": job.recipe, **about}
    (folder / "about.json").write_text(json.dumps(facts) + "\n", encoding="utf-8")


def trained(catalog: Catalog, model: str, setup: Setup, framework: Framework = "trl") -> Iterator[Job]:
    """What TRL runs of every method: its first recipe, and every other way of splitting the model and of offload."""
    for method in catalog.methods:
        verdict, seen = verdict_of(catalog, model, method, setup), set()
        for place, rung in enumerate(verdict.rungs):
            with suppress(LaunchError):
                job = job_of(catalog, replace(verdict, chosen=place), setup, framework)
                way = (job.plan.sharding, job.plan.cpu_offload)
                if rung.verdict in FEASIBLE and job.recipe == rung.recipe and way not in seen:
                    seen.add(way)
                    yield job


def main(target: Path) -> int:
    """Writes everything below `target` and returns how many jobs there are."""
    shutil.rmtree(target, ignore_errors=True)
    catalog = load_catalog()
    count = 0
    kinds = set()
    for place, job in enumerate(whole_sample()):
        if kind(job) not in kinds or place % EVERY == 0:
            kinds.add(kind(job))
            count += 1
            whose = "parsed" if job.framework in INSTALLED else job.framework
            write(
                target / f"{whose}/{count:03d}-{job.framework}-{job.method}", job, dict(written(catalog, job, "ru")), {}
            )
    gpu = next(iter(catalog.rigs.values())).gpu
    for gpus in (1, 2):
        setup: Setup = ad_hoc_rig(catalog, gpu, gpus, 256.0, 20.0)
        for model, model_type in TRAINED.items():
            if gpus > 1 and model not in TOGETHER:
                continue
            for job in trained(catalog, model, setup):
                count += 1
                folder = target / f"trained/{gpus}x-{model}-{job.method}-{job.recipe.removeprefix(f'{job.method}-')}"
                write(folder, job, dict(written(catalog, job, "en")), {"model_type": model_type, "gpus": gpus})
    for gpus in (1, 2):
        setup = ad_hoc_rig(catalog, gpu, gpus, 256.0, 20.0)
        for job in trained(catalog, TOGETHER[0], setup, "deepspeed"):
            if job.method == "pretrain":  # which differs from full fine-tuning by its weights alone
                continue
            count += 1
            recipe = job.recipe.removeprefix(f"{job.method}-")
            folder = target / f"trained/{gpus}x-{TOGETHER[0]}-{job.method}-deepspeed-{recipe}"
            about = {"model_type": TRAINED[TOGETHER[0]], "gpus": gpus}
            write(folder, job, dict(written(catalog, job, "en")), about)
    setup = ad_hoc_rig(catalog, gpu, 1, 256.0)
    for method in catalog.methods:
        # Every recipe that fits is one that may be measured: pretraining on one card takes too long to be recommended.
        verdict = verdict_of(catalog, MEASURED, method, setup)
        place = next(place for place, rung in enumerate(verdict.rungs) if rung.estimate.ratio < 1)
        job = job_of(catalog, replace(verdict, chosen=place), setup, "trl")
        count += 1
        about = {
            "model_type": TRAINED[SAME_ARCHITECTURE],
            "config": transformers_config(catalog.models[MEASURED]),
            "parameters": job.estimate.parameters_total,
        }
        write(target / f"measured/{MEASURED}-{method}", job, dict(written(catalog, job, "en")), about)
    return count


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])) == 0)
