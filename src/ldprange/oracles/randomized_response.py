"""Randomised response over g symbols: the coin behind GRR, local hashing and Hadamard hashing.

The symbol is kept with probability p = e/(e + g − 1), e = exp(ε); otherwise one of the *other*
g − 1 symbols is sent, each with probability q = (1 − p)/(g − 1). The ratio p/q is then e^ε. (The
paper's text for OLH draws the lie from all g symbols, which breaks its own guarantee.)
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ldprange import kernels
from ldprange.errors import PlanError
from ldprange.oracles.contract import CodedMechanism, Column, Items, Mechanism, Oracle, Pull
from ldprange.randomness import (
    LEAST_FAVOUR,
    Coins,
    below,
    chance_of,
    exponential_from_below,
    happens,
    thresholds_of,
)
from ldprange.support.arrays import Counts, Floats

Symbols = NDArray[np.uint32]


class SymbolResponse:
    """Randomised response over ``symbols`` ≥ 2 symbols, with the threshold rounded toward privacy.

    >>> response = SymbolResponse(4, epsilon=1.0)
    >>> response.keep / response.lie < 2.718281828459046
    True
    """

    def __init__(self, symbols: int, epsilon: float) -> None:
        e = exponential_from_below(epsilon)
        self.symbols = symbols
        self.threshold, self.finer = thresholds_of(e / (e + symbols - 1))
        self.keep = chance_of(self.threshold, self.finer)
        if self.keep * symbols <= LEAST_FAVOUR:
            raise PlanError(
                f"ε must be large enough for coins to favour the truth among {symbols} symbols, "
                f"got {epsilon}; raise ε, or choose an oracle with fewer symbols"
            )
        self.lie = (1 - self.keep) / (symbols - 1)
        self.worst_ratio = self.keep / self.lie

    def encode(self, symbol: int, coins: Coins) -> int:
        """Randomise one symbol."""
        truth = happens(coins, self.threshold, self.finer)
        # a lie is drawn in any case, or the time it takes would tell whether one was sent
        other = below((coins, coins.spare)[truth], self.symbols - 1)
        return (other + (other >= symbol), symbol)[truth]

    def encode_many(self, symbols: Symbols, rng: np.random.Generator) -> Symbols:
        """Randomise many symbols."""
        return kernels.respond(symbols, rng, self.symbols, self.threshold, self.finer)

    def draw_truthful(self, holders: Counts, rng: np.random.Generator) -> tuple[Counts, int]:
        """Split users into those who tell the truth and the number whose symbol is pure noise.

        Randomised response is a mixture: with probability g·q a symbol uniform over all g,
        otherwise the truth.
        """
        truthful = rng.binomial(holders, float(1 - self.symbols * self.lie))
        return truthful, int(holders.sum() - truthful.sum())


@lru_cache(maxsize=1024, typed=True)  # every level of every plan that is tried asks for one of few
def symbol_response(symbols: int, epsilon: float) -> SymbolResponse:
    """Return randomised response over ``symbols``, which nobody changes."""
    return SymbolResponse(symbols, epsilon)


@dataclass(frozen=True, slots=True)
class GRR(Oracle):
    """Generalised randomised response (GRR): the cell is the symbol. Best below 3·exp(ε) + 2 cells."""

    kind: ClassVar[str] = "grr"

    def on(self, cells: int, epsilon: float, *, contrast: bool = False) -> Mechanism:
        return _ResponseMechanism(cells, epsilon)


class _ResponseMechanism(CodedMechanism):
    def __init__(self, cells: int, epsilon: float) -> None:
        self.cells = cells
        self._response = symbol_response(cells, epsilon)
        self._set_codes(cells)
        keep, lie = float(self._response.keep), float(self._response.lie)
        self._set_supports(keep, lie, others=0.0, held_and_other=0.0)

    def encode(self, item: int, coins: Coins) -> bytes:
        return self._response.encode(item, coins).to_bytes(self.width, "little")

    def encode_many(self, items: Items, rng: np.random.Generator) -> Column:
        return self._response.encode_many(items, rng)

    def pull(self, weights: Floats) -> Pull:
        most = self._pull_of(weights, weights.max(axis=-1))
        return Pull(most, most)

    def draw(self, holders: Counts, rng: np.random.Generator) -> Counts:
        truthful, noise = self._response.draw_truthful(holders, rng)
        return truthful + rng.multinomial(noise, np.full(self.cells, 1 / self.cells))

    def likelihood(self, report: bytes, item: int) -> Fraction:
        same = int.from_bytes(report, "little") == item
        return self._response.keep if same else self._response.lie

    def supporting(self, column: Column, items: Items) -> NDArray[np.bool_]:
        supporting: NDArray[np.bool_] = column == items
        return supporting

    def worst_ratio(self) -> Fraction:
        return self._response.worst_ratio
