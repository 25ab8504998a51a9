"""`trainfit fit`: the verdicts of a rig in the terminal."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence

from generator.architecture import count_parameters
from generator.catalog import Catalog, load_catalog
from generator.commands.outcome import Outcome, Subparsers, UsageError, data_dir_of, positive_int, positive_number
from generator.commands.tables import gib, table
from generator.errors import UnknownIdError
from generator.estimate import Estimate
from generator.units import billions
from generator.verdict import RigReport, Setup, Verdict, ad_hoc_rig, judge_setup, setup_of
from generator.verdict.results import Improvement, Reason, Rung
from generator.views.api import rig_file

SIGNS = {"comfortable": "●", "borderline": "◐", "not-recommended": "○", "unknown": "?"}


def add(subparsers: Subparsers, parents: Sequence[argparse.ArgumentParser]) -> None:
    """Adds the command to the command line."""
    parser = subparsers.add_parser(
        "fit",
        parents=parents,
        help="the verdicts of a rig",
        description="Which models can be trained on a rig of the catalogue, or on N cards of one kind, and how.",
    )
    parser.add_argument("--rig", metavar="ID", help="a rig of the catalogue")
    parser.add_argument("--gpu", metavar="ID", help="a GPU of the catalogue; goes with --count")
    parser.add_argument("--count", metavar="N", type=positive_int, help="number of GPUs")
    parser.add_argument("--host-memory-gib", metavar="GIB", type=positive_number, help="host memory, with --gpu")
    parser.add_argument(
        "--bus-gb-per-s", metavar="GB", type=positive_number, help="collective bandwidth per GPU, with --gpu"
    )
    parser.add_argument("--model", metavar="ID", help="one model in detail")
    parser.add_argument("--format", choices=("text", "json"), default="text")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> Outcome:
    """The capability of the machine as text or JSON."""
    for option in ("rig", "gpu", "model"):
        if getattr(arguments, option) is not None and not getattr(arguments, option).strip():
            raise UsageError(f"argument --{option}: expected an id, found empty text")
    by_card = arguments.gpu is not None and arguments.count is not None
    if (arguments.rig is None) == (not by_card) or (arguments.rig and (arguments.gpu or arguments.count)):
        raise UsageError("expected either --rig ID, or --gpu ID and --count N")
    if arguments.rig and (arguments.host_memory_gib or arguments.bus_gb_per_s):
        raise UsageError("--host-memory-gib and --bus-gb-per-s go with --gpu")
    catalog = load_catalog(data_dir_of(arguments))
    setup = (
        setup_of(catalog, _rig(catalog, arguments.rig))
        if arguments.rig
        else ad_hoc_rig(catalog, arguments.gpu, arguments.count, arguments.host_memory_gib, arguments.bus_gb_per_s)
    )
    model = catalog.resolve_model(arguments.model) if arguments.model else None
    report = judge_setup(catalog, setup)
    if arguments.format == "json":
        content = rig_file(catalog, report, model).model_dump(mode="json")
        return Outcome(json.dumps(content, ensure_ascii=False, indent=2) + "\n")
    return Outcome(heading(catalog, setup) + (detail(catalog, report, model) if model else overview(catalog, report)))


def _rig(catalog: Catalog, name: str) -> str:
    """Id of the rig; raises UnknownIdError, with all rigs where none resembles it."""
    try:
        return catalog.resolve_rig(name)
    except UnknownIdError as error:
        raise UnknownIdError(error.kind, error.value, error.suggestions or tuple(catalog.rigs)) from error


def heading(catalog: Catalog, setup: Setup) -> str:
    """The machine in one line, and what it is judged by."""
    gpu = catalog.gpus[setup.gpu]
    usable = gpu.framework_visible_gib.of(setup.ecc).value
    host = f"{setup.host_memory_gib:g} GiB of host memory" if setup.host_memory_gib else "host memory not stated"
    link = f"{setup.bus_gb_per_s:g} GB/s per GPU" if setup.bus_gb_per_s else "link not stated"
    workload = catalog.policy.workload
    return (
        f"{setup.name}: {setup.count}× {gpu.name}, {usable:g} GiB usable each (ECC {setup.ecc}), {host}, {link}\n"
        f"{workload.seq_len.value:g} tokens × micro-batch {workload.micro_batch.value:g}, LoRA rank "
        f"{workload.lora_rank.value:g}. {legend()}\n\n"
    )


def legend() -> str:
    """Signs and words of the verdicts."""
    return ", ".join(f"{sign} {word.replace('-', ' ')}" for word, sign in SIGNS.items())


def overview(catalog: Catalog, report: RigReport) -> str:
    """A line for each model, then pretraining by size."""
    methods = list(catalog.methods)
    rows = [["model", "parameters", *methods, "recommended", "why unknown"]]
    for model, recommendation in report.recommended.items():
        parameters = billions(count_parameters(catalog.models[model].architecture.shape()).total)
        cells = [_cell(report.verdicts[model, method]) for method in methods]
        modes = ", ".join(f"{SIGNS[mode.verdict]} {mode.method}" for mode in recommendation.modes) or "–"
        rows.append([model, f"{parameters:.2f}B", *cells, modes, _unknown(catalog, report, model)])
    if not any(row[-1] for row in rows[1:]):
        rows = [row[:-1] for row in rows]
    text = table(rows, right=(1,))
    if report.pretraining:
        sizes = (f"{size:g}B {SIGNS[verdict.verdict]}" for size, verdict in report.pretraining.items())
        text += f"\npretraining by size: {', '.join(sizes)}\n"
    return text


def _unknown(catalog: Catalog, report: RigReport, model: str) -> str:
    """Why methods of a model have no verdict, in words; empty where each has one."""
    methods = [method for method in catalog.methods if report.verdicts[model, method].verdict == "unknown"]
    if not methods:
        return ""
    reason = why_unknown(catalog, model)
    return reason if len(methods) == len(catalog.methods) else f"{', '.join(methods)}: {reason}"


def why_unknown(catalog: Catalog, model: str) -> str:
    """What a verdict on a model lacks: layers that the memory model does not know, or a recipe for the machine."""
    features = catalog.models[model].architecture.shape().unmodelled
    if features:
        return f"the memory model lacks {', '.join(feature.replace('-', ' ') for feature in features)}"
    return "no recipe is meant for such a machine"


def _cell(verdict: Verdict) -> str:
    rung = verdict.rung
    return f"{SIGNS[verdict.verdict]} {rung.estimate.ratio:.2f}" if rung else SIGNS[verdict.verdict]


def detail(catalog: Catalog, report: RigReport, model: str) -> str:
    """Every method of one model with its recipes and reasons."""
    unknown = why_unknown(catalog, model)
    verdicts = (report.verdicts[model, method] for method in catalog.methods)
    return "\n".join("".join(f"{line}\n" for line in _method(verdict, unknown)) for verdict in verdicts)


def _method(verdict: Verdict, unknown: str) -> Iterator[str]:
    because = f"; {unknown}" if verdict.verdict == "unknown" else ""
    yield f"{SIGNS[verdict.verdict]} {verdict.method}: {verdict.verdict.replace('-', ' ')}{because}"
    for index, rung in enumerate(verdict.rungs):
        mark = "→" if index == verdict.chosen else " "
        yield f"  {mark} {rung.recipe}: {rung.verdict.replace('-', ' ')}; {_numbers(rung)}"
        for reason in rung.reasons:
            yield f"      {_reason(reason)}"
    if verdict.max_seq_len:
        yield f"  longest context that fits: {verdict.max_seq_len:,} tokens"
    for improvement in verdict.improvements:
        yield f"  would be {improvement.verdict.replace('-', ' ')} with {_improvement(improvement)}"


def _numbers(rung: Rung) -> str:
    result = rung.estimate
    return (
        f"peak {gib(result.peak_gib.expected)} at {result.peak_phase}, r = {result.ratio:.3f}, "
        f"headroom {gib(result.headroom_gib)}, {_speed(result)}"
    )


def _speed(result: Estimate) -> str:
    speed = result.tokens_per_sec_per_gpu
    return f"{speed.expected:,.0f} tokens/s per GPU" if speed else "speed not modelled"


def _reason(reason: Reason) -> str:
    values = ", ".join(f"{name} {value:.4g}" for name, value in reason.values.items())
    return f"{reason.id}: {values}" if values else reason.id


def _improvement(improvement: Improvement) -> str:
    return {
        "more-gpus": f"{improvement.value:g} GPUs",
        "fewer-gpus": f"only {improvement.value:g} of the GPUs",
        "shorter-context": f"{improvement.value:g} tokens of context",
        "ecc-off": f"ECC off ({gib(improvement.value)} usable)",
    }[improvement.kind]
