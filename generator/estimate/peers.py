"""Formulas that others publish, worked out again on the settings of the measured runs.

Each is taken from its own public file and given the exact number of parameters. A formula that knows no sharding is
divided by the number of GPUs that shard, in its favour. None speaks of every method: where a formula says nothing of a
run, it is not scored on it.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from generator.architecture import ParameterCounts, count_parameters
from generator.estimate.accuracy import LOW, Comparison, finished, percentile
from generator.estimate.plan import Plan
from generator.units import bytes_from_gb, gib_from_bytes

BUCKET_ELEMENTS = 5e8
LIVE_ELEMENTS = 1e9
"""Defaults of DeepSpeed that calc_transformer_mem.py takes over."""

Formula = Callable[[Plan, ParameterCounts], float | None]
"""Bytes per GPU; None where the formula says nothing of such a run."""


@dataclass(frozen=True, slots=True)
class PeerScore:
    """How far a published formula is off on the runs that it speaks of, and ours on the same runs."""

    peer: str
    method: str
    runs: int
    median: float
    median_absolute: float
    ninetieth_percentile: float
    too_low: int
    own_median_absolute: float
    """Ours on the same runs."""


def _shards(plan: Plan) -> int:
    return plan.n_gpus if plan.sharded else 1


def _mixed_full(plan: Plan) -> bool:
    return plan.method in ("full", "pretrain") and plan.precision == "bf16-mixed" and plan.optimizer == "adamw"


def zero_paper(plan: Plan, counts: ParameterCounts) -> float | None:
    """16 bytes per parameter, divided by the number of GPUs (ZeRO, section 3.1)."""
    return 16 * counts.total / _shards(plan) if _mixed_full(plan) else None


def ml_engineering(plan: Plan, counts: ParameterCounts) -> float | None:
    """18 bytes per parameter and activations; with checkpointing at least the inputs of the blocks."""
    if not _mixed_full(plan) or not plan.grad_checkpointing:
        return None
    return 18 * counts.total / _shards(plan) + 2 * plan.shape.hidden * plan.shape.layers * plan.tokens


def deepspeed_zero3(plan: Plan, counts: ParameterCounts) -> float | None:
    """estimate_zero3_model_states_mem_needs: 4 × largest layer + 18 × parameters ÷ GPUs."""
    if not _mixed_full(plan) or not plan.sharded:
        return None
    largest = max(counts.embedding, *(group.largest_matrix for group in counts.groups))
    return 4 * largest + 18 * counts.total / plan.n_gpus


def llama_factory(plan: Plan, counts: ParameterCounts) -> float | None:
    """The table of its README: 18x, 8x, 2x, x or x/2 GB for x billion parameters."""
    x_bytes = bytes_from_gb(counts.total / 1e9)
    if plan.method in ("full", "pretrain"):
        per_billion = 8.0 if plan.precision.endswith("pure") else 18.0
    elif plan.method == "lora":
        per_billion = 2.0
    else:
        per_billion = 1.0 if plan.quant == "int8" else 0.5
    return per_billion * x_bytes / _shards(plan)


def accelerate(plan: Plan, counts: ParameterCounts) -> float | None:
    """estimate-memory, training with Adam: four times the size of the weights in their type."""
    if plan.method not in ("full", "pretrain"):
        return None
    return 4 * (4 if plan.precision == "fp32" else 2) * counts.total / _shards(plan)


def eleuther(plan: Plan, counts: ParameterCounts) -> float | None:
    """calc_transformer_mem.py: 2 + 4 + 12 bytes per parameter, 34 bytes of activations, buffers of DeepSpeed."""
    if not _mixed_full(plan):
        return None
    shards, shape = _shards(plan), plan.shape
    buffers = 2 * (BUCKET_ELEMENTS + LIVE_ELEMENTS) if shards > 1 else 0.0
    per_token = 34.0
    if not plan.grad_checkpointing:
        per_token += 5 * shape.heads * plan.seq_len / shape.hidden
    return 18 * counts.total / shards + buffers + per_token * plan.tokens * shape.hidden * shape.layers


PEERS: Mapping[str, Formula] = {
    "zero-paper": zero_paper,
    "ml-engineering": ml_engineering,
    "deepspeed": deepspeed_zero3,
    "llama-factory": llama_factory,
    "accelerate": accelerate,
    "eleuther": eleuther,
}


def peer_scores(comparisons: Sequence[Comparison]) -> tuple[PeerScore, ...]:
    """Errors of each formula by method, over the readings of PyTorch's allocator."""
    groups: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for each, own in finished(comparisons):
        if each.measurement.reading != "max-allocated":
            continue
        counts = count_parameters(each.plan.shape)
        for peer, formula in PEERS.items():
            found = formula(each.plan, counts)
            if found is not None:
                error = gib_from_bytes(found) / (each.measurement.peak_gib or 1.0) - 1
                groups.setdefault((peer, each.measurement.method), []).append((error, own))
    order = list(PEERS)
    return tuple(_score(*key, groups[key]) for key in sorted(groups, key=lambda key: (key[1], order.index(key[0]))))


def _score(peer: str, method: str, pairs: Sequence[tuple[float, float]]) -> PeerScore:
    errors = [error for error, _ in pairs]
    absolute = sorted(abs(error) for error in errors)
    return PeerScore(
        peer=peer,
        method=method,
        runs=len(errors),
        median=statistics.median(errors),
        median_absolute=statistics.median(absolute),
        ninetieth_percentile=percentile(absolute, 0.9),
        too_low=sum(error < LOW for error in errors),
        own_median_absolute=statistics.median([abs(own) for _, own in pairs]),
    )
