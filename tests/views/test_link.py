"""What a headline asks of the link: the bandwidth at which it would say less, found by making the link slower."""

from __future__ import annotations

from dataclasses import replace

import pytest

from generator.catalog import Catalog
from generator.verdict import judge_rig
from generator.verdict.results import RigReport
from generator.views.link import MATTERS_FROM, comfortable_from, headline_needs, matters
from tests.reduced import reduced_catalog

RIG = "4x-rtx-6000-ada"


def with_link(catalog: Catalog, gb_per_s: float) -> RigReport:
    """The report of the rig as if its cards exchanged this much."""
    rig = catalog.rigs[RIG]
    bus = rig.interconnect.bus_gb_per_s.model_copy(update={"value": gb_per_s})
    slower = rig.model_copy(update={"interconnect": rig.interconnect.model_copy(update={"bus_gb_per_s": bus})})
    return judge_rig(replace(catalog, rigs={**catalog.rigs, RIG: slower}), RIG)


@pytest.mark.parametrize(("method", "share"), [("full", 0.999), ("full", 1.001), ("lora", 0.999), ("lora", 1.001)])
def test_the_headline_falls_at_what_is_said_and_not_before(method: str, share: float) -> None:
    catalog = reduced_catalog()
    report = judge_rig(catalog, RIG)
    needed = headline_needs(catalog, report)[method]
    found = getattr(with_link(catalog, needed * share).headline, method)
    assert (found == getattr(report.headline, method)) is (share > 1)


def test_a_verdict_is_comfortable_from_what_is_said(catalog: Catalog, report: RigReport) -> None:
    verdict = report.verdicts["qwen3-8b", "full"]
    needed = comfortable_from(catalog, verdict)
    assert needed is not None
    assert with_link(reduced_catalog(), needed * 1.001).verdicts["qwen3-8b", "full"].verdict == "comfortable"
    assert with_link(reduced_catalog(), needed * 0.999).verdicts["qwen3-8b", "full"].verdict == "borderline"
    assert comfortable_from(catalog, report.verdicts["llama-3.1-405b", "full"]) is None


def test_what_a_far_slower_link_would_do_for_is_not_said(catalog: Catalog, report: RigReport) -> None:
    bus = catalog.rigs[RIG].interconnect.bus_gb_per_s.value
    assert set(headline_needs(catalog, report)) == {"full", "lora", "pretrain"}
    assert matters(MATTERS_FROM * bus, bus)
    assert not matters(MATTERS_FROM * bus * 0.99, bus)
    assert not matters(1.0, None)


def test_one_card_has_no_link(catalog: Catalog) -> None:
    assert headline_needs(catalog, judge_rig(catalog, "1x-rtx-6000-ada")) == {}
