"""The best oracle for every level and the best share of people on each, by exact calculation.

A level's report has information λ = 1/(variance of a cell's estimate, in an even population): the best
oracle is the one of most information. Given λ, the layout knows which level probabilities make the mean
variance over a workload's queries least.

Where both ranges and prefixes matter, that is a product of powers of the two mean variances: no scale has to
be chosen. Prefixes weigh a little more, as they are a little farther from what is possible.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, get_args

import numpy as np

from ldprange.decompositions import Decomposition
from ldprange.domain import Domain
from ldprange.errors import PlanError
from ldprange.levels import Level
from ldprange.oracles import GRR, HadamardHashing, Oracle, SubsetSelection, mechanism_of
from ldprange.plan import MAX_COUNTERS, Plan, check_bins, check_cells, check_epsilon
from ldprange.support.arrays import Floats
from ldprange.support.blas import callers_thread
from ldprange.support.checking import check_type, shown

Workload = Literal["ranges", "prefixes", "both"]

_MAX_BITS = 4
_MAX_SUBSET_CELLS = 65  # a report is then at most 9 bytes; shifted grids have a power of two and one
_COUNTS_PER_BIN = 16  # that a level may take in an aggregate
_DIGITS = 4  # of a probability: few enough to come out the same on every machine

_WEIGHTS: dict[str, Floats] = {
    "ranges": np.array([1.0, 0.0]),
    "prefixes": np.array([0.0, 1.0]),
    "both": np.array([0.45, 0.55]),
}


@callers_thread
def optimise_plan(
    domain: Domain,
    *,
    epsilon: float,
    decomposition: Decomposition,
    oracle: Oracle | Sequence[Oracle] | None = None,
    workload: Workload = "both",
) -> Plan:
    """Return the plan of a decomposition with the least predicted error.

    Parameters
    ----------
    domain, epsilon, decomposition
        As for :class:`~ldprange.Plan`.
    oracle
        To be kept; if left out, each level gets the best of GRR, subset selection (up to 65 cells) and
        Hadamard hashing.
    workload
        What is to be accurate: ``"ranges"``, ``"prefixes"`` (and quantiles), or ``"both"``.

    >>> import ldprange as ldp
    >>> ages = ldp.Domain.integers(0, 119)
    >>> plan = optimise_plan(ages, epsilon=1.1, decomposition=ldp.Tree(branching=2), oracle=ldp.OUE())
    >>> even = ldp.Plan(ages, 1.1, ldp.Tree(branching=2), ldp.OUE())
    >>> round(plan.predict(10_000).range_variance / even.predict(10_000).range_variance, 2)
    0.77
    """
    check_workload(workload)
    check_epsilon(epsilon)
    check_type(domain, Domain, "a plan's domain")
    check_type(decomposition, Decomposition, "a plan's decomposition")
    check_bins(domain)
    epsilon = float(epsilon)
    layout = decomposition.on(domain)
    levels = layout.levels
    check_cells(levels)
    plan = Plan(domain, epsilon, decomposition, oracle or best_oracles(levels, epsilon))
    information = np.array(
        [
            1 / mechanism.noise.in_even_population(level.asked)
            for mechanism, level in zip(plan.mechanisms, levels, strict=True)
        ]
    )
    probabilities = layout.best_probabilities(information, _WEIGHTS[workload])
    decomposition, kept = layout.worth_asking(probabilities)
    oracles = [plan.oracles[level] for level in kept]
    return Plan(domain, epsilon, decomposition, oracles, rounded_probabilities(probabilities[kept]))


def check_workload(workload: object) -> None:
    """Raise PlanError unless ``workload`` is one of the three."""
    if workload not in get_args(Workload):
        raise PlanError(f"a workload must be 'ranges', 'prefixes' or 'both', got {shown(workload)}")


def best_oracles(levels: Sequence[Level], epsilon: float) -> list[Oracle]:
    """Return the best oracle of every level, or of the largest ones some that together need few counters.

    What even the cheapest need may be more than a plan may have: a plan of them says so.
    """
    most = MAX_COUNTERS
    while True:
        chosen = [best_oracle(level, epsilon, most) for level in levels]
        counters = sum(
            mechanism_of(each, level, epsilon).counters for each, level in zip(chosen, levels, strict=True)
        )
        if counters <= MAX_COUNTERS or most == 1:
            return chosen
        most //= 2


@lru_cache(maxsize=4096)  # plans of one domain that are compared share levels
def best_oracle(level: Level, epsilon: float, most: int = MAX_COUNTERS) -> Oracle:
    """Return the oracle of most information for a level, among those with short reports and few counters.

    If none does with ``most`` counters, it is the one with the fewest.
    """
    found: list[tuple[float, float, Oracle]] = []
    for oracle in (GRR(), *map(HadamardHashing, range(1, _MAX_BITS + 1)), SubsetSelection()):
        if isinstance(oracle, SubsetSelection) and level.asked > _MAX_SUBSET_CELLS:
            continue
        try:
            mechanism = mechanism_of(oracle, level, epsilon)
        except PlanError:  # too small an ε for the oracle's coins on so many cells
            continue
        if mechanism.counters <= _COUNTS_PER_BIN * level.cells * max(1, level.size) + 1:
            beyond = max(mechanism.counters, most)
            found.append((beyond, mechanism.noise.in_even_population(level.asked), oracle))
    if not found:
        raise PlanError(f"ε must be large enough for coins to favour the truth, got {epsilon}")
    return min(found, key=lambda one: one[:2])[2]


def rounded_probabilities(probabilities: Floats) -> list[float]:
    """Return probabilities of few digits, none of them 0, that still add up to 1.

    The largest makes up for what rounding adds, or if that is more than it has, all large ones do.

    >>> rounded_probabilities(np.array([1.0, 1.0, 1.0]))
    [0.3334, 0.3333, 0.3333]
    """
    whole = 10**_DIGITS
    units = np.maximum(np.rint(probabilities / probabilities.sum() * whole), 1).astype(np.int64)
    too_many, largest = int(units.sum()) - whole, np.argmax(units)
    if too_many < units[largest]:
        units[largest] -= too_many
        too_many = 0
    while too_many:
        order = np.argsort(-units, kind="stable")
        taken = order[units[order] > 1][:too_many]
        units[taken] -= 1
        too_many -= taken.size
    rounded: list[float] = (units / whole).tolist()
    return rounded
