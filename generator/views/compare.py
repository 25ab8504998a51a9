"""Two rigs side by side, and all rigs in one table: how far each method goes on each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from generator.catalog import Catalog
from generator.verdict.results import Headline, RigReport, VerdictId
from generator.views.rigs import Pools, methods_of, pools, size_billions, verdict_counts


@dataclass(frozen=True, slots=True)
class RigRow:
    """A rig in one line."""

    rig: str
    pools: Pools
    headline: Headline
    comfortable: Mapping[str, int]
    """Method → models that it is comfortable for."""


def rig_rows(catalog: Catalog, reports: Mapping[str, RigReport]) -> tuple[RigRow, ...]:
    """All rigs with a report, in the order of the reports."""
    methods = methods_of(catalog)
    return tuple(
        RigRow(
            rig=rig_id,
            pools=pools(catalog.rigs[rig_id], catalog.gpus[catalog.rigs[rig_id].gpu]),
            headline=report.headline,
            comfortable={method: verdict_counts(report, method).get("comfortable", 0) for method in methods},
        )
        for rig_id, report in reports.items()
    )


@dataclass(frozen=True, slots=True)
class Pair:
    """A model on two rigs."""

    model: str
    billions: float
    verdicts: Mapping[str, tuple[VerdictId, VerdictId]]
    """Method → verdict on the first rig and on the second."""

    @property
    def same(self) -> bool:
        """Whether the rigs do not differ for this model."""
        return all(first == second for first, second in self.verdicts.values())


def pairs(catalog: Catalog, first: RigReport, second: RigReport) -> tuple[Pair, ...]:
    """Every model that both reports judge, in the order of the first."""
    methods = methods_of(catalog)
    models = dict.fromkeys(model for model, _ in first.verdicts)
    return tuple(
        Pair(
            model,
            size_billions(catalog, model),
            {
                method: (first.verdicts[model, method].verdict, second.verdicts[model, method].verdict)
                for method in methods
                if (model, method) in first.verdicts and (model, method) in second.verdicts
            },
        )
        for model in models
    )
