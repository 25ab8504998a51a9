"""Badges: what a light page says, as a small SVG picture that needs nothing else."""

from __future__ import annotations

from html import escape

from generator.site.lettering import width
from generator.site.previews import COLOURS

HEIGHT, PADDING, SIZE = 22, 8, 12
LABEL_COLOUR = "#2b333a"
WIDER = 1.04
"""The fonts that a viewer is likely to have are a little wider than ours."""


def _part(text: str, left: float, room: float) -> str:
    return f'<text x="{left:.0f}" y="15" textLength="{room:.0f}" lengthAdjust="spacingAndGlyphs">{escape(text)}</text>'


def badge_svg(label: str, message: str, verdict: str) -> str:
    """A badge with `label` on the left and `message` on the verdict's colour; both are plain text."""
    first, second = (width(text, SIZE) * WIDER for text in (label, message))
    middle = first + 2 * PADDING
    whole = middle + second + 2 * PADDING
    title = escape(f"{label}: {message}")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{whole:.0f}" height="{HEIGHT}" role="img" '
        f'aria-label="{title}">'
        f"<title>{title}</title>"
        f'<rect width="{whole:.0f}" height="{HEIGHT}" rx="4" fill="{COLOURS[verdict][0]}"/>'
        f'<path d="M4 0h{middle - 4:.0f}v{HEIGHT}H4a4 4 0 0 1-4-4V4a4 4 0 0 1 4-4z" fill="{LABEL_COLOUR}"/>'
        f'<g fill="#fff" font-family="Golos Text,Verdana,DejaVu Sans,sans-serif" font-size="{SIZE}">'
        f"{_part(label, PADDING, first)}{_part(message, middle + PADDING, second)}</g></svg>\n"
    )
