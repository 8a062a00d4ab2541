"""Slips in the section on hierarchical histograms, before consistency, and on ranges in general."""

from __future__ import annotations

import math
from fractions import Fraction

import ldprange as ldp
from experiments.errata.erratum import Erratum, holds


def _nodes(low: int, high: int, branching: int) -> int:
    """Return how many B-adic ranges make up the bins ``low`` … ``high − 1``."""
    count = 0
    while low < high:
        size = 1
        while low % (size * branching) == 0 and low + size * branching <= high:
            size *= branching
        low, count = low + size, count + 1
    return count


def _nodes_of_a_level() -> str:
    cells = [level.cells for level in ldp.Tree(branching=4).on(ldp.Domain.integers(1, 64)).levels]
    holds(cells == [4**level for level in (1, 2, 3)], "level l of a tree has B^l nodes")
    return f"levels 1, 2, 3 of a tree with B = 4 have {cells} nodes, not {[2**level for level in (1, 2, 3)]}"


def _number_of_ranges() -> str:
    """Count the ranges that the proof's own sum runs over, and take the mean length over either number."""
    bins = 16
    ranges = sum(bins - length + 1 for length in range(1, bins + 1))
    lengths = sum(length * (bins - length + 1) for length in range(1, bins + 1))
    holds(ranges == math.comb(bins + 1, 2), "there are D(D + 1)/2 ranges")
    holds(Fraction(lengths, ranges) == Fraction(bins + 2, 3), "their mean length is (D + 2)/3")
    as_printed = Fraction(lengths, math.comb(bins, 2))
    holds(as_printed != Fraction(bins + 2, 3), "the printed quotient is another")
    return (
        f"D = 16: {ranges} ranges of mean length {lengths // ranges} = (D + 2)/3; over "
        f"{math.comb(bins, 2)} the same sum gives {float(as_printed):.2f}"
    )


def _tree_of_four() -> str:
    """Take the factor before V_F·log₂ r·log₂ D at B = 4, where log₄ is half of log₂."""
    corrected = Fraction(2 * 4 - 1, 2 * 2)
    as_printed, consistent = Fraction(7, 4) / 4, Fraction(9, 2 * 3 * 3)
    holds(as_printed < consistent < corrected, "as printed, consistency would make the bound worse")
    return f"{as_printed} as printed, {corrected} as corrected, against {consistent} with consistency"


def _lagrangian() -> str:
    """Take the derivative by the multiplier at p = 1/h, the solution that the lemma rightly finds."""
    levels = 4
    probabilities = [Fraction(1, levels)] * levels
    as_printed = sum(1 / p for p in probabilities) - 1
    corrected = sum(probabilities) - 1
    holds(corrected == 0 != as_printed, "p = 1/h solves only the corrected equation")
    return f"at p = 1/4 on four levels the printed derivative is {as_printed}, the corrected one {corrected}"


def _average_error() -> str:
    """Work out both sides of the proof's second step, the mean of log r, and the mean number of nodes."""
    bins, lengths = 64, range(1, 65)
    subtracted = sum(length * math.log2(length) for length in lengths)
    above = bins * (bins + 1) / 2 * math.log2((1 + 2 * bins) / 3)
    holds(above > subtracted, "what the proof subtracts is more than what is there")
    logarithms = sum((bins - length + 1) * math.log2(length) for length in lengths)
    mean_logarithm = logarithms / math.comb(bins + 1, 2)
    bound = math.log2(3 * bins**2 / (1 + 2 * bins))
    jensen = math.log2((bins + 2) / 3)
    pairs = [(low, high) for low in range(bins) for high in range(low + 1, bins + 1)]
    nodes = sum(_nodes(low, high, 2) for low, high in pairs) / len(pairs)
    holds(mean_logarithm < jensen < bound and nodes < 2 * bound, "the bound holds all the same")
    return (
        f"D = 64, B = 2: the proof subtracts {above:.0f} for {subtracted:.0f}; the mean of log r is "
        f"{mean_logarithm:.2f}, printed bound {bound:.2f}, log((D + 2)/3) = {jensen:.2f}"
    )


def _against_flat() -> str:
    thresholds = {bits: 2 * 2 * bits**2 for bits in (6, 16)}
    holds(thresholds == {6: 144, 16: 1024}, "2B log²D is 144 and 1024")
    return f"2B·log²D = {thresholds[6]} at D = 64, not 128 (and {thresholds[16]} at D = 2^16, as printed)"


