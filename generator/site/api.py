"""The files of the API below the site: JSON, tables and JSON Schemas. No clock: the same data give the same bytes."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from generator.catalog import Catalog
from generator.views.api import VERDICT_COLUMNS, Cell, Reports, api_files, api_tables, each_once, schemas
from generator.views.api_runs import RUN_COLUMNS, RUNS_PATH, run_rows

API_PATH = "api/v1/"
"""Folder of the API, relative to the root of the site and the same for both languages."""
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
"""What spreadsheet programs take for the start of a formula."""


def api_texts(catalog: Catalog, reports: Reports) -> dict[str, str]:
    """Path relative to the root of the site → text of each file of the API, sorted by path.

    The records write themselves, in the form of `json_text` and in a fifth of its time.
    """
    numbers = each_once()
    texts = {
        **{
            path: f"{content.model_dump_json(indent=1)}\n"
            for path, (_, content) in api_files(catalog, reports, numbers).items()
        },
        **{path: csv_text(VERDICT_COLUMNS, rows) for path, rows in api_tables(catalog, reports, numbers).items()},
        RUNS_PATH: csv_text(RUN_COLUMNS, run_rows(catalog)),
        **{path: json_text(schema) for path, schema in schemas().items()},
    }
    return {f"{API_PATH}{path}": texts[path] for path in sorted(texts)}


def write_api(catalog: Catalog, reports: Reports, site_dir: Path) -> list[Path]:
    """Writes the files of the API below `site_dir` and returns them."""
    written = []
    for name, text in api_texts(catalog, reports).items():
        path = site_dir / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode("utf-8"))
        written.append(path)
    return written


def json_text(content: Any) -> str:
    """JSON with a final newline; raises ValueError for a number that JSON does not have."""
    return json.dumps(content, ensure_ascii=False, allow_nan=False, indent=1) + "\n"


def csv_text(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """A table with a header and LF at the end of each line."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([cell_text(column) for column in columns])
    writer.writerows([cell_text(cell) for cell in row] for row in rows)
    return text.getvalue()


def cell_text(cell: Cell) -> str:
    """A cell as written: nothing for None; a text that a spreadsheet would run as a formula gets an apostrophe."""
    if cell is None:
        return ""
    if isinstance(cell, str):
        return f"'{cell}" if cell.startswith(FORMULA_STARTS) else cell
    return repr(cell)
