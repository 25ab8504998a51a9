"""Vision and audio towers of models that also read text: loaded and frozen in text training, so one number each.

The encoders are constants, counted by building them without weights in transformers 5.24.0 (the vision encoder of
Gemma 3n in timm 1.0.31); the projector grows with the hidden width of the text part. A tower with other dimensions than
those below was counted by nobody and is refused.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from generator.catalog.config_values import shown
from generator.errors import UnsupportedArchitecture


@dataclass(frozen=True, slots=True)
class Tower:
    """encoder + per_hidden × h + per_hidden_squared × h², where h is the hidden width of the text part."""

    key: str
    """Where `config.json` says its dimensions: `vision_config` or `audio_config`."""
    dimensions: Mapping[str, Any]
    """What that part of the file says where it is this tower."""
    encoder: int
    per_hidden: int
    per_hidden_squared: int = 0

    def parameters(self, hidden: int) -> int:
        """Elements of encoder and projector."""
        return self.encoder + self.per_hidden * hidden + self.per_hidden_squared * hidden**2


def _qwen(hidden: int, depth: int, encoder: int) -> Tower:
    """Vision transformer of Qwen3.5; the merger joins 2 × 2 patches: 4 × hidden + 1 per channel of the text part."""
    return Tower("vision_config", {"hidden_size": hidden, "depth": depth, "patch_size": 16}, encoder, 4 * hidden + 1)


_QWEN = (_qwen(768, 12, 97_446_144), _qwen(1024, 24, 323_025_920), _qwen(1152, 27, 437_132_016))

TOWERS: Mapping[str, tuple[Tower, ...]] = {
    "gemma3": (
        # SigLIP; the projector is one matrix and a norm.
        Tower(
            "vision_config",
            {
                "hidden_size": 1152,
                "num_hidden_layers": 27,
                "intermediate_size": 4304,
                "image_size": 896,
                "patch_size": 14,
            },
            416_866_032 + 1152,
            1152,
        ),
    ),
    "mistral3": (
        # Pixtral; norm, merger of 2 × 2 patches and two matrices.
        Tower(
            "vision_config",
            {"hidden_size": 1024, "num_hidden_layers": 24, "intermediate_size": 4096, "patch_size": 14},
            403_305_472 + 1024 + 4 * 1024 * 1024,
            1024,
            1,
        ),
    ),
    "llama4": (
        Tower(
            "vision_config",
            {"hidden_size": 1408, "num_hidden_layers": 34, "intermediate_size": 5632, "image_size": 336},
            850_960_896,
            4096,
        ),
    ),
    "qwen3_5": _QWEN,
    "qwen3_5_moe": _QWEN,
    "gemma4": (
        Tower("vision_config", {"hidden_size": 768, "num_hidden_layers": 16}, 167_364_608, 768),
        Tower("vision_config", {"hidden_size": 1152, "num_hidden_layers": 27}, 569_548_080, 1152),
        Tower("audio_config", {"hidden_size": 1024, "num_hidden_layers": 12}, 304_824_608, 1536),
    ),
    "gemma4_unified": (
        # No encoder: patches and sound are embedded and projected.
        Tower("vision_config", {"mm_embed_dim": 3840, "mm_posemb_size": 1120}, 35_176_704, 3840),
        Tower("audio_config", {"audio_embed_dim": 640}, 0, 640),
    ),
    "gemma3n": (
        Tower(
            "vision_config", {"architecture": "mobilenetv5_300m_enc", "hidden_size": 2048}, 298_587_456 - 2048**2, 2048
        ),
        Tower("audio_config", {"hidden_size": 1536, "conf_num_hidden_layers": 12}, 684_694_048 - 1536 * 2048, 1536),
    ),
}
"""By `model_type` of the whole model."""


OPTIONAL = frozenset({"gemma4", "gemma4_unified"})
"""Models of which a file without a part has no such tower; of the others it does not say enough."""


def tower_parameters_of(model_type: str, config: Mapping[str, Any], hidden: int) -> int:
    """Elements of all towers of a model whose text part has this hidden width.

    Raises UnsupportedArchitecture for a tower that nobody counted.
    """
    keys = dict.fromkeys(tower.key for tower in TOWERS[model_type])
    return sum(_part(model_type, key, config, hidden) for key in keys)


def _part(model_type: str, key: str, config: Mapping[str, Any], hidden: int) -> int:
    part = config.get(key)
    if part is None and model_type in OPTIONAL:
        return 0
    if not isinstance(part, Mapping):
        raise UnsupportedArchitecture(f"{key}: expected the dimensions of the tower, found {shown(part)}")
    known = [tower for tower in TOWERS[model_type] if tower.key == key]
    for tower in known:
        first = next(iter(tower.dimensions))
        if first in part and all(part.get(name, value) == value for name, value in tower.dimensions.items()):
            return tower.parameters(hidden)
    dimensions = " or ".join(
        ", ".join(f"{name} {value}" for name, value in tower.dimensions.items()) for tower in known
    )
    found = ", ".join(f"{name} {part.get(name)}" for name in known[0].dimensions)
    raise UnsupportedArchitecture(f"{key}: expected a tower that was counted ({dimensions}), found {shown(found)}")
