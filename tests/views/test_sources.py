from __future__ import annotations

from generator.catalog import Catalog
from generator.views.sources import (
    SOURCE_TYPES,
    citation_labels,
    provenance,
    source_host,
    source_label,
    source_views,
    sources_by_type,
)


def test_every_source_is_used_and_every_citation_counted(catalog: Catalog) -> None:
    views = source_views(catalog)
    assert sorted(view.source_id for view in views) == sorted(catalog.sources)
    assert sum(len(view.usages) for view in views) == len(list(catalog.citations()))
    measured = {run.source for run in catalog.measurements}
    assert all(view.usages or view.source_id in measured for view in views)


def test_counts_by_kind_add_up(catalog: Catalog) -> None:
    counted = provenance(catalog)
    assert counted.sources == len(catalog.sources) == sum(item.sources for item in counted.types)
    assert counted.citations == sum(item.citations for item in counted.types)
    assert counted.opened + counted.copies + counted.unread == counted.sources
    assert [item.type for item in counted.types] == [
        kind for kind in SOURCE_TYPES if kind in {t.type for t in counted.types}
    ]


def test_reading_days_span_the_data_date(catalog: Catalog) -> None:
    counted = provenance(catalog)
    assert counted.first_read is not None
    assert counted.last_read == counted.data_date == catalog.data_date
    assert counted.first_read <= counted.last_read


def test_hosts_are_what_a_reader_recognises(catalog: Catalog) -> None:
    assert source_host(catalog.sources["qlora"]) == "arxiv.org"
    package = next(source for source in catalog.sources.values() if source.url is None and source.package)
    assert package.package is not None
    assert source_host(package) == f"{package.package.registry}: {package.package.name}"


def test_labels_tell_documents_of_a_shared_host_apart(catalog: Catalog) -> None:
    assert source_label(catalog.sources["qlora"]) == "arXiv: 2305.14314"
    assert source_label(catalog.sources["accelerate-no-sync"]) == "GitHub: accelerate"
    for source in catalog.sources.values():
        if source_host(source) not in {"github.com", "arxiv.org", "huggingface.co"}:
            assert source_label(source) == source_host(source)


def test_grouping_keeps_every_source(catalog: Catalog) -> None:
    views = source_views(catalog)
    grouped = sources_by_type(views)
    assert sum(len(group) for group in grouped.values()) == len(views)
    assert list(grouped) == [kind for kind in SOURCE_TYPES if kind in grouped]


def test_sources_cited_in_one_breath_are_told_apart(catalog: Catalog) -> None:
    def labels(*ids: str) -> tuple[str, ...]:
        return citation_labels([catalog.sources[source_id] for source_id in ids])

    assert labels("accelerate-no-sync", "qlora") == ("GitHub: accelerate", "arXiv: 2305.14314")
    assert labels("bnb-fsdp-qlora", "bnb-optimizers") == (
        "Hugging Face: bitsandbytes, fsdp_qlora",
        "Hugging Face: bitsandbytes, optimizers",
    )
    assert labels("flash-attention", "flash-attention-1853") == (
        "GitHub: flash-attention, README",
        "GitHub: flash-attention, #1853",
    )
    assert labels("deepseek-r1") == ("Hugging Face: DeepSeek-R1",)
