"""The branchings of an attribute's tree, near a wanted one, for a number of bins.

Anyone may ask for the tree of any attribute, in a plan of a few bytes. So neither the next number with small
factors nor the best way to write it as a product is found by trying all: both searches end within a second
for every number of bins that a plan can have.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf, isqrt, log

import numpy as np

_LARGEST = 7  # prime factor of a number of leaves that is made a branching; 101 is rather taken for 105
_FIRST, _MOST = 1 << 6, 1 << 16  # numbers whose factors are looked at together
_ROUNDING = 1e-12  # far above what floating-point numbers lose here, far below what costs are rounded to


def trees_of(shape: Sequence[int], branching: int, unordered: frozenset[int]) -> Iterator[tuple[int, ...]]:
    """Yield a tree for each attribute; of bins without an order all at once.

    >>> list(trees_of((16, 12), 4, frozenset([1])))
    [(4, 4), (12,)]
    """
    for place, bins in enumerate(shape):
        yield tree_of(bins, max(2, bins) if place in unordered else branching)


def tree_of(bins: int, branching: int) -> tuple[int, ...]:
    """Return branchings near a wanted one whose product is the number of bins, or the next that has them.

    >>> tree_of(64, 4), tree_of(120, 4), tree_of(7, 4), tree_of(101, 4), tree_of(1, 4)
    ((4, 4, 4), (4, 5, 6), (7,), (3, 5, 7), ())
    """
    return _Nearest(_smooth(bins, max(branching, _LARGEST)), branching).factors


def _smooth(number: int, largest: int) -> int:
    """Return the least number from this one on that has no prime factor above ``largest``."""
    candidates = range(2, min(largest, isqrt(2 * number)) + 1)  # twice as far on there is a power of two
    primes = [p for p in candidates if all(p % q for q in range(2, isqrt(p) + 1))]
    size = _FIRST
    while True:
        block = np.arange(number, number + size)
        rest = block.copy()
        for prime in primes:
            while (divided := rest % prime == 0).any():
                rest[divided] //= prime
        found = block[rest <= largest]  # what is left is 1, or one prime
        if found.size:
            return int(found[0])
        number, size = number + size, min(2 * size, _MOST)


class _Nearest:
    """The factors of a number, in increasing order, that lie nearest to a wanted one.

    The distance is the mean absolute value of log(factor/wanted), rounded so that equal ones are equal on
    every machine; the smallest factors then win. Factors are chosen one after the other, and a choice is
    given up once the rest, were all its factors alike, could not make it better than the best so far.
    """

    def __init__(self, number: int, wanted: int) -> None:
        self._wanted = wanted
        small = [d for d in range(1, isqrt(number) + 1) if number % d == 0]
        self._divisors = [*small, *(number // d for d in reversed(small) if d * d < number)]
        self.distance, self.factors = inf, ()
        for count in range(1, number.bit_length()):
            self._choose((), 0.0, number, count)

    factors: tuple[int, ...]

    def _choose(self, chosen: tuple[int, ...], away: float, rest: int, count: int) -> None:
        """Go on with every factor that may come next: ``count`` are to come, and multiply to ``rest``."""
        length = len(chosen) + count
        least = away + abs(log(rest) - count * log(self._wanted))
        bound = round(least / length - _ROUNDING, 9)
        # in order: of as many factors that are as near, the smallest came first
        if bound > self.distance or (bound == self.distance and length == len(self.factors)):
            return
        if not count:
            found = round(away / length, 9), chosen
            self.distance, self.factors = min((self.distance, self.factors), found)
            return
        for factor in self._next(chosen[-1] if chosen else 2, rest, count):
            self._choose((*chosen, factor), away + abs(log(factor / self._wanted)), rest // factor, count - 1)

    def _next(self, smallest: int, rest: int, count: int) -> list[int]:
        if count == 1:
            return [rest] if rest >= smallest else []
        return [d for d in self._divisors if d >= smallest and d**count <= rest and rest % d == 0]
