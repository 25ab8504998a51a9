"""Light pages: one verdict to link to, in both languages, with its badge, its embed and its picture."""

from __future__ import annotations

import datetime
import re
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest
from lxml import etree, html

from generator.catalog.changes import ChangeRow
from generator.site.badges import badge_svg
from generator.site.launch import find_files
from generator.site.lettering import lines, runs, width
from generator.site.light import LightWriter, light_paths, moved_paths, write_light_pages, write_moved
from generator.site.page import light_path
from generator.site.pages_site import Site
from generator.site.pages_stack import config_texts
from generator.site.policy import inline_script, page_policy, script_hash
from generator.site.previews import COLOURS, SIZE, keys, picture, write_previews
from generator.site.urls import site_url
from generator.verdict.results import VERDICTS
from generator.views.light import constants_of, light, lights, terms_of_peak
from generator.views.measured import kind_of_run, measured_kinds
from tests.site.pages_support import site_catalog, site_reports
from tests.site.test_pages_hostile import HOSTILE, poisoned_catalog

RIG, MODEL = "4x-rtx-6000-ada", "qwen3-14b"
FITS = ("comfortable", "borderline")


def write_all(catalog, reports, target: Path) -> None:
    for language in ("ru", "en"):
        write_light_pages(catalog, reports, language, ("ru", "en"), target)
    write_moved(catalog, reports, ("ru", "en"), target)


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Path:
    """The light pages of the first rig in both languages."""
    target = tmp_path_factory.mktemp("light")
    write_all(site_catalog(), {RIG: site_reports()[RIG]}, target)
    return target


def parsed(path: Path):
    return html.document_fromstring(path.read_bytes())


def test_every_model_has_a_page_a_badge_and_an_embed_in_both_languages(written) -> None:
    for path in light_paths(site_catalog(), [RIG]):
        for prefix in ("", "en"):
            for name in ("index.html", "badge.svg", "embed/index.html"):
                assert (written / prefix / path / name).is_file(), (prefix, path, name)


def test_a_page_says_what_the_report_says(written) -> None:
    report = site_reports()[RIG]
    page = parsed(written / "en" / "v" / RIG / MODEL / "index.html")
    rows = page.xpath("//tbody[1]/tr[th/a[starts-with(@href, '#')]]")
    words = {row.xpath("th/a/@href")[0][1:]: row.xpath("td[1]")[0].text_content().split(maxsplit=1)[1] for row in rows}
    assert words == {
        method: report.verdicts[MODEL, method].verdict.replace("-", " ") for method in site_catalog().methods
    }
    for method in words:
        assert page.xpath(f"//h2[@id='{method}']")
    peak = report.verdicts[MODEL, "lora"].rung.estimate.peak_gib.expected
    assert f"{peak:.1f}\u00a0GiB of" in page.text_content()


def test_the_same_arithmetic_is_told_once(written) -> None:
    """From scratch by the recipe of full fine-tuning: the same bytes, so a link to them."""
    report = site_reports()[RIG]
    full, scratch = (report.verdicts[MODEL, method].rung for method in ("full", "pretrain"))
    assert full.estimate.phases_gib == scratch.estimate.phases_gib
    page = (written / "en" / "v" / RIG / MODEL / "index.html").read_text("utf-8")
    told = html.document_fromstring(page).xpath("//details/table")
    assert len(told) == 3
    after = page[page.index('<h2 id="pretrain">') :]
    assert '<a href="#full">' in after


def test_what_was_never_measured_and_what_the_link_must_give_is_said(written) -> None:
    report, catalog = site_reports()[RIG], site_catalog()
    kinds = measured_kinds(catalog)
    page = parsed(written / "en" / "v" / RIG / MODEL / "index.html")
    for method in catalog.methods:
        verdict = report.verdicts[MODEL, method]
        estimated = verdict.rung.estimate
        shown = page.xpath(f"//h2[@id='{method}']/following-sibling::p[1]")[0].text_content()
        assert ("Nobody has published a reading" in shown) == (kind_of_run(estimated.plan) not in kinds)
        said = any(reason.id.startswith("link-") for reason in verdict.reasons)
        needed = estimated.plan.bus_gb_per_s * estimated.break_even_tokens / estimated.plan.tokens
        timed = estimated.tokens_per_sec_per_gpu is not None and estimated.fits != "no"
        assert (f"slower than {needed:.1f}\u00a0GB/s" in shown) == bool(needed >= 1 and timed and not said), method


