"""Pictures for link previews: one for each mode with its verdict and language, and one for all other pages."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PIL import Image, ImageDraw

from generator.catalog import Catalog
from generator.site.lettering import BOLD, draw, lines
from generator.site.messages import Messages
from generator.site.page import Language
from generator.site.urls import PREFIXES, page_url
from generator.verdict.results import FEASIBLE

DIRECTORY = "assets/previews/"
SITE = "site"
"""Name of the picture of pages that are about no single verdict."""
SIZE = (1200, 630)
LEFT, RIGHT = 80, 1120
PAPER, INK, MUTED, LINE, ACCENT = "#fbfbf9", "#1a2128", "#525d67", "#dcdfd9", "#0a5873"
COLOURS = {
    "comfortable": ("#125c39", "#ddf0e4"),
    "borderline": ("#774600", "#fbebc8"),
    "not-recommended": ("#97271f", "#fae2dd"),
    "unknown": ("#4a545e", "#e7eaec"),
}
"""Verdict → the colours of its sign and of what is behind it, as in docs/assets/css/base.css."""


def preview_url(key: str, language: Language) -> str:
    """Absolute address of a picture."""
    return page_url(f"{DIRECTORY}{key}.png", language)


def keys(catalog: Catalog) -> tuple[str, ...]:
    """All pictures of a language: `site`, `unknown`, `not-recommended`, `lora-comfortable` and so on."""
    modes = (f"{method}-{verdict}" for method in catalog.methods for verdict in FEASIBLE)
    return (SITE, "unknown", "not-recommended", *modes)


def write_previews(catalog: Catalog, target: Path, languages: Iterable[Language]) -> None:
    """Writes the pictures of each language below the finished site; the same bytes each time."""
    for language in languages:
        directory = target / PREFIXES[language] / DIRECTORY
        directory.mkdir(parents=True, exist_ok=True)
        for key in keys(catalog):
            picture(catalog, key, language).save(directory / f"{key}.png", compress_level=9)


def picture(catalog: Catalog, key: str, language: Language) -> Image.Image:
    """The picture called `key`."""
    messages = Messages(language)
    image = Image.new("RGB", SIZE, PAPER)
    canvas = ImageDraw.Draw(image)
    _brand(canvas, messages("shell.site.name"))
    if key == SITE:
        _large(canvas, messages("light.preview.question"), 80, 260, INK)
    else:
        _verdict(canvas, catalog, key, messages)
    canvas.line((LEFT, 530, RIGHT, 530), fill=LINE, width=2)
    footer = messages("light.preview.sources" if key == SITE else "light.preview.question")
    draw(canvas, (LEFT, 578), footer, 30, MUTED)
    return _few_colours(image)


def _brand(canvas: ImageDraw.ImageDraw, name: str) -> None:
    left, top = LEFT, 64
    canvas.rounded_rectangle((left, top, left + 52, top + 52), radius=8, outline=INK, width=6)
    for offset, long in ((12, 22), (23, 29), (34, 13)):
        canvas.rectangle((left + 12, top + offset, left + 12 + long, top + offset + 6), fill=ACCENT)
    draw(canvas, (left + 72, top + 40), name, 40, INK, BOLD)


def _large(canvas: ImageDraw.ImageDraw, text: str, size: int, baseline: float, colour: str) -> float:
    for line in lines(text, size, RIGHT - LEFT, BOLD):
        draw(canvas, (LEFT, baseline), line, size, colour, BOLD)
        baseline += size * 1.2
    return baseline


def _verdict(canvas: ImageDraw.ImageDraw, catalog: Catalog, key: str, messages: Messages) -> None:
    method = next((method for method in catalog.methods if key.startswith(f"{method}-")), None)
    verdict = key.removeprefix(f"{method}-") if method else key
    ink, soft = COLOURS[verdict]
    canvas.rounded_rectangle((LEFT, 360, RIGHT, 478), radius=12, fill=soft)
    _sign(canvas, verdict, (LEFT + 66, 419), 28, ink)
    draw(canvas, (LEFT + 124, 440), messages(f"verdicts.{verdict}.word"), 62, ink, BOLD)
    if method:
        text = catalog.methods[method].name.in_language(messages.language)
    else:
        text = messages("light.preview.nothing" if verdict == "not-recommended" else "light.preview.unknown")
    size = 88 if len(lines(text, 88, RIGHT - LEFT, BOLD)) == 1 else 68
    _large(canvas, text, size, 290 if len(lines(text, size, RIGHT - LEFT, BOLD)) == 1 else 228, INK)


def _sign(canvas: ImageDraw.ImageDraw, verdict: str, middle: tuple[int, int], radius: int, colour: str) -> None:
    """A full, half-full or empty circle; a question mark where nothing is known."""
    x, y = middle
    if verdict == "unknown":
        draw(canvas, (x - radius / 2, y + radius * 0.8), "?", radius * 2, colour, BOLD)
        return
    box = (x - radius, y - radius, x + radius, y + radius)
    canvas.ellipse(box, outline=colour, width=7)
    if verdict == "comfortable":
        canvas.ellipse(box, fill=colour)
    elif verdict == "borderline":
        canvas.pieslice(box, 90, 270, fill=colour)


def _few_colours(image: Image.Image) -> Image.Image:
    """The picture with a palette: a third of the bytes, and nobody sees the difference."""
    return image.quantize(colors=64, method=Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
