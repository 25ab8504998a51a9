"""Settings of a recipe in words, and policy values with their units."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from generator.catalog.records import Recipe
from generator.site.pages_env import PageWriter

if TYPE_CHECKING:
    from markupsafe import Markup

SETTINGS = (
    "precision",
    "optimizer",
    "optimizer_impl",
    "sharding",
    "cpu_offload",
    "grad_checkpointing",
    "attention",
    "fused_ce",
    "reduce_dtype",
    "root_wrap",
    "quant",
    "adapter_dtype",
)
"""Settings that a recipe's description shows, in order."""
ADAPTERS_ONLY = frozenset({"adapter_dtype"})
SHARDED_ONLY = frozenset({"root_wrap", "reduce_dtype"})


def settings_of(writer: PageWriter, recipe: Recipe, trains_all: bool) -> Mapping[str, Markup]:
    """Setting → value in words, those left out that mean nothing for this recipe."""
    shown: dict[str, Markup] = {}
    sharded = recipe.settings.sharding in ("fsdp1", "fsdp2", "zero3")
    for name in SETTINGS:
        value = getattr(recipe.settings, name)
        if value == "none" or (name in ADAPTERS_ONLY and trains_all) or (name in SHARDED_ONLY and not sharded):
            continue
        if isinstance(value, bool):
            shown[name] = writer.messages.html(f"common.{'yes' if value else 'no'}")
        else:
            shown[name] = writer.messages.html(f"methods.setting.{name}.{value}")
    return shown


def threshold_value(writer: PageWriter, name: str, value: float) -> str:
    """A value of the policy with its unit."""
    formats = writer.formats
    if name.endswith("_ratio"):
        return formats.percent(value)
    if name.endswith("_hours"):
        return formats.hours(value)
    if name.endswith("_days"):
        return formats.days(value)
    if name == "finetune_tokens":
        return formats.tokens(value)
    return formats.number(value, 2, trim=True)
