"""Coins that say what a test wants them to say."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from ldprange.randomness import Coins
from unused_coins import UnusedCoins


class ScriptedCoins:
    """Words from a list; asking for more than it holds is an error, so that every coin is accounted for."""

    def __init__(self, words: Iterable[int]) -> None:
        self._left = list(words)

    def word(self) -> int:
        return self._left.pop(0)

    def words(self, count: int) -> NDArray[np.uint32]:
        return np.array([self.word() for _ in range(count)], np.uint32)

    @property
    def spare(self) -> Coins:
        return UnusedCoins()

    @property
    def left(self) -> int:
        """How many words nobody has asked for."""
        return len(self._left)


class SeededCoins:
    """Uniform words that a seed repeats, for laws that must hold in every run of a test or in none."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        self._left: list[int] = []

    def word(self) -> int:
        if not self._left:
            self._left = self.words(4096).tolist()
        return self._left.pop()

    def words(self, count: int) -> NDArray[np.uint32]:
        return self._rng.integers(0, 1 << 32, count, np.uint32)

    @property
    def spare(self) -> Coins:
        return self


def choosing(index: int, bound: int) -> list[int]:
    """Return the words that make a uniform choice below ``bound`` come out as ``index``."""
    bits = (bound - 1).bit_length()
    return [index << (32 - bits)] if bits else []
