"""Advice beside a verdict, with what fits and what is judged given by hand."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from generator.catalog import Catalog
from generator.verdict import advice
from generator.verdict.advice import improvements, is_better, max_seq_len
from generator.verdict.results import VerdictId
from generator.verdict.setup import Setup, ad_hoc_rig, setup_of, subject_of


def test_better_is_strict() -> None:
    assert is_better("comfortable", "borderline")
    assert not is_better("borderline", "borderline")
    assert not is_better("not-recommended", "borderline")


@pytest.mark.parametrize(
    ("limit", "own", "found"),
    [
        (1024, 8192, 1024),  # what fits is a multiple of 256
        (1279, 8192, 1024),
        (1280, 8192, 1280),
        (10**9, 8192, 8192),  # the model's own context
        (10**9, None, 131_072),
        (256, 8192, 256),
        (255, 8192, None),
    ],
)
def test_the_longest_context_that_fits(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch, limit: int, own: int | None, found: int | None
) -> None:
    monkeypatch.setattr(
        advice,
        "memory_of",
        lambda _catalog, _plan, seq_len: SimpleNamespace(fits="tight" if seq_len <= limit else "no"),
    )
    assert max_seq_len(catalog, None, own) == found  # type: ignore[arg-type]


def advised(
    catalog: Catalog,
    monkeypatch: pytest.MonkeyPatch,
    setup: Setup,
    verdicts: dict[tuple[int, int, str], str],
    verdict: VerdictId = "not-recommended",
) -> list[tuple[str, str, float]]:
    """Improvements on a verdict where the ladder gives `verdicts` by cards, context and ECC."""

    def ladder(at: Catalog, _subject: object, _method: str, other: Setup) -> str:
        return verdicts.get((other.count, int(at.policy.workload.seq_len.value), other.ecc), "not-recommended")

    monkeypatch.setattr(advice, "best_of_ladder", ladder)
    subject = subject_of(catalog, "qwen3-0.6b")
    found = improvements(catalog, subject, "full", setup, verdict)
    return [(each.kind, each.verdict, each.value) for each in found]


@pytest.mark.parametrize(
    ("start", "verdicts", "found"),
    [
        (1, {}, []),
        (1, {1: "comfortable"}, []),  # as many cards as there are change nothing
        (2, {1: "comfortable"}, []),
        (1, {2: "borderline"}, [("borderline", 2)]),
        (1, {2: "borderline", 4: "borderline", 8: "comfortable"}, [("comfortable", 8)]),
        (1, {2: "borderline", 4: "comfortable", 8: "comfortable"}, [("comfortable", 4)]),
        (1, {2: "borderline", 4: "borderline", 8: "borderline"}, [("borderline", 2)]),
        (4, {4: "borderline", 8: "borderline"}, [("borderline", 8)]),
    ],
)
def test_the_fewest_cards_that_give_the_best_verdict(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch, start: int, verdicts: dict[int, str], found: list[object]
) -> None:
    setup = ad_hoc_rig(catalog, "rtx-6000-ada", start)
    seq_len = int(catalog.policy.workload.seq_len.value)
    by_key = {(count, seq_len, setup.ecc): verdict for count, verdict in verdicts.items()}
    more = [each[1:] for each in advised(catalog, monkeypatch, setup, by_key) if each[0] == "more-gpus"]
    assert more == found


@pytest.mark.parametrize(
    ("verdict", "verdicts", "found"),
    [
        ("borderline", {8: "borderline", 4: "comfortable", 2: "comfortable"}, [("comfortable", 4)]),
        ("borderline", {8: "borderline", 4: "borderline", 2: "comfortable"}, [("comfortable", 2)]),
        ("borderline", {8: "borderline", 4: "borderline"}, []),
        ("not-recommended", {4: "comfortable"}, []),
    ],
)
def test_a_part_of_the_cards_may_do_better_than_all(
    catalog: Catalog, monkeypatch: pytest.MonkeyPatch, verdict: VerdictId, verdicts: dict[int, str], found: list[object]
) -> None:
    setup = ad_hoc_rig(catalog, "rtx-6000-ada", 8)
    seq_len = int(catalog.policy.workload.seq_len.value)
    by_key = {(count, seq_len, setup.ecc): one for count, one in verdicts.items()}
    part = [each[1:] for each in advised(catalog, monkeypatch, setup, by_key, verdict) if each[0] == "fewer-gpus"]
    assert part == found


def test_the_longest_of_the_shorter_contexts_that_help(catalog: Catalog, monkeypatch: pytest.MonkeyPatch) -> None:
    setup = setup_of(catalog, "4x-rtx-6000-ada")
    workload = catalog.policy.workload
    base = int(workload.seq_len.value)
    shorter = sorted(length for length in workload.context_variants if length < base)
    every = {(setup.count, length, setup.ecc): "borderline" for length in (*workload.context_variants, base)}
    assert advised(catalog, monkeypatch, setup, every) == [("shorter-context", "borderline", shorter[-1])]
    longer = {key: verdict for key, verdict in every.items() if key[1] >= base}
    assert advised(catalog, monkeypatch, setup, longer) == []
    first = {(setup.count, shorter[0], setup.ecc): "comfortable"}
    assert advised(catalog, monkeypatch, setup, first) == [("shorter-context", "comfortable", shorter[0])]
