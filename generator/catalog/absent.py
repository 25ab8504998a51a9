"""The record of data/absent.yml: what readers look for and the catalogue does not have, with what is lacking."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from generator.catalog.fields import Citation, Id, Line, Record

ModelLack = Literal["dimensions", "layers", "tower", "record"]
"""dimensions: of the layers, nobody was found to print all; layers: of a kind that the count does not know; tower: its
vision or audio part was counted by nobody; record: counted, but files of models have no field for some of it."""
GpuLack = Literal["speed", "memory", "sale"]
"""speed: bandwidth and dense peak; memory: its size or what is usable of it; sale: announced, not seen on sale."""
Cites = Annotated[tuple[Citation, ...], Field(strict=False, min_length=1)]


class AbsentModel(Record):
    """A model that exists and has no file."""

    name: Line
    vendor: Line
    lacks: ModelLack
    citations: Cites


class AbsentGpu(Record):
    """A GPU that exists, or is to come, and has no file."""

    name: Line
    vendor: Line
    lacks: GpuLack
    citations: Cites


class Absent(Record):
    """Models and GPUs that are not in data/, by the id that they would have."""

    models: dict[Id, AbsentModel] = {}
    gpus: dict[Id, AbsentGpu] = {}
