"""Models that mix attention with layers whose state does not grow: Qwen3-Next, Qwen3.5, Granite 4.0, Falcon-H1."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from generator.architecture import Architecture, Experts, GatedDeltaNet, Layer, Mamba2, Mlp, QkNorm
from generator.catalog.config_families.common import attention_of, decoder
from generator.catalog.config_families.experts import SHARED_NAME, active_of, qwen_sparse_layers
from generator.catalog.config_values import ConfigValues

LAYER_KINDS = {
    "linear_attention": "recurrent",
    "mamba": "recurrent",
    "full_attention": "attention",
    "attention": "attention",
}
"""Words of `layer_types`, in old and new spelling."""


def _delta_net(config: ConfigValues, *, fused: bool) -> GatedDeltaNet:
    return GatedDeltaNet(
        key_heads=config.size("linear_num_key_heads", 16),
        value_heads=config.size("linear_num_value_heads", 32),
        key_dim=config.size("linear_key_head_dim", 128),
        value_dim=config.size("linear_value_head_dim", 128),
        conv_kernel=config.size("linear_conv_kernel_dim", 4),
        fused=fused,
    )


def _qwen_hybrid(config: ConfigValues, experts: Experts | None, *, fused: bool, kv_heads: int) -> Architecture:
    layers = config.layers()
    interval = config.size("full_attention_interval", 4)
    kinds = config.kinds("layer_types", layers, LAYER_KINDS) or tuple(
        "recurrent" if (index + 1) % interval else "attention" for index in range(layers)
    )
    attention = attention_of(config, qk_norm=QkNorm.PER_HEAD, head_dim=256, kv_heads=kv_heads, output_gate=True)
    sparse = qwen_sparse_layers(config, layers, experts.experts if experts else 0)
    dense = None if all(sparse) else Mlp(config.size("intermediate_size"))
    recurrent = _delta_net(config, fused=fused)
    built = []
    for kind, is_sparse in zip(kinds, sparse, strict=True):
        mlp = experts if is_sparse else dense
        if mlp is not None:
            built.append(Layer((recurrent if kind == "recurrent" else attention,), (mlp,)))
    return decoder(config, built, attention, intermediate=dense.intermediate if dense else 0, fp32_norm=True)


def _qwen_experts(config: ConfigValues, experts: int, active: int) -> Experts:
    count = config.size("num_experts", experts)
    return Experts(
        count,
        active_of(config, count, default=active),
        config.size("moe_intermediate_size", 512),
        shared_intermediate=config.size("shared_expert_intermediate_size", 512),
        shared_names=SHARED_NAME,
        shared_gate=True,
    )


def _qwen3_next(config: ConfigValues) -> Architecture:
    return _qwen_hybrid(config, _qwen_experts(config, 512, 10), fused=True, kv_heads=2)


def _qwen3_5(config: ConfigValues) -> Architecture:
    return _qwen_hybrid(config, None, fused=False, kv_heads=4)


def _qwen3_5_moe(config: ConfigValues) -> Architecture:
    return _qwen_hybrid(config, _qwen_experts(config, 256, 8), fused=False, kv_heads=2)


def _mamba2(config: ConfigValues, inner: int, *, output_bias: bool, norm: bool) -> Mamba2:
    heads = config.size("mamba_n_heads", 128)
    given = config.raw.get("mamba_d_head")
    head_dim = inner // heads if given in (None, "auto") else config.size("mamba_d_head")
    if heads * head_dim != inner:
        raise config.refusal("mamba_n_heads", f"heads whose sizes add up to {inner}", f"{heads} × {head_dim}")
    return Mamba2(
        heads=heads,
        head_dim=head_dim,
        state=config.size("mamba_d_state", 256),
        groups=config.size("mamba_n_groups", 1),
        conv_kernel=config.size("mamba_d_conv", 4),
        conv_bias=config.flag("mamba_conv_bias", default=True),
        input_bias=config.flag("mamba_proj_bias", default=False),
        output_bias=output_bias,
        norm=norm,
    )


def _granitemoehybrid(config: ConfigValues) -> Architecture:
    """Granite 4.0: experts beside an MLP that every token passes, or that MLP alone."""
    layers = config.layers()
    key = config.first("layer_types", "layers_block_type")
    kinds = config.kinds(key, layers, LAYER_KINDS) or ("recurrent",) * layers
    attention = attention_of(config)
    inner = config.size("mamba_expand", 2) * config.size("hidden_size")
    bias = config.flag("mamba_proj_bias", default=False)
    mamba = _mamba2(config, inner, output_bias=bias, norm=True) if "recurrent" in kinds else None
    width = config.size("shared_intermediate_size", 1024)
    shared = Mlp(width, names=("shared_mlp.input_linear", "shared_mlp.output_linear"))
    count = config.count("num_local_experts", 8)
    mlps: tuple[Mlp | Experts, ...] = (shared,)
    if count:
        active = active_of(config, count, default=2)
        mlps = (shared, Experts(count, active, config.size("intermediate_size"), router="router"))
    built = [Layer((mamba if kind == "recurrent" and mamba else attention,), mlps) for kind in kinds]
    return decoder(config, built, attention, intermediate=width)


def _falcon_h1(config: ConfigValues) -> Architecture:
    """Falcon-H1: attention and Mamba-2 side by side in every layer."""
    attention = attention_of(config, kv_heads=8)
    inner = config.size("mamba_d_ssm", config.size("mamba_expand", 2) * config.size("hidden_size"))
    mamba = _mamba2(
        config,
        inner,
        output_bias=config.flag("projectors_bias", default=False),
        norm=config.flag("mamba_rms_norm", default=False),
    )
    mlp = Mlp(config.size("intermediate_size"), bias=config.flag("mlp_bias", default=False))
    layer = Layer((attention, mamba), (mlp,))
    return decoder(config, [layer] * config.layers(), attention, intermediate=mlp.intermediate)


HYBRID: Mapping[str, Callable[[ConfigValues], Architecture]] = {
    "qwen3_next": _qwen3_next,
    "qwen3_5_text": _qwen3_5,
    "qwen3_5_moe_text": _qwen3_5_moe,
    "granitemoehybrid": _granitemoehybrid,
    "falcon_h1": _falcon_h1,
}
