"""Which plan is best, what it will be worth, and what a wanted error would take: by exact calculation."""

from ldprange.planner.choose import choose_plan
from ldprange.planner.compare import Candidate, Comparison, compare_plans
from ldprange.planner.needs import epsilon_needed, useful_bins, users_needed
from ldprange.planner.optimise import optimise_plan
from ldprange.planner.outlooks import Outlook, outlook

__all__ = [
    "Candidate",
    "Comparison",
    "Outlook",
    "choose_plan",
    "compare_plans",
    "epsilon_needed",
    "optimise_plan",
    "outlook",
    "useful_bins",
    "users_needed",
]
