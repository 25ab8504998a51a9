"""Pages of rigs and of GPUs."""

from __future__ import annotations

from functools import partial

from markupsafe import Markup

from generator.site.api import API_PATH
from generator.site.page import Page, relative_link
from generator.site.pages_accuracy import runs_path
from generator.site.pages_env import PageWriter
from generator.site.pages_home import headline, report_values
from generator.site.pages_site import Site
from generator.site.urls import PREFIXES
from generator.views.accuracy import runs_on
from generator.views.api import rig_path, rig_table_path
from generator.views.facts import facts_of
from generator.views.hardware import disputed, gpu_groups, named_in_note, rigs_of, unknown_fields
from generator.views.rigs import matrix, pools


def rigs_page(site: Site) -> Page:
    """Index of the rigs with their headlines."""
    writer = site.writer("rigs/")
    rows = []
    for rig_id, report in site.reports.items():
        rig = site.catalog.rigs[rig_id]
        place = partial(_number_of_rig, writer, site.rig_path(rig_id))
        text = headline(site, writer, report, place)
        rows.append(
            {"id": rig_id, "rig": rig, "headline": text, "pools": pools(rig, site.catalog.gpus[rig.gpu])},
        )
    return writer.page(
        "rigs.md.j2",
        section="rigs",
        title=writer.messages("rigs.index.heading"),
        description=writer.messages("rigs.index.description"),
        navigation_title=writer.messages("rigs.index.navigation"),
        rows=rows,
        **site.values(writer),
    )


def _number_of_rig(writer: PageWriter, rig_path: str, shown: str, path: str) -> Markup:
    return _link(writer.link(rig_path + path), shown)


def _link(address: str, shown: str) -> Markup:
    return Markup('<a class="tf-num" href="{}">{}</a>').format(address, shown)


def rig_page(site: Site, rig_id: str) -> Page:
    """The report of one rig: map, matrix, families, facts."""
    writer = site.writer(site.rig_path(rig_id))
    rig, report = site.catalog.rigs[rig_id], site.reports[rig_id]
    name = site.of(rig.name)
    line = headline(site, writer, report, lambda shown, path: _link(path, shown))
    return writer.page(
        "rig.md.j2",
        section="rigs",
        title=writer.messages("rigs.page.title", rig=name),
        description=writer.messages("rigs.page.description", rig=name, headline=line.striptags()),
        edit_path=site.catalog.path_of("rig", rig_id),
        rig_title=writer.messages("rigs.page.title", rig=name),
        headline_html=writer.messages.html("rigs.page.lead", parts=line),
        matrix_rows=matrix(site.catalog, report),
        facts=facts_of(rig),
        ran=runs_on(site.catalog, site.checks.accuracy, rig.gpu, rig.count),
        runs_path=runs_path,
        json_address=_outside(writer, rig_path(rig_id)),
        csv_address=_outside(writer, rig_table_path(rig_id)),
        **site.values(writer),
        **report_values(site, writer, rig_id),
    )


def _outside(writer: PageWriter, file: str) -> str:
    """Relative address of a file of the API, which stands once for all languages."""
    return relative_link(PREFIXES[writer.language] + writer.path, API_PATH + file)


def gpus_page(site: Site) -> Page:
    """Index of the GPUs, by vendor and by whom they are sold to; below it, how training speeds are taken."""
    writer = site.writer("gpus/")
    catalog = site.catalog
    return writer.page(
        "gpus.md.j2",
        section="gpus",
        title=writer.messages("gpus.index.heading"),
        description=writer.messages("gpus.index.description"),
        navigation_title=writer.messages("gpus.index.navigation"),
        groups=gpu_groups(catalog),
        rigs_of={gpu_id: rigs_of(catalog, gpu_id) for gpu_id in catalog.gpus},
        speed_classes=catalog.policy.speed_classes,
        **site.values(writer),
    )


def gpu_page(site: Site, gpu_id: str) -> Page:
    """One GPU: its facts with their sources, what they disagree on, what is unknown, its names and rigs."""
    writer = site.writer(f"gpus/{gpu_id}/")
    gpu = site.catalog.gpus[gpu_id]
    return writer.page(
        "gpu.md.j2",
        section="gpus",
        title=gpu.name,
        description=writer.messages(
            "gpus.page.description",
            gpu=gpu.name,
            memory=writer.formats.gb(gpu.memory_label_gib.value),
            visible=writer.formats.gib(gpu.framework_visible_gib.on.value),
        ),
        edit_path=site.catalog.path_of("gpu", gpu_id),
        gpu_id=gpu_id,
        gpu=gpu,
        named=named_in_note(site.catalog, gpu_id),
        facts=facts_of(gpu),
        disputed=disputed(gpu),
        unknown=tuple(unknown_fields(gpu)),
        rig_lines={
            rig_id: headline(site, writer, site.reports[rig_id], partial(_number_of_rig, writer, site.rig_path(rig_id)))
            for rig_id in rigs_of(site.catalog, gpu_id)
            if rig_id in site.reports
        },
        speed_class=next(
            (each for each in site.catalog.policy.speed_classes if each.id == gpu.sustained_tflops.speed_class), None
        ),
        **site.values(writer),
    )
