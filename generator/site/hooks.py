"""MkDocs hooks: what the theme cannot know by itself. They read what `render` wrote and decide nothing."""

from __future__ import annotations

import html
import json
import re
from functools import cache
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

from mkdocs.exceptions import PluginError

from generator.errors import BuildError
from generator.site.formats import Formats
from generator.site.labels import labelled
from generator.site.messages import Messages
from generator.site.page import FRAGMENT_TOKEN, LANGUAGES, SECTIONS, Language
from generator.site.pages_env import typeset
from generator.site.pages_site import SIGNS
from generator.site.policy import page_policy
from generator.site.previews import SITE, preview_url
from generator.site.urls import PREFIXES, Alternate, language_link, page_url, repository_url, site_url

TAG = re.compile(r"<[^>]*>")
HEADING_OR_REGION = re.compile(
    r'<h[23][^>]*>(?P<heading>.*?)</h[23]>|<div class="tf-table[^>]*? role="region" [^>]*aria-label="(?P<label>[^"]*)"',
    re.DOTALL,
)
PERMALINK = re.compile(r'<a class="headerlink".*?</a>', re.DOTALL)
UNUSED_SWITCHES = re.compile(r'\s*<input class="md-toggle"[^>]*>|\s*<label class="md-overlay"[^>]*></label>')
SWITCHES = 3
"""A drawer, a search and what lies over the page while the drawer is open."""
VERDICT_TABLE = re.compile(
    r'<div class="tf-table"(?P<attributes> [^>]*>\s*<table(?: class="tf-stack tf-filtered")?>.*?</table>)', re.DOTALL
)
SORTABLE_ROWS, FILTERABLE_ROWS = 8, 15
"""Tables of verdicts from so many rows on get the means to sort, and to filter."""
CODE = re.compile(r"(<pre[^>]*>(?:<span></span>)?<code)\b")
PROSE = re.compile(r"<(pre|code)\b.*?</\1>|<[^>]*>|(?P<text>[^<]+)", re.DOTALL)
HEADING = re.compile(r"<h[1-3]\b[^>]*>.*?</h[1-3]>|<p class=\"tf-card__name\">.*?</p>", re.DOTALL)
NAME_OF_RIG = re.compile(r"(?<=\d) (?=×)|(?<=\d×) |(?<= ×) |(?<=RTX) |(?<=\(\d\d) |(?<=\(\d\d\d) ")
"""Blanks in «4× RTX 6000 Ada (48 ГБ)» at which no heading breaks."""
CELL_END = re.compile(r"</(dt|dd|td|th)>(?=<)")
TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)


