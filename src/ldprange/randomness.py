"""Coins: where a client's randomness comes from, and how probabilities become integers.

All randomising decisions are made on 32-bit words: an event of probability
``threshold / 2**32`` happens when a fresh word lies below the threshold. Thresholds are
integers, so the probabilities are exact, known to the estimator, and the same in every
language; they are rounded so that no likelihood ratio exceeds ``e**ε``. Where one word is too
coarse for that to come close, as at a large ε, a second one decides when the first is the threshold itself.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from math import floor
from struct import Struct
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ldprange.errors import ArgumentError
from ldprange.support.checking import shown

WORD_BITS = 32
WORDS = 1 << WORD_BITS
"""The number of values of one word."""

LEAST_FAVOUR = 1 + Fraction(1, WORDS)
"""More than so many times likelier than by chance the truth must be, for estimates to be made of it."""

_COARSE = Fraction(1, 10**6)  # a change of odds from which on one word is too coarse
_MAX_EXPONENT = 64.0  # past this every threshold has long reached its extreme
_POOL = Struct("<16I")  # words that are read together


class Coins(Protocol):
    """A source of uniform 32-bit words. Encoding is a pure function of a value and these."""

    def word(self) -> int:
        """Return the next word."""
        ...

    def words(self, count: int) -> NDArray[np.uint32]:
        """Return the next ``count`` words."""
        ...

    @property
    def spare(self) -> Coins:
        """Coins that decide nothing, for a branch that needs none, so that it takes as long as one that does.

        Else the time that an encoding takes would tell the truth from a lie.
        """
        ...


class SystemCoins:
    """Words from the operating system's generator, read a few at a time.

    Holds nothing that outlives one encoding, so neither threads nor forked processes can
    ever share a coin.
    """

    __slots__ = ("word",)

    def __init__(self) -> None:
        # a method of Python's own would take as long as all else that a coin decides
        self.word: Callable[[], int] = chain.from_iterable(iter(_read_pool, ())).__next__

    def words(self, count: int) -> NDArray[np.uint32]:
        """Return the next ``count`` words, in one read."""
        return np.frombuffer(os.urandom(4 * count), dtype="<u4")

    @property
    def spare(self) -> Coins:
        """The same coins: there are enough."""
        return self


def _read_pool() -> tuple[int, ...]:
    """Return a few words from the operating system's generator."""
    return _POOL.unpack(os.urandom(_POOL.size))


def below(coins: Coins, bound: int) -> int:
    """Return a uniform integer in ``[0, bound)``, exactly: a word that would favour some is drawn again.

    ``bound`` is at most 2**32; a bound of 1 takes no coin.
    """
    if bound == 1:
        return 0
    word, shift = coins.word, WORD_BITS - (bound - 1).bit_length()
    while (drawn := word() >> shift) >= bound:
        pass
    return drawn


def thresholds_of(chance: Fraction, rounded: Callable[[Fraction], int] = floor) -> tuple[int, int]:
    """Return the integers with which :func:`happens` makes an event of ``chance``, ``rounded`` up or down.

    The second is 0 if one word changes the odds by at most a part in 10**6. Every likelihood ratio is such
    odds, or their inverse, times a whole number, so it is as close to what it is meant to be.

    >>> thresholds_of(Fraction(1, 3)), thresholds_of(Fraction(1, 10**9))
    ((1431655765, 0), (4, 1266874889))
    """
    coarse = rounded(chance * WORDS)
    near = Fraction(coarse, WORDS)
    if abs(near - chance) <= _COARSE * chance * (1 - near):
        return coarse, 0
    return divmod(rounded(chance * WORDS**2), WORDS)


def chance_of(threshold: int, finer: int) -> Fraction:
    """Return the exact chance that :func:`happens` gives an event, by its ``threshold`` and ``finer`` one."""
    return Fraction(threshold * WORDS + finer, WORDS**2)


def happens(coins: Coins, threshold: int, finer: int) -> bool:
    """Say if an event happens: a word is below ``threshold``, or is it and the next is below ``finer``."""
    word = coins.word()
    if word == threshold and finer:
        return coins.word() < finer
    return word < threshold


@lru_cache(maxsize=256)  # every oracle that is tried on every level asks for the same
def exponential_from_below(epsilon: float) -> Fraction:
    """Return a rational number just under ``e**epsilon``, so that rounding stays on the private side."""
    with localcontext() as context:
        context.prec = 50
        rounded = Decimal(min(epsilon, _MAX_EXPONENT)).exp()
    return Fraction(rounded) * (1 - Fraction(1, 10**48))


def seed_sequence(seed: int) -> np.random.SeedSequence:
    """Return the source of a simulation's streams."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ArgumentError(f"a seed must be a whole number of at least 0, got {shown(seed)}")
    return np.random.SeedSequence(int(seed))


def generator(stream: int | np.random.SeedSequence) -> np.random.Generator:
    """Return the seeded generator that simulations use. Clients never do."""
    return np.random.Generator(np.random.SFC64(stream))
