"""The cards that rows of data/measurements may name, and how much a card holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from generator.catalog import raw
from generator.catalog.absent import Absent
from generator.catalog.catalogue import fold, names_of, renamed
from generator.catalog.hints import did_you_mean
from generator.catalog.loading import Reading
from generator.catalog.permalinks import Permalinks
from generator.catalog.records import Gpu

NOT_STATED = "not stated"
"""What a row says of a card that its source does not name."""
DECLARE = "add the card, list it in absent.yml with what is lacking, or leave the row out as `unnamed-card`"


@dataclass(frozen=True, slots=True)
class Card:
    """A card by one of its names."""

    name: str
    gib: float | None = None
    """Memory that its label says; None where nobody has described it."""


@dataclass(frozen=True, slots=True)
class Cards:
    """Cards by their names as `fold` writes them."""

    known: Mapping[str, Card] = field(default_factory=dict)
    complete: bool = False
    """Whether a name that is not among them is wrong; not so where the file of a card cannot be read."""

    def gib(self, name: str) -> float | None:
        """Memory in GiB that the label of a card says; None for one that nobody has described."""
        card = self.known.get(fold(name))
        return card.gib if card else None

    def knows(self, name: str) -> bool:
        """Whether a row may name this card."""
        return not self.complete or name == NOT_STATED or fold(name) in self.known

    def hint(self, name: str) -> str:
        """The card that was meant, or how to declare one that the catalogue lacks."""
        return did_you_mean(name, [card.name for card in self.known.values()]) or DECLARE


def cards_of(reading: Reading) -> Cards:
    """Every card of data/gpus and of absent.yml by its id and all names, moved ids too."""
    known: dict[str, Card] = {}
    for card in _named(reading):
        known.setdefault(fold(card.name), card)
    readable = {entry.id for entry in reading.of("gpu")} | {each.id for each in reading.broken if each.kind == "gpu"}
    return Cards(known, complete=bool(readable) and readable >= reading.seen["gpu"])


def _named(reading: Reading) -> Iterator[Card]:
    gib: dict[str, float] = {}
    for entry in reading.of("gpu"):
        if isinstance(entry.record, Gpu):
            gib[entry.id] = entry.record.memory_label_gib.value
            for name in (entry.id, *(name for _, name in names_of(entry))):
                yield Card(name, gib[entry.id])
    for broken in reading.broken:
        if broken.kind == "gpu":
            yield Card(broken.id)
            yield from (Card(name) for _, name in raw.names(broken))
    for entry in reading.entries:
        if isinstance(entry.record, Permalinks):
            yield from (Card(old, gib.get(new)) for old, new in renamed(entry.record, "gpus").items())
        if isinstance(entry.record, Absent):
            for card_id, absent in entry.record.gpus.items():
                yield from (Card(card_id), Card(absent.name))
