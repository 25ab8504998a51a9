"""Memory and time of a training plan: pure arithmetic, no files, no text."""

from generator.estimate.plan import Plan
from generator.estimate.results import Band, Estimate, Quantity
from generator.estimate.run import FORMULAS, estimate

__all__ = ["FORMULAS", "Band", "Estimate", "Plan", "Quantity", "estimate"]
