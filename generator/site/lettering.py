"""Letters of the site's own font, measured and drawn: for pictures and badges, which no browser lays out."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from PIL import ImageDraw, ImageFont

FONTS_DIR = Path(__file__).resolve().parents[2] / "docs" / "assets" / "fonts"
CYRILLIC = range(0x400, 0x530)
NUMERO = 0x2116
REGULAR, BOLD = 400, 650


@cache
def font(script: str, size: int, weight: int) -> ImageFont.FreeTypeFont:
    """The part of Golos Text for a script, `latin` or `cyrillic`."""
    path = FONTS_DIR / f"golos-text-{script}.woff2"
    found = ImageFont.truetype(str(path), size, layout_engine=ImageFont.Layout.BASIC)
    found.set_variation_by_axes([weight])
    return found


def runs(text: str) -> Iterator[tuple[str, str]]:
    """The text in pieces of one script: the font comes in one file for each."""
    piece, script = "", "latin"
    for char in text.replace("\u00a0", " "):
        own = "cyrillic" if ord(char) in CYRILLIC or ord(char) == NUMERO else "latin"
        if own != script and piece:
            yield script, piece
            piece = ""
        script = own
        piece += char
    if piece:
        yield script, piece


@cache
def width(text: str, size: int, weight: int = REGULAR) -> float:
    """How wide the text is in pixels."""
    return sum(float(font(script, size, weight).getlength(piece)) for script, piece in runs(text))


def draw(
    canvas: ImageDraw.ImageDraw, place: tuple[float, float], text: str, size: int, colour: str, weight: int = REGULAR
) -> float:
    """Draws the text with its baseline at `place`; returns where it ends."""
    left, baseline = place
    for script, piece in runs(text):
        chosen = font(script, size, weight)
        canvas.text((left, baseline), piece, font=chosen, fill=colour, anchor="ls")
        left += float(chosen.getlength(piece))
    return left


def lines(text: str, size: int, limit: float, weight: int = REGULAR) -> list[str]:
    """The text broken at blanks into lines that are at most `limit` pixels wide, where that is possible."""
    found: list[str] = []
    for word in text.split():
        longer = f"{found[-1]} {word}" if found else word
        if found and width(longer, size, weight) <= limit:
            found[-1] = longer
        else:
            found.append(word)
    return found
