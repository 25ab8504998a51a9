"""The page of quality says what the command says; the page and the feed of changes say what happened."""

from __future__ import annotations

import datetime
import json
import xml.etree.ElementTree as ET
from dataclasses import replace

import pytest

from generator.catalog.changes import ChangeRow
from generator.commands.sources import as_json
from generator.site.feed import ATOM, feed_text
from generator.site.messages import Messages
from generator.site.page import LANGUAGES, Language
from generator.site.pages_quality import changes_page, quality_page
from generator.site.pages_site import Site
from generator.views.quality import quality
from tests.site.html_tree import parse
from tests.site.pages_support import site_catalog, site_pages, site_reports, to_html

RIG = "4x-rtx-6000-ada"


def cells(language: Language, fragment: str) -> list[list[str]]:
    """Text of the cells of the body's rows of a table."""
    tree = parse(site_pages(language)["quality/"].fragments[fragment])
    return [
        [" ".join(cell.text.split()) for cell in row.children if not isinstance(cell, str) and cell.tag in ("th", "td")]
        for row in tree.elements()
        if row.tag == "tr" and any(cell.tag == "td" for cell in row.elements())
    ]


def whole(text: str) -> int:
    return int("".join(character for character in text if character.isdigit()))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_page_and_the_command_give_the_same_numbers(language: Language) -> None:
    said = json.loads(as_json(quality(site_catalog())))
    assert [whole(row[1]) for row in cells(language, "numbers")] == list(said["counts"].values())
    assert [whole(row[1]) for row in cells(language, "coverage")] == list(said["values_by_kind"].values())
    assert [whole(row[1]) for row in cells(language, "access")] == list(said["sources_by_access"].values())
    assert [whole(row[1]) for row in cells(language, "confidence")] == [
        *said["values_by_backing"].values(), len(said["values_contradicted"]), said["values_from_copies_alone"],
        said["values_from_unread_sources_alone"],
    ]  # fmt: skip
    gaps = cells(language, "unknown")[: len(said["left_out"])]
    assert [whole(row[1].split()[0]) for row in gaps] == [len(gap["records"]) for gap in said["left_out"]]
    listed = to_html(site_pages(language)["quality/"])
    for source in said["sources_unread"]:
        assert f"sources/{source}/" in listed


@pytest.mark.parametrize("language", LANGUAGES)
def test_shares_of_a_table_make_a_whole(language: Language) -> None:
    for fragment in ("coverage", "access"):
        shown = [row[2].replace("%", "").replace(",", ".").replace("\xa0", "") for row in cells(language, fragment)]
        shares = [float(share) for share in shown]
        assert sum(shares) == pytest.approx(100, abs=0.3)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_contradiction_is_shown_with_both_values_and_the_reason(language: Language) -> None:
    catalog = site_catalog()
    conflicts = [conflict for value in quality(catalog).conflicts for conflict in value.conflicts]
    rows = cells(language, "conflicts")
    assert len(rows) == len(conflicts) > 10
    for row, conflict in zip(rows, conflicts, strict=True):
        assert row[4].replace("\xa0", " ") == " ".join(conflict.reason.in_language(language).split())
        assert row[2] not in row[3].split(), "two values that differ"


def history(*rows: tuple[str, str, str, str, str]) -> tuple[ChangeRow, ...]:
    """Rows of (day, reason, rig, model, verdict of full fine-tuning and of the others)."""
    made = []
    for day, reason, rig, model, verdict in rows:
        verdicts = dict.fromkeys(("full", "lora", "qlora", "pretrain"), verdict) if verdict else {}
        made.append(ChangeRow(datetime.date.fromisoformat(day), tuple(reason.split()), rig, model, verdicts))
    return tuple(made)


ROWS = history(
    ("2026-01-01", "data", RIG, "qwen3-8b", "comfortable"),
    ("2026-01-01", "data", RIG, "gone-1b", "unknown"),
    ("2026-01-02", "policy memory-model", RIG, "qwen3-8b", "borderline"),
    ("2026-01-02", "data", "1x-gone", "gone-1b", "comfortable"),
    ("2026-01-03", "data", RIG, "gone-1b", ""),
    ("2026-01-03", "data", RIG, "qwen3-8b", "comfortable"),
    ("2026-01-03", "data", RIG, "qwen3-8b", "borderline"),
)


