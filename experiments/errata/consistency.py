"""Slips in the section on consistency. Variances are exact, in units of a node's."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise

import numpy as np

from experiments.errata.erratum import Erratum, holds
from experiments.errata.matrices import (
    between_boundaries,
    hierarchy,
    mean_variances,
    with_known_root,
    with_noisy_root,
    without_root,
)
from ldprange.support.arrays import Floats


def _two_stages(nodes: list[Floats], branching: int, *, final_parent: bool) -> Floats:
    """Return the leaves after both stages, from the levels' node values, a row each.

    Stage 2 spreads the difference between a parent and its children: of the parent's final value, or of
    its value after stage 1.
    """

    def added(children: Floats) -> Floats:
        total: Floats = children.reshape(-1, branching, children.shape[1]).sum(axis=1)
        return total

    averaged = [nodes[-1]]
    for height, own in enumerate(reversed(nodes[:-1]), start=2):
        whole, part = branching**height, branching ** (height - 1)
        averaged.insert(0, ((whole - part) * own + (part - 1) * added(averaged[0])) / (whole - 1))
    final = averaged[0]
    for above, values in pairwise(averaged):
        parents = final if final_parent else above
        final = values + np.repeat(parents - added(values), branching, axis=0) / branching
    return final


def _second_stage() -> str:
    """Apply the stages to the identity: the rows are then the weights of all nodes in every leaf."""
    branching, height = 2, 4
    levels = hierarchy(branching, height)
    sizes = np.cumsum([len(level) for level in levels])
    nodes = np.split(np.eye(sizes[-1]), sizes[:-1])
    best, _ = mean_variances(with_noisy_root(levels))
    final, averaged = (
        mean_variances(weights @ weights.T)[0] / best
        for weights in (
            _two_stages(nodes, branching, final_parent=True),
            _two_stages(nodes, branching, final_parent=False),
        )
    )
    holds(abs(final - 1) < 1e-9, "with the parent's final value the stages give least squares")
    holds(averaged > 1.5, "with the averaged value they do not")
    leaf, parent = Fraction(1, 4), Fraction(1, 2)
    literal = leaf + parent / branching  # a leaf has no children to take off
    holds(literal != leaf, "with the node's own children the estimate is biased")
    return (
        f"B = 2, D = 16: mean variance of ranges {averaged:.2f} times least squares with the averaged "
        f"parent, {final:.2f} with the final one; with v's own children a leaf of 1/4 becomes {literal} "
        "on average"
    )


def _known_root() -> str:
    found = []
    for branching, height in ((2, 6), (4, 3), (8, 2)):
        levels = hierarchy(branching, height)
        known, noisy, absent = (
            np.array(mean_variances(covariance(levels)))
            for covariance in (with_known_root, with_noisy_root, without_root)
        )
        holds(bool(np.all((known < noisy) & (noisy < absent))), "knowing the root is better")
        by_noise, by_absence = (noisy / known - 1) * 100, (absent / known - 1) * 100
        found.append(
            f"B = {branching}: {by_noise[0]:.0f}% and {by_noise[1]:.0f}% ({by_absence[0]:.0f}% and "
            f"{by_absence[1]:.0f}%)"
        )
    return "D = 64, more variance of ranges and of prefixes with a noisy root (without any): " + "; ".join(
        found
    )


def _length_of_most_variance() -> str:
    """Take a parent with five children, and find how many of them have the most variance together."""
    branching = 5
    node = hierarchy(branching, 1)
    variances = between_boundaries(with_noisy_root(node))[0, 1:]
    formula = [
        Fraction(length * branching - length * (length - 1), branching + 1)
        for length in range(1, branching + 1)
    ]
    holds(np.allclose(variances, [float(value) for value in formula]), "the variance of r children is right")
    most = int(np.argmax(variances)) + 1
    holds(most == (branching + 1) / 2 > branching / 2, "the most is at just over half the length")
    rows = np.vstack(node).shape[0]
    holds(rows == branching + 1, "there are as many estimates as nodes")
    return f"B = 5: the variance {formula[most - 1]} is most at r = {most}; H is {rows} × {branching}"


def _level_factor() -> str:
    """Work out every level's variance after least squares, counting up from the leaves."""
    branching, height = 2, 4
    levels = hierarchy(branching, height)
    covariance = with_noisy_root(levels)
    claimed = {
        level: branching**level / sum(branching**power for power in range(level + 1))
        for level in range(1, height + 2)
    }
    exact = {
        level: float(np.diag(matrix @ covariance @ matrix.T).max())
        for level, matrix in enumerate(reversed(levels), start=1)
    }
    broken = [level for level in claimed if exact[level] > claimed[level] + 1e-9]
    holds(broken == [height + 1], "the factor is a bound on every level but the root's")
    single = Fraction(branching, branching + 1)
    holds(
        single > Fraction(branching**2, branching**2 + branching + 1), "so says the proof's own single level"
    )
    return (
        f"B = 2, D = 16: the root's variance is {exact[height + 1]:.4f}, claimed "
        f"{claimed[height + 1]:.4f}; over two leaves {single}, claimed 4/7"
    )


