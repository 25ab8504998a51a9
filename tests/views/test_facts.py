from __future__ import annotations

from generator.catalog import Catalog
from generator.views.facts import fact_anchor, facts_of


def test_facts_of_a_gpu_are_its_cited_values_with_nested_paths(catalog: Catalog) -> None:
    facts = {fact.field: fact for fact in facts_of(catalog.gpus["rtx-6000-ada"])}
    assert facts["memory_label_gib"].value == 48
    assert len(facts["memory_label_gib"].citations) >= 3
    assert facts["usable_mib.on"].value == 46068
    assert facts["sustained_tflops.expected"].kind == "assumed"
    assert facts["sustained_tflops.expected"].reason is not None


def test_an_absent_value_is_no_fact(catalog: Catalog) -> None:
    facts = [fact.field for fact in facts_of(catalog.models["llama-3.1-8b"])]
    assert "architecture.layers" in facts
    assert "architecture.tower_parameters" not in facts
    assert not any(field.startswith("sources") for field in facts)


def test_anchors_are_ascii_and_distinct(catalog: Catalog) -> None:
    assert fact_anchor("usable_mib.on") == "fact-usable-mib-on"
    for model in catalog.models.values():
        anchors = [fact.anchor for fact in facts_of(model)]
        assert len(anchors) == len(set(anchors))


def test_every_citation_of_a_gpu_has_a_fact_to_lead_to(catalog: Catalog) -> None:
    for usage in catalog.citations():
        if usage.kind == "gpu":
            facts = {fact.field for fact in facts_of(catalog.gpus[usage.record_id])}
            assert usage.field in facts
