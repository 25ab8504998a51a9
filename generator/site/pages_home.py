"""The home page: the report for the first rig."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from markupsafe import Markup

from generator.catalog.fields import Citation
from generator.site.page import Page
from generator.site.pages_accuracy import ran_line
from generator.site.pages_env import PageWriter
from generator.site.pages_site import Site
from generator.site.pages_values import ValueWriter
from generator.verdict.results import Mode, RigReport, Verdict, VerdictId
from generator.views.facts import facts_of
from generator.views.families import FamilyRow, Member, family_rows, name_groups, named_models
from generator.views.home import (
    PretrainingGroup,
    PretrainingReach,
    example_of_class,
    judged_models,
    out_of_reach,
    pretraining_groups,
    pretraining_reach,
    reaches,
)
from generator.views.link import headline_needs
from generator.views.memory import Need, PerParameter, memory_per_parameter, needs, peak_terms
from generator.views.methodology import LeverRow, lever_rows
from generator.views.rigs import capability_rows, context_rows, methods_of, pools, sync_loss
from generator.views.sources import provenance, source_host

COMPARED = ("memory_label_gib", "tdp_w", "bf16_dense_tflops", "nvlink")
"""Fields of a card that the note on its name compares."""
LABELLED = frozenset({"nvlink"})
"""Those of them whose value alone does not say what it is."""
METHODS_IN_HEADLINE = ("full", "lora", "qlora")


def headline(site: Site, writer: PageWriter, report: RigReport, place: Callable[[str, str], Markup | str]) -> Markup:
    """The report in one line; `place(text, path)` makes a number lead somewhere, or leaves it as it is."""
    say = writer.messages.html
    line = report.headline
    limits = {"full": line.full, "lora": line.lora, "qlora": line.qlora}
    parts: list[Markup] = []
    if line.lora is not None and line.lora == line.qlora:
        limits = {"full": line.full, "lora_qlora": line.lora}
    for method, limit in limits.items():
        if limit is not None:
            parts.append(say(f"home.headline.{method}", size=place(site.size_class_top(limit), f"#map-{limit}")))
    pretraining = pretraining_reach(report)
    if pretraining is not None:
        key, numbers = pretraining_words(writer, pretraining)
        linked = {name: place(shown, "#pretraining") for name, shown in numbers.items()}
        parts.append(say(f"home.headline.{key}", **linked))
    return Markup(", ").join(parts) if parts else say("home.headline.nothing")


def pretraining_words(writer: PageWriter, reach: PretrainingReach) -> tuple[str, dict[str, str]]:
    """Key and numbers of what is said of pretraining: what is comfortable, and in brackets what is borderline."""
    if reach.comfortable is None:
        return "pretrain_borderline", {"sizes": billions_range(writer, reach.smallest, reach.borderline or 0)}
    sizes = billions_range(writer, reach.smallest, reach.comfortable)
    if reach.borderline is None:
        return "pretrain", {"sizes": sizes}
    return "pretrain_beyond", {"sizes": sizes, "beyond": writer.formats.billions(reach.borderline * 1e9, 1, trim=True)}


def link_line(site: Site, writer: PageWriter, report: RigReport) -> Markup | None:
    """What the headline takes the link of a rig for, how that is known, and what it needs; none for one card."""
    rig = site.catalog.rigs[report.rig]
    if rig.count == 1:
        return None
    link, say = rig.interconnect, writer.messages.html
    page = site.rig_path(report.rig)

    def number(value: float, path: str, digits: int = 1) -> Markup:
        shown = writer.formats.unit(value, "gb_per_second", digits, trim=digits == 0)
        return Markup('<a class="tf-num" href="{}">{}</a>').format(writer.link(path), shown)

    needs = Markup(", ").join(
        say(f"home.link.needs.{method}", needed=number(needed, "methodology/#definition-link"))
        for method, needed in headline_needs(site.catalog, report).items()
    )
    bus = link.bus_gb_per_s
    parts = [
        say(
            f"home.link.{bus.kind}",
            bus=number(bus.value, f"{page}#fact-interconnect-bus-gb-per-s", 0),
            p2p=writer.messages(f"home.link.p2p.{'with' if link.p2p.value else 'without'}"),
        )
    ]
    if needs:
        parts.append(say("home.link.holds", needs=needs))
    measure = Markup('<a href="{}">{}</a>').format(
        writer.link("methodology/#measure-link"), writer.messages("home.link.measure")
    )
    return Markup(" ").join([*parts, measure])


def billions_range(writer: PageWriter, low: float, high: float) -> str:
    """«0,5–3B»."""
    last = writer.formats.billions(high * 1e9, 1, trim=True)
    return last if low == high else f"{writer.formats.number(low, 1, trim=True)}–{last}"


def bare_range(writer: PageWriter, low: float, high: float) -> str:
    """«16–20», as exact as two decimals say."""
    first, last = writer.formats.number(low, 2, trim=True), writer.formats.number(high, 2, trim=True)
    return last if first == last else f"{first}–{last}"


def bytes_range(writer: PageWriter, low: float, high: float) -> str:
    """«16–20 Б/парам.»."""
    first = writer.formats.number(low, 2, trim=True)
    last = writer.formats.unit(high, "byte_per_parameter", 2, trim=True)
    return last if first == writer.formats.number(high, 2, trim=True) else f"{first}–{last}"


def ratio_range(writer: PageWriter, low: float, high: float) -> str:
    """«17–73 %»."""
    first, last = writer.formats.share(low), writer.formats.share(high)
    return last if first == last else "–".join([first.rstrip("%\u00a0"), last])


def model_range(writer: PageWriter, low: float, high: float) -> str:
    """«0,6–1,8B»: sizes of real models, one decimal always."""
    first, last = writer.formats.number(low, 1), writer.formats.billions(high * 1e9)
    return last if first == writer.formats.number(high, 1) else f"{first}–{last}"


def group_sizes(writer: PageWriter, group: PretrainingGroup) -> str:
    """«0,5–1,5B»; «7B и больше» where the verdict leaves no hope."""
    first = writer.formats.billions(group.sizes[0] * 1e9, 1, trim=True)
    if group.verdict == "not-recommended":
        return writer.messages("home.card.and_more", size=first)
    return billions_range(writer, group.sizes[0], group.sizes[-1])


def exemplar_name(site: Site, writer: PageWriter, model: str) -> str:
    """Name of a model; of a bare size its number."""
    if model in site.catalog.models:
        return site.catalog.models[model].name
    return writer.formats.billions(float(model.removeprefix("size-")) * 1e9, 1, trim=True)


def modes_by_verdict(modes: tuple[Mode, ...]) -> Mapping[VerdictId, list[Mode]]:
    """Modes with one verdict together, in their order."""
    found: dict[VerdictId, list[Mode]] = {}
    for mode in modes:
        found.setdefault(mode.verdict, []).append(mode)
    return found


def cards_by_host(site: Site, row: FamilyRow) -> Mapping[str, list[Member]]:
    """Members of a row by the host of their official cards."""
    hosts: dict[str, list[Member]] = {}
    for member in row.members:
        card = site.catalog.sources[site.catalog.models[member.model].card]
        hosts.setdefault(source_host(card), []).append(member)
    return hosts


def report_values(site: Site, writer: PageWriter, rig_id: str) -> dict[str, Any]:
    """What the parts of a rig's report need, on the home page and on the page of the rig."""
    catalog, report = site.catalog, site.reports[rig_id]
    rig = catalog.rigs[rig_id]
    gpu = catalog.gpus[rig.gpu]
    rows = capability_rows(catalog, report, tuple(methods_of(catalog)))
    per_parameter = memory_per_parameter(catalog, report)
    context_class = report.headline.full or catalog.policy.size_classes[0].id
    class_models = (
        report.capability[context_class, "full"].models if (context_class, "full") in report.capability else ()
    )
    named = named_models(catalog, report)
    contexts = context_rows(report, tuple(model for model in class_models if model in named), "full")
    return {
        "rig_id": rig_id,
        "rig": rig,
        "gpu": gpu,
        "report": report,
        "policy": catalog.policy,
        "pools": pools(rig, gpu),
        "reaches": reaches(catalog, report),
        "map_rows": rows,
        "families": family_rows(catalog.models, report, named),
        "unnamed": len(report.recommended) - len(named),
        "cards": lambda row: cards_by_host(site, row),
        "per_parameter": per_parameter,
        "per_parameter_max": max((row.high_bytes for row in per_parameter), default=1.0),
        "bytes_range": lambda low, high: bytes_range(writer, low, high),
        "memory_citations": memory_citations(site, per_parameter),
        "context_class": context_class,
        "contexts": contexts,
        "sync_loss": sync_loss(report, class_models, "full"),
        "context_lengths": sorted({tokens for row in contexts for tokens in row.by_tokens}),
        "pretraining": tuple(report.pretraining.items()),
        "pretraining_groups": pretraining_groups(report),
        "group_sizes": lambda group: group_sizes(writer, group),
        "billions_range": lambda low, high: model_range(writer, low, high),
        "ratio_range": lambda low, high: ratio_range(writer, low, high),
        "bare_range": lambda low, high: bare_range(writer, low, high),
        "name_groups": lambda ids: name_groups(catalog.models, ids),
        "exemplar_name": lambda model: exemplar_name(site, writer, model),
        "modes_by_verdict": modes_by_verdict,
        "gpu_fact": lambda field: f"gpus/{rig.gpu}/#fact-{field.replace('.', '-').replace('_', '-')}",
        **pool_values(site, report, per_parameter),
        "judged": judged_models(catalog, report),
        "link_line": link_line(site, writer, report),
        "lora_note": lora_note(site, writer, report),
        **check_values(site, writer, report),
    }


