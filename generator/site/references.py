"""A link to a page in the markup of the places where people put links. Labels come from data/ and stay text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape

MARKDOWN_SPECIAL = re.compile(r"([\\`*_\[\]!#])")
MARKDOWN_ENTITY = re.compile(r"[<>&|~]")
CONFLUENCE_SPECIAL = re.compile(r"([\\\[\]{}|*_^~!?])")
MEDIAWIKI_SPECIAL = re.compile(r"[\[\]{}|<>&'~=:#*]")


@dataclass(frozen=True, slots=True)
class Reference:
    """One link in every markup; `id` is the last part of its message key `light.copy.<id>`."""

    id: str
    text: str


def _entity(match: re.Match[str]) -> str:
    return f"&#{ord(match[0])};"


def markdown(label: str, url: str) -> str:
    """`[label](url)`, whatever means something in the label escaped."""
    text = MARKDOWN_ENTITY.sub(_entity, MARKDOWN_SPECIAL.sub(r"\\\1", label))
    return f"[{text}]({url})"


def confluence(label: str, url: str) -> str:
    """`[label|url]`, the wiki markup of Confluence and Jira."""
    text = CONFLUENCE_SPECIAL.sub(r"\\\1", label)
    return f"[{text}|{url}]"


def mediawiki(label: str, url: str) -> str:
    """`[url label]`, special characters of the label as entities."""
    return f"[{url} {MEDIAWIKI_SPECIAL.sub(_entity, label)}]"


def references(label: str, url: str) -> tuple[Reference, ...]:
    """The link to the page at `url`, as plain text for each place."""
    return (
        Reference("url", url),
        Reference("markdown", markdown(label, url)),
        Reference("html", f'<a href="{escape(url)}">{escape(label)}</a>'),
        Reference("confluence", confluence(label, url)),
        Reference("mediawiki", mediawiki(label, url)),
    )


def badge(label: str, url: str) -> Reference:
    """The badge of a light page, linked to it, as Markdown."""
    return Reference("badge", f"[!{markdown(label, f'{url}badge.svg')}]({url})")


def embed(title: str, url: str) -> Reference:
    """The embed of a light page as an HTML frame."""
    frame = f'<iframe src="{escape(url)}embed/" title="{escape(title)}" width="440" height="190" loading="lazy"'
    return Reference("embed", f'{frame} style="border:0;max-width:100%"></iframe>')
