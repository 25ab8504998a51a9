"""The jobs that the tests of configurations go over: a sample of fitting verdicts with a fixed seed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from generator.catalog import Catalog, load_catalog
from generator.catalog.stack_records import Framework
from generator.errors import LaunchError
from generator.launch import FRAMEWORKS, Job, job_of
from generator.verdict import Setup, ad_hoc_rig, setup_of, subject_of
from generator.verdict.ladder import choose, try_ladder
from generator.verdict.results import Verdict
from tests.reduced import RIGS

SEED = 20261202
MODELS_PER_MACHINE = 3


def machines(catalog: Catalog) -> Iterator[Setup]:
    """Rigs of several kinds, one card, and eight cards with little host memory."""
    yield from (setup_of(catalog, rig) for rig in RIGS)
    gpus = sorted(catalog.gpus)
    yield ad_hoc_rig(catalog, gpus[0], 1, 64.0)
    yield ad_hoc_rig(catalog, gpus[-1], 8, 512.0, 20.0)


def verdict_of(catalog: Catalog, model: str, method: str, setup: Setup) -> Verdict:
    """A verdict without its advice: what a configuration needs of it."""
    rungs = try_ladder(catalog, subject_of(catalog, model), method, setup)
    verdict, chosen = choose(rungs)
    return Verdict(model, method, verdict, chosen, rungs, (), None, ())


@cache
def sample() -> tuple[Job, ...]:
    """Jobs of every framework over models, machines and methods, always the same ones."""
    catalog = load_catalog()
    chooser = random.Random(SEED)
    models = [
        model
        for model, record in sorted(catalog.models.items())
        if record.objective == "causal-lm" and not record.architecture.shape().unmodelled
    ]
    jobs: list[Job] = []
    for setup in machines(catalog):
        for model in [*chooser.sample(models, min(MODELS_PER_MACHINE, len(models))), "qwen3-1.7b", "llama-3.1-8b"]:
            for method in catalog.methods:
                verdict = verdict_of(catalog, model, method, setup)
                if verdict.chosen is not None:
                    jobs.extend(_jobs(catalog, verdict, setup))
    return tuple(jobs)


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
