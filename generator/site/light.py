"""The light pages `/v/<rig>/<model>/`: one verdict to link to, with its badge and its embed.

There are as many as rigs times models, so they are written straight to the finished site, not through MkDocs. What
two pages have in common (names, links, citations, constants) is made once for a language.
"""

from __future__ import annotations

import datetime
import os
import shutil
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from markupsafe import Markup

from generator.catalog import Catalog
from generator.site import references
from generator.site.api import API_PATH
from generator.site.assemble import redirect
from generator.site.badges import badge_svg
from generator.site.calculator_url import calculator_path
from generator.site.light_files import FilesWriter
from generator.site.light_rows import Row, RowWriter, bar
from generator.site.messages import Messages
from generator.site.page import Language, light_path, relative_link
from generator.site.pages_env import environment, typeset, within_sentence
from generator.site.pages_site import SIGNS, Site
from generator.site.policy import LIGHT_POLICY
from generator.site.previews import preview_url
from generator.site.urls import PREFIXES, language_link, page_url
from generator.verdict.results import FEASIBLE, RigReport, VerdictId
from generator.views.api import generator_version, model_path
from generator.views.changes import PublishedFlip, last_flips
from generator.views.light import Light, light, what_is_not_modelled

if TYPE_CHECKING:
    from jinja2 import Template

SLOT = "\x00"
"""Where files and arithmetic of a method go into a page that is written otherwise: no text of data/ can hold it."""


