"""Trainfit: which LLMs can be trained on the GPUs you have, how, and how we know.

    from generator import ad_hoc_rig, judge_setup, load_catalog

    catalog = load_catalog()
    report = judge_setup(catalog, ad_hoc_rig(catalog, "rtx-6000-ada", 4))
    print(report.verdicts["qwen3-14b", "full"].verdict)

Names that start below this module (`generator.catalog`, `generator.estimate`, …) are for the package itself.
"""

from generator.catalog import Catalog, load_catalog
from generator.estimate import Estimate, Plan, estimate
from generator.verdict import (
    RigReport,
    Setup,
    Verdict,
    ad_hoc_rig,
    judge,
    judge_rig,
    judge_setup,
    setup_of,
    subject_of,
)

__all__ = [
    "Catalog",
    "Estimate",
    "Plan",
    "RigReport",
    "Setup",
    "Verdict",
    "ad_hoc_rig",
    "estimate",
    "judge",
    "judge_rig",
    "judge_setup",
    "load_catalog",
    "setup_of",
    "subject_of",
]
