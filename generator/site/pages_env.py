"""The templates' environment: Jinja2 with escaping always on, fragments, messages, formats and links of one page."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from jinja2.runtime import Context
from markupsafe import Markup, escape

from generator.catalog.fields import Text
from generator.site.formats import Formats
from generator.site.messages import Messages, Value
from generator.site.page import Language, Page, Section, fragment_token, relative_link

TEMPLATES_DIR = Path(__file__).resolve().parent / "templates"
PLAIN_IN_MARKDOWN = re.compile(r"[^\w .,()/%×–—-]", re.UNICODE)
TOKEN_START = "TFFRAGMENT:"  # noqa: S105 (marks a fragment, opens nothing)


KEPT_TOGETHER = re.compile(
    r" (?:(?=—(?:\s|$))(?<=\S )"  # before a dash
    r"|(?=[а-яА-Я])(?<=\d )"  # between a number and its word
    r"|(?=\d{3}(?: \d{3})* [а-яА-Я])(?<=\d )"  # within a number that has a word, for other digits may be a drawing
    r"|(?=[\w«(<])(?:(?<=(?<![\w-])[А-Яа-я] )|(?<=(?<![\w-])[А-Яа-я][а-я] )))"  # after a word of one or two letters
)
"""A blank where Russian wants none that breaks. It begins with the blank itself, which the search then leaps to."""


def typeset(text: str, language: Language) -> str:
    """The text, or its HTML, with no-break spaces where Russian wants them.

    Before a dash, between a number and its word and within a number, after words of one or two letters. English stays
    as it is.
    """
    if language != "ru":
        return text
    return KEPT_TOGETHER.sub("\u00a0", text)


def within_sentence(name: str) -> str:
    """A name as it stands inside a sentence: `full fine-tuning`, but `LoRA` and `QLoRA` as ever."""
    first, rest = name[:1], name[1:]
    return first.lower() + rest if rest.islower() else name


CODE = re.compile(
    r"nvidia-smi(?: (?:topo|-\w+|ECC|r)\b)+|\b[A-Za-z]\w*(?:_\w+)+(?:=\w+)?|\b[A-Za-z]\w*=\w+|\btorch\.nn\.\w+"
)
"""What a reader would type: the one command of the checklist, settings with their values, a class."""


def coded(text: Markup) -> Markup:
    """A text of data/ with what a reader would type set as code."""
    return Markup(CODE.sub(r"<code>\g<0></code>", str(escape(text))))  # noqa: S704 (escaped but for the tags)


class Token(Markup):
    """The token of a fragment: the only markup that may stand in a line of Markdown."""


class PlainContext(Context):
    """A context that calls what a template calls, and nothing besides.

    Jinja2 first asks each function whether it wants the context, the evaluation context or the environment. None of
    ours does, and a site has millions of calls: a tenth of the time of its pages. Macros take the environment's own
    autoescape, which is always on.
    """

    def call(
        self,
        function: Callable[..., Any],
        /,
        *args: Any,
        _loop_vars: object = None,
        _block_vars: object = None,
        **kwargs: Any,
    ) -> Any:
        """What `function` returns; variables of a loop or a block are for those that want the context."""
        return function(*args, **kwargs)


@cache
def environment() -> Environment:
    """The one Jinja2 environment: everything is escaped unless it is Markup, and an undefined name is an error."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES_DIR),
        autoescape=True,
        auto_reload=False,  # a process makes one build
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        extensions=["jinja2.ext.do"],
    )
    made.context_class = PlainContext
    return made


def markdown_text(text: object) -> Markup:
    """A text that stands in Markdown exactly as written: whatever could mean something becomes an entity.

    A lone `_` or `*`, brackets, braces, backticks, `<`, `&`, `:` and the like lose their meaning.
    """
    encoded = PLAIN_IN_MARKDOWN.sub(lambda match: f"&#{ord(match.group())};", str(text)).replace("_", "&#95;")
    return Markup(" ".join(encoded.split()))  # noqa: S704 (no character of it can be markup)


