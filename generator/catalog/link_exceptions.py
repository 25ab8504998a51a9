"""The record of data/link-exceptions.yml."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from generator.catalog.fields import Id, Record, Text

HOST_PATTERN = r"^[a-z0-9-]+(\.[a-z0-9-]+)+$"
Host = Annotated[str, Field(pattern=HOST_PATTERN, max_length=200)]
"""Name of a server as it stands in addresses, such as `www.nvidia.com`."""


class LinkException(Record):
    """Why `trainfit sources --check` does not open something."""

    reason: Text


class LinkExceptions(Record):
    """Sources and servers that `trainfit sources --check` leaves alone."""

    sources: dict[Id, LinkException] = {}
    hosts: dict[Host, LinkException] = {}

    @property
    def reasons(self) -> dict[str, Text]:
        """Id or host → reason."""
        return {name: each.reason for name, each in (*self.hosts.items(), *self.sources.items())}
