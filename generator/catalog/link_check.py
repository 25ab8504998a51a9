"""Whether a source still stands where it was read and still prints what is quoted from it."""

from __future__ import annotations

import html
import html.parser
import re
import unicodedata
import urllib.parse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from generator.catalog.records import Source
from generator.catalog.web import Answer, Fetcher

Finding = Literal["same", "changed", "moved", "gone", "refused", "unreachable", "unsafe", "unreadable", "skipped"]
FINDINGS: tuple[Finding, ...] = (
    "gone", "changed", "moved", "unsafe", "unreachable", "refused", "unreadable", "skipped", "same",
)  # fmt: skip
"""Worst first. changed: opened, some quotation is not there; unreadable: no text that words could be looked for in;
skipped: on the list of exceptions, or a package without an address."""
TO_LOOK_AT: tuple[Finding, ...] = ("gone", "changed", "moved", "unsafe")
"""Findings that somebody has to do something about."""
FAILED: Mapping[str, Finding] = {
    "gone": "gone", "refused": "refused", "unreachable": "unreachable", "unsafe": "unsafe", "too-large": "unreadable",
}  # fmt: skip
"""Outcomes of opening a page that leave nothing to read."""
_GITHUB = re.compile(r"https://github\.com/([^/]+/[^/]+)/blob/(.+)")
_HUGGING_FACE = re.compile(r"(https://huggingface\.co/[^/]+/[^/]+)/blob/(.+)")
_ALIKE = {"‐‑‒–—−": "-", "“”„«»″": '"', "‘’′": "'"}
_FOLDED = {ord(character): plain for many, plain in _ALIKE.items() for character in many}


@dataclass(frozen=True, slots=True)
class SourceCheck:
    """What came of looking a source up."""

    source_id: str
    finding: Finding
    url: str
    """Where it was looked up, or where it has moved to."""
    detail: str = ""
    missing: tuple[str, ...] = ()
    """Quotations that were not found."""


def check_source(
    fetcher: Fetcher, source_id: str, source: Source, quotes: Sequence[str], exceptions: Mapping[str, str]
) -> SourceCheck:
    """Opens a source and looks for what is quoted from it.

    `exceptions` says by id or host why an address is not opened; then the copy is, where there is a public one.
    """
    if source.url is None:
        return SourceCheck(source_id, "skipped", "", "a package, not a page")
    reason = next((exceptions[name] for name in (source_id, _host(source.url)) if name in exceptions), "")
    url = source.url if not reason else source.seen_at
    if url is None:
        return SourceCheck(source_id, "skipped", source.url, reason)
    answer = fetcher.open(readable(url))
    failed = FAILED.get(answer.outcome)
    if failed is not None:
        return SourceCheck(source_id, failed, answer.url if failed == "unsafe" else url, answer.detail)
    missing = _missing(answer, quotes)
    if missing and source.seen_at is not None and url != source.seen_at:
        copy = fetcher.open(readable(source.seen_at))
        if copy.outcome in ("opened", "moved"):
            missing = _missing(copy, missing)
    if missing is None:
        return SourceCheck(source_id, "unreadable", url, answer.content_type[:60] or "no text")
    if missing:
        return SourceCheck(source_id, "changed", url, "", tuple(missing))
    if answer.outcome == "moved":
        return SourceCheck(source_id, "moved", answer.url)
    return SourceCheck(source_id, "same", url, reason)


def _host(url: str) -> str:
    return urllib.parse.urlsplit(url).hostname or ""


def readable(url: str) -> str:
    """Address of the text itself where a site wraps it in a page of its own."""
    for pattern, template in ((_GITHUB, r"https://raw.githubusercontent.com/\1/\2"), (_HUGGING_FACE, r"\1/resolve/\2")):
        found = pattern.fullmatch(url)
        if found:
            return found.expand(template)
    return url


def _missing(answer: Answer, quotes: Sequence[str]) -> list[str] | None:
    """Quotations that the page does not print; none where it is no text."""
    if not quotes:
        return []
    if not re.match(r"text/|application/(?:.*json|.*xml|javascript|x-yaml|yaml)|$", answer.content_type.lower()):
        return None
    raw = decoded(answer)
    shown = folded(visible_text(raw))
    code = folded(html.unescape(re.sub(r'\\(["/\\])', r"\1", raw)))
    missing = []
    for quote in quotes:
        wanted = folded(quote)
        pieces = [piece for piece in (part.strip() for part in re.split(r"…|\.\.\.", wanted)) if piece]
        if not all(piece in shown or piece in code for piece in pieces):
            missing.append(quote)
    return missing


def decoded(answer: Answer) -> str:
    """The body as text: by the header, else by what the page says, else UTF-8; what fits none is replaced."""
    named = re.search(r"charset=[\"']?([\w.:-]+)", answer.content_type, re.IGNORECASE)
    inside = re.search(rb"<meta[^>]{0,200}charset=[\"']?([\w.:-]+)", answer.body[:4096], re.IGNORECASE)
    names = [named.group(1) if named else "", inside.group(1).decode("ascii", "replace") if inside else "", "utf-8"]
    for name in filter(None, names):
        try:
            return answer.body.decode(name)
        except (LookupError, UnicodeError):
            continue
    return answer.body.decode("utf-8", "replace")


def folded(text: str) -> str:
    """Text as it is compared: compatible characters, dashes, quotation marks and blanks for one, no capitals."""
    plain = unicodedata.normalize("NFKC", text).translate(_FOLDED)
    return " ".join(plain.split()).casefold()


def visible_text(markup: str) -> str:
    """What of a page can be read, without scripts and styles."""
    parser = _Visible()
    parser.feed(markup)
    parser.close()
    return "".join(parser.pieces)


class _Visible(html.parser.HTMLParser):
    """Collects text; the end of a block or a cell is a blank, that of a word within a line is none."""

    INLINE = frozenset(
        ["a", "b", "i", "em", "strong", "span", "sup", "sub", "code", "wbr", "u", "small", "mark", "font"]
    )
    HIDDEN = frozenset({"script", "style", "template"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A block begins, or something that is not shown."""
        del attrs
        self._hidden += tag in self.HIDDEN
        if tag not in self.INLINE:
            self.pieces.append(" ")

    def handle_endtag(self, tag: str) -> None:
        """It ends."""
        self._hidden = max(0, self._hidden - (tag in self.HIDDEN))
        if tag not in self.INLINE:
            self.pieces.append(" ")

    def handle_data(self, data: str) -> None:
        """Text."""
        if not self._hidden:
            self.pieces.append(data)
