"""Which plan is best, what it will be worth, and what a wanted error would take: by exact calculation."""

from ldprange.planner.compare import Candidate, Comparison, choose_plan, compare_plans
from ldprange.planner.needs import epsilon_needed, useful_bins, users_needed
from ldprange.planner.optimise import optimise_plan

__all__ = [
    "Candidate",
    "Comparison",
    "choose_plan",
    "compare_plans",
    "epsilon_needed",
    "optimise_plan",
    "useful_bins",
    "users_needed",
]
