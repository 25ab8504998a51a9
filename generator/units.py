"""Units, and the only place that converts between them.

Sizes of models and of disks are decimal (1 GB = 10⁹ bytes). Memory is binary (1 GiB = 2³⁰ bytes), also where a
label prints "GB": a card sold as 48 GB carries 48 GiB less what the driver and ECC keep. A name ends in its unit.
"""

from __future__ import annotations

from typing import Literal

MemoryUnit = Literal["GiB", "GB"]
"""Units that measured runs are published in."""

BYTES_PER_KIB = 2**10
BYTES_PER_MIB = 2**20
BYTES_PER_GIB = 2**30
BYTES_PER_GB = 10**9
MIB_PER_GIB = 2**10
FLOPS_PER_TFLOPS = 10**12
SECONDS_PER_HOUR = 3600
SECONDS_PER_DAY = 86400
PARAMETERS_PER_BILLION = 10**9


def gib_from_bytes(value_bytes: float) -> float:
    """GiB in `value_bytes` bytes."""
    return value_bytes / BYTES_PER_GIB


def gb_from_bytes(value_bytes: float) -> float:
    """Decimal GB in `value_bytes` bytes."""
    return value_bytes / BYTES_PER_GB


def bytes_from_gib(value_gib: float) -> float:
    """Bytes in `value_gib` GiB."""
    return value_gib * BYTES_PER_GIB


def bytes_from_gb(value_gb: float) -> float:
    """Bytes in `value_gb` decimal GB."""
    return value_gb * BYTES_PER_GB


def gib_from_mib(value_mib: float) -> float:
    """GiB in `value_mib` MiB."""
    return value_mib / MIB_PER_GIB


def billions(parameters: float) -> float:
    """Parameters in billions."""
    return parameters / PARAMETERS_PER_BILLION


def hours_from_seconds(seconds: float) -> float:
    """Hours in `seconds` seconds."""
    return seconds / SECONDS_PER_HOUR


def days_from_seconds(seconds: float) -> float:
    """Days in `seconds` seconds."""
    return seconds / SECONDS_PER_DAY


def gib_from_printed(value: float, unit: MemoryUnit) -> float:
    """GiB in a size that a document prints in `unit`: GiB, or GB for 10⁹ bytes."""
    return gib_from_bytes(bytes_from_gb(value)) if unit == "GB" else value
