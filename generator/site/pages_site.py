"""What all pages share: the catalogue, the reports, and where everything lives on the site."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from generator.catalog import Catalog, Usage
from generator.catalog.fields import Text
from generator.catalog.records import Recipe, Source
from generator.estimate.results import Quantity
from generator.site.calculator_url import calculator_path
from generator.site.page import Language, light_path
from generator.site.pages_env import PageWriter
from generator.site.pages_reasons import ReasonWriter
from generator.site.pages_settings import recipe_idea
from generator.site.pages_values import ValueWriter
from generator.verdict import size_class_of
from generator.verdict.advice import CONTEXT_STEP
from generator.verdict.results import RigReport, VerdictId
from generator.views.accuracy import Checks, checks_of
from generator.views.facts import fact_anchor
from generator.views.reasons import experts_in_16_bit, lacks_memory
from generator.views.rigs import methods_of
from generator.views.sources import SourceView, citation_label, citation_labels, source_label, source_views

if TYPE_CHECKING:
    from markupsafe import Markup

SIGNS: Mapping[VerdictId, str] = {"comfortable": "●", "borderline": "◐", "not-recommended": "○", "unknown": "?"}
"""The sign beside a verdict's word: colour alone says nothing."""


def policy_anchor(field: str) -> str:
    """ASCII id of a threshold on the methodology page."""
    return f"policy-{field.replace('_', '-')}"


def size_anchor(billions: float) -> str:
    """ASCII spelling of a bare size: `1.5`, `70`."""
    return f"{billions:g}"


def home_rig(catalog: Catalog, reports: Collection[str]) -> str:
    """The rig that the home page is about: the one that the policy names, else the first."""
    home = catalog.policy.home_rig
    return home if home is not None and home in reports else next(iter(reports))


