"""Trains by the settings of llama_factory.yaml, as `llamafactory-cli train` does, and measures the run.

Options on the command line win over the file, for instance `max_steps=20`.
"""

from __future__ import annotations

from typing import Any

from accelerate.state import AcceleratorState
from llamafactory.train.tuner import run_exp
from measure import MeasureCallback, watch
from transformers import TrainerCallback


class WholeModelCallback(TrainerCallback):
    """Saves the model in one piece at the end: checkpoints are saved in shards, which would save nothing of it then."""

    def on_train_end(self, *_: Any, **__: Any) -> None:
        """Before the model is saved."""
        plugin = getattr(AcceleratorState(), "fsdp_plugin", None)  # which only FSDP gives it
        if plugin is not None:
            plugin.set_state_dict_type("FULL_STATE_DICT")


if __name__ == "__main__":
    watch()
    run_exp(callbacks=[MeasureCallback(), WholeModelCallback()])
