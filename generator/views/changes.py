"""The history of verdicts by day: what flipped and why, what was new, what is gone."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from generator.catalog.changes import REASONS, ChangeRow

Pair = tuple[str, str]
State = dict[Pair, Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class PublishedFlip:
    """A verdict that was one thing in the morning and another in the evening."""

    rig: str
    model: str
    method: str
    before: str
    after: str
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AlikeFlips:
    """Models whose verdicts on one rig by one method changed alike, on one day and for the same reasons."""

    rig: str
    method: str
    before: str
    after: str
    reasons: tuple[str, ...]
    models: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DayOfChanges:
    """Everything that changed on one day."""

    day: datetime.date
    flips: tuple[PublishedFlip, ...]
    new_models: tuple[str, ...]
    new_rigs: tuple[str, ...]
    gone: tuple[Pair, ...]
    """Rig and model."""

    @property
    def anchor(self) -> str:
        """Its ASCII id on the page."""
        return f"d-{self.day.isoformat()}"

    @property
    def by_reason(self) -> Mapping[str, tuple[PublishedFlip, ...]]:
        """The flips by their first reason, in the order of REASONS."""
        grouped = {reason: tuple(flip for flip in self.flips if flip.reasons[0] == reason) for reason in REASONS}
        return {reason: flips for reason, flips in grouped.items() if flips}

    @property
    def alike_by_reason(self) -> Mapping[str, tuple[AlikeFlips, ...]]:
        """The same, models that changed alike in one: those of most models first."""
        return {reason: _alike(flips) for reason, flips in self.by_reason.items()}

    @property
    def directions(self) -> Sequence[tuple[str, str, int]]:
        """Before, after and how many, the most frequent first."""
        counts = Counter((flip.before, flip.after) for flip in self.flips)
        return [(*pair, number) for pair, number in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


def _alike(flips: Iterable[PublishedFlip]) -> tuple[AlikeFlips, ...]:
    models: dict[tuple[str, str, str, str, tuple[str, ...]], list[str]] = {}
    for flip in flips:
        models.setdefault((flip.rig, flip.method, flip.before, flip.after, flip.reasons), []).append(flip.model)
    ordered = sorted(models.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(AlikeFlips(*key, tuple(sorted(found))) for key, found in ordered)


def days_of(rows: Iterable[ChangeRow]) -> tuple[DayOfChanges, ...]:
    """The days on which something changed, newest first; what was undone the same day is left out."""
    state: State = {}
    days = []
    for day, group in groupby(sorted(rows, key=lambda row: row.day), key=lambda row: row.day):
        before = dict(state)
        reasons: dict[tuple[str, str, str], dict[str, None]] = {}
        for row in group:
            pair = (row.rig, row.model)
            old = state.get(pair, {})
            for method, verdict in row.verdicts.items():
                if old.get(method) != verdict:
                    reasons.setdefault((*pair, method), {}).update(dict.fromkeys(row.reasons))
            if row.verdicts:
                state[pair] = row.verdicts
            else:
                state.pop(pair, None)
        found = _day(day, before, state, reasons)
        if found.flips or found.new_models or found.new_rigs or found.gone:
            days.append(found)
    return tuple(reversed(days))


def last_flips(rows: Iterable[ChangeRow]) -> Mapping[Pair, tuple[datetime.date, tuple[PublishedFlip, ...]]]:
    """Rig and model → the last day on which verdicts of theirs flipped, and which; pairs that never did are absent."""
    found: dict[Pair, tuple[datetime.date, tuple[PublishedFlip, ...]]] = {}
    for day in days_of(rows):
        flips: dict[Pair, list[PublishedFlip]] = {}
        for flip in day.flips:
            flips.setdefault((flip.rig, flip.model), []).append(flip)
        for pair, own in flips.items():
            found.setdefault(pair, (day.day, tuple(own)))
    return found


def _day(
    day: datetime.date, before: State, after: State, reasons: Mapping[tuple[str, str, str], Iterable[str]]
) -> DayOfChanges:
    flips = tuple(
        PublishedFlip(rig, model, method, before[rig, model][method], verdict, _ordered(reasons[rig, model, method]))
        for (rig, model), verdicts in sorted(after.items())
        if (rig, model) in before
        for method, verdict in verdicts.items()
        if before[rig, model].get(method, verdict) != verdict
    )
    return DayOfChanges(
        day=day,
        flips=flips,
        new_models=_new(1, before, after),
        new_rigs=_new(0, before, after),
        gone=tuple(sorted(before.keys() - after.keys())),
    )


def _ordered(reasons: Iterable[str]) -> tuple[str, ...]:
    known = set(reasons)
    return tuple(reason for reason in REASONS if reason in known)


def _new(part: int, before: State, after: State) -> tuple[str, ...]:
    """Models or rigs that the state of the evening has and that of the morning has not."""
    return tuple(sorted({pair[part] for pair in after} - {pair[part] for pair in before}))
