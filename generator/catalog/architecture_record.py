"""The architecture of a model as its file gives it: a few dimensions, or more for what is not plain and dense."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any, Literal, TypeVar

from pydantic import model_validator

from generator.architecture import Architecture, QkNorm
from generator.catalog.config_families import FAMILIES
from generator.catalog.fields import Cited, CitedBlock, Count, FieldError, Line, Many, PositiveInt
from generator.catalog.hugging_face import nearest, shape_of
from generator.errors import UnsupportedArchitecture

T = TypeVar("T")


def _value(cited: Cited[T] | None, default: T) -> T:
    return default if cited is None else cited.value


class ConfigRecord(CitedBlock):
    """Further fields of `config.json` by their own names; one left out has the default of its class."""

    activation_function: Cited[Line] | None = None
    altup_num_inputs: Cited[PositiveInt] | None = None
    attention_bias: Cited[bool] | None = None
    attention_k_eq_v: Cited[bool] | None = None
    decoder_sparse_step: Cited[PositiveInt] | None = None
    enable_moe_block: Cited[bool] | None = None
    first_k_dense_replace: Cited[Count] | None = None
    full_attention_interval: Cited[PositiveInt] | None = None
    global_head_dim: Cited[PositiveInt] | None = None
    hidden_size_per_layer_input: Cited[Count] | None = None
    interleave_moe_layer_step: Cited[PositiveInt] | None = None
    intermediate_size_mlp: Cited[PositiveInt] | None = None
    kv_lora_rank: Cited[PositiveInt] | None = None
    laurel_rank: Cited[PositiveInt] | None = None
    linear_conv_kernel_dim: Cited[PositiveInt] | None = None
    linear_key_head_dim: Cited[PositiveInt] | None = None
    linear_num_key_heads: Cited[PositiveInt] | None = None
    linear_num_value_heads: Cited[PositiveInt] | None = None
    linear_value_head_dim: Cited[PositiveInt] | None = None
    mamba_d_conv: Cited[PositiveInt] | None = None
    mamba_d_head: Cited[PositiveInt] | None = None
    mamba_d_ssm: Cited[PositiveInt] | None = None
    mamba_d_state: Cited[PositiveInt] | None = None
    mamba_expand: Cited[PositiveInt] | None = None
    mamba_n_groups: Cited[PositiveInt] | None = None
    mamba_n_heads: Cited[PositiveInt] | None = None
    mamba_rms_norm: Cited[bool] | None = None
    mlp_bias: Cited[bool] | None = None
    moe_intermediate_size: Cited[PositiveInt] | None = None
    n_routed_experts: Cited[PositiveInt] | None = None
    n_shared_experts: Cited[Count] | None = None
    num_experts: Cited[PositiveInt] | None = None
    num_experts_per_tok: Cited[PositiveInt] | None = None
    num_global_key_value_heads: Cited[PositiveInt] | None = None
    num_kv_shared_layers: Cited[Count] | None = None
    num_local_experts: Cited[Count] | None = None
    q_lora_rank: Cited[Count] | None = None
    """0 where the file says null: queries are not compressed."""
    qk_nope_head_dim: Cited[PositiveInt] | None = None
    qk_rope_head_dim: Cited[PositiveInt] | None = None
    shared_expert_intermediate_size: Cited[PositiveInt] | None = None
    shared_intermediate_size: Cited[PositiveInt] | None = None
    top_k_experts: Cited[PositiveInt] | None = None
    use_double_wide_mlp: Cited[bool] | None = None
    use_qk_norm: Cited[bool] | None = None
    v_head_dim: Cited[PositiveInt] | None = None
    vocab_size_per_layer_input: Cited[PositiveInt] | None = None

    def values(self) -> dict[str, Any]:
        """The fields that are given, as `config.json` would hold them."""
        cited = {name: getattr(self, name) for name in type(self).model_fields}
        found = {name: field.value for name, field in cited.items() if isinstance(field, Cited)}
        return found | ({"q_lora_rank": None} if found.get("q_lora_rank") == 0 else {})


class ArchitectureRecord(CitedBlock):
    """Dimensions as config.json gives them.

    A plain dense decoder is these numbers alone. For any other, `model_type` names its class in transformers, which
    says what kinds of layers it has; fields that only that class has stand in `config`.
    """

    kind_of_layers: Literal["dense"] = "dense"
    model_type: Cited[Line] | None = None
    layers: Cited[PositiveInt]
    hidden: Cited[PositiveInt]
    intermediate: Cited[PositiveInt] | None = None
    """Left out where every layer has experts alone and the class needs no width for others."""
    heads: Cited[PositiveInt]
    kv_heads: Cited[PositiveInt] | None = None
    head_dim: Cited[PositiveInt] | None = None
    vocab: Cited[PositiveInt]
    tied_embeddings: Cited[bool]
    qk_norm: Cited[Literal["none", "per-head", "full"]] | None = None
    norms_per_layer: Cited[Literal[2, 4]] | None = None
    qkv_bias: Cited[bool] | None = None
    output_bias: Cited[bool] | None = None
    fp32_norm: Cited[bool] | None = None
    full_attention_layers: Cited[Many[Count]] | None = None
    """Numbers of the layers with full attention, from 0, where the others have a window or no attention at all."""
    config: ConfigRecord | None = None
    output_head: Cited[bool] | None = None
    """False for an embedding model."""
    tower_parameters: Cited[Count] | None = None

    @model_validator(mode="after")
    def _has_what_its_kind_needs(self) -> ArchitectureRecord:
        if self.model_type is None:
            missing = [name for name in ("intermediate", "kv_heads", "head_dim") if getattr(self, name) is None]
            if missing:
                raise ValueError(f"expected {' and '.join(missing)}, found none: a plain dense model has them")
            if self.config is not None or self.full_attention_layers is not None:
                raise ValueError("expected a model_type, found none: config is read by its class")
            return self
        if self.model_type.value not in FAMILIES:
            raise _unknown_class(self.model_type.value)
        given = [name for name in CLASS_DECIDES if getattr(self, name) is not None]
        if given:
            message = f"expected no {' and no '.join(given)}, found one: the class of model_type decides"
            raise FieldError(message, given[0], hint="delete the line")
        try:
            self.shape()
        except UnsupportedArchitecture as error:
            raise FieldError(str(error), *_path_of(str(error))) from error
        return self

    def shape(self) -> Architecture:
        """The dimensions without their provenance; the same object each time."""
        return self._shape

    @cached_property
    def _shape(self) -> Architecture:
        tower, head = _value(self.tower_parameters, 0), _value(self.output_head, default=True)
        if self.model_type is not None:
            return replace(shape_of(self._config_json()), tower_parameters=tower, output_head=head)
        return Architecture(
            layers=self.layers.value,
            hidden=self.hidden.value,
            intermediate=_value(self.intermediate, 0),
            heads=self.heads.value,
            kv_heads=_value(self.kv_heads, 0),
            head_dim=_value(self.head_dim, 0),
            vocab=self.vocab.value,
            tied_embeddings=self.tied_embeddings.value,
            qk_norm=QkNorm(_value(self.qk_norm, "none")),
            norms_per_layer=_value(self.norms_per_layer, 2),
            qkv_bias=_value(self.qkv_bias, default=False),
            output_bias=_value(self.output_bias, default=False),
            fp32_norm=_value(self.fp32_norm, default=False),
            tower_parameters=tower,
            output_head=head,
        )

    def _config_json(self) -> dict[str, Any]:
        """What `config.json` would say."""
        own = {
            "num_hidden_layers": self.layers,
            "hidden_size": self.hidden,
            "intermediate_size": self.intermediate,
            "num_attention_heads": self.heads,
            "num_key_value_heads": self.kv_heads,
            "head_dim": self.head_dim,
            "vocab_size": self.vocab,
            "tie_word_embeddings": self.tied_embeddings,
        }
        found: dict[str, Any] = {name: field.value for name, field in own.items() if field is not None}
        model_type = self.model_type.value if self.model_type else ""
        if self.full_attention_layers is not None:
            full, other = LAYER_WORDS.get(model_type, ("full_attention", "sliding_attention"))
            chosen = set(self.full_attention_layers.value)
            found["layer_types"] = [full if layer in chosen else other for layer in range(self.layers.value)]
        return {"model_type": model_type, **found, **(self.config.values() if self.config else {})}


def _unknown_class(name: str) -> FieldError:
    near = nearest(name)
    hint = f"did you mean `{near[0]}`?" if near else f"one of {', '.join(sorted(FAMILIES))}"
    return FieldError(f"expected the model_type of a class that is counted, found `{name}`", "model_type", hint=hint)


def _path_of(refusal: str) -> tuple[str, ...]:
    """The field that stands for the key of `config.json` with which a refusal begins; none where none does."""
    key = refusal.partition(":")[0]
    own = next((field for field, keys in OWN_NAMES.items() if key in keys), None)
    return (own,) if own else ("config", key) if key in ConfigRecord.model_fields else ()


OWN_NAMES = {
    "layers": ("num_hidden_layers", "num_layers", "n_layer"),
    "hidden": ("hidden_size", "n_embd"),
    "intermediate": ("intermediate_size", "n_inner"),
    "heads": ("num_attention_heads", "n_head"),
    "kv_heads": ("num_key_value_heads",),
    "head_dim": ("head_dim",),
    "vocab": ("vocab_size",),
    "tied_embeddings": ("tie_word_embeddings",),
}
"""Field of the record → keys of `config.json` that give it."""
LAYER_WORDS = {"granitemoehybrid": ("attention", "mamba")}
"""Words of `layer_types` where they are not full and sliding attention."""
CLASS_DECIDES = ("qk_norm", "norms_per_layer", "qkv_bias", "output_bias", "fp32_norm")
"""What only a plain dense model says itself."""
