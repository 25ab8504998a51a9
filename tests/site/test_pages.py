"""Generated pages: the same in both languages, nothing missing, every link leads somewhere."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path

import pytest

from generator.site.api import api_texts
from generator.site.light import light_paths
from generator.site.page import FRAGMENT_ID, LANGUAGES, SECTIONS, Language, light_path
from generator.site.pages_site import Site
from generator.site.pages_stack import config_texts
from generator.site.urls import PREFIXES
from generator.views.worked import recipe_flags, worked_examples
from tests.site.html_tree import parse
from tests.site.pages_support import heading_ids, site_catalog, site_pages, site_reports, to_html

ROOT = Path(__file__).resolve().parents[2]
CYRILLIC = re.compile("[А-Яа-яЁё]")


def test_both_languages_have_the_same_pages_with_the_same_heading_ids() -> None:
    ru, en = site_pages("ru"), site_pages("en")
    assert list(ru) == list(en)
    for path in ru:
        assert heading_ids(ru[path]) == heading_ids(en[path])
        assert list(ru[path].fragments) == list(en[path].fragments)


def test_every_record_has_its_page() -> None:
    catalog, paths = site_catalog(), set(site_pages("en"))
    wanted = {"", "calculator/", "rigs/", "models/", "gpus/", "methods/", "methodology/", "sources/", "stacks/"}
    wanted |= {"quality/", "changes/", "rigs/compare/", "terms/", "accuracy/"}
    wanted |= {f"accuracy/{run.source}/" for run in catalog.measurements}
    for kind in ("rigs", "models", "gpus", "methods", "sources"):
        wanted |= {f"{kind}/{record}/" for record in getattr(catalog, kind)}
    assert paths == wanted


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_page_has_one_first_heading_a_title_and_a_description(language) -> None:
    for page in site_pages(language).values():
        assert len(re.findall(r"^# ", page.markdown, re.MULTILINE)) == 1
        assert page.title
        assert page.section in SECTIONS
        assert 20 <= len(page.description) <= 400, (page.path, page.description)
        assert "<" not in page.title
        assert "<" not in page.description
        assert page.edit_path is None or (ROOT / page.edit_path).is_file()


@pytest.mark.parametrize("language", LANGUAGES)
def test_heading_ids_are_explicit_ascii_and_unique(language) -> None:
    for page in site_pages(language).values():
        headings = [line for line in page.markdown.splitlines() if line.startswith("#")]
        ids = heading_ids(page)
        assert len(ids) == len(headings) == len(set(ids)), page.path
        assert all(re.fullmatch(r"[a-z0-9]+(?:[.-][a-z0-9]+)*", heading_id) for heading_id in ids)
        assert all(FRAGMENT_ID.fullmatch(fragment) for fragment in page.fragments)


@pytest.mark.parametrize("language", LANGUAGES)
def test_html_is_well_formed_and_its_ids_are_unique(language) -> None:
    for page in site_pages(language).values():
        ids = [e.attributes["id"] for e in parse(to_html(page)).elements() if "id" in e.attributes]
        assert len(ids) == len(set(ids)), (page.path, sorted(i for i in ids if ids.count(i) > 1))


def _configurations(language: Language) -> set[str]:
    """Addresses of the files of configurations."""
    first = Site(site_catalog(), site_reports(), language).first_report
    return set(config_texts(site_catalog(), first, language))


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_markup_of_ours_is_escaped(language) -> None:
    for page in site_pages(language).values():
        for element in parse(to_html(page)).elements():
            assert '"' not in element.attributes.get("class", ""), page.path


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_link_leads_to_a_page_and_a_place_on_it(language) -> None:
    pages = site_pages(language)
    trees = {path: parse(to_html(page)) for path, page in pages.items()}
    ids = {path: {e.attributes.get("id") for e in tree.elements()} for path, tree in trees.items()}
    ids["contribute/"] = {"report-an-error"}
    judged = {light_path(rig, model) for rig, report in site_reports().items() for model, _ in report.verdicts}
    ids |= {path: set() for path in light_paths(site_catalog(), site_reports())}
    named = {f"{prefix}{method}" for method in site_catalog().methods for prefix in ("", "files-")}
    ids |= dict.fromkeys(judged, named)
    files = api_texts(site_catalog(), site_reports()).keys() | _configurations(language)
    files |= {f"{PREFIXES[language]}changes/atom.xml"}
    broken = []
    for path, tree in trees.items():
        for element in tree.elements():
            href = element.attributes.get("href")
            if element.tag != "a" or href is None:
                continue
            if re.match(r"https://", href):
                continue
            target, _, anchor = href.partition("#")
            target = target.partition("?")[0]
            resolved = posixpath.normpath(posixpath.join("/", PREFIXES[language], path, target)).strip("/")
            if resolved in files:
                continue
            resolved = posixpath.normpath(posixpath.join("/", path, target)).strip("/")
            page_path = path if not target else f"{resolved}/" if resolved else ""
            if page_path not in ids or (anchor and anchor not in ids[page_path]):
                broken.append((path, href))
    assert not broken, broken[:20]


def test_no_russian_letters_on_english_pages_but_in_marked_quotations() -> None:
    for page in site_pages("en").values():
        assert not CYRILLIC.search(page.title + page.description), page.path
        assert not CYRILLIC.search(page.markdown), page.path
        for text, element in parse(to_html(page)).texts():
            if CYRILLIC.search(text):
                marked = any(node.attributes.get("lang") == "ru" for node in element.ancestors())
                assert marked, (page.path, text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_carry_no_keys_and_no_placeholders(language) -> None:
    areas = "accuracy|common|verdicts|reasons|home|rigs|models|gpus|methods|methodology|sources|stacks|facts|quantities"
    areas += "|shell|calculator"
    for page in site_pages(language).values():
        shown = parse(to_html(page)).text
        assert not re.search(rf"\b(?:{areas})\.[a-z_-]+\.[a-z_-]+", shown), page.path
        assert not re.search(r"\{[a-z_]+\}", shown), page.path
        assert "TFFRAGMENT" not in shown


def test_the_home_page_holds_everything_that_the_report_promises() -> None:
    assert heading_ids(site_pages("ru")[""]) == [
        "report", "map", "findings", "families", "memory", "pools", "context", "pretraining", "stack", "provenance",
        "scope", "report-an-error",
    ]  # fmt: skip


def test_the_headline_is_computed() -> None:
    report = site_reports()["4x-rtx-6000-ada"]
    title = site_pages("en")[""].title
    classes = {item.id: item.name.en.rpartition("–")[2].lstrip("≤") for item in site_catalog().policy.size_classes}
    assert report.headline.full is not None
    assert f"full fine-tuning up to {classes[report.headline.full]}" in title
    assert report.headline.qlora is not None
    assert f"QLoRA up to {classes[report.headline.qlora]}" in title


def test_a_page_of_a_source_lists_every_place_that_cites_it() -> None:
    catalog, pages = site_catalog(), site_pages("en")
    expected = dict.fromkeys(catalog.sources, 0)
    for usage in catalog.citations():
        expected[usage.source_id] += 1
    shapes = {shape.source for shape in catalog.measured_shapes.values()}
    for source, count in expected.items():
        used = parse(pages[f"sources/{source}/"].fragments["used"])
        rows = [e for e in used.elements() if e.tag == "tr"]
        assert len(rows) == (count + 1 if count else 0), source
        runs = sum(run.source == source for run in catalog.measurements)
        if runs:
            assert f"{runs} " in used.text, source
        assert count or runs or source in shapes, source


def test_a_model_page_explains_every_method() -> None:
    page = site_pages("en")["models/qwen3-14b/"]
    assert {"verdicts", "full", "lora", "qlora", "pretrain", "facts", "names"} <= set(heading_ids(page))
    shown = parse(to_html(page)).text
    assert "borderline" in shown
    assert "End of backward" in shown


def test_the_methodology_sums_up_the_measured_runs() -> None:
    fragment = site_pages("en")["methodology/"].fragments["check"]
    shown = parse(fragment).text
    assert "Median absolute error" in shown
    assert 'href="../accuracy/"' in fragment
    assert "failed for lack of memory" in shown


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_methodology_works_two_estimates_to_the_end(language) -> None:
    page, catalog = site_pages(language)["methodology/"], site_catalog()
    report = site_reports()["4x-rtx-6000-ada"]
    digits = re.sub(r"[^0-9]", " ", page.fragments["worked"].replace("\u00a0", "").replace(",", ""))
    for each in worked_examples(catalog, report):
        assert f'id="worked-{each.method}"' in page.fragments["worked"]
        assert str(round(each.estimate.quantities["peak"].value)) in digits.split()
    for recipe in recipe_flags(catalog, "4x-rtx-6000-ada"):
        assert f"#recipe-{recipe.recipe}" in page.fragments["recipes"]
