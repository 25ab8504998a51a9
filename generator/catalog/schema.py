"""JSON Schemas of the data files, for editors and for checks by other programs.

They are made from the records and say the same, as far as JSON Schema can: relations between values and between
files are left to `trainfit check`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from generator.catalog.fields import INHERITED, Cited, CitedBlock, Record
from generator.catalog.loading import LAYOUTS
from generator.catalog.measurements import KnownMisses, MeasuredDefaults, MeasuredShapes, Measurement

SCHEMAS_DIR = Path(__file__).resolve().parents[2] / "schemas"
"""Where the schemas of this repository are kept."""
MEASURED: dict[str, type[Record]] = {
    "measurement": Measurement,
    "measured-defaults": MeasuredDefaults,
    "measured-shapes": MeasuredShapes,
    "known-misses": KnownMisses,
}
"""Files of data/measurements; a measurement is one row, also as somebody sends it in."""
DIALECT = "https://json-schema.org/draft/2020-12/schema"
HTTPS_PATTERN = r"""^https://[A-Za-z0-9][A-Za-z0-9.-]*\.[A-Za-z]{2,}(/[^\s<>"'`\\^{|}]*)?$"""


def schemas() -> dict[str, str]:
    """File name → text of the schema of each kind of file."""
    records = {layout.kind: layout.record for layout in LAYOUTS} | MEASURED
    return {f"{kind}.schema.json": schema_text(kind, record) for kind, record in records.items()}


def schema_text(kind: str, record: type[Record]) -> str:
    """The schema of one kind of file as JSON with a final newline."""
    schema = record.model_json_schema()
    definitions: dict[str, dict[str, Any]] = schema.get("$defs", {})
    for each in _records_below(record):
        target = schema if each is record else definitions.get(_definition_name(each), {})
        if issubclass(each, CitedBlock):
            _allow_short_forms(target, definitions)
        if not issubclass(each, Cited):
            continue
        # The defaults of a cited value depend on its block.
        target.get("properties", {}).get("kind", {}).pop("default", None)
    _polish(schema)
    return json.dumps({"$schema": DIALECT, **schema, "title": f"Trainfit {kind}"}, ensure_ascii=False, indent=2) + "\n"


def _definition_name(record: type[BaseModel]) -> str:
    return record.__name__.replace("[", "_").replace("]", "_").replace(", ", "_")


def _records_below(record: type[BaseModel]) -> set[type[BaseModel]]:
    """All record classes that a record is made of, itself included."""
    found: set[type[BaseModel]] = set()
    waiting: list[Any] = [record]
    while waiting:
        annotation = waiting.pop()
        if isinstance(annotation, type) and issubclass(annotation, BaseModel):
            if annotation not in found:
                found.add(annotation)
                waiting += [field.annotation for field in annotation.model_fields.values()]
        else:
            waiting += getattr(annotation, "__args__", ())
    return found


def _allow_short_forms(block: dict[str, Any], definitions: Mapping[str, Mapping[str, Any]]) -> None:
    """A field of a block may be a bare value."""
    for name, field in block["properties"].items():
        if name in INHERITED:
            continue
        options = field.get("anyOf", [field])
        bare = [
            definitions[option["$ref"].rpartition("/")[2]]["properties"]["value"]
            for option in options
            if "$ref" in option and "value" in definitions[option["$ref"].rpartition("/")[2]].get("properties", {})
        ]
        if bare:
            kept = {key: value for key, value in field.items() if key in ("description", "default")}
            block["properties"][name] = {
                **kept,
                "anyOf": [{key: value for key, value in b.items() if key != "title"} for b in bare]
                + [{key: value for key, value in option.items() if key not in kept} for option in options],
            }


def _polish(schema: Any) -> None:
    """Takes out titles that only repeat the key, and adds what validators check beyond the types."""
    if isinstance(schema, list):
        for item in schema:
            _polish(item)
    elif isinstance(schema, dict):
        for name, item in schema.get("properties", {}).items():
            item.pop("title", None)
            if name in ("url", "seen_at"):
                _require_https(item)
        for item in schema.values():
            _polish(item)


def _require_https(field: dict[str, Any]) -> None:
    for option in field.get("anyOf", [field]):
        if option.get("type") == "string":
            option["pattern"] = HTTPS_PATTERN


def write_schemas(folder: Path = SCHEMAS_DIR) -> list[Path]:
    """Writes all schemas into `folder` and returns the files that changed."""
    folder.mkdir(parents=True, exist_ok=True)
    changed = []
    for name, text in schemas().items():
        path = folder / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8", newline="\n")
            changed.append(path)
    return changed


def stale_schemas(folder: Path = SCHEMAS_DIR) -> list[str]:
    """Names of the schemas in `folder` that are missing, differ from the records, or belong to none."""
    wanted = schemas()
    there = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.schema.json")}
    return sorted(name for name in wanted.keys() | there.keys() if wanted.get(name) != there.get(name))
