"""Tables that a phone shows as cards: every cell carries the name of its column, and heads stand as their cells do."""

from __future__ import annotations

import re

STACKED = re.compile(r'<table class="(?:[^"]* )?tf-stack[ "].*?</table>', re.DOTALL)
HEAD, BODY_START = re.compile(r"<th\b([^>]*)>(.*?)</th>", re.DOTALL), "<tbody>"
ROW = re.compile(r"<tr\b.*?</tr>", re.DOTALL)
CELL = re.compile(r"<t(?P<kind>[hd])\b(?P<attributes>[^>]*)>")
TAG = re.compile(r"<[^>]*>")


def labelled(content: str) -> str:
    """The page's HTML with `data-label` on the cells of tables of the class tf-stack; rows with spans stay alone."""
    return STACKED.sub(lambda match: _table(match.group()), content)


def _table(table: str) -> str:
    head, start, body = table.partition(BODY_START)
    names = [" ".join(TAG.sub("", name).split()).replace('"', "&quot;") for _, name in HEAD.findall(head)]
    first = ROW.search(body)
    aligned = iter("tf-right" in match["attributes"] for match in CELL.finditer(first.group() if first else ""))
    head = HEAD.sub(lambda match: _headed(match, to_right=next(aligned, False)), head)
    return head + start + ROW.sub(lambda match: _row(match.group(), names), body)


def _headed(match: re.Match[str], *, to_right: bool) -> str:
    attributes, name = match.groups()
    return f'<th{attributes} class="tf-right">{name}</th>' if to_right and "class=" not in attributes else match.group()


def _row(row: str, names: list[str]) -> str:
    if "span=" in row:
        return row
    columns = iter(names)

    def cell(match: re.Match[str]) -> str:
        name = next(columns, "")
        if match["kind"] == "h" or not name or "data-label=" in match["attributes"]:
            return match.group()
        return f'<td{match["attributes"]} data-label="{name}">'

    return CELL.sub(cell, row)
