"""Runs a script whose environment asks for FSDP, on processes that have no GPU: `python sharded_on_cpu.py train.py …`.

Accelerate 1.15 turns FSDP on for GPUs alone (accelerate/state.py, AcceleratorState); the rest of its code, and FSDP2
itself, work with gloo on a CPU. What it does there for several GPUs is done here for several processes, nothing else.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path
from typing import Any

from accelerate.state import AcceleratorState, PartialState
from accelerate.utils import DistributedType

made = AcceleratorState.__init__


def sharded(self: Any, *given: Any, fsdp_plugin: Any = None, **named: Any) -> None:
    """AcceleratorState, with FSDP on where there is a plugin for it."""
    made(self, *given, fsdp_plugin=fsdp_plugin, **named)
    if fsdp_plugin is not None:
        self.distributed_type = DistributedType.FSDP
        PartialState._shared_state["distributed_type"] = DistributedType.FSDP
        if self.mixed_precision != "no":
            fsdp_plugin.set_mixed_precision(self.mixed_precision)
        self.fsdp_plugin = fsdp_plugin


if __name__ == "__main__":
    AcceleratorState.__init__ = sharded
    sys.argv = sys.argv[1:]
    sys.path.insert(0, str(Path.cwd()))
    runpy.run_path(sys.argv[0], run_name="__main__")
