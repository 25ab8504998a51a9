"""Training plans drawn at random, boundary cases included: the same settings for Python and for the browser."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from generator.architecture import LORA_TARGETS
from generator.catalog import Catalog
from generator.errors import PlanError
from generator.estimate import Plan
from generator.estimate.plan import CHOICES

LENGTHS = (1, 2, 127, 128, 1023, 1024, 2048, 4095, 4096, 4097, 8192, 32_768, 131_072, 1_000_000)
COUNTS = (1, 1, 2, 3, 4, 4, 7, 8, 16, 64, 1024)
SMALL = (1, 1, 1, 2, 3, 8, 64)
RANKS = (1, 2, 8, 16, 64, 256, 4096)
BUSES = (None, None, 0.001, 1.0, 12.5, 22.0, 450.0, 1e6)
FLAGS = tuple(name for name, kind in Plan.__annotations__.items() if kind == "bool")


def random_settings(catalog: Catalog, models: tuple[str, ...], rng: random.Random) -> dict[str, Any]:
    """Settings of one plan that Plan may or may not accept."""
    method = rng.choice(CHOICES["method"])
    adapters = method in ("lora", "qlora")
    n_gpus = rng.choice(COUNTS)
    settings: dict[str, Any] = {name: rng.choice(values) for name, values in CHOICES.items()}
    settings |= {name: rng.random() < 0.5 for name in FLAGS}
    settings |= {
        "model": rng.choice(models),
        "gpu": rng.choice(sorted(catalog.gpus)),
        "n_gpus": n_gpus,
        "method": method,
        "seq_len": rng.choice((*LENGTHS, rng.randint(1, 200_000))),
        "micro_batch": rng.choice(SMALL),
        "grad_accum": rng.choice(SMALL),
        "lora_rank": rng.choice(RANKS),
        "lora_targets": LORA_TARGETS[rng.choice(sorted(LORA_TARGETS))] if adapters else (),
        "bus_gb_per_s": rng.choice(BUSES),
    }
    if n_gpus == 1:
        settings["sharding"] = "none"
    elif settings["sharding"] == "none":
        settings["sharding"] = "fsdp2"
    if method != "qlora":
        settings["quant"] = "none"
    return settings


def random_plans(catalog: Catalog, number: int, seed: int) -> Iterator[tuple[dict[str, Any], Plan]]:
    """`number` accepted plans with their settings, of models that the estimate answers for."""
    rng = random.Random(seed)
    shapes = {
        model_id: shape
        for model_id, model in catalog.models.items()
        if not (shape := model.architecture.shape()).unmodelled and model.objective == "causal-lm"
    }
    models = tuple(sorted(shapes))
    found = 0
    while found < number:
        settings = random_settings(catalog, models, rng)
        try:
            plan = Plan(shape=shapes[settings["model"]], **settings)
        except PlanError:
            continue
        found += 1
        yield settings, plan
