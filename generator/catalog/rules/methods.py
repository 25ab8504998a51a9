"""Methods, their ladders, and the lines of the stack."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from generator.catalog.loading import Kind, Reading
from generator.catalog.records import Method, StackItem
from generator.catalog.rules.registry import Found, rule


@rule("unique-order")
def unique_order(reading: Reading) -> Iterator[Found]:
    """No two methods, and no two lines of the stack, claim the same place."""
    kinds: tuple[Kind, ...] = ("method", "stack")
    for kind in kinds:
        taken: dict[int, str] = {}
        for entry in reading.of(kind):
            order = cast("Method | StackItem", entry.record).order
            first = taken.setdefault(order, entry.id)
            if first != entry.id:
                yield Found(entry, "order", f"expected a place of its own, found {order} like `{first}`")


@rule("unique-recipes")
def unique_recipes(reading: Reading) -> Iterator[Found]:
    """Recipe ids are unique within a method."""
    for entry in reading.of("method"):
        seen: set[str] = set()
        for index, recipe in enumerate(cast("Method", entry.record).ladder):
            if recipe.id in seen:
                yield Found(entry, f"ladder.{index}.id", f"expected an id of its own, found `{recipe.id}` again")
            seen.add(recipe.id)
