"""The jobs that the tests of configurations go over: a sample of fitting verdicts with a fixed seed."""

from __future__ import annotations

import os
import random
from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import replace
from functools import cache

from generator.catalog import Catalog, load_catalog
from generator.catalog.stack_records import Framework
from generator.errors import LaunchError
from generator.launch import FRAMEWORKS, Job, job_of
from generator.verdict import Setup, ad_hoc_rig, setup_of, subject_of
from generator.verdict.ladder import choose, try_ladder
from generator.verdict.results import Verdict

SEED = 20261202
MODELS_PER_MACHINE = 8
ALWAYS = ("qwen3-1.7b", "llama-3.1-8b")
"""Models that fit almost everywhere, on every machine."""
PER_KIND = 2
"""So many jobs of each kind are kept: one could be right by chance."""
WHOLE = "TRAINFIT_STACK_SAMPLE"
"""Variable of the environment: `whole` takes the whole sample, as `make test-stack` does."""


def machines(catalog: Catalog) -> Iterator[Setup]:
    """Every rig of the catalogue, one card, and eight cards with little host memory."""
    yield from (setup_of(catalog, rig) for rig in catalog.rigs)
    gpus = sorted(catalog.gpus)
    yield ad_hoc_rig(catalog, gpus[0], 1, 64.0)
    yield ad_hoc_rig(catalog, gpus[-1], 8, 512.0, 20.0)


def verdict_of(catalog: Catalog, model: str, method: str, setup: Setup) -> Verdict:
    """A verdict without its advice: what a configuration needs of it."""
    rungs = try_ladder(catalog, subject_of(catalog, model), method, setup)
    verdict, chosen = choose(rungs)
    return Verdict(model, method, verdict, chosen, rungs, (), None, ())


def kind(job: Job) -> Hashable:
    """What decides which lines a template writes and which branch an adaptation takes.

    Two jobs of a kind have the same framework, recipe (and by it the method), way of splitting, precision, optimizer,
    quantisation, offload and attention, the same settings that the framework changed, the same names of wrapped
    matrices, and towers or none. They differ in numbers and names alone, which a template copies: the model, the number
    of cards beyond one, context, steps. So no branch of a template or of an adaptation loses its cases when the rest is
    left out.
    """
    plan = job.plan
    return (
        *(job.framework, job.method, job.recipe, job.compromise, job.changed),
        *(plan.n_gpus > 1, plan.sharding, plan.precision, plan.optimizer, plan.optimizer_impl, plan.quant),
        *(plan.cpu_offload, plan.attention, plan.reshard, plan.grad_sync, plan.grad_checkpointing, plan.adapter_dtype),
        plan.load_on_card,
        job.has_towers,
        bool(job.wrapped_layers),
        job.lora_targets if plan.trains_adapters else (),
    )


def sample() -> tuple[Job, ...]:
    """Jobs of every framework over models, machines and methods, always the same ones.

    Some of each kind, which `make test` is quick with; all of them where the environment asks for the whole sample.
    """
    return whole_sample() if os.environ.get(WHOLE) == "whole" else quick_sample()


@cache
def quick_sample() -> tuple[Job, ...]:
    """The first jobs of every kind that there is in the whole sample."""
    counted: Counter[Hashable] = Counter()
    kept = []
    for job in whole_sample():
        counted[kind(job)] += 1
        if counted[kind(job)] <= PER_KIND:
            kept.append(job)
    return tuple(kept)


@cache
def whole_sample() -> tuple[Job, ...]:
    """All jobs, each once: a framework that changes a recipe can come to the same one by several ways."""
    catalog = load_catalog()
    chooser = random.Random(SEED)
    models = [
        model
        for model, record in sorted(catalog.models.items())
        if record.objective == "causal-lm" and not record.architecture.shape().unmodelled
    ]
    found: dict[Hashable, Job] = {}
    for setup in machines(catalog):
        chosen = chooser.sample(models, min(MODELS_PER_MACHINE, len(models)))
        for model in dict.fromkeys((*chosen, *ALWAYS)):
            for method in catalog.methods:
                verdict = verdict_of(catalog, model, method, setup)
                for job in _jobs(catalog, verdict, setup) if verdict.chosen is not None else ():
                    found.setdefault((job.framework, job.model, job.rig, job.method, job.recipe), job)
    return tuple(found.values())


def _jobs(catalog: Catalog, verdict: Verdict, setup: Setup) -> Iterator[Job]:
    """The verdict in every framework that can express it, and every other recipe that fits, as if it were chosen."""
    for framework in FRAMEWORKS:
        for chosen in (verdict.chosen, *range(len(verdict.rungs))):
            job = _job(catalog, replace(verdict, chosen=chosen), setup, framework)
            if job is not None:
                yield job


def _job(catalog: Catalog, verdict: Verdict, setup: Setup, framework: Framework) -> Job | None:
    try:
        return job_of(catalog, verdict, setup, framework)
    except LaunchError:
        return None
