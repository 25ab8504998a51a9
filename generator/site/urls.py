"""Where the site stands, and where a page stands in it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from generator.errors import BuildError
from generator.site.page import LANGUAGES, Language, relative_link

DEFAULT_SITE_URL = "http://127.0.0.1:8000/"
SITE_URL_VARIABLE = "TRAINFIT_SITE_URL"
REPOSITORY_URL_VARIABLE = "TRAINFIT_REPO_URL"
"""Address of the repository, such as that of its page on GitHub; without it files are named, not linked."""

PREFIXES: dict[Language, str] = {"ru": "", "en": "en/"}
"""Path of each language below the root of the site."""


def _address(variable: str, default: str) -> str:
    value = os.environ.get(variable, "").strip() or default
    parts = urlsplit(value)
    if value and (parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment):
        raise BuildError(f"{variable}: expected an http(s) address without query and fragment, found {value!r}")
    return value


def site_url() -> str:
    """Address of the root of the site, ending in a slash; raises BuildError where the setting is no address."""
    return _address(SITE_URL_VARIABLE, DEFAULT_SITE_URL).rstrip("/") + "/"


def given_site_url() -> str:
    """The same where it was given, empty where nobody said where the site stands; raises BuildError as above."""
    given = _address(SITE_URL_VARIABLE, "")
    return given.rstrip("/") + "/" if given else ""


def repository_url() -> str:
    """Address of the repository without a final slash, empty where it is not known; raises BuildError as above."""
    return _address(REPOSITORY_URL_VARIABLE, "").rstrip("/")


@dataclass(frozen=True, slots=True)
class Alternate:
    """The same page in a language."""

    language: Language
    name: str
    """Name of the language in itself."""
    href: str
    """Relative address, for links that work wherever the site stands."""
    url: str
    """Absolute address, for `hreflang`."""

    @property
    def url_path(self) -> str:
        """Path of the absolute address, for a page that is shown at any address."""
        return urlsplit(self.url).path


def language_link(from_path: str, source: Language, to_path: str, target: Language) -> str:
    """Relative address of the page `to_path` in another language; paths are as in `Page.path`."""
    return relative_link(PREFIXES[source] + from_path, PREFIXES[target] + to_path)


def markdown_link(text: str, path: str, language: Language, fragment: str = "") -> str:
    """A link to a page of the published site for a report; the text alone where nobody said where the site stands."""
    root = given_site_url()
    return f"[{text}]({page_url(path, language, root)}{fragment})" if root else text


def page_url(path: str, language: Language, root: str | None = None) -> str:
    """Absolute address of a page below `root`, by default the site's."""
    return (root or site_url()) + PREFIXES[language] + path


def ordered(languages: Sequence[str]) -> tuple[Language, ...]:
    """The languages of a build in the site's order; raises BuildError for one that there is not."""
    unknown = sorted(set(languages) - set(LANGUAGES))
    if unknown or not languages:
        raise BuildError(f"expected languages out of {', '.join(LANGUAGES)}, found {', '.join(unknown) or 'none'}")
    return tuple(language for language in LANGUAGES if language in languages)
