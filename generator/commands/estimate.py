"""`trainfit estimate` and `trainfit explain`: memory and time of one training plan, or of many."""

from __future__ import annotations

import argparse
import dataclasses
import json
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from generator.catalog import Catalog, load_catalog
from generator.commands.cases import run_cases
from generator.commands.outcome import Outcome, Subparsers, UsageError, data_dir_of
from generator.commands.plans import COLUMNS, plan_of
from generator.commands.sources_used import explained, sources_of
from generator.commands.tables import gib, quantity, table
from generator.errors import PlanError
from generator.estimate import Band, Estimate, Plan, estimate

DEFAULTS = """\
What is left out: without --precision, --optimizer and --sharding, the first recipe of the method's ladder, from which
verdicts start; with one of them, what PyTorch and its libraries do by themselves (foreach optimizer, embedding and head
in the root unit, no fused loss). Workload and ECC are those of data/policy.yml. The link is that of a rig in data/rigs
with the same cards; without one it is not counted.
"""

RENAMED = {"n_gpus": "--count", "model": "--model"}
"""Options that are not called like their column."""


def add(subparsers: Subparsers, parents: Sequence[argparse.ArgumentParser]) -> None:
    """Adds the commands to the command line."""
    parser = subparsers.add_parser(
        "estimate",
        parents=parents,
        help="memory and time of one training plan, or of a table of them",
        description="Estimates peak memory and speed of a training run.",
        epilog=DEFAULTS,
    )
    _add_plan(parser)
    parser.add_argument("--cases", metavar="IN.csv", type=Path, help="estimate every row of a table instead")
    parser.add_argument("--out", metavar="OUT.csv", type=Path, help="where to write the rows with their results")
    parser.set_defaults(run=run_estimate)
    parser = subparsers.add_parser(
        "explain",
        parents=parents,
        help="the same, term by term: formula, inputs, sources",
        description="Shows every quantity of an estimate with its formula, its inputs and where they come from.",
        epilog=DEFAULTS,
    )
    _add_plan(parser)
    parser.set_defaults(run=run_explain)