def check_values(site: Site, writer: PageWriter, report: RigReport) -> dict[str, Any]:
    """What single settings save, and how far the estimate is from measured runs."""

    def items(rows: tuple[LeverRow, ...]) -> Markup:
        place = writer.link("methodology/#levers")
        saved = (
            (row.lever, Markup('<a class="tf-num" href="{}">{}</a>').format(place, writer.formats.gib(row.saved_gib)))
            for row in rows[1:]
        )
        return Markup(", ").join(writer.messages.html(f"home.context.lever.{name}", saved=link) for name, link in saved)

    return {
        "levers": lever_rows(site.catalog, report),
        "lever_items": items,
        "checks": site.checks.rows,
        "checks_median": site.checks.median_absolute,
        "checks_in_sample": site.checks.in_sample,
    }


def memory_citations(site: Site, rows: tuple[PerParameter, ...]) -> tuple[Citation, ...]:
    """What the methods of these rows cite, each source once."""
    seen: dict[str, Citation] = {}
    for row in rows:
        for citation in site.catalog.methods[row.method].citations:
            seen.setdefault(citation.source, citation)
    return tuple(seen.values())


def pool_values(site: Site, report: RigReport, rows: tuple[PerParameter, ...]) -> dict[str, Any]:
    """The example of why several pools are not one: the largest model of the class that QLoRA reaches."""
    size_class = report.headline.qlora or site.catalog.policy.size_classes[-1].id
    example = example_of_class(report, size_class, "full") or next(iter(site.catalog.models))
    found = needs(site.catalog, example, rows)
    rig = site.catalog.rigs[report.rig]
    have = pools(rig, site.catalog.gpus[rig.gpu]).label_total_gib
    verdicts: dict[str, Verdict] = {
        method: report.verdicts[example, method]
        for method in METHODS_IN_HEADLINE
        if (example, method) in report.verdicts
    }
    return {
        "example": example,
        "example_name": site.catalog.models[example].name,
        "example_size": site.size_class_top(size_class),
        "needs": found,
        "needs_max": max([have, *(need.high_gib for need in found)]),
        "heaviest": heaviest_of(found),
        "example_verdicts": verdicts,
        "peak_terms": peak_terms,
    }


