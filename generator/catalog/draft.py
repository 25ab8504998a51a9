"""A model's file as `trainfit add` writes it: what was read, with its source, and blanks for what a person reads."""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from generator.architecture import count_parameters
from generator.catalog.blanks import blank
from generator.catalog.catalogue import Catalog
from generator.catalog.draft_architecture import architecture_block
from generator.catalog.hub import OFFICIAL, HubModel
from generator.catalog.hugging_face import shape_of, text_values
from generator.catalog.rules.licences import spdx_spelling

VARIANT = re.compile(r"[-_](?:instruct|it|chat|base|hf|pt|sft|dpo|thinking)(?=[-_]|$)", re.IGNORECASE)
"""Words of a repository's name that tell variants of one shape apart."""
SIZE = re.compile(r"[-.]?\d+(?:\.\d+)?[bm](?:[-.]|$).*|-(?:mini|small|medium|large|tiny|nano)(?:-|$).*")
"""Where in an id the size begins: what stands before is the family."""
LICENCES = {
    "gemma": "Gemma Terms of Use", "llama3.1": "Llama 3.1 Community License",
    "llama3.2": "Llama 3.2 Community License", "llama3.3": "Llama 3.3 Community License",
}  # fmt: skip
"""Ids of the Hub → names as the catalogue writes them; those of the SPDX list have its spelling."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where the configuration was read."""

    config: Any
    read: datetime.date
    repository: str | None = None
    """None for a file of unknown origin."""
    revision: str | None = None
    """The commit."""
    hub: HubModel | None = None
    """What the Hub says, where it was asked."""


@dataclass(frozen=True, slots=True)
class Names:
    """What a model will be called."""

    id: str
    folder: str
    name: str
    family: str | None
    """None where the folder is new."""
    vendor: str | None


Texts = Mapping[str, Mapping[str, str]]
"""Summaries of the sources in both languages: `card`, `config`, `record` → language → text."""


def names_for(catalog: Catalog, stem: str, record_id: str | None = None, folder: str | None = None) -> Names:
    """Id, folder and names from the last part of a repository's name; family and vendor as the folder's models say."""
    name = VARIANT.sub("", stem).strip("-_.") or stem
    chosen = record_id or slug(name)
    family = folder or _folder_of(catalog, chosen)
    models = [model for key, model in catalog.models.items() if catalog.entries["model", key].folder == family]
    vendors = {model.vendor for model in models}
    return Names(
        chosen, family, name, models[0].family if models else None, vendors.pop() if len(vendors) == 1 else None
    )


def slug(name: str) -> str:
    """A name as an id: `Qwen3_8B` → `qwen3-8b`."""
    return re.sub(r"[.-]*-[.-]*|\.{2,}", "-", re.sub(r"[^a-z0-9.]+", "-", name.lower())).strip("-.")


def _folder_of(catalog: Catalog, record_id: str) -> str:
    """The folder of the models whose id begins alike; a new one where there is none."""
    stem = SIZE.sub("", record_id) or record_id
    folders = {catalog.entries["model", known].folder for known in catalog.models}
    if stem in folders:
        return stem
    alike = {catalog.entries["model", known].folder for known in catalog.models if SIZE.sub("", known) == stem}
    return alike.pop() if len(alike) == 1 else stem


def draft(origin: Origin, names: Names, texts: Texts) -> dict[str, Any]:
    """The file's content in the order of its fields; raises UnsupportedArchitecture."""
    card, config = f"{names.id}-card", f"{names.id}-config"
    record = f"{names.id}-record" if origin.hub else None
    address = f"{OFFICIAL}/{origin.repository}" if origin.repository else None
    page = address or "the model card"
    shape = shape_of(origin.config)
    found: dict[str, Any] = {
        "name": names.name,
        "family": names.family or blank("the display name of the family, such as Qwen3"),
        "vendor": names.vendor or blank(f"who publishes the model, as {page} says"),
        "hugging_face": [origin.repository or blank("owner/name of the repository, or delete the list")],
    }
    if shape.tower_parameters:
        found["modality"] = "text-and-vision"
    if not shape.output_head:
        found["objective"] = "embedding"
    created = f"; the repository was made on {origin.hub.created}" if origin.hub and origin.hub.created else ""
    found["released"] = _from_card(
        card, f"the day of the release, YYYY-MM-DD, as {page} or the announcement says{created}"
    )
    found |= _licence_and_gate(origin, card, record, page)
    found |= _context(origin.config, config)
    found["card"] = card
    found["architecture"] = architecture_block(origin.config, config)
    found["parameters"] = _parameters(origin, config, record, card, page)
    publisher = names.vendor or found["vendor"]  # the owner's name on the Hub need not be what the vendor is called
    found["sources"] = {
        card: _card_source(names, address, publisher, texts["card"]),
        config: _config_source(origin, names, address, publisher, texts["config"]),
    }
    if record and origin.hub:
        found["sources"][record] = _record_source(origin, names, texts["record"])
    return found


