"""HIO: a tree over each attribute, and a group of people for every combination of the trees' levels.

After T. Wang, B. Ding, J. Zhou, C. Hong, Z. Huang, N. Li, S. Jha, "Answering Multi-Dimensional Analytical
Queries under Local Differential Privacy", SIGMOD 2019, with a branching of 4. Trees of height h over d
attributes have (h + 1)^d combinations of levels. People are spread over them evenly, and each says by OLH in
which box of his combination he is: a node of each tree. A question takes the fewest nodes for each of its
ranges and the root of every other attribute; its answer is the sum over all boxes that these make.

Nearly all boxes are never asked for, so supports are drawn only for those that are, each once. With a
perfectly random hash they are independent (see :mod:`experiments.hashing`), so this is the law of drawing
them all.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from experiments.hashing import PerfectHashing
from experiments.many.data import People
from experiments.many.queries import Queries
from ldprange.support.arrays import Counts, Floats

_BRANCHING = 4


def hio(people: People, epsilon: float, queries: Queries, rng: np.random.Generator) -> Floats:
    """Ask people once and answer questions about any number of attributes."""
    attributes, users = people.shape
    height = height_of(queries.bins)
    combinations = (height + 1) ** attributes
    if users < combinations:
        raise ValueError(f"there must be at least a person for each of {combinations} groups, got {users}")
    group = rng.permutation(users) % combinations
    held = np.sort(_boxes_of(people, group, queries.bins))

    question, box, combination = boxes(queries, attributes)
    asked, first, back = np.unique(box, return_index=True, return_inverse=True)
    holders = np.searchsorted(held, asked, side="right") - np.searchsorted(held, asked)
    asked_of = np.bincount(group, minlength=combinations)[combination[first]]
    oracle = PerfectHashing().on(2, epsilon)  # a perfect hash is the same for any number of cells
    estimates = oracle.people(oracle.supports(holders, asked_of, rng), asked_of) / asked_of
    answers: Floats = np.zeros(len(queries.attributes))
    np.add.at(answers, question, estimates[back])
    return answers


def height_of(bins: int) -> int:
    """Return the height of the tree over so many bins.

    >>> height_of(64)
    3
    """
    height = (bins - 1).bit_length() // 2
    if bins < _BRANCHING or _BRANCHING**height != bins:
        raise ValueError(f"bins must be a power of {_BRANCHING}, at least {_BRANCHING}, got {bins}")
    return height


def _first_nodes(height: int) -> Counts:
    """Return the number of each level's first node, and of the one after the last; the root is node 0."""
    return (_BRANCHING ** np.arange(height + 2) - 1) // (_BRANCHING - 1)


def fewest_nodes(queries: Queries) -> NDArray[np.bool_]:
    """Say which nodes make up each range: question × attribute × node.

    A node is taken if it lies within the range and its parent does not.
    """
    levels = [queries.coverage(_BRANCHING**level) == 1 for level in range(height_of(queries.bins) + 1)]
    parents = [np.zeros_like(levels[0])] + [np.repeat(level, _BRANCHING, axis=2) for level in levels[:-1]]
    return np.concatenate([level & ~parent for level, parent in zip(levels, parents, strict=True)], axis=2)


def boxes(queries: Queries, attributes: int) -> tuple[Counts, Counts, Counts]:
    """Return the boxes of all questions, as columns: the question, the box, and its combination of levels.

    A box is a number with a digit for each attribute, its node; a combination likewise, its level.
    """
    height = height_of(queries.bins)
    firsts = _first_nodes(height)
    nodes_of_all = firsts[-1]
    taken = fewest_nodes(queries)
    level_of = np.repeat(np.arange(height + 1), np.diff(firsts))
    question = np.arange(len(queries.attributes))
    box = combination = np.zeros(question.size, np.int64)
    for way in range(queries.ways):
        numbers = np.count_nonzero(taken[:, way], axis=1)
        nodes = np.nonzero(taken[:, way])[1]
        repeats = numbers[question]
        # the nodes of a question lie together: where they begin, and how far on within each repetition
        begin = (np.cumsum(numbers) - numbers)[question] - (np.cumsum(repeats) - repeats)
        node = nodes[np.repeat(begin, repeats) + np.arange(repeats.sum())]
        question = np.repeat(question, repeats)
        attribute = queries.attributes[question, way]
        box = np.repeat(box, repeats) + node * nodes_of_all**attribute
        combination = np.repeat(combination, repeats) + level_of[node] * (height + 1) ** attribute
    return question, box, combination


def _boxes_of(people: People, group: Counts, bins: int) -> Counts:
    """Return the box of each person, of the combination of levels that is his group."""
    height = height_of(bins)
    firsts = _first_nodes(height)
    box = np.zeros(group.size, np.int64)
    for attribute, values in enumerate(people):
        level = group // (height + 1) ** attribute % (height + 1)
        node = firsts[level] + values // _BRANCHING ** (height - level)
        box += node * firsts[-1] ** attribute
    return box
