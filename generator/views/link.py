"""What a rig's headline asks of the link between its cards."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import ceil

from generator.catalog import Catalog
from generator.verdict.results import RigReport, Verdict
from generator.views.rigs import methods_of

MATTERS_FROM = 0.2
"""Share of the rig's link from which on a bandwidth that is needed is worth a word: without P2P half of the link is
lost, at worst three quarters; nobody takes one five times slower for this one."""


def matters(needed: float, bus: float | None) -> bool:
    """Whether a bandwidth that is needed, GB/s, is worth a word beside the one that a rig has."""
    return bool(bus) and needed >= MATTERS_FROM * (bus or 0.0)


def comfortable_from(catalog: Catalog, verdict: Verdict) -> float | None:
    """Bandwidth in GB/s from which on a verdict is comfortable, communication considered; none where it is not."""
    found = [rung.estimate.needed_bus_gb_per_s for rung in verdict.rungs if rung.verdict == "comfortable"]
    return catalog.policy.link_bound_below.value * min(found) if found else None


def headline_needs(catalog: Catalog, report: RigReport) -> Mapping[str, float]:
    """Method → bandwidth in GB/s below which the rig's headline would say less of it.

    Methods that a far slower link would do for are left out, and so are those of which nothing is comfortable.
    """
    setup = catalog.rigs[report.rig]
    bus = setup.interconnect.bus_gb_per_s.value if setup.count > 1 else None
    limits = {"full": report.headline.full, "lora": report.headline.lora, "qlora": report.headline.qlora}
    found: dict[str, float] = {}
    for method_id, method in methods_of(catalog).items():
        if method.goal == "pretraining":
            needed = _needed_throughout(catalog, report.pretraining.values())
        else:
            needed = _needed_up_to(catalog, report, method_id, limits.get(method_id))
        if needed is not None and matters(needed, bus):
            found[method_id] = needed
    return found


def _needed_throughout(catalog: Catalog, verdicts: Iterable[Verdict]) -> float | None:
    """What all of these that are comfortable need."""
    return max((needed for each in verdicts if (needed := comfortable_from(catalog, each)) is not None), default=None)


def _needed_up_to(catalog: Catalog, report: RigReport, method: str, limit: str | None) -> float | None:
    """What the share of models needs that the policy asks of each class up to the one that the headline names."""
    if limit is None:
        return None
    needs: list[float] = []
    for size in catalog.policy.size_classes:
        models = report.capability[size.id, method].models
        found = sorted(
            needed
            for model in models
            if (needed := comfortable_from(catalog, report.verdicts[model, method])) is not None
        )
        if models:
            needs.append(found[ceil(catalog.policy.headline_share.value * len(models)) - 1])
        if size.id == limit:
            break
    return max(needs, default=None)
