"""Links as text for the places where people put them."""

from __future__ import annotations

import markdown as python_markdown
import pytest
from lxml import html

from generator.site.references import badge, confluence, embed, markdown, mediawiki, references

URL = "https://example.org/v/a/b/"
HOSTILE = "a [b](javascript:x) | c] {d} <script>\"&' *e* _f_ `g` \\ !h"


def test_every_place_has_its_markup() -> None:
    found = {reference.id: reference.text for reference in references("Qwen3 8B on 4× RTX", URL)}
    assert found == {
        "url": URL,
        "markdown": f"[Qwen3 8B on 4× RTX]({URL})",
        "html": f'<a href="{URL}">Qwen3 8B on 4× RTX</a>',
        "confluence": f"[Qwen3 8B on 4× RTX|{URL}]",
        "mediawiki": f"[{URL} Qwen3 8B on 4× RTX]",
    }
    assert badge("x", URL).text == f"[![x]({URL}badge.svg)]({URL})"
    assert f'src="{URL}embed/"' in embed("x", URL).text


def test_a_hostile_label_stays_the_label() -> None:
    tree = html.fragment_fromstring(python_markdown.markdown(markdown(HOSTILE, URL)))
    assert [link.get("href") for link in tree.xpath(".//a")] == [URL]
    assert tree.xpath(".//a")[0].text_content() == HOSTILE
    link = html.fragment_fromstring(next(r.text for r in references(HOSTILE, URL) if r.id == "html"))
    assert (link.tag, link.get("href"), link.text_content()) == ("a", URL, HOSTILE)
    frame = html.fragment_fromstring(embed(HOSTILE, URL).text)
    assert (frame.tag, frame.get("title")) == ("iframe", HOSTILE)


@pytest.mark.parametrize(("write", "brackets"), [(confluence, "[]|{}"), (mediawiki, "[]|{}<>")])
def test_a_wiki_sees_one_link(write, brackets) -> None:
    text = write(HOSTILE, URL)
    inner = text[1:-1].removesuffix(f"|{URL}").removeprefix(f"{URL} ")
    for position, char in enumerate(inner):
        if char in brackets:
            assert inner[position - 1] == "\\", (char, inner)