def _from_card(card: str, what: str) -> dict[str, Any]:
    return {
        "value": blank(what),
        "source": card,
        "as_printed": blank("the words there that say it"),
        "where": blank("the section they stand in"),
    }


def _licence_and_gate(origin: Origin, card: str, record: str | None, page: str) -> dict[str, Any]:
    licence = origin.hub.licence if origin.hub else None
    wanted = f"the licence by its SPDX id such as Apache-2.0, another one by its name, as {page} says"
    found: dict[str, Any] = {"licence": _from_card(card, wanted)}
    if licence and record:
        name = LICENCES.get(licence) or spdx_spelling(licence) or licence
        found["licence"] = {"value": name, "source": record, "as_printed": licence, "where": "cardData.license"}
    if origin.hub and origin.hub.gated is not None:
        found["gated"] = {"value": origin.hub.gated, "source": record, "where": "gated"}
    return found


def _context(config: Any, source: str) -> dict[str, Any]:
    _, values = text_values(config)
    key = next((each for each in ("max_position_embeddings", "n_positions") if type(values.raw.get(each)) is int), None)
    if key is None:
        return {}
    where = f"config.json, {values.prefix}{key}"
    return {
        "context_tokens": {
            "value": values.raw[key],
            "source": source,
            "as_printed": str(values.raw[key]),
            "where": where,
        }
    }


def _parameters(origin: Origin, config: str, record: str | None, card: str, page: str) -> dict[str, Any]:
    total = count_parameters(shape_of(origin.config)).total
    exact: dict[str, Any] = {
        "value": total, "source": config, "kind": "computed", "where": "config.json: sum over all layers",
    }  # fmt: skip
    elements = origin.hub.elements if origin.hub else None
    printed = {"source": record, "as_printed": str(elements), "where": "safetensors.total"}
    if elements == total:
        exact["also"] = [printed]
    elif elements is not None:
        why = f"why the checkpoint holds {elements - total:+,} elements against the count, or correct the architecture"
        reason = {language: blank(f"{why} ({language})") for language in ("ru", "en")}
        exact["conflicts"] = [{**printed, "value": elements, "reason": reason}]
    what = f"the round number of billions that {page} states, such as {total / 1e9:.1f}"
    return {"exact": exact, "stated_billions": _from_card(card, what)}


def _card_source(names: Names, address: str | None, publisher: str, summary: Mapping[str, str]) -> dict[str, Any]:
    return {
        "title": f"{names.name}, model card",
        "publisher": publisher,
        "type": "model-card",
        "url": address or blank("the https:// address of the official card"),
        "read": blank("the day on which you opened the card, YYYY-MM-DD"),
        "access": "page",
        "summary": dict(summary),
    }


def _config_source(
    origin: Origin, names: Names, address: str | None, publisher: str, summary: Mapping[str, str]
) -> dict[str, Any]:
    revision = origin.revision or (blank("the commit that the file is from") if address else None)
    at_home = origin.hub is not None and origin.hub.official
    found: dict[str, Any] = {"title": f"{names.name}, config.json", "publisher": publisher, "type": "code"}
    if address:
        found["url"] = f"{address}/blob/{origin.revision or 'main'}/config.json"
    else:
        found["url"] = blank("the https:// address at which config.json is published")
    found["read"] = origin.read.isoformat()
    found["access"] = "page" if at_home else "copy"
    if origin.hub is None:
        found["access"] = blank("`page` if you opened the file at that address, `copy` if you were given it")
    if revision:
        found["revision"] = revision
    return {**found, "summary": dict(summary)}


def _record_source(origin: Origin, names: Names, summary: Mapping[str, str]) -> dict[str, Any]:
    at_home = origin.hub is not None and origin.hub.official
    return {
        "title": f"{names.name}, record of the repository",
        "publisher": "Hugging Face",
        "type": "model-card",
        "url": f"{OFFICIAL}/api/models/{origin.repository}/revision/{origin.revision}",
        "read": origin.read.isoformat(),
        "access": "page" if at_home else "copy",
        "revision": origin.revision,
        "summary": dict(summary),
    }
