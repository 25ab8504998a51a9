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
        if name == "precision" and (own := _precision_of_base(recipe, trains_all)):
            shown[name] = writer.messages.html(f"methods.precision.{own}")
        elif isinstance(value, bool):
            shown[name] = writer.messages.html(f"common.{'yes' if value else 'no'}")
        else:
            shown[name] = writer.messages.html(f"methods.setting.{name}.{value}")
    return shown


def _precision_of_base(recipe: Recipe, trains_all: bool) -> str | None:
    """What the weights of mixed precision are kept in where it is not fp32: the frozen base, or DeepSpeed's bf16."""
    settings = recipe.settings
    if settings.precision != "bf16-mixed":
        return None
    if not trains_all:
        return "frozen-bf16" if settings.quant == "none" else "frozen-nf4"
    return "zero3" if settings.sharding == "zero3" else None


def splits(recipe: Recipe, cards: int) -> bool:
    """Whether how the recipe shares work between cards says anything: on one card only offload through ZeRO-3 does."""
    return cards > 1 or recipe.settings.cpu_offload != "none"


def recipe_idea(writer: PageWriter, recipe: Recipe, cards: int) -> str:
    """The recipe in two or three words, for a cell of a table: «FSDP2, чистый bf16»; nothing on one card."""
    settings = recipe.settings
    parts = [writer.messages(f"methods.idea.{settings.sharding}")] if splits(recipe, cards) else []
    if settings.precision == "bf16-pure":
        parts.append(writer.messages("methods.idea.bf16-pure"))
    if settings.optimizer in ("adamw-8bit", "paged-adamw-8bit"):
        parts.append(writer.messages("methods.idea.adamw-8bit"))
    if settings.cpu_offload != "none":
        parts.append(writer.messages("methods.idea.offload"))
    return ", ".join(parts)


def threshold_value(writer: PageWriter, name: str, value: float) -> str:
    """A value of the policy with its unit."""
    formats = writer.formats
    if name.endswith(("_ratio", "_share")):
        return formats.percent(value)
    if name.endswith("_hours"):
        return formats.hours(value)
    if name.endswith("_days"):
        return formats.days(value)
    if name == "finetune_tokens":
        return formats.tokens(value)
    return formats.number(value, 2, trim=True)
