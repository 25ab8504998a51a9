"""What `trainfit check --fix` may change by itself: the order of a file's fields and its style, never its content."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator
from pathlib import Path

from generator.catalog.loading import LAYOUTS, Layout
from generator.catalog.yaml_positions import MAX_BYTES, invisible, parse_document
from generator.errors import COMMAND, CatalogErrors, DataError

_KEY = re.compile(r"(?:[A-Za-z_][\w.-]*|\"[^\"]*\"|'[^']*')\s*:(?:\s|$)", re.ASCII)
FIX = f"run `{COMMAND} check --fix`"
_SCHEMA = re.compile(r"#\s*yaml-language-server:.*")


def tidied(raw: bytes, layout: Layout) -> bytes | None:
    """The file in the house style; none where nothing is to be done, or where its content would not stay the same.

    UTF-8 without a signature, LF, no blanks at the ends of lines, no invisible characters, spaces instead of tabs, the
    line that names the schema, and the fields at the top in the order of the record, each with the comment above it.
    """
    if len(raw) > MAX_BYTES:
        return None
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    fixed = _in_order(_clean(text), layout)
    before, errors = parse_document(raw, "x")
    after, left = parse_document(fixed.encode("utf-8"), "x")
    if after is None or left or fixed.encode("utf-8") == raw:
        return None
    if before is not None and (errors or before.root.plain != after.root.plain):
        return None
    return fixed.encode("utf-8")


def _clean(text: str) -> str:
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    cleaned = []
    for line in lines:
        visible = "".join(each for each in line if each == "\t" or not invisible(each))
        cleaned.append(visible.replace("\t", "  ").rstrip())
    return "\n".join(cleaned).strip("\n") + "\n"


def _in_order(text: str, layout: Layout) -> str:
    depth = 1 + len([part for part in layout.folder.split("/") if part]) + layout.nested
    schema = f"# yaml-language-server: $schema={'../' * depth}schemas/{layout.kind}.schema.json"
    head, blocks = _split([line for line in text.splitlines() if not _SCHEMA.fullmatch(line)])
    order = {name: index for index, name in enumerate(layout.record.model_fields)}
    names = list(blocks)
    ranked = sorted(names, key=lambda name: (order.get(name, len(order)), names.index(name)))
    lines = [schema, *head, *(line for name in ranked for line in blocks[name])]
    return "\n".join(lines).rstrip("\n") + "\n"


def _split(lines: list[str]) -> tuple[list[str], dict[str, list[str]]]:
    """Lines before the first field, and those of each field at the top, its comment first."""
    head: list[str] = []
    blocks: dict[str, list[str]] = {}
    waiting: list[str] = []
    current = head
    for line in lines:
        if _KEY.match(line):
            name = line.split(":")[0].strip().strip("\"'")
            block = blocks.setdefault(name, [])
            if blocks.keys() == {name}:
                head += waiting
            else:
                block += waiting
            block.append(line)
            waiting, current = [], block
        elif not line or line.startswith("#"):
            waiting.append(line)
        else:
            current += [*waiting, line]
            waiting = []
    current += waiting
    return head, blocks


def tidy_files(data_dir: Path, edited: Collection[str] | None = None) -> list[str]:
    """Rewrites what can be put in order below `data_dir`; returns paths for messages, sorted.

    `edited` are the files that somebody is at work on, relative to `data_dir`: others are left alone unless they are
    untidy, since the order of their fields is theirs. None for all. Raises CatalogErrors where one cannot be written.
    """
    changed = []
    for path, layout in _files(data_dir):
        if edited is not None and path.relative_to(data_dir).as_posix() not in edited and not any(_untidy(path, "")):
            continue
        try:
            raw = path.read_bytes()
        except OSError:
            continue  # reading it again says what is wrong
        fixed = tidied(raw, layout)
        shown = f"{data_dir.name}/{path.relative_to(data_dir).as_posix()}"
        if fixed is not None:
            _replace(path, fixed, shown)
            changed.append(shown)
    return sorted(changed)


def untidy_files(data_dir: Path) -> Iterator[DataError]:
    """Where a file does not name its schema, or lines do not end as they should; the order of fields is anybody's."""
    for path, _ in _files(data_dir):
        yield from _untidy(path, f"{data_dir.name}/{path.relative_to(data_dir).as_posix()}")


def _untidy(path: Path, shown: str) -> Iterator[DataError]:
    try:
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        yield DataError(shown, 1, 1, "", "expected a readable file in UTF-8, found none", FIX, "tidy")
        return
    lines = text.split("\n")
    if not _SCHEMA.fullmatch(lines[0].rstrip()):
        yield DataError(shown, 1, 1, "", "expected the line that names the schema, found none", FIX, "tidy")
    for number, line in enumerate(lines, start=1):
        if line != line.rstrip() or "\t" in line:
            at = len(line.rstrip()) + 1
            yield DataError(shown, number, at, "", "expected no blanks here, found some", FIX, "tidy")
    if not text.endswith("\n") or text.endswith("\n\n"):
        yield DataError(shown, len(lines), 1, "", "expected one line end at the end of the file", FIX, "tidy")


def _files(data_dir: Path) -> Iterator[tuple[Path, Layout]]:
    for layout in LAYOUTS:
        if not layout.folder:
            paths = [data_dir / f"{layout.kind}.yml"]
        else:
            paths = sorted((data_dir / layout.folder).glob("*/*.yml" if layout.nested else "*.yml"))
        for path in paths:
            if path.is_file() and not any(each.is_symlink() for each in (path, path.parent)):
                yield path, layout


def _replace(path: Path, content: bytes, shown: str) -> None:
    staged = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        staged.write_bytes(content)
        staged.replace(path)
    except OSError as error:
        message = f"expected a place to write to, found {error.strerror or 'an error'}"
        raise CatalogErrors([DataError(shown, 1, 1, "", message, rule="layout")]) from error
    finally:
        staged.unlink(missing_ok=True)
