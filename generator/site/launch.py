"""The files of a configuration in a reader's language: words and numbers for what generator.launch writes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from generator.catalog import Catalog
from generator.catalog.stack_records import Framework
from generator.errors import UnknownIdError
from generator.launch import FRAMEWORKS, Job, file_names, files, find_job, job_of, start_command
from generator.site.formats import Formats
from generator.site.messages import Messages
from generator.site.page import LANGUAGES, Language
from generator.verdict import Setup, Verdict

SPOKEN = ("preflight.", "launch.measure.")
"""Messages that the programs of a configuration say; they travel along in trainfit.json."""
SHORTER = 2
"""A refusal of memory is first answered with half the context."""


def written(catalog: Catalog, job: Job, language: Language) -> Mapping[str, str]:
    """Name → text of every file of a job, in the order in which a reader meets them."""
    messages = Messages(language)
    spoken = {
        key: str(text)
        for key, text in messages.catalogue.items()
        if key.startswith(SPOKEN) and isinstance(text, str)
    }
    texts = files(catalog, job, language, messages, spoken, readme_values(catalog, job, language))
    return {name: texts[name] for name in file_names(job)}


def configuration(
    catalog: Catalog, verdict: Verdict, setup: Setup, language: Language, framework: Framework = "trl"
) -> Mapping[str, str]:
    """The files for a verdict; raises LaunchError where there are none."""
    return written(catalog, job_of(catalog, verdict, setup, framework), language)


def find_files(
    catalog: Catalog, model: str, rig: str, method: str, framework: str, language: str
) -> Mapping[str, str]:
    """The files for names of the catalogue; raises UnknownIdError and LaunchError."""
    known = next((each for each in FRAMEWORKS if each == framework), None)
    if known is None:
        raise UnknownIdError("framework", framework, tuple(FRAMEWORKS))
    chosen = next((each for each in LANGUAGES if each == language), None)
    if chosen is None:
        raise UnknownIdError("language", language, LANGUAGES)
    return written(catalog, find_job(catalog, model, rig, method, known), chosen)


def file_key(name: str) -> str:
    """The message that says what a file is for: `launch.file.sft-yaml`."""
    return f"launch.file.{'readme' if name == 'README.md' else re.sub('[._]', '-', name.lower())}"


def readme_values(catalog: Catalog, job: Job, language: Language) -> dict[str, Any]:
    """What README.md shows, as text."""
    t, f = Messages(language), Formats(language)
    plan, gpu = job.plan, catalog.gpus[job.plan.gpu]
    method = catalog.methods[job.method]
    recipe = next(rung for rung in method.ladder if rung.id == job.recipe)
    rig = catalog.rigs[job.rig].name.in_language(language) if job.rig in catalog.rigs else job.rig
    model = catalog.models[job.model].name
    changes = [t("launch.readme.changed", setting=name, value=f"{getattr(plan, name)}") for name in job.changed]
    if recipe.gives_up:
        changes = [t("launch.readme.gives_up", what=recipe.gives_up.in_language(language)), *changes]
    return {
        "title": t("launch.readme.title", model=model, method=method.name.in_language(language), rig=rig),
        "intro": t(
            "launch.readme.intro",
            framework=t(f"launch.framework.{job.framework}"),
            gpus=f"{plan.n_gpus}",
            gpu=gpu.name,
            context=f.tokens(plan.seq_len),
            micro_batch=f"{plan.micro_batch}",
            date=f.date(catalog.data_date),
        ),
        "recipe": t("launch.readme.recipe", recipe=recipe.name.in_language(language)),
        "changes": changes,
        "expected": dict(_expected(catalog, job, language)),
        "command": start_command(job),
        "levers": list(_levers(catalog, job, t, f)),
        "files": {name: t(file_key(name)) for name in file_names(job)},
        "versions": t(
            "launch.readme.versions_text",
            python=job.environment.python,
            cuda=job.environment.cuda,
            date=f.date(job.environment.checked),
            note=job.environment.note.in_language(language),
        ),
        "note": "",
    }


def _expected(catalog: Catalog, job: Job, language: Language) -> Iterator[tuple[str, str]]:
    """Name and value of what to expect."""
    t, f, result = Messages(language), Formats(language), job.estimate
    peak = result.peak_gib
    yield (
        t("launch.readme.peak"),
        t(
            "launch.readme.peak_value",
            expected=f.gib(peak.expected),
            low=f.gib(peak.low),
            high=f.gib(peak.high),
            usable=f.gib(result.usable_gib),
            ecc=job.plan.ecc,
        ),
    )
    speed = result.tokens_per_sec_per_gpu
    if speed is None:
        yield t("launch.readme.speed"), t("launch.readme.speed_unknown")
    else:
        shown = {name: f.number(getattr(speed, name)) for name in ("expected", "low", "high")}
        yield t("launch.readme.speed"), t("launch.readme.speed_value", **shown)
    if job.time is not None:
        fine = job.goal == "fine-tuning"
        policy = catalog.policy
        tokens = (
            policy.finetune_tokens.value
            if fine
            else policy.pretrain_tokens_per_parameter.value * result.parameters_total
        )
        kind = "fine_tuning" if fine else "pretraining"
        value = f.hours(job.time.expected) if fine else f.days(job.time.expected)
        yield t(f"launch.readme.time_{kind}", tokens=f.tokens(tokens)), value
    if job.max_seq_len is not None:
        yield t("launch.readme.context"), f.tokens(job.max_seq_len)
    yield t("launch.readme.host"), t("launch.readme.host_value", gib=f.gib(job.host_gib, 0))
    yield t("launch.readme.disk"), t("launch.readme.disk_value", gib=f.gib(job.disk_gib, 0))


def _levers(catalog: Catalog, job: Job, t: Messages, f: Formats) -> Iterator[str]:
    """What to turn first when memory runs out, the cheapest first."""
    plan = job.plan
    yield t("launch.lever.expandable")
    if not plan.grad_checkpointing:
        yield t("launch.lever.checkpointing")
    if plan.micro_batch > 1:
        yield t("launch.lever.micro_batch", now=f"{plan.micro_batch}")
    yield t("launch.lever.seq_len", now=f.number(plan.seq_len), then=f.number(plan.seq_len // SHORTER))
    if plan.sharding != "none":
        yield t("launch.lever.sync")
    if plan.sharding == "ddp":
        yield t("launch.lever.shard")
    if not plan.trains_adapters and plan.optimizer != "adamw-8bit":
        yield t("launch.lever.eight_bit")
    if plan.method == "lora":
        yield t("launch.lever.qlora")
    if plan.method == "full":
        yield t("launch.lever.offload")
        yield t("launch.lever.lora")
    if plan.ecc == "on":
        gpu = catalog.gpus[plan.gpu]
        gained = gpu.framework_visible_gib.off.value - gpu.framework_visible_gib.on.value
        if gained > 0:
            yield t("launch.lever.ecc", gib=f.gib(gained))
