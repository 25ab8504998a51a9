"""In a real browser: filters, my rig, two rigs side by side, tables as files, light pages and their links."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.site.test_browser import RULES

pytestmark = [pytest.mark.browser, pytest.mark.slow]

RIG, MODEL = "4x-rtx-6000-ada", "qwen3-14b"
LIGHT = f"v/{RIG}/{MODEL}/"
OTHER = "8x-test"


def axe(page) -> list[str]:
    found = Axe().run(page, options=RULES).response["violations"]
    return [f"{rule['id']}: {[node['target'] for node in rule['nodes']][:4]}" for rule in found]


def add_a_rig(page, site_dir: Path, selector: str) -> None:
    """Makes the page know another rig, on which everything is unknown but one model."""
    rows = list(csv.reader((site_dir / f"api/v1/rigs/{RIG}.csv").read_text("utf-8").splitlines()))
    at = rows[0].index("verdict")
    for row in rows[1:]:
        row[0], row[at] = OTHER, "borderline" if row[1] == MODEL else "unknown"
    body = "\n".join(",".join(row) for row in rows) + "\n"
    page.route(f"**/api/v1/rigs/{OTHER}.csv", lambda route: route.fulfill(body=body, content_type="text/csv"))
    page.evaluate(
        "([selector, rig]) => document.querySelectorAll(selector).forEach(s => s.append(new Option('Other', rig)))",
        [selector, OTHER],
    )


def test_facets_of_the_index(open_page) -> None:
    watcher = open_page("en/models/")
    page = watcher.page
    rows = page.locator("[data-tf-sortable] tbody tr:visible")
    everything = rows.count()
    for facet in ("family", "size", "licence"):
        select = page.locator(f"[data-tf-facet={facet}]")
        value = select.locator("option").nth(1).inner_text()
        select.select_option(value)
        assert 0 < rows.count() < everything
        assert set(rows.evaluate_all(f"all => all.map(row => row.dataset.{facet})")) == {value}
        select.select_option("")
    page.locator("[data-tf-verdicts]").select_option("3:comfortable")
    shown = rows.count()
    assert 0 < shown < everything
    assert page.locator("tbody tr:visible td:nth-child(4) .tf-verdict--comfortable").count() == shown
    assert page.locator("[data-tf-filter] [role=status]").inner_text().startswith(str(shown))
    assert axe(page) == []
    assert watcher.problems == []


def test_my_rig_is_shown_and_remembered(open_page, site_dir) -> None:
    watcher = open_page("en/models/")
    page = watcher.page
    add_a_rig(page, site_dir, "[data-tf-my-rig]")
    page.locator("[data-tf-my-rig]").select_option(OTHER)
    chip = page.locator(f"tr[id='{MODEL}'] [data-method=lora] .tf-verdict")
    page.wait_for_function(
        "model => document.getElementById(model).querySelector('[data-method=lora] .tf-verdict--borderline')", arg=MODEL
    )
    assert chip.inner_text().strip("◐ \n") == "borderline"
    link = page.locator(f"tr[id='{MODEL}'] [data-method=lora] a")
    assert link.get_attribute("href") == f"../v/{OTHER}/{MODEL}/#lora"
    assert page.locator("[data-tf-rig-link]").get_attribute("href") == f"../rigs/{OTHER}/"
    assert page.evaluate("localStorage.getItem('trainfit-rig')") == OTHER
    assert page.evaluate("document.cookie") == ""
    assert watcher.problems == []


def test_the_page_of_a_rig_remembers_it(open_page) -> None:
    page = open_page(f"rigs/{RIG}/").page
    button = page.locator("[data-tf-remember]")
    button.click()
    assert button.get_attribute("aria-pressed") == "true"
    page.goto(page.url.replace(f"rigs/{RIG}/", f"models/{MODEL}/"))
    assert page.locator(f"tr.tf-mine[data-rig='{RIG}']").count() == 1
    page.go_back()
    page.locator("[data-tf-remember]").click()
    assert page.evaluate("localStorage.length") == 0


def test_the_matrix_folds_to_verdicts(open_page) -> None:
    page = open_page(f"rigs/{RIG}/").page
    detail = page.locator("#matrix ~ .tf-table td .tf-small").first
    assert detail.is_visible()
    page.locator("[data-tf-compact]").check()
    assert not detail.is_visible()


def test_the_head_of_a_long_table_stays_in_sight(open_page) -> None:
    page = open_page("models/").page
    page.evaluate("scrollTo(0, 3000)")
    box = page.locator(".tf-table--page thead th").first.bounding_box()
    header = page.locator(".tf-header").bounding_box()
    assert box is not None
    assert header is not None
    assert 0 <= box["y"] - (header["y"] + header["height"]) < 3


def test_two_rigs_side_by_side(open_page, site_dir) -> None:
    watcher = open_page(f"en/rigs/compare/?a={RIG}")
    page = watcher.page
    add_a_rig(page, site_dir, "[data-tf-compare]")
    page.locator("[data-tf-compare='1']").select_option(OTHER)
    page.wait_for_function(
        "model => document.querySelector(`[data-model='${model}'] [data-method=lora] .tf-verdict--borderline`)",
        arg=MODEL,
    )
    assert page.url.endswith(f"?a={RIG}&b={OTHER}")
    cell = page.locator(f"[data-model='{MODEL}'] [data-method=lora] a")
    assert [text.strip("●◐ \n") for text in cell.all_inner_texts()] == ["comfortable", "borderline"]
    assert cell.nth(1).get_attribute("href") == f"../../v/{OTHER}/{MODEL}/#lora"
    page.locator("[data-tf-compare='1']").select_option(RIG)
    page.wait_for_function("!document.querySelector('[data-model] .tf-verdict--unknown + *')")
    page.wait_for_function("document.querySelectorAll('tr[data-model]:not([data-same])').length === 0")
    page.locator("[data-tf-different]").check()
    assert page.locator("tr[data-model]:visible").count() == 0
    assert watcher.problems == []


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
@pytest.mark.parametrize("language", ["", "en/"])
def test_the_comparison_opens_with_the_choice_and_what_differs(open_page, language, scheme, width) -> None:
    watcher = open_page(f"{language}rigs/compare/", width=width, scheme=scheme)
    page = watcher.page
    rows = page.locator("tr[data-model]")
    differing = page.locator("tr[data-model]:not([data-same])").count()
    assert 0 < differing < rows.count()
    assert page.locator("[data-tf-different]").is_checked()
    assert page.locator("tr[data-model]:visible").count() == differing
    assert page.locator("[data-tf-differ]").inner_text() == str(differing)
    first, second = page.locator("[data-tf-compare]").all()
    assert first.input_value() == RIG != second.input_value()
    places = [each.bounding_box() for each in (first, page.locator(".tf-pairs"), page.locator(".tf-reach").first)]
    tops = [place["y"] for place in places if place]
    assert tops == sorted(tops)
    for cell in page.locator("tr[data-model]:visible td").all():
        chips = cell.locator(".tf-verdict")
        assert (cell.get_attribute("data-alike") is not None) == (len(set(chips.all_text_contents())) == 1)
        if width > 640:
            above, below = (chip.bounding_box() for chip in chips.all())
            assert above["x"] == below["x"]
            assert above["y"] < below["y"]
    page.locator("[data-tf-different]").uncheck()
    assert page.locator("tr[data-model]:visible").count() == rows.count()
    assert page.url.endswith("rigs/compare/")
    assert not watcher.scrolls_sideways()
    assert axe(page) == []
    assert watcher.problems == []


def test_a_rig_asked_for_stands_beside_mine(open_page) -> None:
    page = open_page(f"rigs/{RIG}/").page
    page.goto(page.url.replace(f"rigs/{RIG}/", "rigs/compare/"))
    offered = page.locator("[data-tf-compare='0'] option").evaluate_all("all => all.map(option => option.value)")
    page.go_back()
    mine = next(rig for rig in offered if rig != RIG)
    page.evaluate("rig => localStorage.setItem('trainfit-rig', rig)", mine)
    page.get_by_role("link", name="Сравнить с другой конфигурацией").click()
    page.wait_for_selector("[data-tf-compare]")
    assert [each.input_value() for each in page.locator("[data-tf-compare]").all()] == [RIG, mine]
    assert page.locator("[data-tf-side='1']").get_attribute("href").endswith(f"/{mine}/")


@pytest.mark.parametrize("form", ["CSV", "JSON"])
def test_a_table_as_a_file(open_page, form) -> None:
    watcher = open_page("en/models/")
    page = watcher.page
    page.locator("[data-tf-filter] input").fill("qwen3-14b")
    with page.expect_download() as started:
        page.locator(".tf-download button", has_text=form).first.click()
    text = Path(started.value.path()).read_text("utf-8")
    rows = json.loads(text) if form == "JSON" else list(csv.DictReader(text.splitlines()))
    assert len(rows) == 1
    assert rows[0]["Model"].startswith("Qwen3-14B")
    assert rows[0]["LoRA"] == "comfortable"
    assert started.value.suggested_filename == f"trainfit-models.{form.lower()}"
    assert watcher.problems == []


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
@pytest.mark.parametrize("path", [LIGHT, f"en/{LIGHT}", f"{LIGHT}embed/", f"en/{LIGHT}embed/", "name/" + LIGHT])
def test_a_light_page_is_sound(open_page, path, scheme, width) -> None:
    watcher = open_page(path, width=width, scheme=scheme)
    assert not watcher.scrolls_sideways()
    assert axe(watcher.page) == []
    assert watcher.problems == []


def test_a_link_is_copied_in_every_markup(open_page) -> None:
    watcher = open_page(f"en/{LIGHT}")
    page = watcher.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    here = page.url
    copied = {}
    for row in range(7):
        button = page.locator("[data-copy] button").nth(row)
        button.click()
        page.wait_for_function(
            "row => document.querySelectorAll('[data-copy] button')[row].textContent === 'Copied'", arg=row
        )
        copied[button.get_attribute("aria-label")] = page.evaluate("navigator.clipboard.readText()")
    assert copied["Copy: Address"] == here
    assert copied["Copy: Markdown"].endswith(f"]({here})")
    assert copied["Copy: HTML"].startswith(f'<a href="{here}">')
    assert copied["Copy: Confluence and Jira"].endswith(f"|{here}]")
    assert copied["Copy: MediaWiki"].startswith(f"[{here} ")
    assert f"({here}badge.svg)" in copied["Copy: Badge, Markdown"]
    assert f'src="{here}embed/"' in copied["Copy: Embed, HTML"]
    assert watcher.problems == []


def test_files_are_copied_and_saved(open_page) -> None:
    watcher = open_page(f"en/{LIGHT}", width=390)
    page = watcher.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("#files-qlora summary").click()
    text = page.locator("#files-qlora pre[data-file='sft.yaml']").text_content()
    page.locator("#files-qlora button[aria-label='Copy: sft.yaml']").click()
    page.wait_for_function(
        "document.querySelector('#files-qlora button[aria-label=\"Copy: sft.yaml\"]').textContent === 'Copied'"
    )
    assert page.evaluate("navigator.clipboard.readText()") == text
    with page.expect_download() as started:
        page.locator("#files-qlora button[aria-label='Download: sft.yaml']").click()
    assert Path(started.value.path()).read_text("utf-8") == text
    assert started.value.suggested_filename == "sft.yaml"
    assert not watcher.scrolls_sideways()
    assert axe(page) == []
    assert watcher.problems == []


def test_a_light_page_reads_without_scripts(open_page) -> None:
    watcher = open_page(LIGHT, javascript=False)
    assert watcher.page.locator("[data-copy] code").count() == 7
    assert watcher.page.locator("[data-copy] button").count() == 0
    assert watcher.problems == []


def test_from_a_verdict_to_its_source_and_back(open_page) -> None:
    watcher = open_page("en/")
    page = watcher.page
    page.locator("a[href^='models/']").first.click()
    page.wait_for_url("**/models/**")
    page.locator("a[href*='/v/']").first.click()
    page.wait_for_url("**/v/**")
    explained = page.url
    page.locator("details:has(.tf-light__formulas)").first.evaluate("details => { details.open = true; }")
    page.locator(".tf-light__formulas a[href*='#q-']").first.click()
    page.wait_for_url("**/methodology/#q-*")
    assert page.evaluate("document.getElementById(location.hash.slice(1)) !== null")
    page.go_back()
    page.locator("a[href*='sources/']").last.click()
    page.wait_for_url("**/sources/**")
    page.go_back()
    assert page.url.partition("#")[0] == explained.partition("#")[0]
    assert watcher.problems == []


@pytest.mark.parametrize("path", [LIGHT, "models/", f"models/{MODEL}/", f"rigs/{RIG}/"])
def test_first_views_are_small_and_still(open_page, site_dir, path) -> None:
    """Bytes are counted as a server with gzip would send them."""
    import gzip

    watcher = open_page(path)
    page = watcher.page
    page.wait_for_timeout(300)
    origin = page.evaluate("location.origin")
    loaded = page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
    sent = 0
    for url in {page.url.partition("#")[0], *loaded}:
        file = site_dir / url.removeprefix(origin).lstrip("/").partition("?")[0]
        content = (file / "index.html" if file.is_dir() else file).read_bytes()
        sent += len(content) if file.suffix in (".woff2", ".png") else len(gzip.compress(content))
    assert sent <= 300_000
    shift = page.evaluate(
        """() => new Promise(done => {
            let sum = 0;
            new PerformanceObserver(list => { for (const e of list.getEntries()) sum += e.value; })
                .observe({type: "layout-shift", buffered: true});
            setTimeout(() => done(sum), 300);
        })"""
    )
    assert shift <= 0.02
