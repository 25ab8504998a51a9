"""The accuracy page says what was computed, and every run has a line with its source."""

from __future__ import annotations

import re
from functools import cache

import pytest

from generator.catalog.measurements import Measurement
from generator.estimate.accuracy import finished
from generator.site.page import LANGUAGES, Language, Page
from generator.site.pages_accuracy import WORST, accuracy_page, runs_page
from generator.site.pages_site import Site
from generator.views.accuracy import FAR
from tests.site.html_tree import Element, parse
from tests.site.pages_support import heading_ids, site_catalog, to_html


@cache
def site(language: Language) -> Site:
    return Site(site_catalog(), {}, language)


@cache
def page(language: Language) -> Page:
    return accuracy_page(site(language))


def rows(fragment: str) -> list[Element]:
    return [row for row in parse(page("en").fragments[fragment]).elements() if row.tag == "tr"]


def plain(text: str) -> str:
    return text.replace("\u00a0", " ")


def test_both_languages_have_the_same_parts() -> None:
    assert heading_ids(page("ru")) == heading_ids(page("en"))
    assert page("ru").navigation_title
    assert page("en").section == "methodology"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_plots_hold_every_run_and_say_what_they_show(language: Language) -> None:
    checks = site(language).checks
    for fragment, runs in (("plot", checks.rows), ("speed", checks.timed)):
        figures = [e for e in parse(page(language).fragments[fragment]).elements() if e.tag == "figure"]
        (figure,) = figures
        drawing = next(e for e in figure.elements() if e.tag == "svg")
        assert drawing.attributes["role"] == "img"
        assert len(drawing.attributes["aria-label"]) > 40
        names = sorted(e.text for e in drawing.elements() if e.tag == "title")
        assert names == sorted(each.run.id for each in runs)
        assert figure.attributes["aria-label"]
        assert not re.search(r"(?:fill|stroke)=\"#", page(language).fragments[fragment]), "colours follow the theme"


def test_a_row_for_each_group_of_readings() -> None:
    checks = site("en").checks
    assert len(rows("by-source")) == 1 + len(checks.summaries)
    assert len(rows("speed")) == 1 + len(checks.speeds)
    assert len(rows("others")) == 1 + len(checks.peers)
    assert len(rows("leave-one-out")) == 1 + len(checks.left_out)
    assert len(rows("bands")) == 2 + len(checks.coverage) + len(checks.left_out_coverage)
    assert len(rows("misses")) == 2 + len(checks.misses) + WORST
    assert sum(row.runs for row in checks.summaries) == len(checks.rows)


def test_failed_runs_by_answer() -> None:
    checks, shown = site("en").checks, parse(page("en").fragments["failed"]).text
    for number in (checks.failures.runs, checks.failures.no, checks.successes.runs, checks.successes.yes):
        assert str(number) in shown
    for each in checks.wrong:
        assert each.run.id in shown


def test_known_misses_come_with_their_reasons_in_both_languages() -> None:
    for language in LANGUAGES:
        shown = plain(parse(page(language).fragments["misses"]).text)
        for miss in site_catalog().known_misses.values():
            assert plain(miss.reason.in_language(language)) in shown


def test_most_far_readings_have_a_line() -> None:
    checks = site("en").checks
    far = [each for each, error in finished(checks.rows) if abs(error) > FAR]
    assert checks.far == len(far)
    assert checks.far_explained >= 0.9 * checks.far


def test_every_run_stands_on_the_page_of_its_source_with_a_link_to_it() -> None:
    catalog = site_catalog()
    for source in site("en").checks.sources:
        listed = parse(to_html(runs_page(site("en"), source)))
        wanted = [run.id for run in catalog.measurements if run.source == source]
        lines = {e.attributes["id"]: e for e in listed.elements() if e.tag == "tr" and "id" in e.attributes}
        assert list(lines) == wanted
        address = catalog.sources[source].url or catalog.sources[source].seen_at
        for line in lines.values():
            assert address in [e.attributes.get("href") for e in line.elements() if e.tag == "a"]


def test_runs_that_are_left_out_say_why() -> None:
    shown = parse(page("en").fragments["runs"]).text
    assert "not stated:" in shown
    assert "fused_ce" in shown
    assert "samples of unknown length" in shown


def test_settings_are_in_the_spelling_of_the_data() -> None:
    run = next(run for run in site_catalog().measurements if run.id == "fms-accel-193")
    assert isinstance(run.settings, Measurement)
    listed = parse(to_html(runs_page(site("ru"), run.source)))
    line = next(e for e in listed.elements() if e.attributes.get("id") == run.id)
    assert f"{run.settings.n_gpus} × {run.settings.gpu}" in plain(line.text)
    assert str(run.settings.precision) in line.text
