"""Words that lie exactly at an edge, which chance would never draw: both twins are on the same side of it."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np
import pytest

from kernel_twins import Kernels, both_twins, levels_by_words, needs_compiled, same
from ldprange.kernels import numpy_kernels
from ldprange.randomness import generator

SEED, PEOPLE = 5, 7  # vectors of four, and some left
DRAWN = sorted(set(numpy_kernels.seeded_words(generator(SEED), 8 * PEOPLE).tolist()))
"""Words of which some are the coins, in whatever order a kernel draws them."""


@needs_compiled
@pytest.mark.parametrize("number", [2, 3])
def test_responses(number: int) -> None:
    symbols = np.arange(PEOPLE, dtype=np.uint32) % number
    for threshold in DRAWN:
        same(lambda twin, rng, at=threshold: twin.respond(symbols, rng, number, at), SEED)  # type: ignore[misc]


@needs_compiled
def test_contrasts() -> None:
    items = np.arange(PEOPLE, dtype=np.uint32)
    for threshold in DRAWN:
        same(lambda twin, rng, at=threshold: twin.encode_contrast(items, rng, 8, at), SEED)  # type: ignore[misc]


@needs_compiled
@pytest.mark.parametrize("cells", [9, 65, 66])
def test_subsets(cells: int) -> None:
    items = np.arange(PEOPLE, dtype=np.uint32)
    for threshold in DRAWN:
        same(lambda twin, rng, at=threshold: twin.encode_subset(items, rng, cells, 2, at), SEED)  # type: ignore[misc]


@both_twins
@pytest.mark.parametrize(
    "thresholds",
    [
        pytest.param((1 << 22, 1 << 30, 3 << 30), id="round numbers"),
        pytest.param((12345, (1 << 31) + 1, (1 << 32) - 1), id="others"),
        pytest.param((5, 6, 7, 1 << 31, (1 << 31) + 3), id="near each other"),
        pytest.param((0, 0, 1 << 31, 1 << 31, 1 << 32), id="levels that never come"),
    ],
)
def test_levels_begin_at_their_thresholds(kernels: Kernels, thresholds: tuple[int, ...]) -> None:
    near = {threshold + step for threshold in thresholds for step in (-1, 0, 1)}
    words = sorted(word for word in near if 0 <= word < 1 << 32)
    levels = [bisect_right(thresholds, word) for word in words]
    assert levels_by_words(kernels, words, thresholds) == levels


@both_twins
@pytest.mark.parametrize("bound", [3, 5461, (1 << 31) + 1, (1 << 32) - 1])
def test_words_that_would_favour_some_are_drawn_again(kernels: Kernels, bound: int) -> None:
    unfair, inverse = (1 << 32) % bound, pow(bound, -1, 1 << 32)
    for lower in (0, unfair - 1, unfair):
        word = lower * inverse % (1 << 32)  # the lower half of word · bound
        first, second = _generator_of(word), _generator_of(word)
        drawn = kernels.draw_below(first, 1, bound).tolist()
        words = numpy_kernels.seeded_words(second, 1).tolist()  # one word of a draw of two: the other is lost
        assert words == [word]
        while words[-1] * bound % (1 << 32) < unfair:
            words += numpy_kernels.seeded_words(second, 1).tolist()
        assert (len(words) > 1) == (lower < unfair)
        assert drawn == [words[-1] * bound >> 32]


def _generator_of(word: int) -> np.random.Generator:
    """Return a generator whose first word is this one: SFC64 begins with the sum of a, b and its counter."""
    made = generator(SEED)
    state = dict(made.bit_generator.state)
    state["state"] = {"state": np.array([word, 0, 0x9E3779B97F4A7C15, 0], np.uint64)}
    made.bit_generator.state = state
    return made