def lora_note(site: Site, writer: PageWriter, report: RigReport) -> Markup | None:
    """Why LoRA ends earlier than QLoRA, with the numbers of the largest model that QLoRA reaches.

    None where both reach as far, or where a copy of the base fits and something else decides.
    """
    line = report.headline
    if line.lora is None or line.qlora is None or line.lora == line.qlora:
        return None
    model = example_of_class(report, line.qlora, "lora")
    tried = [report.verdicts.get((model, method)) for method in ("lora", "qlora")] if model else []
    rungs = [verdict.rung for verdict in tried if verdict is not None and verdict.rung is not None]
    if model is None or len(rungs) != 2 or rungs[0].estimate.ratio <= 1:
        return None
    lora, qlora = (rung.estimate for rung in rungs)

    def number(shown: str, path: str) -> Markup:
        return Markup('<a class="tf-num" href="{}">{}</a>').format(writer.link(path), shown)

    gib = writer.formats.gib
    return writer.messages.html(
        "home.pools.lora",
        size=number(site.size_class_top(line.qlora), f"#map-{line.qlora}"),
        lora=number(site.size_class_top(line.lora), f"#map-{line.lora}"),
        model=site.catalog.models[model].name,
        base=number(gib(dict(peak_terms(lora))["weights"]), site.model_path(model, "lora")),
        peak=number(gib(lora.peak_gib.expected), site.model_path(model, "lora")),
        usable=number(gib(lora.usable_gib), f"gpus/{lora.plan.gpu}/#fact-framework-visible-gib-{lora.plan.ecc}"),
        qpeak=number(gib(qlora.peak_gib.expected), site.model_path(model, "qlora")),
    )


