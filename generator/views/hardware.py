"""GPUs and rigs as their index pages show them: in groups, with what is unknown and what sources disagree on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from generator.catalog import Catalog
from generator.catalog.records import Gpu
from generator.views.facts import Fact, facts_of

FOLDERS = ("nvidia", "amd", "intel")
"""Folders of data/gpus in the order of the index; others follow by name."""
SEGMENTS = ("consumer", "workstation", "data-centre")
OPTIONAL = ("ecc", "compute_capability", "nvlink", "p2p", "pcie", "released")
"""Fields that a GPU may lack and a reader would look for."""


@dataclass(frozen=True, slots=True)
class GpuGroup:
    """Cards of one vendor for one kind of customer."""

    folder: str
    """Of data/gpus, which is the id of the vendor."""
    vendor: str
    segment: str
    gpus: tuple[str, ...]
    """Ids, the smallest memory first, then the slowest."""

    @property
    def anchor(self) -> str:
        """ASCII id of the group on the index, such as `nvidia-workstation`."""
        return f"{self.folder}-{self.segment}"


def gpu_groups(catalog: Catalog) -> tuple[GpuGroup, ...]:
    """All GPUs, by vendor and segment."""
    groups: dict[tuple[str, str], list[str]] = {}
    for gpu_id, gpu in catalog.gpus.items():
        groups.setdefault((catalog.entries["gpu", gpu_id].folder, gpu.segment), []).append(gpu_id)
    ordered = sorted(groups, key=lambda key: (_place(FOLDERS, key[0]), key[0], SEGMENTS.index(key[1])))
    return tuple(_group(catalog, folder, segment, groups[folder, segment]) for folder, segment in ordered)


def _group(catalog: Catalog, folder: str, segment: str, gpu_ids: list[str]) -> GpuGroup:
    ordered = sorted(gpu_ids, key=lambda gpu_id: _size(catalog.gpus[gpu_id], gpu_id))
    return GpuGroup(folder, catalog.gpus[ordered[0]].vendor, segment, tuple(ordered))


def _place(order: tuple[str, ...], value: str) -> int:
    return order.index(value) if value in order else len(order)


def _size(gpu: Gpu, gpu_id: str) -> tuple[float, float, str]:
    return gpu.memory_label_gib.value, gpu.dense_tflops.value if gpu.dense_tflops else 0.0, gpu_id


def rigs_of(catalog: Catalog, gpu_id: str) -> tuple[str, ...]:
    """Rigs of this card, the smallest first."""
    found = (rig_id for rig_id, rig in catalog.rigs.items() if rig.gpu == gpu_id)
    return tuple(sorted(found, key=lambda rig_id: (catalog.rigs[rig_id].count, rig_id)))


def rigs_by_count(catalog: Catalog) -> Mapping[int, tuple[str, ...]]:
    """Number of cards → ids of the rigs that have so many, by what the framework sees of one card, then by speed."""
    groups: dict[int, list[str]] = {}
    for rig_id, rig in catalog.rigs.items():
        groups.setdefault(rig.count, []).append(rig_id)
    return {count: tuple(sorted(groups[count], key=lambda id_: _reach(catalog, id_))) for count in sorted(groups)}


def _reach(catalog: Catalog, rig_id: str) -> tuple[float, float, str]:
    gpu = catalog.gpus[catalog.rigs[rig_id].gpu]
    return gpu.framework_visible_gib.on.value, gpu.dense_tflops.value if gpu.dense_tflops else 0.0, rig_id


def disputed(gpu: Gpu) -> tuple[Fact, ...]:
    """Facts of a card that some source states otherwise."""
    return tuple(fact for fact in facts_of(gpu) if fact.conflicts)


def unknown_fields(gpu: Gpu) -> Iterator[str]:
    """Fields of a card that nobody was seen to state."""
    yield from (field for field in OPTIONAL if getattr(gpu, field) is None)
    if gpu.launch_price_usd is None and gpu.street_price_usd is None:
        yield "street_price_usd"


def named_in_note(catalog: Catalog, gpu_id: str) -> tuple[str, ...]:
    """The cards that the note on a card's name speaks of, itself first; none without a note."""
    note = catalog.gpus[gpu_id].name_note
    if note is None:
        return ()
    others = {
        other: gpu.name.removeprefix("NVIDIA ").removesuffix(" Generation")
        for other, gpu in catalog.gpus.items()
        if other != gpu_id
    }
    named = (other for other, short in others.items() if re.search(rf"(?<!\w){re.escape(short)}(?!\w)", note.en))
    return (gpu_id, *named)
