"""Groups of the GPU index, what is unknown or disputed of a card, rigs by size."""

from __future__ import annotations

from generator.views.hardware import disputed, gpu_groups, rigs_by_count, rigs_of, unknown_fields


def test_every_card_stands_in_one_group_in_order(catalog):
    groups = gpu_groups(catalog)
    listed = [gpu_id for group in groups for gpu_id in group.gpus]
    assert sorted(listed) == sorted(catalog.gpus)
    assert [group.anchor for group in groups][:3] == ["nvidia-consumer", "nvidia-workstation", "nvidia-data-centre"]
    for group in groups:
        labels = [catalog.gpus[gpu_id].memory_label_gib.value for gpu_id in group.gpus]
        assert labels == sorted(labels)
        assert {catalog.gpus[gpu_id].vendor for gpu_id in group.gpus} == {group.vendor}


def test_rigs_of_a_card_come_with_the_smallest_first(catalog):
    for gpu_id in catalog.gpus:
        counts = [catalog.rigs[rig_id].count for rig_id in rigs_of(catalog, gpu_id)]
        assert counts == sorted(counts)
    assert "4x-rtx-6000-ada" in rigs_of(catalog, "rtx-6000-ada")
    without = sorted(set(catalog.gpus) - {rig.gpu for rig in catalog.rigs.values()})
    assert without
    assert rigs_of(catalog, without[0]) == ()


def test_rigs_by_count_hold_every_rig_once(catalog):
    groups = rigs_by_count(catalog)
    assert list(groups) == sorted(groups)
    assert sorted(rig_id for rigs in groups.values() for rig_id in rigs) == sorted(catalog.rigs)
    assert all(catalog.rigs[rig_id].count == count for count, rigs in groups.items() for rig_id in rigs)


def test_disputed_facts_are_those_with_another_value(catalog):
    assert [fact.field for fact in disputed(catalog.gpus["b200"])] == [
        "memory_label_gib",
        "bandwidth_gb_per_s",
        "pcie",
    ]
    assert disputed(catalog.gpus["l4"]) == ()


def test_unknown_fields_are_those_that_nobody_states(catalog):
    assert list(unknown_fields(catalog.gpus["gaudi2"])) == [
        "ecc",
        "compute_capability",
        "nvlink",
        "p2p",
        "pcie",
        "released",
        "street_price_usd",
    ]
    assert list(unknown_fields(catalog.gpus["rtx-6000-ada"])) == []