@dataclass(frozen=True)
class Site:
    """Everything that the pages of one language are made from."""

    catalog: Catalog
    reports: Mapping[str, RigReport]
    language: Language

    @cached_property
    def sources(self) -> Mapping[str, SourceView]:
        """Sources with their usages, by id."""
        return {view.source_id: view for view in source_views(self.catalog)}

    @cached_property
    def checks(self) -> Checks:
        """The estimate beside everything that was measured."""
        return checks_of(self.catalog)

    @property
    def first_rig(self) -> str:
        """The rig that the home page is about: the one that the policy names, else the first."""
        return home_rig(self.catalog, self.reports)

    @property
    def first_report(self) -> RigReport:
        """The report of the first rig."""
        return self.reports[self.first_rig]

    def writer(self, path: str) -> PageWriter:
        """A writer of the page at this path."""
        policy = self.catalog.policy
        lines = dict.fromkeys(
            line.value for line in (policy.comfortable_ratio, policy.borderline_ratio, policy.compromise_ratio)
        )
        return PageWriter(path, self.language, tuple(lines))

    def of(self, text: Text) -> str:
        """A text of data/ in the site's language, not escaped."""
        return text.in_language(self.language)

    def rig_path(self, rig: str, model: str = "") -> str:
        """Page of a rig, at the row of a model where one is given."""
        return f"rigs/{rig}/" + (f"#{model}" if model else "")

    def light_path(self, rig: str, model: str, method: str = "") -> str:
        """Light page of a model on a rig; at the explanation of a method's verdict where one is given."""
        return light_path(rig, model) + (f"#{method}" if method else "")

    def model_path(self, model: str, method: str = "", rig: str = "") -> str:
        """Page of a model; where a method is given, the place that explains its verdict on a rig.

        The page itself explains those on the first rig, the light pages all.
        """
        if method and rig not in ("", self.first_rig):
            return self.light_path(rig, model, method)
        return f"models/{model}/" + (f"#{method}" if method else "")

    def usage_path(self, usage: Usage) -> str:
        """Page, and place on it, of a value that a source is cited for."""
        parts = usage.field.split(".")
        match usage.kind:
            case "model" | "gpu" | "rig":
                page = f"{usage.kind}s/{usage.record_id}/"
                if parts[0] == "findings":
                    return f"{page}#finding-{self.catalog.rigs[usage.record_id].findings[int(parts[1])].id}"
                return page if parts[0] == "card" else f"{page}#{fact_anchor(usage.field)}"
            case "method":
                page = f"methods/{usage.record_id}/"
                if parts[0] == "ladder":
                    return f"{page}#recipe-{self.catalog.methods[usage.record_id].ladder[int(parts[1])].id}"
                return page
            case "stack":
                return f"stacks/#{usage.record_id}"
            case "choice" | "environment" | "library":
                return f"stacks/#{usage.kind}-{usage.record_id.replace('.', '-')}"
            case "constants":
                return f"methodology/#{'q' if parts[0] == 'formulas' else 'constant'}-{parts[1]}"
            case "absent":
                _, absent_id = usage.field.split(".citations")[0].split(".", 1)  # an id may hold dots
                return f"quality/#absent-{absent_id.replace('.', '-')}"
            case "policy" if parts[0] == "speed_classes":
                return f"gpus/#speed-class-{self.catalog.policy.speed_classes[int(parts[1])].id}"
            case _:
                return f"methodology/#{'workload' if parts[0] == 'workload' else policy_anchor(parts[0])}"

    def usage_name(self, usage: Usage) -> str | Text:
        """What a reader calls the record that cites: its name; the kind's own name stands in the messages."""
        catalog = self.catalog
        match usage.kind:
            case "model":
                return catalog.models[usage.record_id].name
            case "gpu":
                return catalog.gpus[usage.record_id].name
            case "rig":
                return catalog.rigs[usage.record_id].name
            case "method":
                return catalog.methods[usage.record_id].name
            case "stack":
                return catalog.stack[usage.record_id].text
            case "choice":
                return catalog.choices[usage.record_id].question
            case "environment":
                return catalog.environments[usage.record_id].name
            case "library":
                return catalog.libraries[usage.record_id].name
            case "constants":
                return usage.field.split(".")[1]
            case "absent":
                section, absent_id = usage.field.split(".citations")[0].split(".", 1)
                return str(getattr(catalog.absent, section)[absent_id].name)
            case _:
                return usage.field.removesuffix(".citations").partition(".citations.")[0]

    def quantity_path(self, quantity: Quantity) -> str:
        """Where the methodology explains a quantity."""
        if quantity.kind == "constant":
            return f"methodology/#constant-{quantity.source}"
        return f"methodology/#q-{quantity.name.replace('_', '-')}"

    def recipe(self, method: str, recipe: str) -> Recipe:
        """A recipe of a method's ladder; raises StopIteration for an unknown one."""
        return next(rung for rung in self.catalog.methods[method].ladder if rung.id == recipe)

    def recipe_name(self, method: str, recipe: str) -> str:
        """Name of a recipe in the site's language."""
        return self.of(self.recipe(method, recipe).name)

    def limited_by_model(self, model: str, seq_len: int) -> bool:
        """Whether a longest context is the model's own and not that of the memory."""
        known = self.catalog.models[model].context_tokens if model in self.catalog.models else None
        return known is not None and seq_len + CONTEXT_STEP > known.value

    def size_of(self, model: str) -> str:
        """Name of the size class of a model."""
        parameters = self.catalog.models[model].parameters.exact.value
        return self.of(size_class_of(self.catalog, parameters).name)

    def size_class_name(self, size_class: str) -> str:
        """Name of a size class: «7–8B»."""
        return next(self.of(item.name) for item in self.catalog.policy.size_classes if item.id == size_class)

    def size_class_top(self, size_class: str) -> str:
        """The upper end of a size class as its name says it: `8B` of `7–8B`, `4B` of `≤4B`."""
        return self.size_class_name(size_class).replace("-", "–").rpartition("–")[2].lstrip("≤<")

    def values(self, writer: PageWriter) -> dict[str, Any]:
        """What the templates of any page may use beside the writer's own functions."""
        reasons = ReasonWriter(writer)

        def source(source_id: str) -> Source:
            return self.catalog.sources[source_id]

        def outside(source_id: str) -> str | None:
            found = source(source_id)
            return found.url or found.seen_at

        def of(text: Text | str) -> Markup | str:
            return writer.text(text) if isinstance(text, Text) else text

        return {
            "site": self,
            "size_of": self.size_of,
            "sizes": [self.of(item.name) for item in self.catalog.policy.size_classes],
            "catalog": self.catalog,
            "methods": methods_of(self.catalog),
            "SIGNS": SIGNS,
            "calculator": calculator_path,
            "source": source,
            "host": source_label,
            "cite_label": citation_label,
            "cite_labels": lambda citations: citation_labels([source(each.source) for each in citations]),
            "outside": outside,
            "of": of,
            "reason": reasons.sentence,
            "short_reason": reasons.short,
            "short_of": reasons.short_of,
            "duration": reasons.duration,
            "time": reasons.time,
            "duration_range": reasons.duration_range,
            "tokens_limit": reasons.tokens_limit,
            "share": reasons.share,
            "limited_by_model": self.limited_by_model,
            "idea": lambda method, recipe_id, rig_id: recipe_idea(
                writer, self.recipe(method, recipe_id), self.catalog.rigs[rig_id].count
            ),
            "deciding": reasons.deciding,
            "experts_in_16_bit": experts_in_16_bit,
            "lacks_memory": lacks_memory,
            "improvement": reasons.improvement,
            "recipe_name": self.recipe_name,
            "recipe": self.recipe,
            "quantity_value": ValueWriter(writer).quantity,
            "fact_value": ValueWriter(writer).fact,
            "other_value": ValueWriter(writer).other,
            "fragment_id": lambda record_id: record_id.replace(".", "-"),
            "f_id": size_anchor,
        }
