"""How far an edit of data/ moves what is estimated: peak, memory of the card and of the host, speed."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from generator.catalog import Catalog
from generator.estimate import Estimate
from generator.verdict import setup_of, subject_of
from generator.verdict.ladder import choose, try_ladder
from generator.verdict.results import Rung, closest
from generator.views.diff import ChangedValue, Key

EVERYWHERE = ("policy", "constants", "method")
"""Kinds of file that every estimate rests on."""
SAME = 1e-9
"""Share by which two estimates may differ and still be the same: the order of a sum, nothing else."""
QUANTITIES: Mapping[str, Callable[[Estimate], float | None]] = {
    "peak": lambda result: result.peak_gib.expected,
    "usable": lambda result: result.usable_gib,
    "host-ram": lambda result: result.host_ram_gib,
    "speed": lambda result: result.tokens_per_sec_per_gpu.expected if result.tokens_per_sec_per_gpu else None,
}
"""What is compared, in the order in which it is shown."""


@dataclass(frozen=True, slots=True)
class Shift:
    """How far one quantity moves."""

    quantity: str
    """One of QUANTITIES."""
    rigs: int
    models: int
    """Of how many rigs and models an estimate moves."""
    estimates: int
    """How many move: one for each rig, model and method."""
    compared: int
    lowest: float
    median: float
    highest: float
    """Change as a share of what it was."""


def shifts(values: Iterable[ChangedValue], before: Catalog, after: Catalog) -> tuple[Shift, ...]:
    """What moves because of these values, by the recipe that each verdict shows now; nothing where nothing does."""
    rigs, models = _touched(values, after)
    pairs = {key: pair for key in _keys(rigs, models, before, after) if (pair := _pair(before, after, *key))}
    return tuple(shift for name in QUANTITIES for shift in _shift(name, pairs))


def _touched(values: Iterable[ChangedValue], catalog: Catalog) -> tuple[frozenset[str], frozenset[str]]:
    """Rigs and models whose own values, or those of whose card, or those of everything, are others now."""
    files = {(each.file.kind, each.file.id) for each in values}
    if any(kind in EVERYWHERE for kind, _ in files):
        return frozenset(catalog.rigs), frozenset(catalog.models)
    rigs = {rig for rig, record in catalog.rigs.items() if not files.isdisjoint({("rig", rig), ("gpu", record.gpu)})}
    return frozenset(rigs), frozenset(model for model in catalog.models if ("model", model) in files)


def _keys(rigs: frozenset[str], models: frozenset[str], before: Catalog, after: Catalog) -> Iterator[Key]:
    """Rig, model and method of every estimate that both catalogues have and that may differ."""
    for rig in sorted(before.rigs.keys() & after.rigs.keys()):
        for model in sorted(before.models.keys() & after.models.keys()):
            if rig in rigs or model in models:
                yield from ((rig, model, method) for method in before.methods.keys() & after.methods.keys())


def _pair(before: Catalog, after: Catalog, rig: str, model: str, method: str) -> tuple[Estimate, Estimate] | None:
    """The estimate of the recipe that stands beside the new verdict, as it was and as it is; none where it is new."""
    now = _ladder(after, rig, model, method)
    _, chosen = choose(now)
    shown = now[chosen] if chosen is not None else closest(now)
    if shown is None:
        return None
    old = next((rung for rung in _ladder(before, rig, model, method) if rung.recipe == shown.recipe), None)
    return (old.estimate, shown.estimate) if old else None


def _ladder(catalog: Catalog, rig: str, model: str, method: str) -> tuple[Rung, ...]:
    """Every recipe, tried; none for a model without verdicts."""
    subject = subject_of(catalog, model)
    if catalog.models[model].objective != "causal-lm" or subject.shape.unmodelled:
        return ()
    return try_ladder(catalog, subject, method, setup_of(catalog, rig))


def _shift(name: str, pairs: Mapping[Key, tuple[Estimate, Estimate]]) -> Iterator[Shift]:
    quantity = QUANTITIES[name]
    changes: dict[Key, float] = {}
    compared = 0
    for key, (one, other) in pairs.items():
        before, after = quantity(one), quantity(other)
        if before and after:  # no offload, or a time that nobody models: there is nothing to compare
            compared += 1
            changes[key] = after / before - 1
    moved = {key: change for key, change in changes.items() if abs(change) > SAME}
    if moved:
        found = sorted(moved.values())
        yield Shift(
            quantity=name,
            rigs=len({rig for rig, _, _ in moved}),
            models=len({model for _, model, _ in moved}),
            estimates=len(moved),
            compared=compared,
            lowest=found[0],
            median=statistics.median(found),
            highest=found[-1],
        )
