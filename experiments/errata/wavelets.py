"""Slips in the section on the Haar transform and in what it says of prefixes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from experiments.errata.erratum import Erratum, holds

_HALF = Fraction(1, 2)
_SHARES = [Fraction(share, 100) for share in (10, 15, 23, 12, 20, 5, 7, 8)]  # the paper's example


def _details(shares: Sequence[Fraction], low: int, high: int) -> tuple[Fraction, list[int]]:
    """Return Σ (O_L − O_R)/2^l·c over all nodes that the range cuts, and the overlaps' differences.

    c is the left half's share less the right half's; O_L and O_R are how many bins of either half lie in the
    range.
    """
    total, overlaps = Fraction(0), []
    for level in range(1, len(shares).bit_length()):
        size, half = 1 << level, 1 << (level - 1)
        for start in range(0, len(shares), size):
            left, right = range(start, start + half), range(start + half, start + size)
            overlap = sum(low <= bin_ < high for bin_ in left) - sum(low <= bin_ < high for bin_ in right)
            coefficient = sum(shares[bin_] for bin_ in left) - sum(shares[bin_] for bin_ in right)
            total += Fraction(overlap, size) * coefficient
            overlaps.append(overlap)
    return total, overlaps


def _range_formula() -> str:
    """Answer all ranges of eight bins, without noise, and one of two bins."""
    bins = len(_SHARES)
    ranges = [(low, high) for low in range(bins) for high in range(low + 1, bins + 1)]
    once = twice = most = 0
    for low, high in ranges:
        details, overlaps = _details(_SHARES, low, high)
        share, level = sum(_SHARES[low:high], Fraction(0)), Fraction(high - low, bins)
        once += level + details == share
        twice += level + 2 * details == share
        most = max(most, *map(abs, overlaps))
    holds(once == len(ranges) > twice, "only the formula without the factor gives every range")
    holds(most == bins // 2, "|O_L − O_R| is at most 2^(l − 1)")
    two = [Fraction(3, 4), Fraction(1, 4)]
    details, _ = _details(two, 0, 1)
    return (
        f"D = 2, shares 3/4 and 1/4: the first is {_HALF + 2 * details} as printed, {_HALF + details} as "
        f"corrected; D = 8: |O_L − O_R| is at most {most} at the root, l = 3"
    )


def _absolute_error() -> str:
    factor = math.sqrt(0.5)
    holds(abs(factor - 0.707) < 5e-4 and abs(math.sqrt(2) - 1.414) < 5e-4, "0.707 is 1/√2")
    return f"1/√2 = {factor:.3f}, √2 = {math.sqrt(2):.3f}"


def _zeroth_coefficient() -> str:
    """Answer the whole domain, r = D, whose share is 1."""
    users, bins = 100, 16
    as_printed = bins * users // math.isqrt(bins)
    corrected = bins * Fraction(1, bins)
    holds(corrected == 1 != as_printed, "only c₀ = 1/D answers the whole domain by 1")
    return f"N = 100, D = 16: r·c₀ for the whole domain is {as_printed} as printed, {corrected} as corrected"


WAVELETS = (
    Erratum(
        18,
        "Section 'Discrete Haar Transform', error behaviour of HaarHRR, answer to a range",
        "The answer is r·c₀ + 2Σ(O_L − O_R)/2^l·c_l, one term a level, with |O_L − O_R| up to 2^l.",
        "Without the factor 2, with a term for each of the up to two nodes cut on a level, and with |O_L "
        "− O_R| up to 2^(l − 1). The variance that follows, V_F·Σ1/p_l/2, is that of this formula.",
        _range_formula,
    ),
    Erratum(
        19,
        "Section 'Prefix and Quantile Queries'",
        "√2 = 0.707.",
        "1/√2 = 0.707.",
        _absolute_error,
    ),
    Erratum(
        28,
        "Section 'Discrete Haar Transform', coefficient 0 of HaarHRR",
        "c₀ is set to N/√D, and a range of length r has the term r·c₀.",
        "For answers that are shares, with coefficients rescaled to −1, 0 and 1 as the section has them, "
        "c₀ is 1/D. (N/√D is the coefficient of the orthonormal transform of counts, whose weight would "
        "be r/√D.)",
        _zeroth_coefficient,
    ),
)