def _add_plan(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("plan")
    for column, meaning in COLUMNS.items():
        group.add_argument(_option(column), dest=column, metavar="VALUE", help=meaning)
    parser.add_argument("--format", choices=("text", "json"), default="text")


def run_estimate(arguments: argparse.Namespace) -> Outcome:
    """One estimate as text or JSON, or a table of them."""
    if arguments.cases is None:
        if arguments.out is not None:
            raise UsageError("--out goes with --cases")
        catalog, result = _one(arguments)
        return Outcome(_json(catalog, result) if arguments.format == "json" else as_text(result))
    if arguments.format != "text":
        raise UsageError(f"--cases writes CSV; --format {arguments.format} goes with a single plan")
    given = [_option(column) for column in COLUMNS if getattr(arguments, column)]
    if given:
        raise UsageError(f"--cases takes the plan from its rows, not from {', '.join(given)}")
    return Outcome(run_cases(load_catalog(data_dir_of(arguments)), arguments.cases, arguments.out))


def run_explain(arguments: argparse.Namespace) -> Outcome:
    """Every quantity of one estimate."""
    catalog, result = _one(arguments)
    if arguments.format == "json":
        content = as_json(catalog, result) | {"quantities": list(explained(catalog, result))}
        return Outcome(json.dumps(content, ensure_ascii=False, indent=2) + "\n")
    return Outcome(as_text(result) + "\n" + "".join(f"{line}\n" for line in explanation(catalog, result)))


def _one(arguments: argparse.Namespace) -> tuple[Catalog, Estimate]:
    missing = [name for name in ("gpu", "n_gpus") if not getattr(arguments, name)]
    if not (arguments.model or arguments.model_config or arguments.params_b):
        missing.insert(0, "model")
    if missing:
        options = ", ".join(RENAMED.get(name, f"--{name}") for name in missing)
        raise UsageError(f"the following options are required: {options}")
    catalog = load_catalog(data_dir_of(arguments))
    case = {column: value for column in COLUMNS if (value := getattr(arguments, column)) is not None}
    try:
        return catalog, estimate(catalog, plan_of(catalog, case))
    except PlanError as error:
        column, colon, wrong = str(error).partition(": ")
        if colon and column in case:
            raise UsageError(f"argument {_option(column)}: {wrong}") from error
        raise


def _option(column: str) -> str:
    return RENAMED.get(column, f"--{column.replace('_', '-')}")


def settings_of(plan: Plan) -> dict[str, Any]:
    """The plan without its shape, by column."""
    return {field.name: getattr(plan, field.name) for field in dataclasses.fields(plan) if field.name != "shape"}


def as_text(result: Estimate) -> str:
    """The estimate for a terminal."""
    plan, speed = result.plan, result.tokens_per_sec_per_gpu
    lines = [
        f"{plan.model}: {plan.method} on {plan.n_gpus}× {plan.gpu}, ECC {plan.ecc}",
        ", ".join(f"{name} {_shown(value)}" for name, value in _told(plan)),
        "",
        f"parameters  {result.parameters_total:,}, trained {result.parameters_trainable:,}",
        f"peak        {gib(result.peak_gib.expected)} per GPU ({_band(result.peak_gib, 2)}), at {result.peak_phase}",
        f"usable      {gib(result.usable_gib)} of {gib(result.device_gib)}",
        f"overhead    {gib(result.overhead_gib)} outside the allocator",
        f"fits        {result.fits}: {result.ratio:.1%} of the usable memory, headroom {gib(result.headroom_gib)}",
        f"speed       {speed.expected:,.0f} tokens/s per GPU ({_band(speed, 0)}), limited by {result.bound}"
        if speed
        else "speed       not modelled with CPU offload",
    ]
    if result.break_even_tokens and speed:
        lines.append(f"link        not the limit from {result.break_even_tokens:,.0f} tokens per GPU on")
    if result.host_ram_gib:
        lines.append(f"host        {gib(result.host_ram_gib)} of memory for offloaded states")
    if result.host_loading_gib:
        lines.append(f"host        {gib(result.host_loading_gib)} of memory while it loads")
    return "\n".join([*lines, "", _phases(result)])


def _told(plan: Plan) -> Iterator[tuple[str, Any]]:
    untold = {"model", "gpu", "n_gpus", "method", "ecc"} | (
        set() if plan.trains_adapters else {"lora_rank", "lora_targets", "adapter_dtype", "quant"}
    )
    for name, value in settings_of(plan).items():
        if name not in untold and value is not None:
            yield name, value


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "y" if value else "n"
    return "+".join(value) if isinstance(value, tuple) else f"{value}"


def _band(band: Band, digits: int) -> str:
    return f"{band.low:,.{digits}f} to {band.high:,.{digits}f}"


def _phases(result: Estimate) -> str:
    """GiB by phase and term, a column for each phase."""
    phases = list(result.phases_gib)
    terms = list(dict.fromkeys(term for phase in phases for term in result.phases_gib[phase]))
    rows = [["GiB", *phases]]
    for term in terms:
        values = [result.phases_gib[phase].get(term) for phase in phases]
        rows.append([term, *("" if value is None else f"{value:.3f}" for value in values)])
    rows.append(["total", *(f"{sum(result.phases_gib[phase].values()):.3f}" for phase in phases)])
    return table(rows, right=range(1, len(phases) + 1))


def as_json(catalog: Catalog, result: Estimate) -> dict[str, Any]:
    """The fields of the contract."""
    speed = result.tokens_per_sec_per_gpu
    return {
        "plan": settings_of(result.plan),
        "params_total": result.parameters_total,
        "params_trainable": result.parameters_trainable,
        "peak_gib": dataclasses.asdict(result.peak_gib),
        "peak_phase": result.peak_phase,
        "usable_gib": result.usable_gib,
        "fits": result.fits,
        "host_ram_gib": result.host_ram_gib,
        "tokens_per_sec_per_gpu": speed.expected if speed else None,
        "tokens_per_sec_per_gpu_band": dataclasses.asdict(speed) if speed else None,
        "ratio": result.ratio,
        "headroom_gib": result.headroom_gib,
        "overhead_gib": result.overhead_gib,
        "bound": result.bound,
        "break_even_tokens": result.break_even_tokens,
        "breakdown": {phase: dict(terms) for phase, terms in result.phases_gib.items()},
        "assumptions": list(result.assumptions),
        "sources": sources_of(catalog, result),
        "data_date": catalog.data_date.isoformat(),
    }


def _json(catalog: Catalog, result: Estimate) -> str:
    return json.dumps(as_json(catalog, result), ensure_ascii=False, indent=2) + "\n"


READING = (
    "How to read: where(a, b, c) is b where a is not 0 and c where it is; largest and smallest choose among their "
    "arguments, ceil rounds up. Inputs are as the formulas take them: a choice of the plan is 1 or 0."
)


def explanation(catalog: Catalog, result: Estimate) -> Iterator[str]:
    """How to read it, quantities in the order of their computation, then the sources."""
    yield READING
    parts = groupby(explained(catalog, result), key=lambda each: each["kind"])
    for kind, members in parts:
        yield ""
        yield "Steps" if kind == "step" else f"Inputs from the {kind}"
        yield from _told_apart(tuple(members), step=kind == "step")
    yield ""
    yield "Sources"
    for source in sources_of(catalog, result):
        yield f"  {source['id']}: {source['title']}, {source['publisher']}. {source['url'] or source['package']}"


def _told_apart(members: Sequence[dict[str, Any]], *, step: bool) -> Iterator[str]:
    """Quantities one by one, those of a model with their source once; inputs that are 0 in one line."""
    before: list[str] = []
    zero = [each["name"] for each in members if not step and not each["value"]]
    for each in members:
        if each["name"] in zero:
            continue
        formula = f" = {each['formula']}" if each["formula"] else ""
        yield f"  {each['name']}{formula} = {quantity(each['value'], each['unit'])}"
        if each["inputs"]:
            inputs = ", ".join(f"{name} = {quantity(value, '')}" for name, value in each["inputs"].items())
            yield f"      with {inputs}"
        if each["reason"]:
            yield f"      {each['reason']}"
        if each["sources"] and (each["kind"] != "model" or each["sources"] != before):
            yield f"      sources: {', '.join(each['sources'])}"
        before = each["sources"]
    if zero:
        yield f"  0: {', '.join(zero)}"
