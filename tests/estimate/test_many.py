"""Columns give what one plan after the other gives."""

from __future__ import annotations

import math

import pytest

from generator.catalog import Catalog
from generator.errors import UnknownIdError
from generator.estimate import Plan, estimate
from generator.estimate.many import estimate_many
from tests.site.random_plans import random_plans


def test_thousands_of_random_plans_to_the_last_bit(catalog: Catalog) -> None:
    plans = [plan for _, plan in random_plans(catalog, 3000, seed=7)]
    many = estimate_many(catalog, plans)
    for index, plan in enumerate(plans):
        one = estimate(catalog, plan)
        speed = one.tokens_per_sec_per_gpu.expected if one.tokens_per_sec_per_gpu else math.nan
        assert many.parameters_total[index] == one.parameters_total
        assert int(many.parameters_trainable[index]) == one.parameters_trainable
        assert many.peak_gib_low[index] == one.peak_gib.low
        assert many.peak_gib[index] == one.peak_gib.expected
        assert many.peak_gib_high[index] == one.peak_gib.high
        assert many.peak_phase[index] == one.peak_phase
        assert many.usable_gib[index] == one.usable_gib
        assert many.fits[index] == one.fits
        assert many.host_ram_gib[index] == one.host_ram_gib
        assert many.tokens_per_sec_per_gpu[index] == speed or math.isnan(speed)
        assert math.isnan(many.tokens_per_sec_per_gpu[index]) == math.isnan(speed)


def test_an_unknown_card_is_refused(catalog: Catalog) -> None:
    shape = catalog.models["qwen3-8b"].architecture.shape()
    with pytest.raises(UnknownIdError):
        estimate_many(catalog, [Plan(model="qwen3-8b", shape=shape, gpu="abacus", n_gpus=1, method="full")])
