"""What must hold between values and between files, beyond the type of each value."""

from generator.catalog.rules import (
    completeness,
    gpus,
    methods,
    models,
    names,
    plausible,
    policy,
    printed,
    provenance,
    references,
    texts,
)
from generator.catalog.rules.registry import RULES, Found, Rule, apply_rules, rule

__all__ = [
    "RULES",
    "Found",
    "Rule",
    "apply_rules",
    "completeness",
    "gpus",
    "methods",
    "models",
    "names",
    "plausible",
    "policy",
    "printed",
    "provenance",
    "references",
    "rule",
    "texts",
]
