"""Who is compared, by name, and how each is asked.

``Windows`` is our plan: shifted windows with the best oracles and level probabilities. The paper's methods
are those of its figures, levels drawn evenly. ``Flat`` asks for the bin itself, with short reports.
The rest came after the paper.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from experiments.adaptive_tree import adaptive_tree
from experiments.methods import HAAR, plan_of, tree
from experiments.square_wave import square_wave
from ldprange import Domain, Flat, Plan, Windows, optimise_plan
from ldprange.support.arrays import Counts, Floats

WINDOWS = "Windows"
FLAT = "Flat"
ADAPTIVE = "AdaptiveTree"
WAVES = ("SquareWaveEM", "SquareWaveEMS")
PAPERS = (HAAR, *(tree("OUE", branching) for branching in (2, 4, 8, 16)))
"""What the paper proposes: HaarHRR, and consistent trees with OUE."""
PLANNED = (WINDOWS, *PAPERS, FLAT)
METHODS = (*PLANNED, ADAPTIVE, *WAVES)
DENOISED_WINDOWS, DENOISED_HAAR = (f"{method}, denoised" for method in (WINDOWS, HAAR))
DENOISED = {DENOISED_WINDOWS: WINDOWS, DENOISED_HAAR: HAAR}
"""Which method is denoised."""


@lru_cache(maxsize=128)
def plan(method: str, bins: int, epsilon: float) -> Plan:
    """Return the plan of a method that has one."""
    if method in PAPERS:
        return plan_of(method, bins, epsilon)
    shape = Windows() if method == WINDOWS else Flat()
    return optimise_plan(Domain.integers(0, bins - 1), epsilon=epsilon, decomposition=shape)


def shares(method: str, people: Counts, epsilon: float, seed: int) -> Floats:
    """Ask people by a method that has no plan, and return the share of each bin."""
    rng = np.random.default_rng(seed)
    if method == ADAPTIVE:
        return adaptive_tree(people, epsilon, rng)
    return square_wave(people, epsilon, rng, smooth=method == WAVES[1])