class PageWriter:
    """Renders one page: collects its fragments and knows its address."""

    def __init__(self, path: str, language: Language, lines: tuple[float, ...] = ()) -> None:
        self.path = path
        self.language = language
        self.fragments: dict[str, str] = {}
        self.messages = Messages(language)
        self.formats = Formats(language, lines)

    def page(
        self,
        template: str,
        *,
        section: Section,
        title: str,
        description: str,
        edit_path: str | None = None,
        navigation_title: str | None = None,
        search: bool = True,
        scripts: tuple[str, ...] = (),
        styles: tuple[str, ...] = (),
        **values: Any,
    ) -> Page:
        """The page that this template makes of these values."""
        markdown = environment().get_template(template).render(**self.globals(), **values)
        return Page(
            path=self.path,
            language=self.language,
            title=typeset(title, self.language),
            description=typeset(re.sub(r"[ \n]+", " ", description).strip(), self.language),
            markdown=typeset(re.sub(r"\n{3,}", "\n\n", markdown).strip() + "\n", self.language),
            section=section,
            fragments=dict(self.fragments),
            edit_path=edit_path,
            navigation_title=navigation_title,
            search=search,
            scripts=scripts,
            styles=styles,
        )

    def globals(self) -> Mapping[str, Any]:
        """What every template may call."""
        return {
            "t": self.messages.html,
            "plain": self.messages,
            "has_message": self.messages.__contains__,
            "f": self.formats,
            "language": self.language,
            "fragment": self.fragment,
            "inline": self.inline,
            "heading": heading,
            "link": self.link,
            "text": self.text,
            "coded": coded,
            "path": self.path,
        }

    def link(self, to_path: str) -> str:
        """Relative address of another page, `#fragment` allowed; of this very page when only a fragment is given."""
        return to_path if to_path.startswith("#") else relative_link(self.path, to_path)

    def text(self, text: Text, **values: Value) -> Markup:
        """A text of data/ in the page's language, escaped, its {placeholders} filled with (escaped) values."""
        return fill(text.in_language(self.language), values)

    def fragment(self, fragment_id: str, caller: Callable[[], str]) -> Markup:
        """Keeps the called block's HTML as a fragment and leaves its token as a paragraph of its own."""
        return Markup(f"\n\n{self._keep(fragment_id, caller())}\n\n")  # noqa: S704 (a token is letters and colons)

    def inline(self, fragment_id: str, html: str) -> Token:
        """Keeps a piece of HTML as a fragment and returns its token, to stand inside a line of Markdown."""
        return Token(self._keep(fragment_id, html))  # a token is letters and colons

    def _keep(self, fragment_id: str, html: str) -> str:
        if fragment_id in self.fragments:
            raise ValueError(f"expected every fragment of a page once, found {fragment_id!r} again in {self.path!r}")
        lines = (line.strip() for line in str(escape(html)).splitlines())
        joined = "\n".join(line for line in lines if line).replace(TOKEN_START, "TFFRAGMENT&#58;")
        self.fragments[fragment_id] = typeset(joined, self.language)
        return fragment_token(fragment_id)


def fill(text: str, values: Mapping[str, Value]) -> Markup:
    """The escaped text with `{name}` replaced by values, escaped unless Markup; other braces stay as they are."""
    if not values:
        return escape(text)
    pattern = re.compile("|".join(re.escape("{" + name + "}") for name in sorted(values)) or r"(?!)")
    pieces: list[Markup] = []
    end = 0
    for match in pattern.finditer(text):
        pieces += [escape(text[end : match.start()]), escape(values[match.group()[1:-1]])]
        end = match.end()
    return Markup("").join([*pieces, escape(text[end:])])


def heading(level: int, heading_id: str, text: object) -> Markup:
    """A Markdown heading with an explicit ASCII id; `text` loses every special meaning unless it is a Token."""
    shown = text if isinstance(text, Token) else markdown_text(text)
    return Markup("\n\n" + "#" * level + " ") + shown + Markup(f" {{ #{heading_id} }}\n\n")  # noqa: S704 (ids are ours)