def with_history(language: Language, rows: tuple[ChangeRow, ...]) -> Site:
    return Site(replace(site_catalog(), changes=rows), site_reports(), language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_days_are_told_newest_first_with_reasons(language: Language) -> None:
    page = changes_page(with_history(language, ROWS))
    assert list(page.fragments) == ["lead", "d-2026-01-03", "d-2026-01-02", "d-2026-01-01"]
    words = Messages(language)
    second = page.fragments["d-2026-01-02"].replace("\xa0", " ")
    assert second.count('<th scope="row"') == 4
    assert words("changes.reason.memory-model") in second
    assert words("changes.reason.policy") in second
    assert f'href="../rigs/{RIG}/#qwen3-8b"' in second
    assert "<code>1x-gone</code>" in second, "what is gone is named, not linked"
    third = page.fragments["d-2026-01-03"]
    assert "<table" not in third, "what was undone the same day did not change"
    assert "<code>gone-1b</code>" in third
    assert Messages(language)("changes.nothing") in changes_page(with_history(language, ())).fragments["lead"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_feed_is_atom(language: Language, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRAINFIT_SITE_URL", "https://example.org/t/")
    site = with_history(language, ROWS)
    text = feed_text(site.catalog, language)
    assert text == feed_text(site.catalog, language)
    feed = ET.fromstring(text)
    prefix = "" if language == "ru" else "en/"
    address = f"https://example.org/t/{prefix}changes/"
    assert feed.tag == f"{{{ATOM}}}feed"
    assert feed.findtext("a:id", namespaces={"a": ATOM}) == address
    links = {link.get("rel"): link.get("href") for link in feed.findall("a:link", {"a": ATOM})}
    assert links == {None: address, "self": f"{address}atom.xml"}
    entries = feed.findall("a:entry", {"a": ATOM})
    assert [entry.findtext("a:updated", namespaces={"a": ATOM}) for entry in entries] == [
        f"2026-01-0{day}T00:00:00Z" for day in (3, 2, 1)
    ]
    assert feed.findtext("a:updated", namespaces={"a": ATOM}) == "2026-01-03T00:00:00Z"
    ids = [entry.findtext("a:id", namespaces={"a": ATOM}) for entry in entries]
    assert ids == [f"{address}#d-2026-01-0{day}" for day in (3, 2, 1)]
    for entry in [feed, *entries]:
        assert entry.findtext("a:title", namespaces={"a": ATOM})
    assert feed.findtext("a:author/a:name", namespaces={"a": ATOM})
    told = entries[1].findtext("a:content", namespaces={"a": ATOM}) or ""
    method, rig = (each.name.in_language(language) for each in (site.catalog.methods["lora"], site.catalog.rigs[RIG]))
    words = Messages(language)
    before, after = (words(f"verdicts.{verdict}.word") for verdict in ("comfortable", "borderline"))
    assert f"{rig}, {method}: {before} → {after}: Qwen3-8B" in told.split("\n")


@pytest.mark.parametrize("language", LANGUAGES)
def test_models_that_change_alike_share_a_line(language: Language) -> None:
    """A change of a constant flips hundreds of verdicts: a reader sees what became of a rig, not a row for each."""
    models = ("qwen3-8b", "qwen3-4b", "llama-3.1-8b")
    before = [("2026-01-01", "data", RIG, model, "comfortable") for model in models]
    after = [("2026-01-02", "memory-model", RIG, model, "borderline") for model in models]
    rows = history(*before, *after)
    site = with_history(language, rows)
    fragment = changes_page(site).fragments["d-2026-01-02"]
    assert fragment.count('<th scope="row"') == 4, "a row for each method"
    assert fragment.count(f'href="../rigs/{RIG}/#qwen3-4b"') == 4
    lines = feed_text(site.catalog, language).split("\n")
    assert sum(" → " in line and "Llama 3.1 8B, Qwen3-4B, Qwen3-8B" in line for line in lines) == 4


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_not_in_the_catalogue_is_listed_with_what_it_lacks(language: Language) -> None:
    absent = site_catalog().absent
    listed = [*absent.models.values(), *absent.gpus.values()]
    rows = cells(language, "absent")
    assert len(rows) == len(listed) > 20
    for row, each in zip(rows, listed, strict=True):
        assert each.name in row[0]
        assert Messages(language)(f"quality.absent.lacks.{each.lacks}") in row[1].replace("\xa0", " ")


def test_a_hostile_name_stays_text_in_the_feed() -> None:
    catalog = site_catalog()
    bad = "<script>alert(1)</script> & ]]>"
    method = catalog.methods["full"]
    text = method.name.model_copy(update={"en": bad})
    methods = {**catalog.methods, "full": method.model_copy(update={"name": text})}
    feed = feed_text(replace(catalog, methods=methods, changes=ROWS), "en")
    assert "<script" not in feed
    assert bad in "".join(ET.fromstring(feed).itertext())


def test_the_page_of_quality_is_reached_from_the_sources(catalog: object) -> None:
    del catalog
    for language in LANGUAGES:
        assert quality_page(Site(site_catalog(), site_reports(), language)).navigation_title
