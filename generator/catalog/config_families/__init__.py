"""From the fields of a `config.json` to a shape, family by family.

What a file leaves out takes the default of the `transformers` configuration class of its `model_type`. Defaults and
modules were compared with transformers 5.24.0, models instantiated on the meta device.
"""

from collections.abc import Callable, Mapping

from generator.architecture import Architecture
from generator.catalog.config_families.dense import DENSE
from generator.catalog.config_families.experts import WITH_EXPERTS
from generator.catalog.config_families.gemma import GEMMA, NESTED_DEFAULTS
from generator.catalog.config_families.hybrid import HYBRID
from generator.catalog.config_families.latent import LATENT
from generator.catalog.config_families.plain import PLAIN
from generator.catalog.config_values import ConfigValues

FAMILIES: Mapping[str, Callable[[ConfigValues], Architecture]] = {
    **DENSE,
    **PLAIN,
    **WITH_EXPERTS,
    **LATENT,
    **HYBRID,
    **GEMMA,
}
"""By `model_type` of a text model."""

__all__ = ["FAMILIES", "NESTED_DEFAULTS"]
