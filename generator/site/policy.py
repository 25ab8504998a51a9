"""Content Security Policies: what a page may load, said by the page itself. Nothing ever comes from another host."""

from __future__ import annotations

import base64
import hashlib
from pathlib import Path

INLINE_SCRIPT = Path(__file__).resolve().parents[2] / "docs" / "overrides" / "partials" / "javascripts" / "base.html"
"""The one script that stands in the pages themselves: it sets the colours before anything is drawn."""

LIGHT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; base-uri 'none'; "
    "form-action 'none'"
)
"""Of pages without search: a style sheet, a script, fonts and pictures of this site."""


def script_hash(script: str) -> str:
    """How a policy names a script that stands in a page: `'sha256-…'`."""
    digest = hashlib.sha256(script.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def inline_script() -> str:
    """The text between the tags of the script that stands in the pages."""
    text = INLINE_SCRIPT.read_text(encoding="utf-8")
    return text.partition("<script>")[2].partition("</script>")[0]


def page_policy() -> str:
    """Of all other pages.

    `wasm-unsafe-eval` is for Pagefind; styles may stand in attributes, because bars carry their length there.
    """
    return (
        f"default-src 'self'; script-src 'self' 'wasm-unsafe-eval' {script_hash(inline_script())}; "
        "style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'self'"
    )
