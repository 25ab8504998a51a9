"""The files of a job as text. Words come from outside, so that they are in the reader's language."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from generator.catalog.catalogue import Catalog
from generator.launch.commands import CHECKPOINTS, assets_dir
from generator.launch.frameworks import FRAMEWORKS, TRL_OPTIMIZERS, optimizer_of
from generator.launch.job import KEPT_CHECKPOINTS, Job
from generator.launch.record import record_of

FILES_DIR = Path(__file__).resolve().parent / "files"
LEARNING_RATES: Mapping[str, float] = {"full": 2e-5, "lora": 2e-4, "qlora": 2e-4, "pretrain": 3e-4}
"""Where to begin: fine-tuning as in the examples of trl/scripts/sft.py (TRL 1.16.0), pretraining as in llama3_8b of
torchtitan 0.3.0. They change neither memory nor time."""
DATASETS: Mapping[str, str] = {"fine-tuning": "trl-lib/Capybara", "pretraining": "HuggingFaceFW/fineweb-edu"}
"""What the files name until the reader puts in their own: that of trl/scripts/sft.py, and a public corpus of text."""
SCRIPTS = ("preflight.py", "measure.py")
"""Programs that go along with every framework."""


Words = Callable[..., str]
"""The messages of one language: `words(key, name=value)` is the text for a key, its placeholders filled."""


@cache
def _environment() -> Environment:
    return Environment(
        loader=FileSystemLoader(FILES_DIR),
        autoescape=False,  # noqa: S701 (YAML, JSON and Python, not HTML; every value goes through `| tojson`)
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def file_names(job: Job) -> tuple[str, ...]:
    """Names of the files of a job, in the order in which a reader meets them."""
    own = FRAMEWORKS[job.framework].templates(job.plan)
    return ("README.md", *own, "requirements.txt", *SCRIPTS, "trainfit.json")


def setting_files(job: Job, words: Words) -> dict[str, str]:
    """Name → text of the files that hold the plan's settings: those that differ from job to job, without the README."""
    own = FRAMEWORKS[job.framework].templates(job.plan)
    values = _values(job, words)
    return {name: _text(template, values) for name, template in own.items() if template.endswith(".j2")}


def files(
    catalog: Catalog, job: Job, language: str, words: Words, messages: Mapping[str, str], readme: Mapping[str, Any]
) -> dict[str, str]:
    """Name → text of every file.

    `words` gives the comments in the files, `messages` what preflight.py and measure.py say, `readme` what README.md
    shows of the job as text.
    """
    record = record_of(catalog, job, language)
    values = {**_values(job, words), "record": record, "readme": readme}
    own = FRAMEWORKS[job.framework].templates(job.plan)
    names = {"README.md": "README.md.j2", **own, "requirements.txt": "requirements.txt.j2"}
    names |= {name: name for name in SCRIPTS}
    texts = {name: _text(template, values) for name, template in names.items()}
    texts["trainfit.json"] = json.dumps(record | {"messages": dict(messages)}, ensure_ascii=False, indent=1) + "\n"
    return texts


def _values(job: Job, words: Words) -> dict[str, Any]:
    """What the settings of a framework are written from."""
    return {
        "job": job,
        "plan": job.plan,
        "t": words,
        "optim": _optimizer(job),
        "learning_rate": f"{LEARNING_RATES[job.method]:f}".rstrip("0"),  # `2e-05` is a text in YAML 1.1
        "dataset": DATASETS[job.goal],
        "keep": KEPT_CHECKPOINTS,
        "save_steps": CHECKPOINTS[job.framework][1],
        "python_literal": repr,
        "assets": f"./{assets_dir(job)}",
    }


def _text(template: str, values: Mapping[str, Any]) -> str:
    if template.endswith(".j2"):
        return _environment().get_template(template).render(**values)
    return (FILES_DIR / template).read_text(encoding="utf-8")


def _optimizer(job: Job) -> str:
    """The word for the optimizer in TrainingArguments; under DeepSpeed its own file says it, and this one agrees."""
    if job.framework in ("deepspeed", "torchtitan"):
        return TRL_OPTIMIZERS["adamw", "fused"]
    return optimizer_of(job.plan)
