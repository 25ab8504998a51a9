"""Writes down what a run took: peak memory per GPU and tokens per second, as a row of data/measurements/.

The other files hook it into the trainer. With a trainer of your own: `callbacks=[MeasureCallback()]`; with a loop of
your own: `start()` before it and `finish(tokens, seconds)` after it. After `watch()` a run that ends for want of memory
leaves a row too. What is known beforehand comes from trainfit.json.
"""

from __future__ import annotations

import csv
import json
import os
import sys
import time
from pathlib import Path

import torch

try:
    from transformers import TrainerCallback
except ImportError:  # torchtitan does without transformers
    TrainerCallback = object

HERE = Path(__file__).resolve().parent
RECORD = json.loads((HERE / "trainfit.json").read_text(encoding="utf-8"))
GIB = 1 << 30
WARM_UP_STEPS = 2
"""Steps that are not timed: compilation and the first allocations."""
TRL = ("trl", "deepspeed")
OUT_OF_MEMORY = ("out of memory", "CUDA_ERROR_OUT_OF_MEMORY")


def is_main() -> bool:
    """Whether this process writes for all of them."""
    return int(os.environ.get("RANK", "0")) == 0


class Peak:
    """The largest peak so far, for trainers that set the counter of PyTorch back while they run."""

    gib = 0.0


def start() -> None:
    """Forgets peaks of before."""
    Peak.gib = 0.0
    if torch.cuda.is_available():
        torch.cuda.reset_peak_memory_stats()


def note_peak() -> None:
    """Keeps the peak of this GPU, before somebody sets the counter back."""
    if torch.cuda.is_available():
        Peak.gib = max(Peak.gib, torch.cuda.max_memory_allocated() / GIB)


def peak_gib() -> float | None:
    """The largest peak of the allocator on any GPU of the run; none without a GPU."""
    if not torch.cuda.is_available():
        return None
    note_peak()
    peak = torch.tensor([Peak.gib], dtype=torch.float64, device="cuda")
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        torch.distributed.all_reduce(peak, op=torch.distributed.ReduceOp.MAX)
    return float(peak.item())


def finish(tokens: int, seconds: float, settings: dict[str, str] | None = None) -> dict[str, str]:
    """Writes measurement.csv and measurement.json beside this file and returns the row.

    `tokens` are those of one GPU. `settings` says in what the run differed from trainfit.json.
    """
    speed = tokens / seconds if seconds > 0 else None
    return _write("finished", peak_gib(), speed, settings or {})


def watch() -> None:
    """From here on an error that nobody catches is looked at before Python prints it."""
    print_error = sys.excepthook

    def look(kind, error, where):
        note_failure(error)
        print_error(kind, error, where)

    sys.excepthook = look


def note_failure(error: BaseException) -> None:
    """A run that ran out of memory is a measurement too; any other error is not. Any process writes it down."""
    if any(sign in str(error) for sign in OUT_OF_MEMORY) or type(error).__name__ == "OutOfMemoryError":
        _write("failed", None, None, {})


def _write(outcome: str, peak: float | None, speed: float | None, settings: dict[str, str]) -> dict[str, str]:
    row = {**RECORD["row"], **{name: value for name, value in settings.items() if name in RECORD["row"]}}
    row["outcome"] = outcome
    read = {"reading": "max-allocated", "peak": f"{peak:.3f}", "unit": "GiB"} if peak is not None else {}
    read |= {"tokens_per_sec_per_gpu": f"{speed:.1f}"} if speed is not None else {}
    row |= {name: value for name, value in read.items() if name in row}
    if outcome == "finished" and not is_main():
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
    if outcome == "failed":
        print(messages["launch.measure.failed"], file=sys.stderr)
    elif peak is None:
        print(messages["launch.measure.no_gpu"], file=sys.stderr)
    else:
        sizes = {"peak": peak, "low": expected["low"], "high": expected["high"]}
        comma = "," if RECORD["language"] == "ru" else "."
        shown = {name: f"{gib:.1f}".replace(".", comma) for name, gib in sizes.items()}
        print(messages["launch.measure.done"].format(**shown), file=sys.stderr)
    return row


def wait() -> None:
    """Until the GPU has done what it was given: only then a clock says what it took."""
    if torch.cuda.is_available():
        torch.cuda.synchronize()


class MeasureCallback(TrainerCallback):
    """Measures a run of transformers' Trainer, without the time that saving takes."""

    def __init__(self) -> None:
        self._since: float | None = None
        self._until = self._saving = 0.0
        self._first = self._last = 0

    def on_train_begin(self, args, state, control, **kwargs):  # noqa: ARG002, D102
        start()

    def on_step_end(self, args, state, control, **kwargs):  # noqa: ARG002, D102
        begins = self._since is None and state.global_step >= WARM_UP_STEPS
        if begins or state.global_step == state.max_steps:
            wait()
        self._until, self._last = time.monotonic(), state.global_step
        if begins:
            self._since, self._first = self._until, self._last

    def on_save(self, args, state, control, **kwargs):  # noqa: ARG002, D102
        if self._since is not None and state.global_step < state.max_steps:
            self._saving += time.monotonic() - self._until

    def on_train_end(self, args, state, control, **kwargs):  # noqa: ARG002, D102
        steps = self._last - self._first if self._since is not None else 0
        seconds = self._until - self._since - self._saving if self._since is not None else 0.0
        tokens = steps * args.per_device_train_batch_size * args.gradient_accumulation_steps * seq_len(args)
        finish(tokens, seconds, run_settings(args))


def run_settings(args) -> dict[str, str]:
    """Settings that may have been given on the command line, as they were.

    Context and checkpointing are those of TRL's arguments alone: other trainers keep them elsewhere.
    """
    found = {
        "micro_batch": f"{args.per_device_train_batch_size}",
        "grad_accum": f"{args.gradient_accumulation_steps}",
        "n_gpus": f"{args.world_size}",
    }
    if RECORD["framework"] in TRL:
        found |= {"seq_len": f"{seq_len(args)}", "grad_checkpointing": "y" if args.gradient_checkpointing else "n"}
    return found


def seq_len(args) -> int:
    """Context of the run."""
    given = getattr(args, "max_length", None) if RECORD["framework"] in TRL else None
    return given or RECORD["settings"]["seq_len"]
