"""One model on one rig, as the page to link to shows it: a verdict for each method, and what each rests on."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from operator import attrgetter

from generator.catalog import Catalog
from generator.catalog.records import Model
from generator.estimate.plan import Plan
from generator.estimate.results import Estimate, Quantity
from generator.verdict.ladder import best
from generator.verdict.results import Mode, RigReport, Verdict, VerdictId
from generator.views.memory import SMALL_GIB, peak_terms
from generator.views.rigs import methods_of

PEAK = "peak"
"""The quantity that all terms of memory lead to."""

_what_memory_depends_on = attrgetter(
    *(field.name for field in fields(Plan) if field.name not in ("shape", "gpu", "bus_gb_per_s"))
)


@dataclass(frozen=True, slots=True)
class Light:
    """The verdicts of one model on one rig."""

    rig: str
    model: str
    verdicts: Mapping[str, Verdict | None]
    """Method, in order → its verdict; none where the model is not judged at all."""
    modes: tuple[Mode, ...]
    """What is recommended, the fullest method first."""

    @property
    def judged(self) -> bool:
        """Whether the report has a verdict of the model at all, if only that it is unknown."""
        return any(verdict is not None for verdict in self.verdicts.values())

    @property
    def main(self) -> Mode | None:
        """The mode that stands for the page: the fullest comfortable one, else the fullest borderline one."""
        return next((mode for mode in self.modes if mode.verdict == "comfortable"), next(iter(self.modes), None))

    @property
    def verdict(self) -> VerdictId:
        """The verdict that stands for the page."""
        if self.main is not None:
            return self.main.verdict
        return best(verdict.verdict for verdict in self.verdicts.values() if verdict is not None)

    @property
    def key(self) -> str:
        """ASCII id of what the page says in a few words: `lora-comfortable`, `unknown`."""
        return f"{self.main.method}-{self.main.verdict}" if self.main is not None else self.verdict


def light(catalog: Catalog, report: RigReport, model: str) -> Light:
    """What a report says of one model."""
    found = report.recommended.get(model)
    return Light(
        rig=report.rig,
        model=model,
        verdicts={method: report.verdicts.get((model, method)) for method in methods_of(catalog)},
        modes=found.modes if found is not None else (),
    )


def lights(catalog: Catalog, reports: Mapping[str, RigReport]) -> Iterator[Light]:
    """Every model on every rig, also those that have no verdict."""
    for report in reports.values():
        for model in catalog.models:
            yield light(catalog, report, model)


def what_is_not_modelled(model: Model) -> tuple[str, ...]:
    """Why a model has no verdict, as ids of `models.feature.*`: what it is for, or what its layers are made of."""
    if model.objective != "causal-lm":
        return (model.objective,)
    return model.architecture.shape().unmodelled


def memory_key(model: str, plan: Plan) -> Hashable:
    """The same for plans of a model whose memory is the same term by term: it depends neither on the card nor its link.

    Rigs of as many cards have it in common, so that what is said of memory can be said once for all of them.
    """
    return model, _what_memory_depends_on(plan)


@dataclass(frozen=True, slots=True)
class Term:
    """One term of the peak with its arithmetic."""

    term: str
    """As in `estimate.TERMS`."""
    gib: float
    quantity: Quantity
    inputs: tuple[Quantity, ...]
    """What stands in its formula, in that order."""


def terms_of_peak(estimated: Estimate) -> tuple[Term, ...]:
    """The terms of the largest phase, the largest first; those too small to show are left out."""
    quantities = estimated.quantities
    found = []
    for term, gib in peak_terms(estimated):
        quantity = quantities[term.replace("-", "_")]
        found.append(Term(term, gib, quantity, tuple(quantities[name] for name in quantity.inputs)))
    return tuple(found)


def shown_phases(estimated: Estimate) -> Iterator[tuple[str, float, tuple[tuple[str, float], ...]]]:
    """Each phase with its sum and its terms in GiB; terms too small to show are left out."""
    for phase, terms in estimated.phases_gib.items():
        yield phase, sum(terms.values()), tuple((term, gib) for term, gib in terms.items() if gib >= SMALL_GIB)


def constants_of(estimates: Iterable[Estimate]) -> tuple[str, ...]:
    """Ids in data/constants.yml of what the peaks of these estimates depend on with a value, in alphabetical order."""
    found: set[str] = set()
    for estimated in estimates:
        found.update(_constants(estimated.quantities, PEAK))
    return tuple(sorted(found))


def _constants(quantities: Mapping[str, Quantity], name: str) -> set[str]:
    found: set[str] = set()
    seen: set[str] = set()
    waiting = [name]
    while waiting:
        quantity = quantities[waiting.pop()]
        if quantity.name in seen or not quantity.value:
            continue
        seen.add(quantity.name)
        if quantity.kind == "constant":
            found.add(quantity.source)
        waiting.extend(quantity.inputs)
    return found