@cache
def read(docs_dir: str, kind: str) -> dict[str, Any]:
    """`build/<kind>/<language>.json` of the build whose docs_dir this is."""
    directory = Path(docs_dir)
    path = directory.parents[1] / kind / f"{directory.name}.json"
    try:
        return cast("dict[str, Any]", json.loads(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise PluginError(f"{path} cannot be read: run `trainfit render` first ({error.strerror})") from error


def language_of(config: Any) -> Language:
    """Language of this build."""
    return cast("Language", config.theme["language"])


def on_config(config: Any, **_: object) -> Any:
    """Sets names, address and navigation of this language."""
    language = language_of(config)
    shell = read(config.docs_dir, "shell")
    messages = Messages(language)
    try:
        config.site_url = page_url("", language)
    except BuildError as error:
        raise PluginError(str(error)) from error
    config.site_name = messages("shell.site.name")
    config.site_description = messages("shell.site.description")
    config.nav = shell["navigation"]
    config.mdx_configs.setdefault("toc", {})["permalink_title"] = messages("shell.page.permalink")
    config.mdx_configs.setdefault("footnotes", {})["BACKLINK_TITLE"] = messages("shell.page.footnote_back") + " {}"
    return config


def on_env(env: Any, config: Any, **_: object) -> Any:
    """Gives the theme's overrides their words and facts."""
    language = language_of(config)
    shell = read(config.docs_dir, "shell")
    formats = Formats(language)
    env.globals.update(
        t=Messages(language),
        tf_language=language,
        tf_sections=shell["sections"],
        tf_ordered_sections=[(name, shell["sections"][name]) for name in SECTIONS if name in shell["sections"]],
        tf_version=shell["generator_version"],
        tf_data_date=formats.partial_date(shell["data_date"]),
        tf_data_date_iso=shell["data_date"],
        tf_words={other: Messages(other) for other in LANGUAGES},
        tf_prefixes=PREFIXES,
        tf_languages=shell["languages"],
        tf_verdicts={id_: [sign, Messages(language)(f"verdicts.{id_}.word")] for id_, sign in SIGNS.items()},
        tf_policy=page_policy(),
        tf_preview=preview_url(SITE, language),
    )
    return env


def on_page_content(content: str, page: Any, config: Any, **_: object) -> str:
    """Puts the finished fragments in the place of their tokens, and Markdown's tables into scrolling regions."""
    language = language_of(config)
    messages = Messages(language)
    fragments = read(config.docs_dir, "fragments").get(page.meta.get("tf_path"), {})
    used: set[str] = set()

    def fragment(match: re.Match[str]) -> str:
        name = match["id"]
        if name not in fragments:
            raise PluginError(f"{page.file.src_uri}: no fragment {name!r}")
        used.add(name)
        return str(fragments[name])

    def words(match: re.Match[str]) -> str:
        return " ".join(TAG.sub("", fragment(match)).split())

    def region(match: re.Match[str]) -> str:
        region.count += 1  # type: ignore[attr-defined]
        label = html.escape(messages("shell.page.table", number=str(region.count)))  # type: ignore[attr-defined]
        return f'<div class="tf-table" role="region" tabindex="0" aria-label="{label}">{match.group()}</div>'

    def prose(match: re.Match[str]) -> str:
        return typeset(match["text"], language) if match["text"] else match.group()

    region.count = 0  # type: ignore[attr-defined]
    content = PROSE.sub(prose, content)  # hand-written pages; generated ones are typeset already
    content = FRAGMENT_TOKEN.sub(fragment, TABLE.sub(region, content))
    content = HEADING.sub(lambda match: NAME_OF_RIG.sub("\u00a0", match.group()), content)
    content = CELL_END.sub(r"</\1> ", content)  # words of two cells are two words, for whoever reads text alone
    content = CODE.sub(r'\1 tabindex="0"', content)  # what scrolls can be reached by keyboard
    _name_contents(page.toc, words)
    unused = sorted(fragments.keys() - used)
    if unused:
        raise PluginError(f"{page.file.src_uri}: fragments that stand nowhere: {', '.join(unused)}")
    return distinct_regions(VERDICT_TABLE.sub(long_table, labelled(content)))


def long_table(match: re.Match[str]) -> str:
    """A long table of verdicts, marked for the script that sorts and filters, with room for what that adds."""
    body = match["attributes"].partition("<tbody>")[2]
    rows = body.count("<tr")
    if "tf-verdict" not in body or rows < SORTABLE_ROWS or re.search(r"(col|row)span=", body):
        return match.group()
    bar = '<div class="tf-filter tf-needs-js" data-tf-filter></div>' if rows >= FILTERABLE_ROWS else ""
    return f'{bar}<div class="tf-table" data-tf-sortable{match["attributes"]}'


def distinct_regions(content: str) -> str:
    """The page with every scrolling region named apart: a name that stands twice takes its heading along."""
    names = [match["label"] for match in HEADING_OR_REGION.finditer(content) if match["label"] is not None]
    heading = ""

    def named(match: re.Match[str]) -> str:
        nonlocal heading
        label = match["label"]
        if label is None:
            heading = " ".join(TAG.sub("", PERMALINK.sub("", match["heading"])).split()).replace('"', "&quot;")
        elif names.count(label) > 1 and heading:
            return match.group().replace(f'aria-label="{label}"', f'aria-label="{label}: {heading}"')
        return match.group()

    return HEADING_OR_REGION.sub(named, content)


def _name_contents(items: Any, words: Any) -> None:
    for item in items:
        item.title = FRAGMENT_TOKEN.sub(words, item.title)
        _name_contents(item.children, words)


def on_post_page(output: str, **_: object) -> str:
    """The page without the theme's switches for a drawer and a search that are not ours.

    They stand at its beginning: behind them nothing is searched.
    """
    return UNUSED_SWITCHES.sub("", output, count=SWITCHES)


def on_post_template(output_content: str, **_: object) -> str:
    """The same for the page that says that there is none."""
    return UNUSED_SWITCHES.sub("", output_content, count=SWITCHES)


def on_page_context(context: dict[str, Any], page: Any, config: Any, **_: object) -> dict[str, Any]:
    """Adds the page's twins in the other languages, its section and the place to edit it."""
    path = page.meta.get("tf_path", page.url)
    return {**context, **frame(config, path, page.meta.get("section", "home"), page.meta.get("edit_path"))}


def on_template_context(context: dict[str, Any], template_name: str, config: Any, **_: object) -> dict[str, Any]:
    """The same for the theme's own page, 404: it has no twin, so its links lead to the roots."""
    return {**context, **frame(config, "", "", None)} if template_name == "404.html" else context


def frame(config: Any, path: str, section: str, edit_path: str | None) -> dict[str, Any]:
    """Values that the frame of one page needs."""
    language = language_of(config)
    repository = repository_url()
    return {
        "tf_path": path,
        "tf_section": section,
        "tf_alternates": [
            Alternate(
                language=other,
                name=Messages(other)("shell.language.name"),
                href=language_link(path, language, path, other),
                url=page_url(path, other),
            )
            for other in read(config.docs_dir, "shell")["languages"]
        ],
        "tf_canonical": page_url(path, language),
        "tf_root": language_link(path, language, "", "ru"),
        "tf_site_url": site_url(),
        "tf_edit_path": edit_path,
        "tf_edit_url": f"{repository}/edit/main/{quote(edit_path)}" if repository and edit_path else None,
        "tf_repository": repository,
    }
