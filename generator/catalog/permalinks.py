"""The record of data/permalinks.yml."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from generator.catalog.fields import Id, Record

PAGE_PATTERN = r"^([a-z0-9]+([.-][a-z0-9]+)*/)+$"
PagePath = Annotated[str, Field(pattern=PAGE_PATTERN, max_length=200)]
"""Address of a page below the site's root, such as `models/qwen3-14b/`."""


class Permalinks(Record):
    """Ids that were published and have moved: old id → address of the page that took its place."""

    models: dict[Id, PagePath] = {}
    gpus: dict[Id, PagePath] = {}
    rigs: dict[Id, PagePath] = {}
    methods: dict[Id, PagePath] = {}
    sources: dict[Id, PagePath] = {}

    @property
    def addresses(self) -> dict[str, str]:
        """Old address → address where it lives now, such as `models/old/` → `models/new/`."""
        return {f"{kind}/{old}/": path for kind in type(self).model_fields for old, path in getattr(self, kind).items()}
