"""What a light page says of one method: verdict, numbers, phases, formulas, and where each of them leads."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property

from markupsafe import Markup, escape

from generator.estimate.plan import Plan
from generator.estimate.results import Estimate, Quantity
from generator.site.equations import Writer
from generator.site.page import light_path
from generator.site.pages_env import environment, typeset
from generator.site.pages_reasons import ReasonWriter
from generator.site.pages_settings import settings_of, splits
from generator.site.pages_site import SIGNS, Site
from generator.site.pages_values import ValueWriter
from generator.verdict.results import Rung, Verdict, VerdictId
from generator.views.light import constants_of, memory_key, shown_phases, terms_of_peak
from generator.views.measured import Kind, kind_of_run, measured_kinds
from generator.views.reasons import deciding_reason, experts_in_16_bit
from generator.views.rigs import methods_of

SETTINGS = ("precision", "quant", "optimizer", "sharding", "cpu_offload")
"""Settings of a recipe that stand beside its numbers."""
BAR_WIDTH = 100
SLOW_GB_PER_S = 1.0
"""A link that needs less than this never decides: a network of ten gigabits a second carries more."""


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """What the peak of a recipe is made of."""

    html: str
    """Phases, terms and formulas, typeset."""
    constants: tuple[str, ...]
    """Ids in data/constants.yml of what it depends on."""


@dataclass(frozen=True, slots=True)
class Row:
    """A method as the page shows it. Everything that is Markup is finished HTML."""

    method: str
    verdict: Verdict
    recipe: str | None
    estimate: Estimate | None
    time: str
    settings: Markup
    measured: Markup
    """How many published readings there are of runs like this."""
    link: Markup
    """Below which bandwidth of the link communication decides; nothing where any link will do, or a reason says it."""
    reasons: tuple[Markup, ...]
    arithmetic: Arithmetic | None
    ladder: tuple[Markup, ...]
    improvements: tuple[Markup, ...]


class RowWriter:
    """Writes methods in one language. All light pages lie equally deep, so that every link is made once."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.writer = site.writer(light_path("rig", "model"))
        self.messages, self.formats = self.writer.messages, self.writer.formats
        self.reasons, self.values = ReasonWriter(self.writer), ValueWriter(self.writer)
        self.equations = Writer(self.messages)
        self.methods = methods_of(site.catalog)
        self.names = {id_: site.of(method.name) for id_, method in self.methods.items()}
        self._arithmetic: dict[Hashable, Arithmetic] = {}
        self._formulas: dict[str, Markup] = {}

    def linked(self, to_path: str, shown: str) -> Markup:
        """A link from any light page to a page of the same language."""
        return Markup('<a href="{}">{}</a>').format(self.writer.link(to_path), shown)

    @cached_property
    def chips(self) -> Mapping[VerdictId, Markup]:
        """Verdict → its sign and word."""
        markup = Markup('<span class="tf-verdict tf-verdict--{0}"><span aria-hidden="true">{1}</span> {2}</span>')
        return {id_: markup.format(id_, sign, self.messages(f"verdicts.{id_}.word")) for id_, sign in SIGNS.items()}

    @cached_property
    def recipes(self) -> Mapping[tuple[str, str], Markup]:
        """Method and recipe → the recipe's name, a link to it."""
        return {
            (id_, recipe.id): self.linked(f"methods/{id_}/#recipe-{recipe.id}", self.site.of(recipe.name))
            for id_, method in self.methods.items()
            for recipe in method.ladder
        }

    @cached_property
    def constants(self) -> Mapping[str, Markup]:
        """Constant → its value, what kind it is and its sources."""
        return {id_: self._constant(id_) for id_ in self.site.catalog.constants.constants}

    @cached_property
    def settings(self) -> Mapping[tuple[str, str, bool], Markup]:
        """Method, recipe and whether it splits work between cards → its settings in words."""
        found = {}
        for id_, method in self.methods.items():
            for recipe in method.ladder:
                shown = dict(settings_of(self.writer, recipe, method.trains == "all"))
                offload = "offload" if shown.pop("cpu_offload", None) else "no_offload"
                for split in (True, False):
                    if not split:
                        shown["sharding"] = self.messages.html("light.conditions.one_card")
                    parts = [shown[name] for name in SETTINGS if name in shown]
                    parts.append(self.messages.html(f"light.conditions.{offload}"))
                    found[id_, recipe.id, split] = Markup(" · ").join(parts)
        return found

    @cached_property
    def phases(self) -> Mapping[str, Markup]:
        """Phase → its name, a link to where it is explained."""
        keys = (key.split(".") for key in self.messages.catalogue if key.startswith("methodology.phase."))
        return {
            id_: self.linked(f"methodology/#phase-{id_}", self.messages(f"methodology.phase.{id_}.name"))
            for _, _, id_, *_ in keys
        }

    @cached_property
    def terms(self) -> Mapping[str, str]:
        """Term of memory → its name."""
        keys = (key for key in self.messages.catalogue if key.startswith("methodology.term."))
        return {key.rpartition(".")[2]: self.messages(key) for key in keys}

    def row(self, model: str, method: str, verdict: Verdict) -> Row:
        """One method, with what its numbers rest on."""
        goal, rung = self.methods[method].goal, verdict.rung
        reasons = tuple(self.reasons.sentence(reason, goal) for reason in verdict.reasons)
        if rung is None:
            return Row(method, verdict, None, None, "", Markup(), Markup(), Markup(), reasons, None, (), ())
        estimated = rung.estimate
        if experts_in_16_bit(estimated):
            reasons += (self.messages.html("models.method.experts_16_bit"),)
        return Row(
            method=method,
            verdict=verdict,
            recipe=rung.recipe,
            estimate=estimated,
            time=self._time(rung, goal),
            settings=escape(self._workload(estimated))
            + " · "
            + self.settings[method, rung.recipe, self._splits(method, rung)],
            measured=self._measured(estimated.plan),
            link=self._link(verdict, rung),
            reasons=reasons,
            arithmetic=self.arithmetic(model, estimated),
            ladder=tuple(self._rung(method, goal, tried) for tried in verdict.rungs if tried is not rung),
            improvements=tuple(
                self.reasons.improvement(change) + " — " + self.chips[change.verdict] for change in verdict.improvements
            ),
        )

    def arithmetic(self, model: str, estimated: Estimate) -> Arithmetic:
        """What the peak of a model is made of, written once for all rigs that have it in common."""
        key = memory_key(model, estimated.plan)
        if key not in self._arithmetic:
            html = (
                environment()
                .get_template("parts/arithmetic.html.j2")
                .render(
                    t=self.messages.html,
                    f=self.formats,
                    phases=self.phases,
                    terms_of=self.terms,
                    phases_shown=tuple(shown_phases(estimated)),
                    peak_phase=estimated.peak_phase,
                    formulas=tuple(
                        self._formula(term.quantity, term.inputs) for term in terms_of_peak(estimated) if term.inputs
                    ),
                )
            )
            self._arithmetic[key] = Arithmetic(typeset(html, self.messages.language), constants_of([estimated]))
        return self._arithmetic[key]

    @cached_property
    def kinds(self) -> Mapping[Kind, int]:
        """Kind of run → published readings of it."""
        return measured_kinds(self.site.catalog)

    def _measured(self, plan: Plan) -> Markup:
        count = self.kinds.get(kind_of_run(plan), 0)
        said = (
            self.messages.html("light.why.measured", count=count)
            if count
            else self.messages.html("light.why.not_measured")
        )
        return said + " " + self.linked("accuracy/", self.messages("light.why.accuracy")) + "."

    def _link(self, verdict: Verdict, rung: Rung) -> Markup:
        estimated = rung.estimate
        bus = estimated.plan.bus_gb_per_s
        said = any(reason.id.startswith("link-") for reason in verdict.reasons)
        timed = bool(estimated.break_even_tokens) and estimated.tokens_per_sec_per_gpu is not None
        if not bus or not timed or said or estimated.fits == "no":
            return Markup()
        if estimated.needed_bus_gb_per_s < SLOW_GB_PER_S:
            return Markup()
        return self.messages.html(
            "light.why.link",
            needed=self.formats.unit(estimated.needed_bus_gb_per_s, "gb_per_second", 1),
            bus=self.formats.unit(bus, "gb_per_second", 0),
        )

    def _splits(self, method: str, rung: Rung) -> bool:
        return splits(self.site.recipe(method, rung.recipe), rung.estimate.plan.n_gpus)

    def _time(self, rung: Rung, goal: str) -> str:
        if rung.time is None:
            return self.messages("common.no_data")
        tokens = self.formats.tokens(self.site.catalog.policy.finetune_tokens.value)
        return self.messages(f"light.time.{goal}", time=self.reasons.time(rung.time, goal), tokens=tokens)

    def _workload(self, estimated: Estimate) -> str:
        plan = estimated.plan
        return self.messages(
            "light.conditions.workload",
            tokens=self.formats.tokens(plan.seq_len),
            batch=plan.micro_batch,
            accumulation=plan.grad_accum,
        )

    def _rung(self, method: str, goal: str, tried: Rung) -> Markup:
        recipe = self.recipes[method, tried.recipe] + " " + self.chips[tried.verdict] + ": "
        deciding = deciding_reason(tried, goal)
        if deciding is not None and deciding.id == "host-ram-exceeds":
            return recipe + self.reasons.sentence(deciding, goal)
        return recipe + self.reasons.short_of(tried, goal)

    def _formula(self, quantity: Quantity, inputs: tuple[Quantity, ...]) -> Markup:
        """`name = formula = value`, the name a link, then what stands for the other names here."""
        if quantity.name not in self._formulas:
            name = self.linked(f"methodology/#q-{quantity.name.replace('_', '-')}", quantity.name)
            self._formulas[quantity.name] = name + f" = {self.equations.text(quantity.formula)} = "
        values = ", ".join(f"{each.name} = {self.values.quantity(each)}" for each in inputs)
        return self._formulas[quantity.name] + escape(f"{self.values.quantity(quantity)}; {values}")

    def _constant(self, id_: str) -> Markup:
        constant = self.site.catalog.constants.constants[id_]
        cited = Markup(", ").join(
            self.linked(f"sources/{citation.source}/", self.site.catalog.sources[citation.source].publisher)
            for citation in constant.citations
        )
        kind = self.messages(f"common.kind.{constant.kind}.word")
        line = Markup("{} = {} ({})").format(
            self.linked(f"methodology/#constant-{id_}", id_), self.values.constant(constant), kind
        )
        return line + Markup(" ") + cited if cited else line


def bar(estimated: Estimate) -> Markup:
    """The peak against the card as a small drawing; the numbers stand beside it."""
    share = min(estimated.ratio, 1.0) * BAR_WIDTH
    state = "over" if estimated.ratio > 1 else "within"
    html = Markup(
        '<svg class="tf-light__bar tf-light__bar--{0}" viewBox="0 0 100 6" preserveAspectRatio="none" '
        'aria-hidden="true"><rect width="100" height="6"/><rect width="{1:.1f}" height="6"/></svg>'
    )
    return html.format(state, share)
