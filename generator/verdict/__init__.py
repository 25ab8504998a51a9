"""From an estimate to a verdict: ladders of recipes, thresholds of the policy, advice, the report of a rig."""

from generator.verdict.report import judge, judge_rig, judge_setup, recommend, size_class_of, verdict_of, verdicts_alone
from generator.verdict.results import RigReport, Verdict
from generator.verdict.setup import Setup, ad_hoc_rig, setup_of, subject_of, subject_of_size

__all__ = [
    "RigReport",
    "Setup",
    "Verdict",
    "ad_hoc_rig",
    "judge",
    "judge_rig",
    "judge_setup",
    "recommend",
    "setup_of",
    "size_class_of",
    "subject_of",
    "subject_of_size",
    "verdict_of",
    "verdicts_alone",
]
