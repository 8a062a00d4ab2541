"""HIO: how ranges are taken apart, and that answers have the mean and the variance that they must have."""

from __future__ import annotations

import math

import numpy as np
import pytest

from experiments.hashing import PerfectHashing
from experiments.many.data import ATTRIBUTES, BINS, people
from experiments.many.hio import _boxes_of, boxes, fewest_nodes, height_of, hio
from experiments.many.queries import Queries, random_queries, true_answers


def test_ranges_are_the_fewest_nodes() -> None:
    """All ranges of 64 bins: each bin once, and never four siblings where their parent would do."""
    starts, ends = np.triu_indices(65, 1)
    asked = Queries(64, np.zeros((starts.size, 1), np.int64), starts[:, None], ends[:, None])
    taken = fewest_nodes(asked)[:, 0]
    levels = np.split(taken, [1, 5, 21], axis=1)
    assert [level.shape[1] for level in levels] == [1, 4, 16, 64]
    covered = sum(np.repeat(level, 64 // level.shape[1], axis=1).astype(int) for level in levels)
    bins = np.arange(64)
    np.testing.assert_array_equal(covered, (bins >= starts[:, None]) & (bins < ends[:, None]))
    for level in levels[1:]:
        assert not level.reshape(starts.size, -1, 4).all(axis=2).any()


@pytest.mark.parametrize("ways", [1, 2, 3])
def test_boxes_make_up_a_question(ways: int) -> None:
    """Were everybody in every group, the boxes' holders would add up to the truth exactly."""
    rng = np.random.default_rng(1)
    persons = rng.integers(0, 16, (3, 500), dtype=np.uint8)
    asked = random_queries(20, ways, 3, 16, rng, volume=0.6)
    question, box, combination = boxes(asked, 3)
    everywhere = [_boxes_of(persons, np.full(500, group), 16) for group in range(27)]
    holders = [
        np.count_nonzero(everywhere[group] == one) for one, group in zip(box, combination, strict=True)
    ]
    sums = np.bincount(question, holders, 20) / 500
    np.testing.assert_allclose(sums, true_answers(persons, asked), rtol=1e-12)


def test_answers_are_unbiased_with_the_variance_of_hashing() -> None:
    """Mean within 6 standard errors, variance within 6 of its own: a false alarm in a hundred million."""
    rng, users, epsilon, repetitions = np.random.default_rng(2), 810, 1.0, 3000
    persons = np.minimum(rng.geometric(0.2, (2, users)) - 1, 15).astype(np.uint8)
    asked = Queries(16, np.array([[0, 1]]), np.array([[3, 2]]), np.array([[9, 16]]))
    answers = np.concatenate([hio(persons, epsilon, asked, rng) for _ in range(repetitions)])

    _, box, combination = boxes(asked, 2)
    noise, group = PerfectHashing().on(2, epsilon).noise, users // 9
    variance = 0.0
    for level in np.unique(combination):
        number = np.count_nonzero(combination == level)
        held = np.isin(_boxes_of(persons, np.full(users, level), 16), box).mean()
        second = (
            noise.spread + noise.total * number + (noise.cross * 2) * held
        ) * number + noise.occupied * held
        variance += (second - held**2) / group
    truth = true_answers(persons, asked)[0]
    variance -= truth * (1 - truth) / users  # people are drawn without replacement
    assert abs(answers.mean() - truth) < 6 * math.sqrt(variance / repetitions)
    assert abs(answers.var(ddof=1) / variance - 1) < 6 * math.sqrt(2 / repetitions)


def test_a_question_asked_twice_has_one_answer() -> None:
    rng = np.random.default_rng(3)
    persons = rng.integers(0, 16, (2, 2000), dtype=np.uint8)
    once = random_queries(5, 2, 2, 16, rng)
    attributes, starts, ends = (np.tile(part, (2, 1)) for part in (once.attributes, once.starts, once.ends))
    twice = Queries(16, attributes, starts, ends)
    first, second = np.split(hio(persons, 1.0, twice, rng), 2)
    np.testing.assert_allclose(first, second, rtol=1e-12)


def test_what_cannot_be_split_is_refused() -> None:
    rng = np.random.default_rng(4)
    asked = random_queries(1, 2, 2, 16, rng)
    with pytest.raises(ValueError, match="at least a person for each of 9 groups, got 8"):
        hio(np.zeros((2, 8), np.uint8), 1.0, asked, rng)
    for bins in (1, 2, 8, 48):
        with pytest.raises(ValueError, match="power of 4"):
            height_of(bins)


def test_errors_are_worse_than_a_guess() -> None:
    """There are 4096 groups, of 244 people."""
    persons, rng = people("normal", 10**6, 0), np.random.default_rng(5)
    asked = random_queries(200, 2, ATTRIBUTES, BINS, rng)
    truth = true_answers(persons, asked)
    error = np.abs(hio(persons, 1.0, asked, rng) - truth).mean()
    assert 0.3 < error < 1.2
    assert error > np.abs(truth - 0.25).mean()
