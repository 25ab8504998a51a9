"""A plugin of Axolotl that measures the run: axolotl.yaml names it."""

from __future__ import annotations

from axolotl.integrations.base import BasePlugin
from measure import MeasureCallback, watch


class MeasurePlugin(BasePlugin):
    """Gives the trainer the callback of measure.py."""

    def register(self, cfg):  # noqa: ARG002, D102
        watch()

    def add_callbacks_post_trainer(self, cfg, trainer):  # noqa: ARG002, D102
        return [MeasureCallback()]
