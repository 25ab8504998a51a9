"""Writes down what a run took: peak memory per GPU and tokens per second, as a row of data/measurements/.

train.py hooks it into the trainer. With another trainer: `callbacks=[MeasureCallback()]`; with a loop of your own:
`start()` before it and `finish(tokens, seconds)` after it. What is known beforehand comes from trainfit.json.
"""

from __future__ import annotations

import csv
import json
import os
import sys
import time
from pathlib import Path

import torch
from transformers import TrainerCallback

HERE = Path(__file__).resolve().parent
RECORD = json.loads((HERE / "trainfit.json").read_text(encoding="utf-8"))
GIB = 1 << 30
WARM_UP_STEPS = 2
"""Steps that are not timed: compilation and the first allocations."""
OUT_OF_MEMORY = ("out of memory", "CUDA_ERROR_OUT_OF_MEMORY")


def is_main() -> bool:
    """Whether this process writes for all of them."""
    return int(os.environ.get("RANK", "0")) == 0


def start() -> None:
    """Forgets peaks of before."""
    if torch.cuda.is_available():
        torch.cuda.reset_peak_memory_stats()


def peak_gib() -> float | None:
    """The largest peak of the allocator on any GPU of the run; none without a GPU."""
    if not torch.cuda.is_available():
        return None
    peak = torch.tensor([torch.cuda.max_memory_allocated() / GIB], dtype=torch.float64, device="cuda")
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        torch.distributed.all_reduce(peak, op=torch.distributed.ReduceOp.MAX)
    return float(peak.item())


def finish(tokens: int, seconds: float, settings: dict[str, str] | None = None) -> dict[str, str]:
    """Writes measurement.csv and measurement.json beside this file and returns the row.

    `tokens` are those of one GPU. `settings` says in what the run differed from trainfit.json.
    """
    speed = tokens / seconds if seconds > 0 else None
    return _write("finished", peak_gib(), speed, settings or {})


def note_failure(error: BaseException) -> None:
    """A run that ran out of memory is a measurement too; any other error is not."""
    if any(sign in str(error) for sign in OUT_OF_MEMORY) or type(error).__name__ == "OutOfMemoryError":
        _write("failed", None, None, {})


def _write(outcome: str, peak: float | None, speed: float | None, settings: dict[str, str]) -> dict[str, str]:
    row = {**RECORD["row"], **{name: value for name, value in settings.items() if name in RECORD["row"]}}
    row["outcome"] = outcome
    read = {"reading": "max-allocated", "peak": f"{peak:.3f}", "unit": "GiB"} if peak is not None else {}
    read |= {"tokens_per_sec_per_gpu": f"{speed:.1f}"} if speed is not None else {}
    row |= {name: value for name, value in read.items() if name in row}
    if not is_main():
        return row
    with (HERE / "measurement.csv").open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(row), lineterminator="\n")
        table.writeheader()
        table.writerow(row)
    found = {"row": row, "expected": RECORD["expected"], "tokens_per_sec_per_gpu": speed, "torch": torch.__version__}
    text = json.dumps(found, ensure_ascii=False, indent=1) + "\n"
    (HERE / "measurement.json").write_text(text, encoding="utf-8")
    expected = RECORD["expected"]["peak_gib"]
    messages = RECORD["messages"]
    if peak is None:
        print(messages["launch.measure.no_gpu"], file=sys.stderr)
    else:
        shown = {"peak": f"{peak:.1f}", "low": f"{expected['low']:.1f}", "high": f"{expected['high']:.1f}"}
        print(messages["launch.measure.done"].format(**shown), file=sys.stderr)
    return row


class MeasureCallback(TrainerCallback):
    """Measures a run of transformers' Trainer."""

    def __init__(self) -> None:
        self._since: float | None = None
        self._first = 0

    def on_train_begin(self, args, state, control, **kwargs):  # noqa: ARG002, D102
        start()

    def on_step_end(self, args, state, control, **kwargs):  # noqa: ARG002, D102
        if self._since is None and state.global_step >= WARM_UP_STEPS:
            self._since, self._first = time.monotonic(), state.global_step

    def on_train_end(self, args, state, control, **kwargs):  # noqa: ARG002, D102
        length = getattr(args, "max_length", None) or RECORD["settings"]["seq_len"]
        steps = state.global_step - self._first if self._since is not None else 0
        tokens = steps * args.per_device_train_batch_size * args.gradient_accumulation_steps * length
        finish(tokens, time.monotonic() - self._since if self._since is not None else 0.0, run_settings(args))


def run_settings(args) -> dict[str, str]:
    """Settings that may have been given on the command line, as they were."""
    return {
        "seq_len": f"{getattr(args, 'max_length', None) or RECORD['settings']['seq_len']}",
        "micro_batch": f"{args.per_device_train_batch_size}",
        "grad_accum": f"{args.gradient_accumulation_steps}",
        "grad_checkpointing": "y" if args.gradient_checkpointing else "n",
        "n_gpus": f"{args.world_size}",
    }
