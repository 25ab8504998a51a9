"""The page of a model: the verdict first, then the reason, everything else on demand."""

from __future__ import annotations

import dataclasses
from types import MappingProxyType

import pytest

from generator.site.messages import Messages
from generator.site.page import LANGUAGES
from generator.site.pages import render_pages
from generator.verdict.results import VERDICTS
from generator.views.needs import needs_of, rig_groups
from generator.views.reasons import lacks_memory
from tests.site.html_tree import Element, parse
from tests.site.pages_support import heading_ids, site_catalog, site_pages, site_reports, to_html

RIG, MODEL = "4x-rtx-6000-ada", "qwen3-14b"
PATH = f"models/{MODEL}/"


def words_of(element: Element) -> str:
    """Its text with plain single blanks."""
    return " ".join(element.text.split())


def rows(fragment: str) -> list[Element]:
    body = next(element for element in parse(fragment).elements() if element.tag == "tbody")
    return [element for element in body.elements() if element.tag == "tr"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_one_row_for_each_method_says_the_verdict(language) -> None:
    say, report = Messages(language), site_reports()[RIG]
    found = rows(site_pages(language)[PATH].fragments["verdicts"])
    for method, row in zip(site_catalog().methods, found, strict=True):
        verdict = report.verdicts[MODEL, method]
        assert say(f"verdicts.{verdict.verdict}.word") in words_of(row)
        links = [e.attributes["href"] for e in row.elements() if "href" in e.attributes]
        assert f"#{method}" in links
        assert f"../../v/{RIG}/{MODEL}/#{method}" in links


@pytest.mark.parametrize("language", LANGUAGES)
def test_other_rigs_stand_folded_with_the_gist_outside(language) -> None:
    say, page = Messages(language), site_pages(language)[PATH]
    tree = parse(page.fragments["rigs"])
    folds = [e for e in tree.elements() if e.tag == "details"]
    groups = rig_groups(site_catalog(), site_reports(), MODEL)
    assert not any("open" in fold.attributes for fold in folds)
    for fold, group in zip(folds, groups, strict=True):
        summary = next(e for e in fold.elements() if e.tag == "summary")
        gists = [e for e in summary.elements() if e.parent is not None and "tf-gist" in e.parent.classes]
        for method, gist in zip(site_catalog().methods, gists, strict=True):
            words = words_of(gist)
            for verdict in VERDICTS[:2]:
                count = group.of(method, verdict)
                assert (f"{say(f'verdicts.{verdict}.word')} {count}" in words) == bool(count), (method, words)
        marks = [e for e in fold.elements() if "tf-mark" in e.classes]
        shown = iter(marks)
        for verdicts in group.verdicts.values():
            for method in site_catalog().methods:
                cell = next(shown)
                assert f"tf-mark--{verdicts[method].verdict}" in cell.classes
                assert words_of(cell) == say(f"verdicts.{verdicts[method].verdict}.word")
        assert next(shown, None) is None


def test_every_place_that_was_linked_to_is_still_there() -> None:
    page = site_pages("en")[PATH]
    assert {"model", "verdicts", "needs", "full", "lora", "qlora", "pretrain", "facts", "names"} <= set(
        heading_ids(page)
    )
    ids = {e.attributes.get("id") for e in parse(to_html(page)).elements()}
    assert {"fact-parameters-exact", "fact-context-tokens", "fact-architecture-layers"} <= ids


@pytest.mark.parametrize("language", LANGUAGES)
def test_fewest_cards_of_the_smallest_rig_are_no_more_than_that(language) -> None:
    needs = [need for need in needs_of(site_catalog(), site_reports(), MODEL) if need.any]
    found = rows(site_pages(language)[PATH].fragments["needs"])
    assert any(need.smallest > 1 for need in needs)
    for need, row in zip(needs, found, strict=True):
        cells = [e for e in row.elements() if e.tag == "td"]
        for fewest, cell in zip(need.by_method.values(), cells, strict=True):
            smallest = any(item.count == need.smallest > 1 for item in fewest)
            assert ("≤" in cell.text) == smallest, (need.gpu, cell.text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_where_no_recipe_will_do_the_page_says_why_this_one_is_shown(language) -> None:
    say, report = Messages(language), site_reports()[RIG]
    texts = {True: say("models.method.closest.memory"), False: say("models.method.closest.fits")}
    seen = set()
    for (model, method), verdict in report.verdicts.items():
        if verdict.rung is None:
            continue
        place = list(site_catalog().methods).index(method) + 1
        shown = " ".join(parse(site_pages(language)[f"models/{model}/"].fragments[f"verdict-{place}"]).text.split())
        for lacks, text in texts.items():
            wanted = verdict.chosen is None and lacks_memory(verdict.rung) == lacks
            assert (" ".join(text.split()) in shown) == wanted, (model, method)
            seen |= {lacks} if wanted else set()
    assert seen == {True, False}


@pytest.mark.parametrize(
    ("rig", "message"), [("1x-rtx-4090", "models.needs.nothing"), ("1x-t4", "models.needs.never.needs-bf16")]
)
def test_a_model_that_no_rig_trains_gets_a_sentence_and_no_empty_table(rig: str, message: str) -> None:
    catalog = site_catalog()
    alone = dataclasses.replace(catalog, rigs=MappingProxyType({rig: catalog.rigs[rig]}))
    pages = {page.path: page for page in render_pages(alone, {rig: site_reports()[rig]}, "en")}
    fragment = pages["models/llama-3.3-70b/"].fragments["needs"]
    assert "<table" not in fragment
    shown = [key for key in Messages("en").catalogue if key.startswith("models.needs.n")]
    said = {
        key
        for key in shown
        if isinstance(Messages("en").catalogue[key], str) and Messages("en")(key) in parse(fragment).text
    }
    assert said == {message}


def test_files_are_offered_for_what_is_recommended_and_can_be_run(site_dir) -> None:
    for model in site_catalog().models:
        fragment = site_pages("en")[f"models/{model}/"].fragments["verdicts"]
        offered = {
            href.rpartition("#files-")[2]
            for e in parse(fragment).elements()
            if "#files-" in (href := e.attributes.get("href", ""))
        }
        light = (site_dir / f"en/v/{RIG}/{model}/index.html").read_text(encoding="utf-8")
        assert offered == {method for method in site_catalog().methods if f'id="files-{method}"' in light}, model


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_model_without_a_verdict_says_so_once(language) -> None:
    catalog = site_catalog()
    model = next(name for name, each in catalog.models.items() if each.architecture.shape().unmodelled)
    page = site_pages(language)[f"models/{model}/"]
    root = parse(to_html(page))
    assert {"full", "lora", "qlora", "pretrain"} <= {element.attributes.get("id") for element in root.elements()}
    assert {"rigs", "needs", "why"}.isdisjoint(heading_ids(page))
    chips = [element for element in root.elements() if "tf-verdict" in element.classes]
    assert len(chips) == 4
    assert all("tf-verdict--unknown" in chip.classes for chip in chips)