def test_what_numbers_rest_on_stands_beside_them(written) -> None:
    page = parsed(written / "en" / "v" / RIG / MODEL / "index.html")
    beside = [row.text_content() for row in page.xpath("//tr[@class='tf-light__with']")]
    assert len(beside) == 4
    assert all("4,096\u00a0tokens × micro-batch 1" in text for text in beside)
    assert all(re.search("FSDP2|DDP", text) and re.search("bf16|NF4", text) for text in beside)
    assert "RTX 6000 Ada" in page.xpath("//h2[@id='conditions']/following-sibling::dl[1]")[0].text_content()
    formulas = page.xpath("//ul[@class='tf-light__formulas']/li")
    assert any("weights = (" in line.text_content() for line in formulas)
    assert {link.partition("#")[2] for link in page.xpath("//li/a/@href")} >= {"q-weights", "q-activations"}
    assert page.xpath("//li/a[starts-with(@href, '../../../sources/')]") or page.xpath(
        "//a[contains(@href, '#constant-')]"
    )


def test_files_stand_where_something_is_recommended(written) -> None:
    """As `trainfit config` writes them by the command that stands above them."""
    report, found = site_reports()[RIG], 0
    for model in site_catalog().models:
        page = parsed(written / "v" / RIG / model / "index.html")
        shown = {details.get("id"): details for details in page.xpath("//details[starts-with(@id, 'files-')]")}
        assert set(shown) == {
            f"files-{method}"
            for method in site_catalog().methods
            if (model, method) in report.verdicts and report.verdicts[model, method].verdict in FITS
        }
        for details in list(shown.values())[:1]:
            command, *blocks = details.xpath("pre")
            options = dict(re.findall(r"--(\S+) (\S+)", command.text_content()))
            assert options.pop("out")
            files = find_files(site_catalog(), **options)
            assert {block.get("data-file"): block.text_content() for block in blocks} == {
                name: text for name, text in files.items() if name in {block.get("data-file") for block in blocks}
            }
            assert len(blocks) >= 2
            found += 1
    assert found > 30


def test_files_of_the_examples_are_linked_where_they_lie(written) -> None:
    first = site_reports()[RIG]
    there = config_texts(site_catalog(), first, "en")
    linked = {
        str((written / "en" / path / href).resolve().relative_to(written.resolve()))
        for path in light_paths(site_catalog(), [RIG])
        for href in parsed(written / "en" / path / "index.html").xpath("//a[@download]/@href")
    }
    assert linked
    assert linked < set(there)
    assert {Path(name).name for name in linked} >= {"README.md", "preflight.py", "measure.py", "trainfit.json"}


def test_previews_speak_the_language_of_the_page(written) -> None:
    seen = {}
    for prefix, language in (("", "ru"), ("en/", "en")):
        page = parsed(written / prefix / "v" / RIG / MODEL / "index.html")
        head = {meta.get("property"): meta.get("content") for meta in page.xpath("//meta[@property]")}
        url = f"{site_url()}{prefix}v/{RIG}/{MODEL}/"
        assert page.get("lang") == language
        assert page.xpath("//link[@rel='canonical']/@href") == [url] == [head["og:url"]]
        assert len(head["og:title"]) < 160
        assert head["og:image"] == f"{site_url()}{prefix}assets/previews/lora-comfortable.png"
        alternates = dict(zip(page.xpath("//link/@hreflang"), page.xpath("//link[@hreflang]/@href"), strict=True))
        assert set(alternates) == {"ru", "en", "x-default"}
        assert alternates[language] == url
        seen[language] = head["og:title"] + head["og:description"]
    assert re.search("[а-я]", seen["ru"])
    assert not re.search("[а-яА-Я]", seen["en"])


