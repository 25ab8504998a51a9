"""Methods, their ladders, and the lines of the stack."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from generator.catalog.hints import did_you_mean
from generator.catalog.loading import Kind, Reading
from generator.catalog.records import Method, StackItem
from generator.catalog.rules.registry import Found, rule
from generator.catalog.stack_records import Choice, Environment


@rule("unique-order")
def unique_order(reading: Reading) -> Iterator[Found]:
    """No two methods, and no two lines, questions or environments of the stack, claim the same place."""
    kinds: tuple[Kind, ...] = ("method", "stack", "choice", "environment")
    for kind in kinds:
        taken: dict[int, str] = {}
        for entry in reading.of(kind):
            order = cast("Method | StackItem | Choice | Environment", entry.record).order
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


@rule("stack-options")
def stack_options(reading: Reading) -> Iterator[Found]:
    """Options of a question have ids of their own, runners-up exist, and the last option always holds."""
    for entry in reading.of("choice"):
        options = cast("Choice", entry.record).options
        ids = [option.id for option in options]
        for index, option in enumerate(options):
            if option.id in ids[:index]:
                yield Found(entry, f"options.{index}.id", f"expected an id of its own, found `{option.id}` again")
            if option.second is not None and (option.second not in ids or option.second == option.id):
                found = f"expected another option of the question, found `{option.second}`"
                yield Found(entry, f"options.{index}.second", found, did_you_mean(option.second, ids))
        if options[-1].when.model_dump(exclude_defaults=True):
            message = "expected an option without conditions as the last one, found conditions"
            yield Found(entry, f"options.{len(options) - 1}.when", message, "every run needs an answer")


@rule("environment-models")
def environment_models(reading: Reading) -> Iterator[Found]:
    """Models that an environment names exist, and a framework has one environment."""
    taken: dict[str, str] = {}
    for entry in reading.of("environment"):
        record = cast("Environment", entry.record)
        first = taken.setdefault(record.framework, entry.id)
        if first != entry.id:
            yield Found(entry, "framework", f"expected a framework of its own, found that of `{first}`")
        for name in ("models", "without_class", "without_text_class"):
            for model in getattr(record, name):
                if model not in reading.seen["model"]:
                    message = f"expected the id of a model, found `{model}`"
                    yield Found(entry, f"{name}.{model}", message, did_you_mean(model, reading.seen["model"]))
