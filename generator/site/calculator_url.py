"""Addresses of the calculator with a state: what other pages link to, and what a reader shares.

The names of the parameters are those of the columns of `trainfit estimate --cases`, so that an address reads like a
command. They are a contract: an address that was shared once goes on working.
"""

from __future__ import annotations

from urllib.parse import urlencode

CALCULATOR_PATH = "calculator/"

PARAMETERS = (
    "model", "params_b", "config", "rig", "gpu", "n_gpus", "ecc", "bus_gb_per_s", "host_ram_gib", "method", "recipe",
    "seq_len", "micro_batch", "grad_accum", "grad_sync", "precision", "optimizer", "optimizer_impl", "sharding",
    "cpu_offload", "grad_checkpointing", "attention", "kernels", "fused_ce", "compile", "reduce_dtype", "root_wrap",
    "reshard", "quant", "lora_rank", "lora_targets", "adapter_dtype", "lora_dropout", "train_embeddings",
    "kbit_preparation", "shifted_logits", "chunked_ce", "whole_copy", "load_on_card", "matmul_keeps_input",
    "fabric_quantization", "fp32_logits", "keeps_last_step", "tokens_millions",
    "price_per_gpu_hour", "price_per_kwh",
)  # fmt: skip
"""In the order in which they stand in an address.

`model` is a catalogue id, `params_b` billions of parameters, `config` the fields of a config.json as JSON; one of the
three says what is trained. `rig` stands for gpu, n_gpus, bus_gb_per_s and host_ram_gib, `recipe` for all settings of
training; what stands beside them wins. What is left out has the default of the method.
"""


def calculator_path(**state: str | float | bool | None) -> str:
    """Path of the calculator with this state, as in `Page.path`; None leaves a parameter out, a bool is y or n.

    Raises ValueError for a parameter that there is not.
    """
    unknown = sorted(state.keys() - set(PARAMETERS))
    if unknown:
        raise ValueError(f"expected parameters of the calculator, found {', '.join(unknown)}")
    given = {name: _text(value) for name in PARAMETERS if (value := state.get(name)) is not None}
    return CALCULATOR_PATH + (f"?{urlencode(given)}" if given else "")


def _text(value: str | float | bool) -> str:
    if isinstance(value, bool):
        return "y" if value else "n"
    return f"{value:.15g}" if isinstance(value, float) else str(value)
