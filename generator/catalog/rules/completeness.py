"""What the estimate needs of data/, so that valid data can be built."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from generator.catalog.hints import did_you_mean
from generator.catalog.loading import Reading
from generator.catalog.records import Constants, Method, Settings
from generator.catalog.rules.registry import Found, rule

REQUIRED_CONSTANTS = (
    "adam-8bit-state-bytes",
    "adapter-time-factor",
    "dequantization-share",
    "dequantization-share-cautious",
    "error-high-full",
    "error-high-lora",
    "error-high-qlora",
    "error-low-full",
    "error-low-lora",
    "error-low-qlora",
    "extra-checkpoint-copies-sharded-adapter",
    "host-bytes-per-parameter",
    "launch-seconds-per-layer",
    "link-share-cautious",
    "logits-bytes-fused",
    "logits-bytes-stock",
    "overhead-gib-one-gpu",
    "overhead-gib-several-gpus",
    "quantization-constant-bytes-gptq",
    "quantization-constant-bytes-nf4",
    "quantization-constant-bytes-nf4-dq",
    "zero-bucket-elements",
)
"""Every constant that some plan calls for, and no other."""

NATURES = {
    "full": ("all", "fine-tuning"),
    "lora": ("adapters", "fine-tuning"),
    "qlora": ("adapters", "fine-tuning"),
    "pretrain": ("all", "pretraining"),
}
"""What each method trains, and what for."""


@rule("constants-known")
def constants_known(reading: Reading) -> Iterator[Found]:
    """Every constant of the estimate is there, and there is no other."""
    for entry in reading.of("constants"):
        there = cast("Constants", entry.record).constants
        for name in REQUIRED_CONSTANTS:
            if name not in there:
                yield Found(
                    entry, "constants", f"expected the constant `{name}`, found none", did_you_mean(name, there)
                )
        for name in there:
            if name not in REQUIRED_CONSTANTS:
                hint = did_you_mean(name, REQUIRED_CONSTANTS)
                message = f"expected a constant that the estimate uses, found `{name}`"
                yield Found(entry, f"constants.{name}", message, hint)


@rule("method-nature")
def method_nature(reading: Reading) -> Iterator[Found]:
    """A method trains what its id says."""
    for entry in reading.of("method"):
        method = cast("Method", entry.record)
        trains, goal = NATURES.get(entry.id, (method.trains, method.goal))
        for field, expected, found in (("trains", trains, method.trains), ("goal", goal, method.goal)):
            if found != expected:
                yield Found(entry, field, f"expected `{expected}` for method {entry.id}, found `{found}`")


@rule("recipe-runs")
def recipe_runs(reading: Reading) -> Iterator[Found]:
    """The settings of every recipe make a plan on several GPUs."""
    for entry in reading.of("method"):
        for index, recipe in enumerate(cast("Method", entry.record).ladder):
            for field, message in contradictions(entry.id, recipe.settings):
                yield Found(entry, f"ladder.{index}.settings.{field}", message)


def contradictions(method: str, settings: Settings) -> Iterator[tuple[str, str]]:
    """Field and message of each setting that a plan of this method refuses on several GPUs."""
    if method != "qlora" and settings.quant != "none":
        yield "quant", f"expected `none` for method {method}, found `{settings.quant}`"
    if method == "qlora" and settings.quant == "none":
        yield "quant", "expected `nf4` or `nf4-dq` for method qlora, found `none`"
    if method in ("lora", "qlora") and settings.cpu_offload != "none":
        yield "cpu_offload", f"expected `none` for method {method}, found `{settings.cpu_offload}`"
    if settings.sharding == "none":
        yield "sharding", "expected `ddp`, `fsdp1`, `fsdp2` or `zero3` for several GPUs, found `none`"
