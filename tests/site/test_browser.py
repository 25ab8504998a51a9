"""The real site in a real browser: nothing breaks, nothing leaves, nothing is out of reach."""

from __future__ import annotations

import re

import pytest
from axe_playwright_python.sync_playwright import Axe

pytestmark = [pytest.mark.browser, pytest.mark.slow]

MODEL = "models/qwen3-14b/"
LOOKS = [("light", 1280), ("dark", 1280), ("light", 390), ("dark", 390)]
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
QUERIES = {"": "ключами", "en/": "estimating"}


def axe(page, context: str | None = None) -> list[str]:
    found = Axe().run(page, context=context, options=RULES).response["violations"]
    return [f"{rule['id']}: {[node['target'] for node in rule['nodes']][:4]}" for rule in found]


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
@pytest.mark.parametrize("path", ["", MODEL])
@pytest.mark.parametrize("language", ["", "en/"])
def test_a_page_is_sound(open_page, language, path, scheme, width):
    watcher = open_page(language + path, width=width, scheme=scheme)
    assert watcher.page.title()
    assert not watcher.scrolls_sideways()
    assert axe(watcher.page) == []
    assert watcher.problems == []


def test_pages_are_sound_at_a_glance(open_page, paths):
    """One look at every page, of the many made from one template at some, on a phone; the pages above get all looks."""
    watcher = open_page("", width=390, scheme="dark")
    root = watcher.page.url
    wide = []
    rare = [path for path in paths if not path.startswith(("sources/", "v/", "models/", "gpus/"))]
    light = [path for path in paths if path.startswith(("sources/", "v/"))]
    facts = [path for path in paths if path.startswith(("models/", "gpus/"))]
    for path in (*rare, *light[::12], *facts[::4]):
        watcher.page.goto(root + path)
        if watcher.scrolls_sideways():
            wide.append(path)
    assert wide == []
    assert watcher.problems == []


@pytest.mark.parametrize(
    "path", ["rigs/4x-rtx-6000-ada/", "models/", "methods/full/", "gpus/rtx-6000-ada/", "methodology/", "sources/"]
)
def test_other_kinds_of_pages_are_accessible(open_page, path):
    watcher = open_page(f"en/{path}", scheme="dark")
    assert axe(watcher.page) == []


@pytest.mark.parametrize(("scheme", "width"), LOOKS)
@pytest.mark.parametrize("language", ["", "en/"])
def test_search_finds_other_forms_of_a_word(open_page, language, scheme, width):
    watcher = open_page(language, width=width, scheme=scheme)
    page = watcher.page
    page.locator("[data-tf-search]").click()
    page.locator("#tf-search-input").fill(QUERIES[language])
    first = page.locator("#tf-search-results a").first
    first.wait_for()
    assert page.locator("#tf-search-results mark").count() > 0
    assert re.match(r"\d+ ", page.locator("#tf-search-status").inner_text())
    assert page.evaluate("location.href.includes('/en/')") == bool(language)
    assert ("/en/" in first.evaluate("link => link.href")) == bool(language)
    assert axe(page, "#tf-search") == []
    assert not watcher.scrolls_sideways()
    assert watcher.problems == []


def test_search_by_keyboard_alone(open_page):
    watcher = open_page("en/" + MODEL)
    page = watcher.page
    page.keyboard.press("/")
    page.keyboard.type("qlora", delay=10)
    page.locator("#tf-search-results a").first.wait_for()
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement === document.querySelector('#tf-search-results a')")
    target = page.evaluate("document.activeElement.href")
    page.keyboard.press("Enter")
    page.wait_for_url(target)
    page.keyboard.press("Control+k")
    page.keyboard.press("Escape")
    assert not page.locator("#tf-search").is_visible()


def test_search_says_when_nothing_is_found(open_page):
    page = open_page("").page
    page.locator("[data-tf-search]").click()
    page.locator("#tf-search-input").fill("xyzzyqwertz")
    page.get_by_text("«xyzzyqwertz»").wait_for()


@pytest.mark.parametrize("javascript", [True, False])
@pytest.mark.parametrize("prefix", ["", "name/"])
def test_the_language_switch_stays_on_the_page(open_page, prefix, javascript):
    watcher = open_page(prefix + MODEL, javascript=javascript)
    page = watcher.page
    root = page.url.removesuffix(MODEL)
    page.locator("[data-tf-language]").click()
    page.wait_for_url(root + "en/" + MODEL)
    page.locator("[data-tf-language]").click()
    page.wait_for_url(root + MODEL)
    assert watcher.problems == []


