"""Where the numbers of an estimate come from: the constants, the card, the model and the formulas' references."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from generator.catalog import Catalog
from generator.estimate import Estimate, Quantity

_CARD_FIELDS = {
    "memory_bytes_per_second": "bandwidth_gb_per_s",
    "sustained_flops_cautious": "sustained_tflops.cautious",
    "sustained_flops": "sustained_tflops.expected",
    "sustained_flops_best": "sustained_tflops.best",
}
"""Inputs from the card and the field that each comes from."""


def explained(catalog: Catalog, result: Estimate) -> Iterator[dict[str, Any]]:
    """Every quantity of an estimate: name, value, unit, formula, inputs with their values, reason, source ids."""
    for quantity in result.quantities.values():
        constant = catalog.constants.constants.get(quantity.source)
        formula = catalog.constants.formulas.get(quantity.name.replace("_", "-"))
        yield {
            "name": quantity.name,
            "kind": quantity.kind,
            "value": quantity.value,
            "unit": constant.unit if constant else quantity.unit,
            "formula": quantity.formula,
            "inputs": {name: result.quantities[name].value for name in quantity.inputs},
            "constant": quantity.source if constant else None,
            "reason": constant.reason.en if constant else formula.text.en if formula else "",
            "sources": list(dict.fromkeys(_source_ids(catalog, result, quantity))),
        }


def _source_ids(catalog: Catalog, result: Estimate, quantity: Quantity) -> Iterator[str]:
    constant = catalog.constants.constants.get(quantity.source)
    if constant is not None:
        yield from (citation.source for citation in constant.citations)
    elif quantity.source:
        yield from (part.strip() for part in quantity.source.split(","))
    if quantity.kind == "gpu" and quantity.name in _CARD_FIELDS:
        field = _CARD_FIELDS[quantity.name]
        yield from _cited(catalog, "gpu", result.plan.gpu, (field,))
    if quantity.kind == "model" and result.plan.model in catalog.models:
        yield catalog.models[result.plan.model].card


def _cited(catalog: Catalog, kind: str, record_id: str, fields: Iterable[str]) -> Iterator[str]:
    wanted = tuple(fields)
    for usage in catalog.citations():
        if usage.kind == kind and usage.record_id == record_id and usage.field in wanted:
            yield usage.source_id


def sources_of(catalog: Catalog, result: Estimate) -> list[dict[str, str | None]]:
    """All sources of an estimate with title, publisher and address, each once, in the order of their use."""
    ids: list[str] = []
    for each in explained(catalog, result):
        ids += each["sources"]
    ids += _cited(catalog, "gpu", result.plan.gpu, (f"framework_visible_gib.{result.plan.ecc}",))
    ids += _cited(catalog, "gpu", result.plan.gpu, (f"usable_mib.{result.plan.ecc}",))
    if result.plan.model in catalog.models:
        model = result.plan.model
        ids += [u.source_id for u in catalog.citations() if u.kind == "model" and u.record_id == model]
    found = []
    for source_id in dict.fromkeys(ids):
        source = catalog.sources.get(source_id)
        if source is None:
            continue
        package = (
            f"{source.package.name} {source.package.version} ({source.package.registry})" if source.package else None
        )
        found.append(
            {
                "id": source_id,
                "title": source.title,
                "publisher": source.publisher,
                "url": source.url,
                "package": package,
            }
        )
    return found
