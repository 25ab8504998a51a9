"""A training plan: everything that memory and time of a run depend on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

from generator.architecture import Architecture
from generator.errors import PlanError

MethodId = Literal["full", "lora", "qlora", "pretrain"]
Precision = Literal["bf16-mixed", "bf16-pure", "fp16-mixed", "fp16-pure", "fp32"]
Optimizer = Literal[
    "adamw", "adamw-bf16", "adamw-8bit", "paged-adamw-8bit", "adafactor", "lion", "muon", "sgd", "sgd-momentum"
]
OptimizerImpl = Literal["foreach", "fused", "in-backward"]
Sharding = Literal["none", "ddp", "zero1", "zero2", "zero3", "fsdp1", "fsdp2"]
Offload = Literal["none", "optimizer", "all"]
Quantization = Literal["none", "nf4", "nf4-dq", "int8", "gptq-int4"]
Attention = Literal["flash", "sdpa", "eager"]
Dtype = Literal["fp32", "bf16"]

SHARDED = frozenset({"zero3", "fsdp1", "fsdp2"})
"""Sharding that splits weights, gradients and optimizer states over the GPUs."""


@dataclass(frozen=True, slots=True)
class Plan:
    """One training run on `n_gpus` cards of one kind.

    Construction raises PlanError for a plan that contradicts itself, naming the field.
    """

    model: str
    """Catalogue id, or a name for a shape that is not in the catalogue."""
    shape: Architecture
    gpu: str
    """Catalogue id."""
    n_gpus: int
    method: MethodId
    precision: Precision = "bf16-mixed"
    optimizer: Optimizer = "adamw"
    optimizer_impl: OptimizerImpl = "fused"
    sharding: Sharding = "none"
    cpu_offload: Offload = "none"
    seq_len: int = 4096
    micro_batch: int = 1
    grad_accum: int = 1
    grad_sync: Literal["each", "last"] = "each"
    grad_checkpointing: bool = True
    attention: Attention = "sdpa"
    fused_ce: bool = False
    """The loss never materialises the logits (fused linear cross-entropy)."""
    chunked_ce: bool = False
    """The logits of all tokens exist in 16 bits; only their fp32 copies are made in chunks (torchtune)."""
    compile: bool = False
    kernels: Literal["stock", "fused"] = "stock"
    reduce_dtype: Dtype = "bf16"
    root_wrap: Literal["root", "separate"] = "separate"
    quant: Quantization = "none"
    lora_rank: int = 16
    lora_targets: tuple[str, ...] = ()
    """Names of the wrapped matrices, as in `architecture.linear_shapes`."""
    adapter_dtype: Dtype = "fp32"
    lora_dropout: float = 0.0
    """Share of dropped inputs of the adapters; any above 0 stores a copy and a mask of the input."""
    train_embeddings: bool = False
    """Adapters train whole copies of embedding and head beside them (`modules_to_save`)."""
    reshard: bool = True
    """Sharded weights are given back after forward; otherwise the whole model stays gathered until backward."""
    kbit_preparation: bool = False
    """PEFT's `prepare_model_for_kbit_training`: the residual stream of a quantised base runs in fp32."""
    shifted_logits: bool = False
    """The plain loss copies the fp32 logits without the last token (Transformers before 4.46)."""
    whole_copy: bool = False
    """Every card keeps a whole copy of the checkpoint beside its shard (scripts that load without a meta device)."""
    matmul_keeps_input: bool = False
    """Every 4-bit matrix keeps its input until its graph is gone, frozen or not (bitsandbytes before 0.43.2)."""
    fabric_quantization: bool = False
    """The output head is quantised with the layers, and from fp16: what unpacks is copied to the computing type
    (Lightning Fabric)."""
    fp32_logits: bool = False
    """Logits leave the model as fp32 copies, so that a chunked loss works on these (Lightning Fabric)."""
    keeps_last_step: bool = False
    """Logits of the step before, and what their graph holds, live until the next forward has ended (LitGPT)."""
    load_on_card: bool = False
    """A quantised base that is to be sharded is loaded whole onto every card and split there; otherwise it waits for
    that in host memory, a copy for every process."""
    ecc: Literal["on", "off"] = "on"
    bus_gb_per_s: float | None = None
    """Collective bandwidth per GPU of the rig, one direction; None where nobody stated it: the link never bounds."""

    def __post_init__(self) -> None:
        for name in ("n_gpus", "seq_len", "micro_batch", "grad_accum", "lora_rank"):
            if getattr(self, name) < 1:
                raise PlanError(f"{name}: expected 1 or more, found {getattr(self, name)}")
        for name, allowed in CHOICES.items():
            if getattr(self, name) not in allowed:
                raise PlanError(f"{name}: expected one of {', '.join(allowed)}, found {getattr(self, name)}")
        self._check_relations()

    def _check_relations(self) -> None:
        if self.quant != "none" and self.method != "qlora":
            raise PlanError(f"quant: expected none for method {self.method}, found {self.quant}")
        if self.quant == "none" and self.method == "qlora":
            raise PlanError("quant: expected nf4, nf4-dq, int8 or gptq-int4 for method qlora, found none")
        if self.trains_adapters and not self.lora_targets:
            raise PlanError(f"lora_targets: expected at least one matrix for method {self.method}, found none")
        if self.trains_adapters and self.cpu_offload == "optimizer":
            raise PlanError(f"cpu_offload: expected none or all for method {self.method}, found optimizer")
        if self.train_embeddings and not self.trains_adapters:
            raise PlanError(f"train_embeddings: expected n for method {self.method}, which trains them anyway, found y")
        if not 0 <= self.lora_dropout < 1:
            raise PlanError(f"lora_dropout: expected a share below 1, found {self.lora_dropout:g}")
        if self.n_gpus == 1 and self.sharding != "none":
            raise PlanError(f"sharding: expected none on one GPU, found {self.sharding}")
        if self.n_gpus > 1 and self.sharding == "none":
            expected = ", ".join(choice for choice in CHOICES["sharding"] if choice != "none")
            raise PlanError(f"sharding: expected one of {expected} on {self.n_gpus} GPUs, found none")

    @property
    def trains_adapters(self) -> bool:
        """Whether the base is frozen and adapters are trained."""
        return self.method in ("lora", "qlora")

    @property
    def sharded(self) -> bool:
        """Whether weights, gradients and optimizer states are split over the GPUs."""
        return self.sharding in SHARDED

    @property
    def tokens(self) -> int:
        """Tokens per GPU in one micro-step."""
        return self.seq_len * self.micro_batch

    def on(self, n_gpus: int) -> Plan:
        """The same plan on another number of GPUs; on one, nothing is sharded.

        Raises PlanError from one to several when the plan says no sharding.
        """
        return replace(self, n_gpus=n_gpus, sharding="none" if n_gpus == 1 else self.sharding)


CHOICES: Mapping[str, tuple[str, ...]] = {
    "method": get_args(MethodId),
    "precision": get_args(Precision),
    "optimizer": get_args(Optimizer),
    "optimizer_impl": get_args(OptimizerImpl),
    "sharding": get_args(Sharding),
    "cpu_offload": get_args(Offload),
    "quant": get_args(Quantization),
    "attention": get_args(Attention),
    "reduce_dtype": get_args(Dtype),
    "adapter_dtype": get_args(Dtype),
    "root_wrap": ("root", "separate"),
    "kernels": ("stock", "fused"),
    "grad_sync": ("each", "last"),
    "ecc": ("on", "off"),
}
"""Field of a plan that is one of several words → the words."""
