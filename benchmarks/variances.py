"""How exact windows in stages, and the default plan, are: ``python benchmarks/variances.py``.

First the mean variance of windows in stages beside windows on the whole line, level probabilities optimised
for both with equal noise. Then the mean variance of the plan that is chosen by default, for people spread
evenly, beside the best of trees of any branching and of Haar: the worst ratio over ε from 0.2 to 8. All is
calculated, nothing drawn.
"""

from __future__ import annotations

import numpy as np

import ldprange as ldp
from ldprange.decompositions.stages_design import powers_below, stages_for, stages_probabilities
from ldprange.decompositions.windows_design import windows_probabilities
from ldprange.least_squares.stage_means import mean_variances
from ldprange.least_squares.stages import Stage, stacked_blocks
from ldprange.support.arrays import Floats

BOTH = np.array([0.45, 0.55])  # as the planner weighs ranges and prefixes
EPSILONS = (0.2, 0.5, 1.0, 1.1, 2.0, 3.0, 4.0, 6.0, 8.0)
SIZES = (
    2,
    3,
    5,
    8,
    17,
    30,
    64,
    100,
    256,
    1000,
    1024,
    1025,
    2000,
    4096,
    10_000,
    1 << 16,
    10**5,
    1 << 20,
    1 << 22,
)
PEOPLE = 10**6


def stages_beside_one(bins: int) -> Floats:
    """Return the ratios of the mean variances of ranges and of prefixes."""
    stages, whole = stages_for(bins), Stage(1, bins, powers_below(bins))
    even = np.ones(sum(len(stage.widths) for stage in stages))
    ours = mean_variances(stages, stacked_blocks(stages, stages_probabilities(stages, even, BOTH)))
    widths = np.array(whole.widths)
    probabilities = windows_probabilities(bins, widths, np.ones(widths.size), BOTH)
    theirs = mean_variances([whole], stacked_blocks([whole], probabilities / probabilities.sum()))
    return np.array(ours) / np.array(theirs)


def default_beside_others(bins: int, epsilon: float) -> float:
    """Return the ratio of mean variances, over ranges and prefixes, to the least of all trees and Haar."""
    found = ldp.compare_plans(ldp.Domain.integers(0, bins - 1), epsilon=epsilon, expected_users=PEOPLE)
    others = [each.error("both") for each in found.candidates if not each.name.startswith("Windows")]
    return (found.best.error("both") / min(others)) ** 2 if others else 1.0


if __name__ == "__main__":
    for bins, bar in ((1 << 11, 1.10), (1 << 12, 1.10)):
        ranges, prefixes = stages_beside_one(bins)
        print(
            f"D = {bins}: stages / whole line: ranges {ranges:.3f}, prefixes {prefixes:.3f} (bar: {bar})",
            flush=True,
        )
    for bins in SIZES:
        ratios = [default_beside_others(bins, epsilon) for epsilon in EPSILONS]
        worst = int(np.argmax(ratios))
        print(
            f"D = {bins}: default / best of trees and Haar: {min(ratios):.3f} to {ratios[worst]:.3f}, "
            f"worst at ε = {EPSILONS[worst]:g} (bar: 1)",
            flush=True,
        )