def test_ids_are_the_same_in_both_languages(written) -> None:
    for path in light_paths(site_catalog(), [RIG]):
        ids = [parsed(written / prefix / path / "index.html").xpath("//@id") for prefix in ("", "en")]
        assert ids[0] == ids[1]
        assert len(ids[0]) == len(set(ids[0]))


def test_a_model_without_a_verdict_says_why(written) -> None:
    catalog = site_catalog()
    model = next(id_ for id_, record in catalog.models.items() if record.objective == "embedding")
    page = parsed(written / "en" / "v" / RIG / model / "index.html")
    assert "There is no verdict yet" in page.text_content()
    assert not page.xpath("//table")
    assert light(catalog, site_reports()[RIG], model).key == "unknown"


def test_the_mode_of_a_page_is_the_fullest_comfortable_one() -> None:
    catalog, reports = site_catalog(), site_reports()
    for page in lights(catalog, reports):
        if page.main is None:
            assert page.verdict in ("not-recommended", "unknown")
            continue
        verdicts = [mode.verdict for mode in page.modes]
        assert page.main.verdict == ("comfortable" if "comfortable" in verdicts else "borderline")
        assert page.key in keys(catalog)


def test_terms_of_the_peak_add_up_to_it() -> None:
    estimated = site_reports()[RIG].verdicts[MODEL, "full"].rung.estimate
    terms = terms_of_peak(estimated)
    assert sum(term.gib for term in terms) == pytest.approx(estimated.peak_gib.expected, abs=0.3)
    assert [term.gib for term in terms] == sorted((term.gib for term in terms), reverse=True)
    for term in terms:
        assert {each.name for each in term.inputs} == set(term.quantity.inputs)
    known = site_catalog().constants.constants
    found = constants_of([estimated])
    assert found
    assert set(found) <= set(known)


def test_hostile_data_stays_text(tmp_path) -> None:
    catalog = poisoned_catalog()
    writer = LightWriter(Site(catalog, site_reports(), "en"), ("ru", "en"))
    page = light(catalog, site_reports()[RIG], MODEL)
    writer.write(page, tmp_path)
    directory = tmp_path / "en" / "v" / RIG / MODEL
    for name in ("index.html", "embed/index.html"):
        tree = parsed(directory / name)
        assert not tree.xpath("//img | //iframe | //style | //base")
        assert all(script.get("src") == "../../../assets/js/light.js" for script in tree.xpath("//script"))
        assert not [a for e in tree.iter() for a in getattr(e, "attrib", {}) if a.startswith("on")]
        assert not [href for href in tree.xpath("//@href") if href.strip().startswith("javascript")]
        assert "<script>alert(1)</script>" in tree.text_content()
    badge = etree.fromstring((directory / "badge.svg").read_bytes())
    assert {etree.QName(element).localname for element in badge.iter()} == {"svg", "title", "rect", "path", "g", "text"}
    assert HOSTILE.split(maxsplit=1)[0] in "".join(badge.itertext())


@pytest.mark.parametrize("verdict", VERDICTS)
def test_a_badge_has_room_for_its_words(verdict) -> None:
    badge = etree.fromstring(badge_svg("Модель <x> · 4× GPU", "LoRA: & комфортно", verdict).encode())
    texts = badge.findall(".//{*}text")
    ends = [float(text.get("x")) + float(text.get("textLength")) for text in texts]
    assert ends[0] < float(texts[1].get("x"))
    assert ends[1] < float(badge.get("width"))
    assert badge.get("aria-label") == "Модель <x> · 4× GPU: LoRA: & комфортно"
    assert badge.find("{*}rect").get("fill") == COLOURS[verdict][0]


