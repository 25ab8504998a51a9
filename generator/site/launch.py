"""The files of a configuration in a reader's language: words and numbers for what generator.launch writes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from generator.catalog import Catalog
from generator.catalog.records import Recipe
from generator.catalog.stack_records import Framework
from generator.errors import UnknownIdError
from generator.estimate import Plan, estimate
from generator.launch import FRAMEWORKS, CannotExpress, Job, file_names, files, find_job, job_of
from generator.launch.commands import (
    CHECKPOINTS,
    LEAVE_A_MODEL,
    PLACES,
    RESUMES,
    TRIAL_STEPS,
    prepare_command,
    resume_command,
    setting,
    start_command,
    trial_command,
)
from generator.launch.job import KEPT_CHECKPOINTS, LOGIN, REFERENCE
from generator.site.formats import Formats
from generator.site.messages import Messages
from generator.site.page import LANGUAGES, Language
from generator.units import gib_from_bytes
from generator.verdict import Setup, Verdict

SPOKEN = ("preflight.", "launch.measure.", "launch.train.")
"""Messages that the programs of a configuration say; they travel along in trainfit.json."""
SHORTER = 2
"""A refusal of memory is first answered with half the context."""
SMALLER = 0.98
"""A recipe is named when its peak is below this share of the peak that there is."""
PACKING: Mapping[Framework, str] = MappingProxyType(
    {
        "trl": "crossing",
        "deepspeed": "crossing",
        "axolotl": "padded",
        "llama-factory": "crossing",
        "torchtitan": "separated",
    }
)
"""Whether documents that share a context see each other. TRL 1.16.0 tells the model of borders with packing_strategy
bfd alone (sft_trainer.py, padding_free), LLaMA-Factory 0.9.5 with neat_packing alone (hparams/data_args.py)."""
IGNORE_SEEN: Mapping[Framework, str] = MappingProxyType(
    {
        "trl": "--ignore_data_skip true",
        "deepspeed": "--ignore_data_skip true",
        "llama-factory": "ignore_data_skip=true",
    }
)
"""What begins the corpus anew where Trainer reads what it has seen once more to skip it (transformers 5.24.0,
training_args.py); torchtitan keeps the place in its checkpoint."""
LESS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"full": ("lora", "qlora"), "lora": ("qlora",), "qlora": (), "pretrain": ()}
)
"""Methods for the same goal that need less memory."""


def written(catalog: Catalog, job: Job, language: Language) -> Mapping[str, str]:
    """Name → text of every file of a job, in the order in which a reader meets them."""
    messages = Messages(language)
    spoken = {
        key: str(text) for key, text in messages.catalogue.items() if key.startswith(SPOKEN) and isinstance(text, str)
    }
    texts = files(catalog, job, language, messages, spoken, readme_values(catalog, job, language))
    return {name: texts[name] for name in file_names(job)}


def configuration(
    catalog: Catalog, verdict: Verdict, setup: Setup, language: Language, framework: Framework = "trl"
) -> Mapping[str, str]:
    """The files for a verdict; raises LaunchError where there are none."""
    return written(catalog, job_of(catalog, verdict, setup, framework), language)


def find_files(
    catalog: Catalog,
    model: str,
    rig: str,
    method: str,
    framework: str,
    language: str,
    recipe: str | None = None,
    asked: Mapping[str, Any] = REFERENCE,
) -> Mapping[str, str]:
    """The files for names of the catalogue; raises UnknownIdError and LaunchError.

    `recipe` and `asked` are wishes as in `find_job`.
    """
    known = next((each for each in FRAMEWORKS if each == framework), None)
    if known is None:
        raise UnknownIdError("framework", framework, tuple(FRAMEWORKS))
    chosen = next((each for each in LANGUAGES if each == language), None)
    if chosen is None:
        raise UnknownIdError("language", language, LANGUAGES)
    return written(catalog, find_job(catalog, model, rig, method, known, recipe, asked), chosen)


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
    changes = [t("launch.readme.gives_up", what=recipe.gives_up.in_language(language))] if recipe.gives_up else []
    changes += notes(job, recipe.compromise, language)
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
        "recipe": t(
            f"launch.readme.recipe{'' if plan.n_gpus > 1 else '_one_card'}", recipe=recipe.name.in_language(language)
        ),
        "changes": changes,
        "expected": dict(_expected(catalog, job, language)),
        "packing": t(f"launch.readme.packing.{PACKING[job.framework]}", file=PLACES[job.framework][0]),
        "prepare": [*_permission(catalog, job), *filter(None, [prepare_command(job)])],
        "trial": trial_command(job),
        "run_notes": " ".join(_run_notes(catalog, job, language)),
        "command": start_command(job),
        "resume": resume_command(job),
        "resume_text": " ".join(_resuming(job, language)),
        "levers": list(_levers(catalog, job, language)),
        "files": {name: t(file_key(name)) for name in file_names(job)},
        "versions": t(
            "launch.readme.versions_text",
            python=job.environment.python,
            cuda=job.environment.cuda,
            date=f.date(job.environment.checked),
            note=job.environment.note.in_language(language),
        ),
    }


def notes(job: Job, compromise: bool, language: Language) -> Iterator[str]:
    """What sets a job apart from its recipe, as Markdown; `compromise` says whether the recipe itself is one."""
    t = Messages(language)
    if job.changed:
        settings = ", ".join(f"`{name}: {getattr(job.plan, name)}`" for name in job.changed)
        yield t("launch.readme.changed", settings=settings)
    if job.compromise and not compromise:
        yield t("launch.readme.pure_bf16")
    if job.splits_base:
        yield loading_note(job, language)
    if job.plan.cpu_offload != "none":
        yield t("launch.readme.compiler")


def loading_note(job: Job, language: Language) -> str:
    """Where a quantised base is while it is split, and what that takes; empty where nothing is split."""
    if not job.splits_base:
        return ""
    f, t, result = Formats(language), Messages(language), job.estimate
    if job.loads_on_host:
        total = result.host_loading_gib
        return t("launch.readme.loading_host", n=job.plan.n_gpus, each=f.gib(total / job.plan.n_gpus), all=f.gib(total))
    needed = gib_from_bytes(result.quantities["phase_load"].value)
    return t("launch.readme.loading_card", gib=f.gib(needed), usable=f.gib(result.usable_gib))


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
            usable=_usable(catalog, job, language),
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
    step = job.plan.tokens * job.plan.grad_accum * job.plan.n_gpus
    yield t("launch.readme.step"), t("launch.readme.step_value", tokens=f.tokens(step), option="--grad-accum")
    if job.max_seq_len is not None:
        yield t("launch.readme.context"), f.tokens(job.max_seq_len)
    yield t("launch.readme.host"), t("launch.readme.host_value", gib=f.gib(job.host_gib, 0))
    disk = {"first": f.gib(job.first_disk_gib, 0), "gib": f.gib(job.disk_gib, 0), "kept": f"{KEPT_CHECKPOINTS + 1}"}
    yield t("launch.readme.disk"), t("launch.readme.disk_value", **disk)


def _usable(catalog: Catalog, job: Job, language: Language) -> str:
    """What PyTorch sees of a card, and whether ECC is on where that takes memory."""
    usable = Formats(language).gib(job.estimate.usable_gib)
    visible = catalog.gpus[job.plan.gpu].framework_visible_gib
    if visible.on.value == visible.off.value:
        return usable
    return Messages(language)(f"launch.readme.ecc.{job.plan.ecc}", usable=usable)


def _permission(catalog: Catalog, job: Job) -> Iterator[str]:
    """The command that says who downloads, where a model is not given to everybody."""
    gated = catalog.models[job.model].gated
    if gated is not None and gated.value:
        yield LOGIN


def _run_notes(catalog: Catalog, job: Job, language: Language) -> Iterator[str]:
    """What the commands do, in sentences."""
    t = Messages(language)
    yield t("launch.readme.run_notes", steps=f"{TRIAL_STEPS}")
    if job.framework in LEAVE_A_MODEL:
        yield t("launch.readme.trial_leaves")
    gated = catalog.models[job.model].gated
    if gated is None:
        yield t("launch.readme.gated_perhaps")
    elif gated.value:
        yield t("launch.readme.gated", address=f"https://huggingface.co/{job.hugging_face}", command=LOGIN)


def _resuming(job: Job, language: Language) -> Iterator[str]:
    """How a run that stopped goes on, in sentences."""
    t = Messages(language)
    folder, steps = CHECKPOINTS[job.framework]
    yield t("launch.readme.resume_saved", steps=Formats(language).number(steps), folder=folder)
    yield t(f"launch.readme.resume_{'option' if RESUMES[job.framework] else 'itself'}", folder=folder)
    if job.goal == "pretraining" and job.framework in IGNORE_SEEN:
        yield t("launch.readme.resume_streaming", option=IGNORE_SEEN[job.framework])


def _levers(catalog: Catalog, job: Job, language: Language) -> Iterator[str]:
    """What to turn first when memory runs out, the cheapest first, each with what to write and where."""
    t, f, plan = Messages(language), Formats(language), job.plan
    yield t("launch.lever.expandable", setting="PYTORCH_ALLOC_CONF=expandable_segments:True")
    if plan.micro_batch > 1:
        yield t("launch.lever.micro_batch", now=f"{plan.micro_batch}", **setting(job, "micro_batch", 1))
    shorter = plan.seq_len // SHORTER
    yield t(
        "launch.lever.seq_len", now=f.number(plan.seq_len), then=f.number(shorter), **setting(job, "seq_len", shorter)
    )
    if plan.sharding == "fsdp2" and plan.grad_accum > 1 and plan.grad_sync == "each":
        yield t("launch.lever.sync", setting="sync_each_batch: true")
    for recipe, framework, peak in _smaller_recipes(catalog, job):
        text = recipe.gives_up.in_language(language) if recipe.gives_up else ""
        yield t(
            "launch.lever.recipe",
            recipe=recipe.name.in_language(language),
            peak=f.gib(peak),
            command=config_command(job, job.method, framework, language, "other", recipe),
            gives_up=text,
        ).strip()
    for method in LESS[job.method]:
        name = catalog.methods[method].name.in_language(language)
        # DeepSpeed serves one card where its optimizer is offloaded, and adapters have none worth that.
        other: Framework = "trl" if job.plan.n_gpus == 1 and job.framework == "deepspeed" else job.framework
        yield t("launch.lever.method", method=name, command=config_command(job, method, other, language, "other"))
    if plan.ecc == "on":
        gpu = catalog.gpus[plan.gpu]
        gained = gpu.framework_visible_gib.off.value - gpu.framework_visible_gib.on.value
        if gained > 0:
            yield t("launch.lever.ecc", gib=f.gib(gained))


def _smaller_recipes(catalog: Catalog, job: Job) -> Iterator[tuple[Recipe, Framework, float]]:
    """Later rungs of the ladder that need less of a card, the workload as it is → what runs them, peak in GiB."""
    ladder = catalog.methods[job.method].ladder
    place = next(index for index, recipe in enumerate(ladder) if recipe.id == job.recipe)
    for recipe in ladder[place + 1 :]:
        if job.plan.n_gpus == 1 and "several-gpus" in recipe.needs:
            continue
        settings = recipe.settings.model_dump() | ({"sharding": "none"} if job.plan.n_gpus == 1 else {})
        adapted = _first_that_can(job.framework, replace(job.plan, **settings))
        if adapted is not None:
            framework, plan = adapted
            peak = estimate(catalog, plan).peak_gib.expected
            if peak < SMALLER * job.estimate.peak_gib.expected:
                yield recipe, framework, peak


def _first_that_can(framework: Framework, plan: Plan) -> tuple[Framework, Plan] | None:
    """The framework itself where it can run a plan, else the first one that can, and the plan as it runs there."""
    for tried in (framework, *FRAMEWORKS):
        with suppress(CannotExpress):
            return tried, FRAMEWORKS[tried].adapt(plan)
    return None


def config_command(
    job: Job, method: str, framework: Framework, language: Language, out: str, recipe: Recipe | None = None
) -> str:
    """The command that writes files for the same model and machine into the folder `out`."""
    wishes = [f" --{name.replace('_', '-')} {value}" for name, value in job.asked.items()]
    command = f"trainfit config --model {job.model} --rig {job.rig} --method {method} --framework {framework}"
    chosen = f" --recipe {recipe.id}" if recipe else ""
    spoken = "" if language == "en" else f" --language {language}"
    return "".join([command, *wishes, chosen, spoken, f" --out {out}"])
