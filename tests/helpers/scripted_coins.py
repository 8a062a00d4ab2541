"""Coins that say what a test wants them to say."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


class ScriptedCoins:
    """Words from a list; asking for more than it holds is an error, so that every coin is accounted for."""

    def __init__(self, words: Iterable[int]) -> None:
        self._left = list(words)

    def word(self) -> int:
        return self._left.pop(0)

    def words(self, count: int) -> NDArray[np.uint32]:
        return np.array([self.word() for _ in range(count)], np.uint32)

    @property
    def left(self) -> int:
        """How many words nobody has asked for."""
        return len(self._left)


def choosing(index: int, bound: int) -> list[int]:
    """Return the words that make a uniform choice below ``bound`` come out as ``index``."""
    bits = (bound - 1).bit_length()
    return [index << (32 - bits)] if bits else []
