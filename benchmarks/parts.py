"""The parts of a build, one by one, and what an estimate costs alone and by the thousand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from generator.catalog import Catalog, load_catalog
from generator.estimate import Plan, estimate
from generator.estimate.many import estimate_many
from generator.site.build import build, environment, render
from generator.site.mkdocs_ready import run_mkdocs
from generator.site.page import LANGUAGES
from generator.site.render import judge_rigs
from generator.verdict import setup_of, subject_of, verdicts_alone
from generator.verdict.setup import applies, plan_for

CONTEXTS = (512, 1024, 2048, 4096, 8192, 16_384, 32_768, 131_072)
CHUNK = 20_000


@dataclass(frozen=True, slots=True)
class Step:
    """Something that is timed."""

    name: str
    what: str
    run: Callable[[Path], object]
    """Gets a folder of its own, the same for all runs, so that the first one is cold and the others are not."""
    runs: int
    count: int = 0
    """How many things one run makes, for a rate; 0 where a rate says nothing."""


def steps() -> tuple[Step, ...]:
    """From the smallest to the whole."""
    catalog = load_catalog()
    pairs = len(catalog.rigs) * len(catalog.models) * len(catalog.methods)
    plans = list(islice(grid(catalog), CHUNK))
    size = sum(1 for _ in grid(catalog))
    return (
        Step("load", "read and check data/", lambda _: load_catalog(), 5),
        Step("one", "single estimates, each plan anew", lambda _: one_by_one(plans[:2000]), 3, 2000),
        Step(
            "grid", f"{size} estimates by columns: models × rigs × recipes × contexts", lambda _: by_columns(), 1, size
        ),
        Step("lock", f"{pairs} verdicts alone: rigs × models × methods", lambda _: alone(load_catalog()), 3, pairs),
        Step("judge", "the same with all that pages say of them", lambda _: judge_rigs(load_catalog()), 3, pairs),
        Step("render", "Markdown and fragments, both languages", lambda folder: render(load_catalog(), folder), 1),
        Step("mkdocs", "bare `mkdocs build` of that Markdown with the same hook, both languages", bare_mkdocs, 2),
        Step("build", "the site: all of the above, light pages, files, the search index", build_in, 2),
    )


def grid(catalog: Catalog) -> Iterator[Plan]:
    """Every plan of every recipe for every model that is modelled, on every rig, at all CONTEXTS."""
    subjects = [subject_of(catalog, id_) for id_, model in catalog.models.items() if model.objective == "causal-lm"]
    for rig in catalog.rigs:
        setup = setup_of(catalog, rig)
        for subject in (each for each in subjects if not each.shape.unmodelled):
            for method_id, method in catalog.methods.items():
                for recipe in (each for each in method.ladder if applies(each, setup)):
                    plan = plan_for(catalog, subject, method_id, recipe, setup)
                    yield from (replace(plan, seq_len=seq_len) for seq_len in CONTEXTS)


def one_by_one(plans: list[Plan]) -> object:
    """Estimates without what an earlier run remembered."""
    catalog = load_catalog()
    return [estimate(catalog, plan).fits for plan in plans]


def by_columns() -> object:
    """The whole grid in chunks."""
    catalog = load_catalog()
    plans = grid(catalog)
    fitting = 0
    while chunk := list(islice(plans, CHUNK)):
        fitting += sum(fits == "yes" for fits in estimate_many(catalog, chunk).fits)
    return fitting


def alone(catalog: Catalog) -> object:
    """What `trainfit lock` computes."""
    return [verdicts_alone(catalog, rig) for rig in catalog.rigs]


def bare_mkdocs(folder: Path) -> object:
    """MkDocs over pages that are there already: they are rendered before the clock starts (`prepare`)."""
    return run_mkdocs(LANGUAGES, folder, environment(load_catalog().data_date, folder))


def prepare(step: Step, folder: Path) -> None:
    """What a step needs and is not timed."""
    if step.name == "mkdocs":
        render(load_catalog(), folder)


def build_in(folder: Path) -> object:
    """A whole build that leaves the checkout's own build/ and site/ alone."""
    return build(site_dir=folder / "site", work_dir=folder / "build")
