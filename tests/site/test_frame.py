"""MkDocs with our hooks and overrides, on a few made-up pages: fragments, escaping, macros, what makes it fail."""

from __future__ import annotations

import datetime
import json
import re
from dataclasses import replace

import pytest
from lxml import html

from generator.errors import BuildError
from generator.site.build import environment
from generator.site.hooks import VERDICT_TABLE, distinct_regions, long_table
from generator.site.mkdocs_ready import run_mkdocs
from generator.site.page import Page, fragment_token
from generator.site.render import collect, write_language

FACTS = {
    "languages": ["ru", "en"],
    "data_date": "2026-12-01",
    "generator_version": "1.2.3",
    "policy": {"comfortable_ratio": {"value": 0.8, "reason": {"ru": "Потому <b>", "en": "Because <b>"}}},
    "constants": {},
    "counts": {"models": 21},
}
HOSTILE = '"><script>alert(1)</script>{{ 7*7 }}{% raw %}<img src=x onerror=alert(1)>&amp;'
HOME = Page(
    path="",
    language="en",
    title="Home",
    description="The home page",
    markdown="# Home { #home }\n\n" + fragment_token("one") + "\n\nText " + fragment_token("two") + " end.\n",
    section="home",
    fragments={"one": "<div class='tf-cards'>{{ not run }}</div>", "two": "<b>two</b>"},
    navigation_title="Home",
)
MODEL = Page(
    path="models/x/",
    language="en",
    title=HOSTILE,
    description=HOSTILE,
    markdown=f"# X {{ #x }}\n\n## Of {fragment_token('name')} {{ #of }}\n\ntext\n\n## B {{ #b }}\n\n|a|\n|-|\n|1|\n",
    section="models",
    fragments={"name": "<i>A &amp; B</i>"},
    edit_path='data/models/x/"><b>.yml',
    navigation_title=HOSTILE,
    search=False,
)
INDEX = Page("models/", "en", "Models", "All models", "# Models { #models }\n", "models", navigation_title="Models")
WRITTEN = """---
title: Contribute
description: How
section: contribute
navigation_title: Contribute
---

# Contribute { #contribute }

{{ percent("policy.comfortable_ratio") }} {{ number("policy.comfortable_ratio", 2) }}
{{ reason("policy.comfortable_ratio") }} {{ counted("models") }} {{ data_date() }}
[home]({{ link("") }}) {{ message("shell.site.name") }}
"""


@pytest.fixture
def built(tmp_path):
    """Gives `built(pages, written)`: builds them in English and returns the directory."""

    def run(pages, written=WRITTEN):
        docs = tmp_path / "source" / "docs" / "en"
        docs.mkdir(parents=True)
        (docs / "contribute.md").write_text(written, encoding="utf-8")
        work = tmp_path / "work"
        write_language(collect(pages, docs), "en", FACTS, work, tmp_path / "source")
        (work / "docs" / "ru").mkdir(parents=True)
        return run_mkdocs(("en",), work, environment(datetime.date(2026, 12, 1), work))["en"]

    return run


def parsed(path):
    return html.document_fromstring(path.read_bytes())


def test_pages_come_out_whole_and_nothing_is_injected(built):
    site = built([HOME, INDEX, MODEL])
    home = parsed(site / "index.html")
    assert home.xpath("//article//div[@class='tf-cards']")[0].text == "{{ not run }}"
    assert home.xpath("//article//p[b='two']")[0].text_content() == "Text two end."
    assert home.xpath("//title")[0].text == "Home"

    text = (site / "models/x/index.html").read_text(encoding="utf-8")
    assert "<script>alert" not in text
    assert "<img src=x" not in text
    model = parsed(site / "models/x/index.html")
    assert model.xpath("//title")[0].text == f"{HOSTILE} · Trainfit"
    assert model.xpath("//meta[@name='description']/@content") == [HOSTILE]
    assert model.xpath("//meta[@property='og:description']/@content") == [HOSTILE]
    assert model.xpath("//p[@class='tf-origin']//code")[0].text == MODEL.edit_path
    assert [link.text for link in model.xpath("//details[@class='tf-contents']//a")] == ["Of A & B", "B"]
    assert model.xpath("//article//h2[@id='of']/i")[0].text == "A & B"
    region = model.xpath("//div[@class='tf-table']")[0]
    assert (region.get("role"), region.get("tabindex"), region.get("aria-label")) == ("region", "0", "Table 1")

    assert model.xpath("//a[@data-tf-language]/@href") == ["../../../models/x/"]
    assert model.xpath("//link[@rel='canonical']/@href") == ["http://127.0.0.1:8000/en/models/x/"]
    assert model.xpath("//a[@data-active]/@href") == ["../", "../"]
    assert not model.xpath("//article[@data-pagefind-body]")
    assert home.xpath("//article[@data-pagefind-body]")

    written = parsed(site / "contribute/index.html").xpath("//article")[0]
    assert "80% 0.80\nBecause <b> 21 December\xa01, 2026" in written.text_content()
    assert written.xpath(".//a[text()='home']/@href") == ["../"]