def _best_branching() -> str:
    """Find where the derivatives of (B − 1)/ln²B and of (2B − 1)/ln²B change their sign."""

    def used(b: float) -> float:
        return b * math.log(b) - 2 * b + 2

    def named(b: float) -> float:
        return b * math.log(b) - 2 * b + 1

    holds(used(4.9215) < 0 < used(4.9225), "2(B − 1)/ln²B is least at 4.922")
    holds(named(6.305) < 0 < named(6.315), "(2B − 1)/ln²B is least at 6.31")
    return "least at B = 4.92 with the factor 2(B − 1), at B = 6.31 with 2B − 1"


def _rectangles() -> str:
    bins, side = 8, _nodes(1, 7, 2)
    logarithm = int(math.log2(bins))
    holds(side**2 == 16 > logarithm**2, "the square needs more than log²D rectangles")
    most = max(_nodes(low, high, 2) for low in range(bins) for high in range(low + 1, bins + 1))
    holds(most <= 2 * logarithm, "a side needs at most 2(B − 1)·log D intervals")
    return f"D = 8, B = 2: the square [1, 6]² takes {side**2} dyadic rectangles, log²D = {logarithm**2}"


HIERARCHIES = (
    Erratum(
        6,
        "Section 'Hierarchical Histograms', perturbation",
        "Level l has 2^l nodes, whatever B.",
        "B^l nodes.",
        _nodes_of_a_level,
    ),
    Erratum(
        8,
        "Section 'Flat Solutions', lemma on the average error; likewise wherever all ranges are counted",
        "There are D(D − 1)/2 ranges (and a range is defined for a < b), and the mean error is (D + 2)V_F/3.",
        "With single points, which the sum over lengths from 1 has, there are D(D + 1)/2; that is the "
        "number that gives (D + 2)/3.",
        _number_of_ranges,
    ),
    Erratum(
        10,
        "Section 'Post-processing for consistency', comparison after the bound for B = 8",
        "HH₄ without consistency has 7/4·V_F·log₂ r·log₂ D/4, against 1/2·V_F·log₂ r·log₂ D with it.",
        "7/4·V_F·log₂ r·log₂ D, from the factor 2B − 1 = 7. Divided once more it would be less than the "
        "bound with consistency, which is meant to be the smaller.",
        _tree_of_four,
    ),
    Erratum(
        14,
        "Section 'Hierarchical Histograms', proof that uniform levels are best",
        "The derivative by the multiplier is Σ1/p_l − 1, so that Σ1/p_l = 1.",
        "It is Σp_l − 1, so that Σp_l = 1; p_l = 1/h, as the lemma says.",
        _lagrangian,
    ),
    Erratum(
        15,
        "Section 'Hierarchical Histograms', theorem on the average error over all ranges, proof",
        "Jensen's inequality bounds Σ r·log r from above, and the bound is put in where the sum is "
        "subtracted.",
        "That is the wrong direction. The bound holds all the same, and with room: as the logarithm is "
        "concave, the mean of log r is at most log((D + 2)/3), where the printed bound has about "
        "log(3D/2).",
        _average_error,
    ),
    Erratum(
        22,
        "Section 'Hierarchical Histograms', hierarchical versus flat methods",
        "For D = 64 and B = 2 the condition r > 2B·log²D reads r > 128.",
        "r > 144.",
        _against_flat,
    ),
    Erratum(
        23,
        "Section 'Hierarchical Histograms', optimal branching factor",
        "B = 4.922 minimises the variance of the equation before, (2B − 1)·V_F·h·(⌈log r⌉ + 1).",
        "It minimises 2(B − 1)·log r·log D, which the proof of the theorem on the average error uses "
        "too. The equation's own factor 2B − 1 would give 6.31. (A range takes at most 2(B − 1) nodes of "
        "a level, so the smaller factor is the better bound.)",
        _best_branching,
    ),
    Erratum(
        40,
        "Section 'Concluding Remarks', multidimensional range queries",
        "A rectangle is made of log²D B-adic rectangles.",
        "Of at most (2(B − 1)·log D)² of them: the order is right, the number is not.",
        _rectangles,
    ),
)
