"""The kernels, NumPy and compiled, for tests that hold for both."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ldprange.kernels import numpy_kernels
from ldprange.randomness import generator

Kernels = Any  # a module: which of the twins

compiled: Kernels = None
with suppress(ImportError):
    from ldprange.kernels import compiled_kernels as compiled

needs_compiled = pytest.mark.skipif(
    compiled is None,
    reason="the compiled kernels were not built: CONTRIBUTING.md says how",
)


def transformed(kernels: Kernels, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the Walsh–Hadamard transform, and leave the values as they are."""
    result = np.ascontiguousarray(values).copy()
    kernels.walsh_hadamard(result)
    return result


both_twins = pytest.mark.parametrize(
    "kernels",
    [
        pytest.param(numpy_kernels, id="numpy"),
        pytest.param(compiled, id="compiled", marks=needs_compiled),
    ],
)


def same(work: Callable[[Kernels, np.random.Generator], Any], seed: int) -> None:
    """Do it with either twin: the same comes out, and the generators are left at the same place."""
    for make in (generator, np.random.default_rng):  # SFC64, whose steps are compiled too, and another
        rngs = [make(seed), make(seed)]
        one, other = (work(twin, rng) for twin, rng in zip((numpy_kernels, compiled), rngs, strict=True))
        equal(one, other)
        assert rngs[0].integers(1 << 62) == rngs[1].integers(1 << 62)


def levels_by_words(kernels: Kernels, words: list[int], thresholds: tuple[int, ...]) -> list[int]:
    """Return the levels of people who draw these ``words``."""
    found = list[int]()
    for first, second in zip(words[::2], [*words, 0][1::2], strict=True):  # two from every 64 bits
        rng = generator(0)
        state: Any = rng.bit_generator.state
        state["state"]["state"][:] = first | second << 32, 0, 0, 0  # whose sum, but for the third, comes next
        rng.bit_generator.state = state
        found += kernels.draw_levels(rng, 2, thresholds).tolist()
    return found[: len(words)]


def equal(one: Any, other: Any) -> None:
    if isinstance(one, np.ndarray):
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    elif isinstance(one, list | tuple):
        assert len(one) == len(other)
        for each, its_twin in zip(one, other, strict=True):
            equal(each, its_twin)
    else:
        assert one == other


def small_table(rng: np.random.Generator) -> Any:
    """Return what the variances of a table of 6 × 3 bins depend on."""
    return [(6, 2, 1), (3, 1)], shares_upto(rng, (6, 3)), *rng.random((4, 3, 2)), 9.0


def shares_upto(rng: np.random.Generator, bins: tuple[int, ...]) -> Any:
    shares = np.pad(rng.exponential(size=bins), [(1, 0)] * len(bins))
    for a in range(len(bins)):
        shares = np.cumsum(shares, axis=a)
    return shares / shares.max()