@pytest.mark.parametrize(
    ("page", "says"),
    [
        (replace(HOME, fragments={"one": "x"}), "no fragment 'two'"),
        (replace(HOME, fragments={**HOME.fragments, "three": "x"}), "stand nowhere: three"),
        (replace(HOME, markdown=HOME.markdown + "\n[dead](nowhere.md)\n"), "nowhere.md"),
    ],
)
def test_a_wrong_page_fails_the_build(built, page, says):
    with pytest.raises(BuildError, match=says):
        built([page])


def test_a_wrong_macro_fails_the_build(built):
    with pytest.raises(BuildError, match="absent"):
        built([HOME], WRITTEN + '\n{{ number("policy.absent") }}\n')


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("# No front matter", "front matter"),
        ("---\ntitle: x\n---\n", "missing"),
        ("---\n- x\n---\n", "keys and values"),
        ("---\ntitle: [\n---\n", "front matter"),
        (WRITTEN.replace("section: contribute", "section: nowhere"), "nowhere"),
        (WRITTEN.replace("title: Contribute\n", "title: Contribute\nnonsense: 1\n", 1), "nonsense"),
    ],
)
def test_a_malformed_handwritten_page_is_a_build_error(built, written, says):
    with pytest.raises(BuildError, match=says):
        built([HOME], written)


def test_regions_are_named_apart():
    def region(label):
        return f'<div class="tf-table" role="region" tabindex="0" aria-label="{label}">'

    once, twice = region("Map"), region("Ladder")
    content = f'{once}<h2 id="a">Full <b>“x”</b><a class="headerlink" href="#a">#</a></h2>{twice}<h2>LoRA</h2>{twice}'
    assert re.findall('aria-label="(.*?)"', distinct_regions(content)) == ["Map", "Ladder: Full “x”", "Ladder: LoRA"]


def test_long_tables_of_verdicts_can_be_sorted_and_filtered():
    def table(rows, cell='<td><span class="tf-verdict">x</span></td>'):
        head = '<div class="tf-table" aria-label="T">\n<table><thead><tr><th>A</th></tr></thead>'
        return f"{head}<tbody>{f'<tr>{cell}</tr>' * rows}</tbody></table></div>"

    def marks(content):
        return [
            mark for mark in ("data-tf-sortable", "data-tf-filter") if mark in VERDICT_TABLE.sub(long_table, content)
        ]

    assert marks(table(7)) == []
    assert marks(table(8)) == ["data-tf-sortable"]
    assert marks(table(15)) == ["data-tf-sortable", "data-tf-filter"]
    assert marks(table(15, "<td>1</td>")) == []
    assert marks(table(15, '<td colspan="2"><span class="tf-verdict">x</span></td>')) == []
    assert VERDICT_TABLE.sub(long_table, table(2) + table(9)).count("data-tf-sortable") == 1


def test_two_pages_at_one_path_are_a_build_error(tmp_path):
    with pytest.raises(BuildError, match="two pages"):
        collect([HOME, HOME], tmp_path)


def test_only_what_changed_is_written(tmp_path):
    def write(pages):
        write_language(collect(pages, tmp_path / "docs" / "en"), "en", FACTS, tmp_path / "work", tmp_path)

    write([HOME, INDEX, MODEL])
    docs = tmp_path / "work" / "docs" / "en"
    before = {path: path.stat().st_mtime_ns for path in docs.rglob("*.md")}
    write([HOME, INDEX, MODEL])
    assert {path: path.stat().st_mtime_ns for path in docs.rglob("*.md")} == before
    write([HOME])
    assert [path.relative_to(docs).as_posix() for path in docs.rglob("*")] == ["index.md"]
    fragments = json.loads((tmp_path / "work" / "fragments" / "en.json").read_text(encoding="utf-8"))
    assert fragments == {"": dict(HOME.fragments)}
