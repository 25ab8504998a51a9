"""What a page is before MkDocs sees it: the contract between what the pages say and how they are built."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Language = Literal["ru", "en"]
LANGUAGES: tuple[Language, ...] = ("ru", "en")

Section = Literal[
    "home", "rigs", "models", "calculator", "gpus", "methods", "stacks", "methodology", "sources", "contribute"
]
SECTIONS: tuple[Section, ...] = (
    "home", "rigs", "models", "calculator", "gpus", "methods", "stacks", "methodology", "sources", "contribute",
)  # fmt: skip
"""Tabs of the site, in their order."""

FRAGMENT_ID = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
FRAGMENT_TOKEN = re.compile(r"(?:<p>)?TFFRAGMENT:(?P<id>[a-z0-9]+(?:-[a-z0-9]+)*):END(?:</p>)?")
"""Where a token stands in the HTML that Markdown made of it: a paragraph of its own, or inside a sentence."""


def fragment_token(fragment_id: str) -> str:
    """The text that marks the place of a fragment in a page's Markdown; raises ValueError for a bad id."""
    if not FRAGMENT_ID.fullmatch(fragment_id):
        raise ValueError(f"expected a lower-case ASCII id, found {fragment_id!r}")
    return f"TFFRAGMENT:{fragment_id}:END"


def relative_link(from_path: str, to_path: str) -> str:
    """Relative address from one page to another, such as `../../models/qwen3-14b/#verdicts`.

    Both paths are as in `Page.path`; the second may carry a `#fragment`.
    """
    return "../" * from_path.count("/") + to_path or "./"


def light_path(rig: str, model: str) -> str:
    """Path of a light page, as in `Page.path`."""
    return f"v/{rig}/{model}/"


@dataclass(frozen=True, slots=True)
class Page:
    """One page in one language. Its address is the site's root, the language's prefix and `path`."""

    path: str
    """`""` for the home page, else `models/qwen3-14b/`: ends in a slash, the same in both languages."""
    language: Language
    title: str
    description: str
    """One sentence for search engines and link previews."""
    markdown: str
    """Body with its own `#` heading and explicit heading ids; texts from data/ stand in fragments, escaped."""
    section: Section
    fragments: Mapping[str, str] = field(default_factory=dict)
    """Finished, escaped HTML by id; the Markdown holds `fragment_token(id)` where it goes."""
    edit_path: str | None = None
    """File in the repository that a reader would edit; none where there is no single one."""
    navigation_title: str | None = None
    """Title in the navigation; pages without one stay out of it and are reached by links."""
    search: bool = True
    scripts: tuple[str, ...] = ()
    """Scripts beside those of every page, as paths below the root of the language."""
    styles: tuple[str, ...] = ()
    """Stylesheets, likewise."""

    def link(self, to_path: str) -> str:
        """Relative address of another page of the same language, `#fragment` allowed."""
        return relative_link(self.path, to_path)
