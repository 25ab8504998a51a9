"""Macros for hand-written pages (docs/ru, docs/en); generated pages never run them.

number("policy.workload.seq_len")           the number, as the language writes it; a second argument gives the decimals
percent("policy.comfortable_ratio")         a share as per cent
reason("policy.comfortable_ratio")          why it is this number, in the page's language
counted("models")                           how many records: models, gpus, rigs, methods, sources
data_date()                                 the day on which the newest source was read
link("methodology/#time")                   the address of a page of the site, from this one
message("shell.site.name")                  a message of generator/locales
"""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import Any

from generator.errors import BuildError
from generator.site.formats import Formats
from generator.site.messages import Messages
from generator.site.page import relative_link


def look_up(facts: dict[str, Any], dotted: str) -> Any:
    """What stands at `policy.comfortable_ratio`; raises BuildError where nothing does."""
    node: Any = facts
    for part in dotted.split("."):
        if not isinstance(node, dict) or part not in node:
            raise BuildError(f"no value `{dotted}`")
        node = node[part]
    return node


def define_env(env: Any) -> None:
    """Called by the plugin: registers the macros."""
    language = env.conf["theme"]["language"]
    docs_dir = Path(env.conf["docs_dir"])
    facts = json.loads((docs_dir.parents[1] / "shell" / f"{docs_dir.name}.json").read_text(encoding="utf-8"))
    formats, messages = Formats(language), Messages(language)

    def value(dotted: str) -> float:
        found = look_up(facts, dotted)
        found = found.get("value") if isinstance(found, dict) else found
        if not isinstance(found, int | float):
            raise BuildError(f"expected a number at `{dotted}`, found {found!r}")
        return found

    def number(dotted: str, digits: int | None = None) -> str:
        return formats.number(value(dotted), 6 if digits is None else digits, trim=digits is None)

    def percent(dotted: str, digits: int = 0) -> str:
        return formats.percent(value(dotted), digits)

    def reason(dotted: str) -> str:
        return html.escape(str(look_up(facts, f"{dotted}.reason.{language}")), quote=False)

    def counted(kind: str) -> str:
        return formats.number(look_up(facts, f"counts.{kind}"))

    def data_date() -> str:
        return formats.partial_date(facts["data_date"])

    def link(to_path: str) -> str:
        return relative_link(env.page.meta["tf_path"], to_path)

    for macro in (number, percent, reason, counted, data_date, link):
        env.macro(macro)
    env.macro(messages.__call__, "message")
