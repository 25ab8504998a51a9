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
from generator.catalog.fields import slug
from generator.catalog.hub import OFFICIAL, HubModel
from generator.catalog.hugging_face import shape_of, text_values
from generator.catalog.rules.licences import spdx_spelling
from generator.catalog.weights import Stored

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
    stored: Stored | None = None
    """What the weights beside a file say."""

    @property
    def elements(self) -> int | None:
        """Elements of the checkpoint by something else than the configuration."""
        return self.stored.elements if self.stored else self.hub.elements if self.hub else None


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
"""Summaries of the sources in both languages: `card`, `config`, `record`, `weights` → language → text."""


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
    found["parameters"] = _parameters(origin, names, page)
    # The owner's name on the Hub need not be what the vendor is called.
    publisher = names.vendor or blank("who publishes it: the same as `vendor`")
    found["sources"] = {
        card: _card_source(names, address, publisher, texts["card"]),
        config: _file_source(origin, names, "config.json", publisher, texts["config"]),
    }
    if origin.stored:
        found["sources"][f"{names.id}-weights"] = _file_source(
            origin, names, origin.stored.file, publisher, texts["weights"]
        )
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


def _parameters(origin: Origin, names: Names, page: str) -> dict[str, Any]:
    total, elements = count_parameters(shape_of(origin.config)).total, origin.elements
    exact: dict[str, Any] = {
        "value": total, "source": f"{names.id}-config", "kind": "computed", "where": "config.json: sum over all layers",
    }  # fmt: skip
    printed = {"source": f"{names.id}-record", "as_printed": str(elements), "where": "safetensors.total"}
    if origin.stored:
        printed = {"source": f"{names.id}-weights", "where": f"{origin.stored.file}, {origin.stored.where}"}
        if origin.stored.as_printed:
            printed["as_printed"] = origin.stored.as_printed
    if elements == total:
        exact["also"] = [printed]
    elif elements is not None:
        why = f"why the checkpoint holds {elements - total:+,} elements against the count, or correct the architecture"
        reason = {language: blank(f"{why} ({language})") for language in ("ru", "en")}
        exact["conflicts"] = [{**printed, "value": elements, "reason": reason}]
    what = f"the number of billions that {page} prints, whatever the count of {total / 1e9:.2f} is"
    return {"exact": exact, "stated_billions": _from_card(f"{names.id}-card", what)}


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


def _file_source(origin: Origin, names: Names, file: str, publisher: str, summary: Mapping[str, str]) -> dict[str, Any]:
    address = f"{OFFICIAL}/{origin.repository}" if origin.repository else None
    revision = origin.revision or (blank("the commit that the file is from") if address else None)
    at_home = origin.hub is not None and origin.hub.official
    found: dict[str, Any] = {"title": f"{names.name}, {file}", "publisher": publisher, "type": "code"}
    if address:
        found["url"] = f"{address}/blob/{origin.revision or 'main'}/{file}"
    else:
        found["url"] = blank(f"the https:// address at which {file} is published")
    found["read"] = origin.read.isoformat()
    found["access"] = "page" if at_home else "copy"
    if origin.hub is None:
        found["access"] = blank("`page` if you opened the file at that address, `copy` if you were given it")
        found["seen_at"] = blank("with `copy`, the https:// address of that copy if it has one")
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
