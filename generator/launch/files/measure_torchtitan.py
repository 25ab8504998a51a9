"""The trainer of torchtitan, measured: pretrain.py makes its configuration of this one."""

from __future__ import annotations

import time
from dataclasses import dataclass

from measure import WARM_UP_STEPS, finish, note_peak, start, wait, watch
from torchtitan.trainer import Trainer


class MeasuredTrainer(Trainer):
    """Trains as its base does."""

    @dataclass(kw_only=True, slots=True)
    class Config(Trainer.Config):
        """The settings of torchtitan's trainer, all of them."""

    def train(self):
        """The whole run; a row is written when it ends."""
        watch()
        start()
        self._steps, self._tokens, self._seconds = 0, 0, 0.0
        super().train()
        finish(self._tokens, self._seconds)

    def train_step(self, data_iterator):
        """One step. torchtitan sets the counter of memory back when it logs, so that its peak is noted after each."""
        began, seen = time.monotonic(), self.ntokens_seen
        super().train_step(data_iterator)
        note_peak()
        self._steps += 1
        if self._steps <= WARM_UP_STEPS or self.step == self.config.training.steps:
            wait()
        if self._steps > WARM_UP_STEPS:
            self._seconds += time.monotonic() - began
            self._tokens += self.ntokens_seen - seen
