"""The best oracle for every level and the best share of people on each, by exact calculation.

A level's report has information λ = 1/(variance of a cell's estimate, in an even population): the best
oracle is the one of most information. Given λ, the mean variance over a workload's queries is a convex
function f of the level probabilities p, and its gradient is known. Multiplicative updates
p ← p·√(−∂log f/∂p), made to add up to 1, keep p positive and rest only where all levels in use gain alike
(Silvey, Titterington and Torsney, 1978).

Where both ranges and prefixes matter, f is a product of powers of the two mean variances: no scale has to be
chosen. Prefixes weigh a little more, as they are a little farther from what is possible.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from math import prod
from typing import Literal, get_args

import numpy as np

from ldprange.decompositions import Decomposition, Grids, Windows
from ldprange.domain import Domain
from ldprange.errors import PlanError
from ldprange.levels import Level
from ldprange.oracles import GRR, HadamardHashing, Oracle, SubsetSelection, mechanism_of
from ldprange.plan import Plan, check_bins, check_cells, check_epsilon
from ldprange.support.arrays import Floats
from ldprange.support.checking import check_type, shown
from ldprange.support.parallel import slices
from ldprange.workloads import mean_overlap

Workload = Literal["ranges", "prefixes", "both"]

_MOST_BITS = 4
_MOST_SUBSET_CELLS = 65  # a report is then at most 9 bytes; shifted grids have a power of two and one
_COUNTS_PER_BIN = 16  # that a level may take in an aggregate
_STEPS = 50
_ALONE = 64**3  # steps of a product that one thread does alone
_SMALL = 16  # half of a matrix that is inverted as it is
_DENSE = 256  # bins up to which windows are optimised as they are
_NEGLIGIBLE = 0.003  # the least probability worth a level of windows
_DIGITS = 4  # of a probability: few enough to come out the same on every machine

Gradient = Callable[[Floats], Floats]


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
        What is to be exact: ``"ranges"``, ``"prefixes"`` (and quantiles), or ``"both"``.

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
    decomposition = decomposition.resolve(domain.shape, domain.unordered)
    levels = decomposition.levels(domain.bins)
    check_cells(levels)
    plan = Plan(domain, epsilon, decomposition, oracle or [best_oracle(level, epsilon) for level in levels])
    information = np.array(
        [
            1 / mechanism.noise.in_even_population(level.asked)
            for mechanism, level in zip(plan.mechanisms, levels, strict=True)
        ]
    )
    if isinstance(decomposition, Windows):
        probabilities = _windows_probabilities(domain.bins, levels, information, workload)
        used = probabilities >= _NEGLIGIBLE
        used[-1] = True
        decomposition = Windows([level.shifts for level, kept in zip(levels, used, strict=True) if kept])
        oracles = [each for each, kept in zip(plan.oracles, used, strict=True) if kept]
        return Plan(domain, epsilon, decomposition, oracles, _rounded(probabilities[used]))
    if isinstance(decomposition, Grids):
        gradient = _grids_gradient(decomposition, information, workload)
    else:
        gradient = _details_gradient(domain.bins, levels, decomposition.nested, information, workload)
    return Plan(domain, epsilon, decomposition, plan.oracles, _rounded(_descend(gradient, len(levels))))


def check_workload(workload: object) -> None:
    """Refuse what is no workload."""
    if workload not in get_args(Workload):
        raise PlanError(f"a workload must be 'ranges', 'prefixes' or 'both', got {shown(workload)}")


def best_oracle(level: Level, epsilon: float) -> Oracle:
    """Return the oracle of most information for a level, among those with short reports and few counters."""
    found: list[tuple[float, Oracle]] = []
    for oracle in (GRR(), *map(HadamardHashing, range(1, _MOST_BITS + 1)), SubsetSelection()):
        if isinstance(oracle, SubsetSelection) and level.asked > _MOST_SUBSET_CELLS:
            continue
        try:
            mechanism = mechanism_of(oracle, level, epsilon)
        except PlanError:  # too small an ε for the oracle's coins on so many cells
            continue
        if mechanism.counters <= _COUNTS_PER_BIN * level.cells * max(1, level.size) + 1:
            found.append((mechanism.noise.in_even_population(level.asked), oracle))
    if not found:
        raise PlanError(f"ε must be large enough for 32-bit coins to favour the truth, got {epsilon}")
    return min(found, key=lambda one: one[0])[1]


def _weights(workload: Workload) -> Floats:
    return {"ranges": np.array([1.0, 0]), "prefixes": np.array([0, 1.0]), "both": np.array([0.45, 0.55])}[
        workload
    ]


def _descend(gradient: Gradient, levels: int) -> Floats:
    """Follow −∂log f/∂p to the least f."""
    probabilities = np.full(levels, 1 / levels)
    for _ in range(_STEPS):
        probabilities = probabilities * np.sqrt(gradient(probabilities))
        probabilities /= probabilities.sum()
    return probabilities


def _rounded(probabilities: Floats) -> list[float]:
    """Return probabilities of few digits that still add up to 1."""
    short = np.maximum(np.round(probabilities / probabilities.sum(), _DIGITS), 10.0**-_DIGITS)
    short[np.argmax(short)] += 1 - short.sum()
    rounded: list[float] = np.round(short, _DIGITS).tolist()
    return rounded


def _details_gradient(
    bins: int, levels: Sequence[Level], nested: bool, information: Floats, workload: Workload
) -> Gradient:
    """Trees and Haar: f = Σ_l c_l/(Σ_{k≥l} size_k λ_k p_k), c_l the mean of ‖P_l r‖² (Haar: k = l alone)."""
    sizes = [level.size for level in levels]
    norms = np.array([mean_overlap(bins, size) for size in (levels[0].size * levels[0].branching, *sizes)])
    c = np.diff(norms, axis=0).T
    precision = information * sizes

    def gradient(probabilities: Floats) -> Floats:
        known = precision * probabilities
        informed = np.cumsum(known[::-1])[::-1] if nested else known
        variance = c @ (1 / informed)
        slopes = c / informed**2
        gains = precision * (np.cumsum(slopes, axis=1) if nested else slopes)
        towards: Floats = _weights(workload) @ (gains / variance[:, None])
        return towards

    return gradient


def _grids_gradient(grids: Grids, information: Floats, workload: Workload) -> Gradient:
    """Grids: the same, m being depths into every tree and k ≥ m in each of them; the mean over all tables."""
    parts, cells = [], np.array([level.cells for level in grids.levels(0)])
    for chosen in grids.tables():
        axes, depths = [grids.axes[a] for a in chosen], np.array(grids.depths)
        energies = zip(*(axis.mean_energies() for axis in axes), strict=True)
        c = np.stack([reduce(np.multiply.outer, each).reshape(-1) for each in energies])
        wanted = np.indices([axis.depth + 1 for axis in axes]).reshape(len(axes), -1)
        tells = np.all(depths[:, chosen, None] >= wanted, axis=1)
        tells[:, 0] = False  # the whole is known
        told = tells.any(axis=0)  # what no grid tells is not in question
        precision = information * prod(axis.leaves for axis in axes) / cells
        parts.append((c[:, told], tells[:, told], precision))

    def gradient(probabilities: Floats) -> Floats:
        variance, gains = np.zeros(2), np.zeros((2, probabilities.size))
        for c, tells, precision in parts:
            informed = (precision * probabilities) @ tells
            variance += c @ (1 / informed)
            gains += precision * ((c / informed**2) @ tells.T)
        towards: Floats = _weights(workload) @ (gains / variance[:, None])
        return towards

    return gradient


def _windows_probabilities(
    bins: int, levels: Sequence[Level], information: Floats, workload: Workload
) -> Floats:
    """Optimise windows on at most 256 bins; beyond, the widths between get what the least above them has.

    (All places and all scales between a bin and the domain being alike, so are their levels.)
    """
    scale = 1 << max(0, (bins - 1).bit_length() - (_DENSE - 1).bit_length())
    widths = np.array([level.shifts for level in levels])
    wide = widths >= 2 * scale
    gradient = _windows_gradient(
        -(-bins // scale),
        np.append(widths[wide] / scale, 1.0),
        np.append(information[wide], information[-1]),
        workload,
    )
    found = _descend(gradient, wide.sum() + 1)
    between = np.full(widths.size - found.size, found[max(0, found.size - 2)])
    return np.concatenate([found[:-1], between, found[-1:]])


def _windows_gradient(bins: int, widths: Floats, information: Floats, workload: Workload) -> Gradient:
    """Windows: f = tr(G H⁻¹), H = Σ_l p λ T_w, with the total known; G counts the queries that hold two bins.

    All of it is the same from either end of the line (prefixes are as exact as suffixes), so it falls into
    what is symmetric about the middle and what is antisymmetric, each on half the bins.
    """
    bins += bins % 2
    place = np.arange(bins)
    early, late = np.minimum.outer(place, place), np.maximum.outer(place, place)
    queries = _folded(np.stack([(early + 1.0) * (bins - late), (bins - late + early + 1) / 2]))
    parts = _folded(np.maximum(0, 1 - (late - early) / widths[:, None, None]) * information[:, None, None])

    def gradient(probabilities: Floats) -> Floats:
        covariance = _inverse((probabilities[:, None, None, None] * parts).sum(axis=0))
        sums = covariance[0].sum(axis=1)  # the total is symmetric
        covariance[0] -= np.outer(sums, sums) / sums.sum()
        variance = (queries * covariance).sum(axis=(1, 2, 3))
        turned = _product(_product(covariance, queries), covariance)
        gains = np.einsum("qsij,lsij->ql", turned, parts)
        towards: Floats = _weights(workload) @ (gains / variance[:, None])
        return towards

    return gradient


def _product(left: Floats, right: Floats) -> Floats:
    """Return the product of matrices, or of stacks of them, a few rows at a time.

    NumPy's BLAS takes a thread for every core to products of 64³ steps and more. The threads are done within
    microseconds, and then spin while they wait for one another: on a machine with other work to do they burn
    ten times what the product takes.
    """
    rows = max(1, _ALONE // (right.shape[-2] * right.shape[-1]))
    parts = [left[..., some, :] @ right for some in slices(left.shape[-2], rows)]
    product: Floats = np.concatenate(parts, axis=-2)
    return product


def _inverse(matrices: Floats) -> Floats:
    """Return the inverses of symmetric positive definite ``matrices``, by halves: no product is large."""
    half = matrices.shape[-1] // 2
    if half < _SMALL:
        return np.linalg.inv(matrices).astype(np.float64, copy=False)
    near, between, far = matrices[..., :half, :half], matrices[..., :half, half:], matrices[..., half:, half:]
    first = _inverse(near)
    carried = _product(first, between)
    second = _inverse(far - _product(np.swapaxes(between, -1, -2), carried))
    across = -_product(carried, second)
    first = first - _product(across, np.swapaxes(carried, -1, -2))
    inverse: Floats = np.block([[first, across], [np.swapaxes(across, -1, -2), second]])
    return inverse


def _folded(matrices: Floats) -> Floats:
    """Return the symmetric and the antisymmetric half of matrices that are alike from either end."""
    half = matrices.shape[-1] // 2
    near, far = matrices[:, :half, :half], matrices[:, :half, : half - 1 : -1]
    return np.stack([near + far, near - far], axis=1)