class LightWriter:
    """Writes the light pages of one language."""

    def __init__(self, site: Site, languages: tuple[Language, ...]) -> None:
        self.site = site
        self.language = site.language
        self.languages = languages
        self.rows = RowWriter(site)
        self.files = FilesWriter(site, self.rows.writer)
        self.messages, self.formats = self.rows.messages, self.rows.formats

    @cached_property
    def shared(self) -> dict[str, Any]:
        """What is the same on all pages of the language."""
        messages = self.messages
        return {
            "t": messages.html,
            "f": self.formats,
            "language": self.language,
            "link": self.rows.writer.link,
            "policy_header": LIGHT_POLICY,
            "site_name": messages("shell.site.name"),
            "locale": messages("shell.language.locale"),
            "language_names": {each: Messages(each)("shell.language.name") for each in self.languages},
            "names": self.rows.names,
            "within": within_sentence,
            "chips": self.rows.chips,
            "signs": {id_: f"{sign} {messages(f'verdicts.{id_}.word')}" for id_, sign in SIGNS.items()},
            "bar": bar,
            "tokens_limit": self.rows.reasons.tokens_limit,
            "limited_by_model": self.site.limited_by_model,
            "slot": Markup(SLOT),  # noqa: S704 (our own mark)
            "recipes": self.rows.recipes,
            "constant_lines": self.rows.constants,
            "as_of": messages("light.as_of", date=self.formats.date(self.site.catalog.data_date)),
            "foot": messages("shell.footer.generator", version=generator_version()),
        }

    @cached_property
    def templates(self) -> tuple[Template, Template]:
        """Of the page and of its embed."""
        return environment().get_template("light.html.j2"), environment().get_template("embed.html.j2")

    def write(self, page: Light, target: Path) -> None:
        """Writes the page, its badge and its embed below the root of the site."""
        directory = f"{target}/{PREFIXES[self.language]}{light_path(page.rig, page.model)}"
        os.makedirs(f"{directory}embed", exist_ok=True)  # noqa: PTH103 (thousands of pages: text is quicker than Path)
        content = self.content(page)
        whole, embed = self.templates
        frame = typeset(whole.render(content), self.language).split(f"{SLOT}\n")
        written = [
            self.files.html(page.rig, row.verdict) + arithmetic for row, arithmetic in self._arithmetic(content["rows"])
        ]
        html = "".join(piece for pair in zip(frame, [*written, ""], strict=True) for piece in pair)
        label = self.messages("light.badge.label", model=content["model_name"], rig=content["rig_name"])
        texts = {
            "index.html": html,
            "embed/index.html": typeset(embed.render(content), self.language),
            "badge.svg": badge_svg(label, content["badge_text"], page.verdict),
        }
        for name, text in texts.items():
            with open(directory + name, "wb") as file:  # noqa: PTH123 (as above)
                file.write(text.encode("utf-8"))

    def _arithmetic(self, rows: Iterable[Row]) -> Iterator[tuple[Row, str]]:
        """The rows that have any, with their arithmetic; where an earlier row has the same, a link to that one.

        Training from scratch takes the memory of full fine-tuning: said twice, it would be a tenth of the whole site.
        """
        told: dict[str, str] = {}
        for row in rows:
            if row.arithmetic is None:
                continue
            html = row.arithmetic.html
            if html in told:
                said = self.messages.html("light.why.same", method=within_sentence(self.rows.names[told[html]]))
                html = typeset(f'<p><a href="#{told[html]}">{said}</a></p>', self.language)
            else:
                told[html] = row.method
            yield row, html

    def content(self, page: Light) -> dict[str, Any]:
        """What the templates show of one page."""
        site, messages = self.site, self.messages
        catalog, path = site.catalog, light_path(page.rig, page.model)
        model_name, rig_name = catalog.models[page.model].name, site.of(catalog.rigs[page.rig].name)
        names = {"model": model_name, "rig": rig_name}
        rows = tuple(
            self.rows.row(page.model, method, verdict)
            for method, verdict in page.verdicts.items()
            if verdict is not None
        )
        judged = any(row.estimate is not None for row in rows)
        mode_text = self._modes(page)
        title = messages("light.title", **names, modes=mode_text)
        url = page_url(path, self.language)
        return {
            **self.shared,
            "page": page,
            "model_name": model_name,
            "rig_name": rig_name,
            "title": title,
            "heading": messages("light.heading", **names),
            "description": self._description(rows, judged),
            "mode_text": mode_text,
            "url": url,
            "urls": {each: page_url(path, each) for each in self.languages},
            "twins": [
                (each, language_link(path, self.language, path, each))
                for each in self.languages
                if each != self.language
            ],
            "preview": preview_url(page.key, self.language),
            "unmodelled": () if judged else what_is_not_modelled(catalog.models[page.model]),
            "changed": self._changed(page),
            "rows": rows,
            "conditions": self._conditions(page.rig),
            "constants": sorted(
                {id_ for row in rows if row.arithmetic is not None for id_ in row.arithmetic.constants}
            ),
            "calculator": self.rows.writer.link(self._calculator(page)),
            "api": relative_link(PREFIXES[self.language] + path, API_PATH + model_path(page.model)),
            "references": (
                *references.references(title, url),
                references.badge(title, url),
                references.embed(messages("light.embed.title", **names), url),
            ),
            "badge_text": self._badge(page),
        }

    @cached_property
    def flips(self) -> Mapping[tuple[str, str], tuple[datetime.date, tuple[PublishedFlip, ...]]]:
        """Rig and model → when their verdicts last flipped, and how."""
        return last_flips(self.site.catalog.changes)

    def _changed(self, page: Light) -> tuple[Markup, ...]:
        day, flips = self.flips.get((page.rig, page.model), (None, ()))
        return tuple(
            self.messages.html(
                "light.changed",
                date=self.formats.date(day),
                method=self.rows.names[flip.method],
                old=self.rows.chips[cast("VerdictId", flip.before)],
                new=self.rows.chips[cast("VerdictId", flip.after)],
                why=", ".join(self.messages(f"changes.reason.{reason}") for reason in flip.reasons),
            )
            for flip in flips
            if day is not None and flip.method in self.rows.names
        )

    def _calculator(self, page: Light) -> str:
        method = page.main.method if page.main is not None else next(iter(page.verdicts))
        return calculator_path(model=page.model, rig=page.rig, method=method)

    def _modes(self, page: Light) -> str:
        if not page.modes:
            return self.messages("light.unknown" if page.verdict == "unknown" else "light.nothing")
        return ", ".join(
            self.messages(
                "light.mode",
                method=self.rows.names[mode.method],
                verdict=self.messages(f"verdicts.{mode.verdict}.word"),
            )
            for mode in page.modes
        )

    def _badge(self, page: Light) -> str:
        word = self.messages(f"verdicts.{page.verdict}.word")
        if page.main is None:
            return word
        return self.messages("light.badge.mode", method=self.rows.names[page.main.method], verdict=word)

    def _description(self, rows: tuple[Row, ...], judged: bool) -> str:
        date = self.formats.date(self.site.catalog.data_date)
        if not judged:
            return self.messages("light.description.unknown", date=date)
        workload = self.site.catalog.policy.workload
        return self.messages(
            "light.description.verdicts",
            verdicts=", ".join(self._method(row) for row in rows),
            tokens=self.formats.tokens(workload.seq_len.value),
            batch=self.formats.number(workload.micro_batch.value),
            date=date,
        )

    def _method(self, row: Row) -> str:
        words = {
            "method": self.rows.names[row.method],
            "verdict": self.messages(f"verdicts.{row.verdict.verdict}.word"),
        }
        if row.estimate is None or row.verdict.verdict not in FEASIBLE:
            return self.messages("light.description.method", **words)
        peak, usable = self.formats.gib(row.estimate.peak_gib.expected), self.formats.gib(row.estimate.usable_gib)
        return self.messages("light.description.method_peak", **words, peak=peak, usable=usable)

    def _conditions(self, rig_id: str) -> Mapping[str, Markup]:
        catalog = self.site.catalog
        rig, workload = catalog.rigs[rig_id], catalog.policy.workload
        usable = catalog.gpus[rig.gpu].framework_visible_gib.of(workload.ecc).value
        return {
            "card": self.messages.html(
                "light.conditions.card",
                count=rig.count,
                gpu=self.rows.linked(f"gpus/{rig.gpu}/", catalog.gpus[rig.gpu].name),
                usable=self.rows.linked(
                    f"gpus/{rig.gpu}/#fact-framework-visible-gib-{workload.ecc}", self.formats.gib(usable)
                ),
                ecc=self.messages(f"common.ecc.{workload.ecc}"),
            ),
            "workload": self.messages.html(
                "light.conditions.workload",
                tokens=self.rows.linked("methodology/#workload", self.formats.tokens(workload.seq_len.value)),
                batch=int(workload.micro_batch.value),
                accumulation=int(workload.grad_accum.value),
            ),
            "host": self.messages.html(
                "light.conditions.host",
                memory=self.rows.linked(
                    f"rigs/{rig_id}/#fact-host-memory-gib", self.formats.gib(rig.host_memory_gib.value, 0)
                ),
            ),
        }


