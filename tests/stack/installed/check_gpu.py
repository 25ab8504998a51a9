"""On a machine with a GPU: a whole model trains by its generated files, and its row is compared with the estimate.

The model has random weights, so that nothing is downloaded; memory does not depend on them. The estimate of the speed
is for another card, so that the row has only to have one. `make test-stack` runs this by itself, with the GPUs that it
hides from the rest.
"""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from comparison import complaints
from conftest import NO_GPU, about
from training import made, train

STEPS = 6
ROWS = 3000
"""Lines of the data: enough for all steps at the context of the plan."""


def test_the_peak_is_the_one_that_was_estimated(measured: Path, tmp_path: Path) -> None:
    if not torch.cuda.is_available():
        pytest.skip(NO_GPU)
    facts, record = about(measured), json.loads((measured / "trainfit.json").read_text(encoding="utf-8"))
    visible = torch.cuda.get_device_properties(0).total_memory / (1 << 30)
    needed = record["expected"]["peak_gib"]["high"] + record["expected"]["overhead_gib"]
    if needed > visible:
        pytest.skip(f"{NO_GPU} that holds {needed:.0f} GiB: {torch.cuda.get_device_name(0)} has {visible:.0f}")
    if record["settings"]["precision"] != "fp32" and not torch.cuda.is_bf16_supported(including_emulation=False):
        pytest.skip(f"{NO_GPU} that computes in bf16: {torch.cuda.get_device_name(0)} does not")
    model = made(tmp_path / "model", facts["model_type"], facts["config"], rows=ROWS)
    # Nothing of the plan is changed: the model, the data and the number of steps are no part of it.
    train(measured, model, tmp_path / "out", 1, "--max_steps", f"{STEPS}", "--save_strategy", "no", cpu=False)
    row = next(csv.DictReader((measured / "measurement.csv").open(encoding="utf-8")))
    sys.stderr.write(f"{measured.name}: {row['peak']} GiB, {row['tokens_per_sec_per_gpu']} tokens/s\n")
    assert complaints(row, record) == []


def test_the_model_is_the_one_of_the_catalogue(measured: Path) -> None:
    """Needs no GPU: what would be trained has as many parameters as the estimate was made for."""
    from transformers import AutoConfig, AutoModelForCausalLM

    facts: dict[str, Any] = about(measured)
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(AutoConfig.for_model(facts["model_type"], **facts["config"]))
    assert sum(weight.numel() for weight in model.parameters()) == facts["parameters"]