def _short_ranges() -> str:
    """Hold the worst variance of every length against (B + 1)/2·log r, both over V_F·h."""
    branching, height = 8, 2
    bins = branching**height
    variances = between_boundaries(with_known_root(hierarchy(branching, height)))
    worst = {length: float(np.diagonal(variances, length).max()) for length in range(1, bins + 1)}
    bound = {length: (branching + 1) / 2 * math.log(length, branching) for length in worst}
    broken = [length for length in worst if worst[length] > bound[length]]
    holds(broken == [1, 2, 3, 4, 5, 6], "the bound is broken by short ranges and by no others")
    return (
        f"B = 8, D = 64, known root: the worst variance is {worst[1]:.2f}, {worst[2]:.2f} and "
        f"{worst[6]:.2f} at r = 1, 2 and 6 (times V_F·h), the bound {bound[1]:.2f}, {bound[2]:.2f} and "
        f"{bound[6]:.2f}"
    )


def _consistent_branching() -> str:
    """Hold the printed derivative of (B + 1)/(2 ln²B) against a difference quotient."""

    def bound(b: float) -> float:
        return (b + 1) / (2 * math.log(b) ** 2)

    def as_printed(b: float) -> float:
        return (b * math.log(b) - 2 * b - 2) / (b * math.log(b) ** 3)

    difference = (bound(4 + 1e-5) - bound(4 - 1e-5)) / 2e-5
    holds(abs(difference / as_printed(4) - 0.5) < 1e-6, "the printed derivative is twice the right one")
    holds(as_printed(9.185) < 0 < as_printed(9.195), "the bound is least at 9.19")
    return f"slope at B = 4: {difference:.4f}, printed {as_printed(4):.4f}; least at B = 9.186"


CONSISTENCY = (
    Erratum(
        16,
        "Section 'Post-processing for consistency', stage 2",
        "A node gets a B-th of its parent's value after stage 1, less the sum over its own children.",
        "Of its parent's final value, less the sum over the parent's children, of whom it is one. With "
        "the averaged parent the tree stays inconsistent and ranges get worse; with its own children the "
        "result is not even unbiased.",
        _second_stage,
    ),
    Erratum(
        17,
        "Section 'Post-processing for consistency', use of the Gauss–Markov theorem",
        "All estimates have the same variance, so plain least squares is best.",
        "The root is known to be 1, without noise; least squares with that fixed is best. (And shares "
        "that are held add to OUE's variance, erratum 11, so levels differ a little.) To estimate the "
        "root as one more node, as the matrix H has it, costs accuracy, most of all on prefixes; to "
        "leave it out costs more.",
        _known_root,
    ),
    Erratum(
        24,
        "Section 'Post-processing for consistency', lemma on the reduction of variance, proof",
        "A range of r of B children has most variance at r = (B + 1)/2, called just under half; the "
        "covariance of the node estimates x is V_F·I_D.",
        "(B + 1)/2 is just over half of B. The covariance is V_F·I_n: there are n nodes. (The formulas "
        "for the variance, (rB − r(r − 1))/(B + 1), B/(B + 1) and (B + 1)/4, are right.)",
        _length_of_most_variance,
    ),
    Erratum(
        25,
        "Section 'Post-processing for consistency', tighter bound for higher levels",
        "The variance falls by B^i/ΣB^j, j from 0 to i, on level i counted from 1 at the leaves.",
        "That holds below the root only. The root has no parent to gain from: one power less, "
        "B^(i−1)/ΣB^j with j to i − 1.",
        _level_factor,
    ),
    Erratum(
        26,
        "Section 'Post-processing for consistency', bound after consistency and equation for B = 8",
        "The variance is at most (B + 1)·V_F·log r·log D/2, for B = 8 half of V_F·log₂ r·log₂ D.",
        "A range of length r touches up to ⌈log r⌉ + 1 levels, as in the theorem before; without the 1 "
        "the bound is 0 for a single point, and fails for r ≤ 6 at B = 8. (The same holds at r = 1 of "
        "2(B − 1)·V_F·log r·log D, which the theorem on the average error sums up.)",
        _short_ranges,
    ),
    Erratum(
        27,
        "Section 'Post-processing for consistency', optimal branching factor",
        "The derivative of (B + 1)·log r·log D·V_F/2 is ln r·ln D·(B ln B − 2B − 2)/(B ln³B), and is "
        "itself least at B ≈ 9.18.",
        "It is V_F/2 times that, and it is 0, the bound being least, at B = 9.186. The conclusion stands.",
        _consistent_branching,
    ),
)