def light_paths(catalog: Catalog, reports: Iterable[str]) -> list[str]:
    """Paths of all light pages of these rigs."""
    return [light_path(rig, model) for rig in reports for model in catalog.models]


def moved_paths(catalog: Catalog, reports: Collection[str]) -> dict[str, str]:
    """Light pages of rigs and models whose id has changed → where they are now."""
    models, rigs = ({} for _ in range(2))
    for old, new in catalog.permalinks.items():
        kind, _, old_id = old.strip("/").partition("/")
        new_kind, _, new_id = new.strip("/").partition("/")
        if kind == new_kind == "models" and new_id in catalog.models:
            models[old_id] = new_id
        elif kind == new_kind == "rigs" and new_id in reports:
            rigs[old_id] = new_id
    now_models = {**{model: model for model in catalog.models}, **models}
    now_rigs = {**{rig: rig for rig in reports}, **rigs}
    return {
        light_path(rig, model): light_path(now_rigs[rig], now_models[model])
        for rig in now_rigs
        for model in now_models
        if rig in rigs or model in models
    }


def write_moved(catalog: Catalog, reports: Collection[str], languages: tuple[Language, ...], target: Path) -> None:
    """Writes what an old address of a light page needs: redirects of page and embed, and the badge itself."""
    for language in languages:
        root, title = target / PREFIXES[language], Messages(language)("shell.site.name")
        for old, new in moved_paths(catalog, reports).items():
            for part in ("", "embed/"):
                (root / old / part).mkdir(parents=True, exist_ok=True)
                page = redirect(language, title, relative_link(old + part, new + part), page_url(new, language))
                (root / old / part / "index.html").write_text(page, encoding="utf-8")
            shutil.copyfile(root / new / "badge.svg", root / old / "badge.svg")


def write_light_pages(
    catalog: Catalog,
    reports: Mapping[str, RigReport],
    language: Language,
    languages: tuple[Language, ...],
    target: Path,
) -> None:
    """Writes the light pages of one language, which link to those of the others."""
    writer = LightWriter(Site(catalog, reports, language), languages)
    for report in reports.values():
        for model in catalog.models:
            writer.write(light(catalog, report, model), target)
