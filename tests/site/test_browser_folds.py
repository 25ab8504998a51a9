"""In a real browser: pages that a phone can bear, and what is folded found by whoever looks for it."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.site.test_browser import RULES

pytestmark = [pytest.mark.browser, pytest.mark.slow]

RIG, MODEL = "4x-rtx-6000-ada", "qwen3-14b"
OPEN_ALL = "for (const fold of document.querySelectorAll('article details')) fold.open = true"


@pytest.mark.parametrize(("path", "most"), [(f"models/{MODEL}/", 9_000), (f"rigs/{RIG}/", 20_000), ("", 12_000)])
@pytest.mark.parametrize("language", ["", "en/"])
def test_a_phone_scrolls_no_further_than_that(open_page, language, path, most) -> None:
    page = open_page(language + path, width=390).page
    assert page.evaluate("document.documentElement.scrollHeight") <= most


@pytest.mark.parametrize(("scheme", "width"), [("light", 390), ("dark", 1280)])
@pytest.mark.parametrize("path", [f"models/{MODEL}/", f"rigs/{RIG}/", ""])
def test_what_is_folded_is_sound_too(open_page, path, scheme, width) -> None:
    watcher = open_page(path, width=width, scheme=scheme)
    watcher.page.evaluate(OPEN_ALL)
    assert not watcher.scrolls_sideways()
    found = Axe().run(watcher.page, options=RULES).response["violations"]
    assert [f"{rule['id']}: {[node['target'] for node in rule['nodes']][:4]}" for rule in found] == []
    assert watcher.problems == []


def test_a_wide_screen_folds_no_table_of_the_report(open_page) -> None:
    page = open_page("").page
    assert page.locator("#families ~ details table").first.is_visible()
    assert not page.locator("#families ~ details summary").first.is_visible()
    narrow = open_page("", width=390).page
    assert not narrow.locator("#families ~ details table").first.is_visible()
    narrow.locator("#families ~ details summary").first.click()
    assert narrow.locator("#families ~ details table").first.is_visible()


def test_paper_has_what_is_folded(open_page) -> None:
    page = open_page(f"models/{MODEL}/").page
    row = page.locator(f"tr[data-rig='{RIG}']")
    assert not row.is_visible()
    page.emulate_media(media="print")
    assert row.is_visible()


def test_my_rig_is_shown_where_its_group_is_folded(open_page) -> None:
    page = open_page(f"models/{MODEL}/").page
    page.evaluate(f"localStorage.setItem('trainfit-rig', '{RIG}')")
    page.reload()
    assert page.locator(f"tr.tf-mine[data-rig='{RIG}']").is_visible()


def test_a_matrix_of_signs_is_filtered_by_verdict(open_page) -> None:
    page = open_page(f"en/rigs/{RIG}/").page
    rows = page.locator(".tf-matrix tbody tr:visible")
    everything = rows.count()
    page.locator("[data-tf-verdicts]").select_option("1:borderline")
    shown = rows.count()
    assert 0 < shown < everything
    assert page.locator(".tf-matrix tbody tr:visible td:nth-child(2).tf-mark--borderline").count() == shown
