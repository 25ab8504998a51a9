"""Writes the files of the sample for the environment in which the real libraries check them: `make test-stack`."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

from generator.catalog import load_catalog
from generator.errors import LaunchError
from generator.launch import Job, job_of
from generator.site.launch import written
from generator.verdict import ad_hoc_rig
from generator.verdict.setup import Setup
from tests.stack.jobs import kind, verdict_of, whole_sample

INSTALLED = ("trl", "deepspeed")
"""Frameworks whose libraries are in that environment."""
EVERY = 7
"""The first job of each kind is parsed, and one in so many of the others."""
TOGETHER = ("qwen3-1.7b", "gemma-3-1b")
"""Models that are trained by two processes too."""
TRAINED = {
    "qwen3-1.7b": "qwen3",
    "llama-3.2-1b": "llama",
    "gemma-3-1b": "gemma3_text",
    "phi-4-mini": "phi3",
    "olmo-2-1b": "olmo2",
}
"""Models of which a tiny one of the same architecture is trained → `model_type` in transformers."""


def write(folder: Path, job: Job, files: dict[str, str], about: dict[str, object]) -> None:
    """One job as a folder."""
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    facts = {"framework": job.framework, "model": job.model, "method": job.method, "recipe": job.recipe, **about}
    (folder / "about.json").write_text(json.dumps(facts) + "\n", encoding="utf-8")


def main(target: Path) -> int:
    """Writes everything below `target` and returns how many jobs there are."""
    shutil.rmtree(target, ignore_errors=True)
    catalog = load_catalog()
    count = 0
    kinds = set()
    for place, job in enumerate(whole_sample()):
        if job.framework in INSTALLED and (kind(job) not in kinds or place % EVERY == 0):
            kinds.add(kind(job))
            count += 1
            write(
                target / f"parsed/{count:03d}-{job.framework}-{job.method}", job, dict(written(catalog, job, "ru")), {}
            )
    gpu = next(iter(catalog.rigs.values())).gpu
    for gpus in (1, 2):
        setup: Setup = ad_hoc_rig(catalog, gpu, gpus, 256.0, 20.0)
        for model, model_type in TRAINED.items():
            if gpus > 1 and model not in TOGETHER:
                continue
            for method in catalog.methods:
                verdict = verdict_of(catalog, model, method, setup)
                try:
                    job = job_of(catalog, verdict, setup, "trl")
                except LaunchError:
                    continue
                count += 1
                folder = target / f"trained/{gpus}x-{model}-{method}"
                write(folder, job, dict(written(catalog, job, "en")), {"model_type": model_type, "gpus": gpus})
    return count


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])) == 0)
