"""Binary and decimal units are kept apart."""

from __future__ import annotations

from generator import units


def test_a_gib_is_larger_than_a_gb() -> None:
    assert units.bytes_from_gib(1) == 1_073_741_824
    assert units.bytes_from_gb(1) == 1_000_000_000
    assert units.gib_from_bytes(2**30) == 1


def test_what_the_driver_prints() -> None:
    # nvidia-smi: 46,068 MiB
    assert units.gib_from_mib(46_068) == 46_068 / 1024


def test_times() -> None:
    assert units.hours_from_seconds(7200) == 2
    assert units.days_from_seconds(172_800) == 2
