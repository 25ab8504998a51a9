"""The page of the recommended stack: checklist, answers for each method, files to run, versions, projects."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup, escape

from generator.architecture import count_parameters
from generator.catalog import Catalog
from generator.errors import LaunchError
from generator.launch import FRAMEWORKS, Job, job_of
from generator.site.launch import file_key, notes, written
from generator.site.page import LANGUAGES, Language, Page
from generator.site.pages_site import Site
from generator.site.urls import PREFIXES
from generator.verdict import Setup, setup_of
from generator.verdict.results import FEASIBLE, RigReport, Verdict
from generator.verdict.stack import Answer, recommended_stack
from generator.views.families import named_models

CONFIGS = "configs/"
"""Where the files of configurations lie on the site, below the root of each language."""
SHOWN_ON_PAGE = ("sft.yaml", "accelerate.yaml", "requirements.txt")
"""Files that the page shows whole; all can be downloaded."""


@dataclass(frozen=True, slots=True)
class Example:
    """One method on the first rig: the largest model that it suits, the stack for it, and files."""

    method: str
    verdict: Verdict
    answers: tuple[Answer, ...]
    jobs: tuple[Job, ...]
    """One for each framework that can run it, TRL first."""


def examples(catalog: Catalog, report: RigReport, setup: Setup) -> Iterator[Example]:
    """An example for each method that suits any model: the largest one with the best verdict."""
    p2p = catalog.rigs[report.rig].interconnect.p2p.value if report.rig in catalog.rigs else None
    for method in catalog.methods:
        verdict = _largest(catalog, report, method)
        if verdict is None or verdict.rung is None:
            continue
        jobs = tuple(jobs_of(catalog, verdict, setup))
        yield Example(method, verdict, recommended_stack(catalog, verdict.rung.estimate.plan, p2p), jobs)


def _largest(catalog: Catalog, report: RigReport, method: str) -> Verdict | None:
    named = {model for model in named_models(catalog, report) if model in catalog.models}
    found = [
        verdict
        for (model, tried), verdict in report.verdicts.items()
        if tried == method and verdict.verdict in FEASIBLE and model in named
    ]
    return max(found, key=lambda verdict: _rank(catalog, verdict), default=None)


def _rank(catalog: Catalog, verdict: Verdict) -> tuple[int, int, str]:
    size = count_parameters(catalog.models[verdict.model].architecture.shape()).total
    return -FEASIBLE.index(verdict.verdict), size, verdict.model


def jobs_of(catalog: Catalog, verdict: Verdict, setup: Setup) -> Iterator[Job]:
    """What runs a verdict, by every framework that can."""
    for framework in FRAMEWORKS:
        try:
            yield job_of(catalog, verdict, setup, framework)
        except LaunchError:
            continue


def config_path(job: Job, name: str = "") -> str:
    """Where a file of a job lies below the root of a language."""
    return f"{CONFIGS}{job.rig}/{job.model}/{job.method}/{job.framework}/{name}"


def code(text: str) -> Markup:
    """A file's text inside `<pre>`: line ends as entities, since a fragment loses indentation."""
    return Markup(str(escape(text.rstrip("\n"))).replace("\n", "&#10;"))  # noqa: S704 (escaped)


def spans(markdown: str) -> Markup:
    """A sentence with `code` in it as HTML."""
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(escape(markdown))))  # noqa: S704 (escaped)


def _is_compromise(catalog: Catalog, job: Job) -> bool:
    """Whether its recipe is one, whatever the framework makes of it."""
    return any(recipe.compromise for recipe in catalog.methods[job.method].ladder if recipe.id == job.recipe)


def stacks_page(site: Site) -> Page:
    """The recommended stack."""
    writer = site.writer("stacks/")
    catalog = site.catalog
    shown = list(examples(catalog, site.first_report, setup_of(catalog, site.first_rig)))
    files = {
        (example.method, job.framework): written(catalog, job, site.language)
        for example in shown
        for job in example.jobs
    }
    return writer.page(
        "stacks.md.j2",
        section="stacks",
        title=writer.messages("stacks.heading"),
        description=writer.messages("stacks.description"),
        navigation_title=writer.messages("stacks.navigation"),
        examples=shown,
        files=files,
        notes={
            (example.method, job.framework): [
                spans(line) for line in notes(job, _is_compromise(catalog, job), site.language)
            ]
            for example in shown
            for job in example.jobs
        },
        shown_files=SHOWN_ON_PAGE,
        config_path=config_path,
        file_key=file_key,
        code=code,
        **site.values(writer),
    )


def config_texts(catalog: Catalog, report: RigReport, language: Language) -> dict[str, str]:
    """Path below the root of the site → text of every file that the page offers, sorted."""
    texts = {}
    for example in examples(catalog, report, setup_of(catalog, report.rig)):
        for job in example.jobs:
            for name, text in written(catalog, job, language).items():
                texts[f"{PREFIXES[language]}{config_path(job, name)}"] = text
    return dict(sorted(texts.items()))


def write_configs(
    catalog: Catalog, report: RigReport, site_dir: Path, languages: tuple[Language, ...] = LANGUAGES
) -> None:
    """Writes the files of all configurations of a rig below `site_dir`."""
    for language in languages:
        for name, text in config_texts(catalog, report, language).items():
            path = site_dir / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode("utf-8"))