def test_old_addresses_lead_to_where_the_page_is_now(tmp_path) -> None:
    catalog = site_catalog()
    kept = MappingProxyType({MODEL: catalog.models[MODEL]})
    moved = {"models/old-name/": f"models/{MODEL}/", "rigs/old-rig/": f"rigs/{RIG}/", "gpus/a/": "gpus/b/"}
    small = replace(catalog, models=kept, permalinks=MappingProxyType(moved))
    write_all(small, {RIG: site_reports()[RIG]}, tmp_path)
    for prefix in ("", "en/"):
        for old in (f"v/{RIG}/old-name/", f"v/old-rig/{MODEL}/", "v/old-rig/old-name/"):
            assert (tmp_path / prefix / old / "badge.svg").read_bytes() == (
                tmp_path / prefix / "v" / RIG / MODEL / "badge.svg"
            ).read_bytes()
            for part in ("", "embed/"):
                file = tmp_path / prefix / old / part / "index.html"
                [leads] = parsed(file).xpath("//a/@href")
                assert (file.parent / leads / "index.html").resolve() == (
                    tmp_path / prefix / "v" / RIG / MODEL / part / "index.html"
                )
    assert not (tmp_path / "gpus").exists()


def test_every_verdict_ever_published_has_its_page() -> None:
    """data/changes.csv keeps every pair of rig and model that ever had a verdict."""
    catalog = site_catalog()
    there = {*light_paths(catalog, catalog.rigs), *moved_paths(catalog, catalog.rigs)}
    published = {light_path(row.rig, row.model) for row in catalog.changes}
    assert published
    assert published <= there


def test_a_flip_is_told_with_its_day_and_reason(tmp_path) -> None:
    catalog = site_catalog()
    verdicts = {method: site_reports()[RIG].verdicts[MODEL, method].verdict for method in catalog.methods}
    earlier = {**verdicts, "lora": "not-recommended"}
    rows = (
        ChangeRow(datetime.date(2026, 11, 1), ("data",), RIG, MODEL, earlier),
        ChangeRow(datetime.date(2026, 11, 20), ("policy",), RIG, MODEL, verdicts),
    )
    writer = LightWriter(Site(replace(catalog, changes=rows), site_reports(), "en"), ("ru", "en"))
    writer.write(light(catalog, site_reports()[RIG], MODEL), tmp_path)
    note = parsed(tmp_path / "en" / "v" / RIG / MODEL / "index.html").xpath("//p[@class='tf-light__note']")[0]
    text = " ".join(note.text_content().split())
    assert "Changed on November 20, 2026: LoRA from ○ not recommended to ● comfortable" in text
    assert note.xpath("a/@href") == ["../../../changes/"]


def test_lettering_chooses_the_font_by_script() -> None:
    assert list(runs("Qwen на 4×")) == [("latin", "Qwen "), ("cyrillic", "на"), ("latin", " 4×")]
    assert width("комфортно", 20) > width("комф", 20) > 0
    assert width("A" * 10, 40) == pytest.approx(2 * width("A" * 10, 20), rel=0.05)
    assert lines("one two three", 20, 1) == ["one", "two", "three"]
    assert lines("one two three", 20, 10_000) == ["one two three"]


def test_pictures_are_the_same_each_time_and_differ_by_verdict_and_language(tmp_path) -> None:
    catalog = site_catalog()
    write_previews(catalog, tmp_path, ("en",))
    files = sorted((tmp_path / "en" / "assets" / "previews").glob("*.png"))
    assert {file.stem for file in files} == set(keys(catalog))
    assert len({file.read_bytes() for file in files}) == len(files)
    again = picture(catalog, "lora-comfortable", "en")
    assert again.size == SIZE
    assert again.tobytes() == picture(catalog, "lora-comfortable", "en").tobytes()
    assert again.tobytes() != picture(catalog, "lora-comfortable", "ru").tobytes()
    assert all(file.stat().st_size < 40_000 for file in files)


def test_the_policy_names_the_script_of_the_page() -> None:
    assert script_hash(inline_script()) in page_policy()
    assert inline_script().startswith("(function")
    assert "'unsafe-inline'" not in page_policy().partition("script-src")[2].partition(";")[0]