def test_the_language_switch_keeps_the_heading(open_page):
    page = open_page("").page
    heading = page.locator(".md-typeset h2[id]").nth(1).get_attribute("id")
    page.goto(f"{page.url}#{heading}")
    page.locator("[data-tf-language]").click()
    page.wait_for_url(f"**/en/#{heading}")


@pytest.mark.parametrize("language", ["", "en/"])
def test_the_site_works_below_a_path(open_page, language):
    watcher = open_page(f"name/{language}")
    page = watcher.page
    page.locator("[data-tf-search]").click()
    page.locator("#tf-search-input").fill(QUERIES[language])
    first = page.locator("#tf-search-results a").first
    first.wait_for()
    assert f"/name/{language}" in first.evaluate("link => link.href")
    first.click()
    page.wait_for_load_state()
    assert f"/name/{language}" in page.url
    assert watcher.problems == []


@pytest.mark.parametrize("path", ["", MODEL, "models/"])
def test_without_scripts_everything_reads(open_page, path):
    watcher = open_page(path, javascript=False, width=390)
    page = watcher.page
    assert page.locator("article h1").is_visible()
    assert page.locator(".tf-verdict").first.inner_text().strip(" ●◐○?\n")
    assert not page.locator("[data-tf-search]").is_visible()
    assert not page.locator("[data-tf-theme]").is_visible()
    page.locator(".tf-menu summary").click()
    assert page.locator(".tf-menu a").first.is_visible()
    assert watcher.problems == []


def test_without_scripts_the_scheme_follows_the_system(open_page):
    def background(scheme: str) -> str:
        page = open_page("", scheme=scheme, javascript=False).page
        return page.locator("body").evaluate("body => getComputedStyle(body).backgroundColor")

    assert background("light") != background("dark")


def test_a_table_sorts_and_filters(open_page):
    watcher = open_page("models/")
    page = watcher.page
    rows = page.locator("[data-tf-sortable] tbody tr:visible")
    everything = rows.count()
    names = rows.locator("th").all_inner_texts()
    button = page.locator("[data-tf-sortable] .tf-sort").first
    button.click()
    assert rows.locator("th").all_inner_texts() != names
    assert page.locator("th[aria-sort='ascending']").count() == 1
    page.locator("[data-tf-filter] input").fill("qwen3 14")
    assert rows.count() == 1
    page.locator("[data-tf-filter] input").fill("")
    page.locator("[data-tf-verdicts]").select_option(index=1)
    assert 0 < rows.count() < everything
    assert axe(page) == []
    assert watcher.problems == []


def test_the_theme_button_is_remembered(open_page):
    page = open_page("").page
    before = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator("[data-tf-theme]").click()
    chosen = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.reload()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == chosen != before
    page.locator("[data-tf-theme]").click()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == before
    assert page.evaluate("localStorage.length") == 0


@pytest.mark.parametrize("path", ["index.html", f"en/{MODEL}index.html"])
def test_a_file_reads_without_a_server(browser, site_dir, path):
    page = browser.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((site_dir / path).as_uri())
    assert page.locator("article h1").is_visible()
    assert page.evaluate("getComputedStyle(document.body).fontFamily").startswith('"Golos Text"')
    assert errors == []
    page.close()


SHIFTS = """() => new Promise(resolve => {
    let sum = 0;
    new PerformanceObserver(list => { for (const e of list.getEntries()) sum += e.value; })
        .observe({type: "layout-shift", buffered: true});
    setTimeout(() => resolve(sum), 400);
})"""


def test_nothing_moves_while_a_page_loads(open_page):
    assert open_page("").page.evaluate(SHIFTS) < 0.02


def test_fonts_that_come_late_move_nothing(browser, address):
    with browser.new_context(viewport={"width": 1280, "height": 900}) as context:
        page = context.new_page()
        page.route("**/*.woff2", lambda route: (page.wait_for_timeout(600), route.continue_()))
        for path in ("", MODEL):
            page.goto(address + path, wait_until="load")
            assert page.evaluate(SHIFTS) < 0.02, path


def test_a_page_prints_without_the_frame(open_page):
    page = open_page(MODEL).page
    page.emulate_media(media="print")
    assert not page.locator(".tf-header").is_visible()
    assert page.locator("article h1").is_visible()


def test_a_missing_page_speaks_both_languages(site_dir):
    for file in ("404.html", "en/404.html"):
        text = (site_dir / file).read_text(encoding="utf-8")
        assert "Такой страницы нет" in text
        assert "There is no such page" in text
