"""Trains by the settings of llama_factory.yaml, as `llamafactory-cli train` does, and measures the run.

Options on the command line win over the file, for instance `max_steps=20`.
"""

from __future__ import annotations

from llamafactory.train.tuner import run_exp
from measure import MeasureCallback, watch

if __name__ == "__main__":
    watch()
    run_exp(callbacks=[MeasureCallback()])
