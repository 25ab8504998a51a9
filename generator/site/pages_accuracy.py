"""The accuracy page, and for each source of measured runs a page that lists them one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from markupsafe import Markup

from generator.catalog.measurements import Measurement
from generator.estimate.accuracy import Comparison, finished
from generator.estimate.bands import NARROWEST, TAIL, constant_id
from generator.site.api import API_PATH
from generator.site.page import Page
from generator.site.pages_env import PageWriter
from generator.site.pages_site import Site
from generator.site.plot import Dot, power_of_ten, scatter
from generator.views.accuracy import FAR, runs_on, said_of_runs
from generator.views.api_runs import RUNS_PATH

ACCURACY_PATH = "accuracy/"
MEASUREMENTS_FILE = f"{API_PATH}{RUNS_PATH}"
WORST = 10
"""Runs that the page lists one by one."""


def runs_path(source: str, run: str = "") -> str:
    """Page of the runs of a source, at one of them where one is given."""
    return f"{ACCURACY_PATH}{source}/" + (f"#{run}" if run else "")


def ran_line(site: Site, writer: PageWriter, rig_id: str) -> Markup | None:
    """The largest model that somebody trained on such a machine, with its speed; none where nobody published it."""
    rig = site.catalog.rigs[rig_id]
    for each in runs_on(site.catalog, site.checks.accuracy, rig.gpu, rig.count).shown:
        row, speed = each.measurement, each.speed
        if row.method in site.catalog.methods and row.tokens_per_sec_per_gpu and speed:
            place = Markup('<a class="tf-num" href="{}">{}</a>').format
            run = writer.link(runs_path(each.run.source, each.run.id))
            return writer.messages.html(
                "home.ran",
                method=site.of(site.catalog.methods[row.method].short),
                model=place(run, row.model),
                measured=place(run, writer.formats.unit(row.tokens_per_sec_per_gpu, "token_per_second_per_gpu")),
                estimated=place(
                    writer.link(f"{site.rig_path(rig_id)}#measured"), writer.formats.number(speed.expected)
                ),
            )
    return None


def accuracy_page(site: Site) -> Page:
    """The estimate against everything that was measured."""
    writer = site.writer(ACCURACY_PATH)
    checks = site.checks
    worst = sorted(finished(checks.rows), key=lambda pair: (-abs(pair[1]), pair[0].run.id))[:WORST]
    return writer.page(
        "accuracy.md.j2",
        section="methodology",
        title=writer.messages("accuracy.heading"),
        description=writer.messages("accuracy.description"),
        navigation_title=writer.messages("accuracy.navigation"),
        checks=checks,
        far=FAR,
        power_of_ten=power_of_ten,
        memory_plot=scatter(_memory_dots(site), FAR),
        speed_plot=scatter(_speed_dots(site), FAR),
        worst=worst,
        tail=TAIL,
        narrowest=NARROWEST,
        constant_id=constant_id,
        runs_path=runs_path,
        file=MEASUREMENTS_FILE,
        percent=lambda share: writer.formats.percent(share, 1),
        **site.values(writer),
    )


def runs_page(site: Site, source: str) -> Page:
    """All runs of one source with what the estimate says of each."""
    writer = site.writer(runs_path(source))
    checks = site.checks
    title = site.catalog.sources[source].title
    said = said_of_runs(checks.accuracy)
    return writer.page(
        "accuracy_runs.md.j2",
        section="methodology",
        title=writer.messages("accuracy.runs.title", source=title),
        description=writer.messages("accuracy.runs.description", source=title),
        edit_path=f"data/measurements/{source}.csv",
        source_id=source,
        rows=[said[run.id] for run in site.catalog.measurements if run.source == source],
        compared=lambda each: isinstance(each, Comparison),
        setting_words=lambda row: ", ".join(_settings(row)),
        file=MEASUREMENTS_FILE,
        percent=lambda share: writer.formats.percent(share, 1),
        **site.values(writer),
    )


def _memory_dots(site: Site) -> Iterator[Dot]:
    for each, _ in finished(site.checks.rows):
        row = each.measurement
        yield row.peak_gib or 0.0, each.peak_gib, row.method, each.run.source in site.checks.fitting, each.run.id


def _speed_dots(site: Site) -> Iterator[Dot]:
    for each in site.checks.timed:
        row = each.measurement
        if each.speed and row.tokens_per_sec_per_gpu:
            fitting = each.run.source in site.checks.fitting
            yield row.tokens_per_sec_per_gpu, each.speed.expected, row.method, fitting, each.run.id


def _settings(row: Measurement) -> Iterator[str]:
    """Settings of a run in the spelling of the data, which is that of the command line."""
    yield f"{row.n_gpus} × {row.gpu}"
    if row.seq_len:
        yield f"{row.seq_len} × {row.micro_batch}" if row.micro_batch else str(row.seq_len)
    named: tuple[Any, ...] = (row.precision, row.optimizer, row.sharding, row.quant)
    yield from (value for value in named if value not in (None, "none"))
    if row.lora_rank:
        yield f"r={row.lora_rank}"
    flags = {"grad_checkpointing": row.grad_checkpointing, "fused_ce": row.fused_ce, "kernels": row.kernels}
    yield from (f"{name}={_cell(value)}" for name, value in flags.items() if value is not None)


def _cell(value: object) -> str:
    return {True: "y", False: "n"}[value] if isinstance(value, bool) else str(value)
