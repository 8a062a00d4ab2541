"""The one rule for the branchings of a tree, alone and beside other attributes."""

import math
from collections.abc import Iterator
from functools import lru_cache
from itertools import combinations_with_replacement


@lru_cache(maxsize=1024)
def branchings_for(bins: int, branching: int) -> tuple[int, ...]:
    """Return factors near ``branching`` whose product is ``bins`` or just above.

    The sum of two costs decides: how far the factors lie from ``branching``, and how much padding they bring.

    >>> branchings_for(64, 4), branchings_for(120, 4), branchings_for(7, 2), branchings_for(101, 4)
    ((4, 4, 4), (4, 5, 6), (2, 2, 2), (3, 3, 3, 4))
    """
    bins = max(2, bins)

    def cost(factors: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
        # rounded, so that equal costs are equal on every machine; the smallest factors then win
        away = sum(abs(math.log(factor / branching)) for factor in factors) / len(factors)
        return round(away + math.log(math.prod(factors) / bins), 9), factors

    return min(_nearly_equal_factors(bins, branching), key=cost)


def _nearly_equal_factors(bins: int, branching: int) -> Iterator[tuple[int, ...]]:
    """Yield ways to write a number of at least ``bins`` as a product of nearly equal factors."""
    height = math.log(bins) / math.log(branching)
    for count in range(max(1, math.floor(height) - 1), math.ceil(height) + 1):
        root = round(bins ** (1 / count))
        for factors in combinations_with_replacement(range(max(2, root - 1), root + 3), count):
            if math.prod(factors) >= bins:
                yield factors