def heaviest_of(found: tuple[Need, ...]) -> Need | None:
    """The need of training every weight without a compromise: the largest one."""
    return max((need for need in found if need.row.kind == "training"), key=lambda need: need.high_gib, default=None)


def question_facts(site: Site, writer: PageWriter, gpu_id: str) -> list[dict[str, Any]]:
    """The values that the note on a card's name speaks of, each with its place: of this card and of one it names."""
    gpus = site.catalog.gpus
    note = gpus[gpu_id].name_note
    fields: dict[str, tuple[str, ...]] = {gpu_id: COMPARED} if note is not None else {}
    for other_id, other in gpus.items():
        if other_id != gpu_id and note is not None and other.name.removeprefix("NVIDIA ") in site.of(note):
            fields[other_id] = ("released", *COMPARED)
    values = ValueWriter(writer)
    return [
        {
            "name": gpus[each].name,
            "facts": [
                {
                    "label": writer.messages(f"facts.gpu.{fact.field}") if fact.field in LABELLED else "",
                    "value": values.fact(fact),
                    "path": f"gpus/{each}/#{fact.anchor}",
                }
                for fact in facts_of(gpus[each])
                if fact.field in wanted
            ],
        }
        for each, wanted in fields.items()
    ]


def home_page(site: Site) -> Page:
    """The report for the first rig at the root of the site."""
    writer = site.writer("")
    rig_id = site.first_rig
    values = report_values(site, writer, rig_id)
    rig, report = values["rig"], values["report"]
    cards = re.sub(r"\s*\([^)]*\)$", "", site.of(rig.name))

    def linked(text: str, path: str) -> Markup:
        return Markup('<a class="tf-num" href="{}">{}</a>').format(writer.link(path), text)

    def unlinked(text: str, path: str) -> str:  # noqa: ARG001 (the same shape as linked)
        return text

    total = values["pools"].label_total_gib
    memory = linked(writer.formats.gb(total), "#pools")
    name = linked(cards, site.rig_path(rig_id))
    title_html = writer.messages.html(
        "home.headline.whole", memory=memory, rig=name, parts=headline(site, writer, report, linked)
    )
    plain = writer.messages.html(
        "home.headline.whole",
        memory=writer.formats.gb(total),
        rig=cards,
        parts=headline(site, writer, report, unlinked),
    ).striptags()
    data_date = writer.formats.date(site.catalog.data_date)
    return writer.page(
        "home.md.j2",
        section="home",
        title=plain,
        description=writer.messages("home.description", headline=plain, date=data_date),
        edit_path=site.catalog.path_of("rig", rig_id),
        navigation_title=writer.messages("home.navigation"),
        title_html=title_html,
        pools_heading=writer.messages(
            "home.pools.heading", total=writer.formats.gb(total), size=values["example_size"]
        ),
        pretraining_reach=pretraining_words(writer, reach)
        if (reach := pretraining_reach(report)) is not None
        else None,
        provenance=provenance(site.catalog),
        unreachable=out_of_reach(report, "qlora"),
        question_facts=question_facts(site, writer, rig.gpu),
        ran_line=ran_line(site, writer, report.rig),
        **site.values(writer),
        **values,
    )
