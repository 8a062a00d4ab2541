"""A tree that grows only where people are: several rounds, each asking other people about finer nodes.

After L. Du, Z. Zhang, S. Bai, C. Liu, S. Ji, P. Cheng, J. Chen, "AHEAD: Adaptive Hierarchical Decomposition
for Range Query under Local Differential Privacy", CCS 2021 (section 4.2), with their branching of 2. People
are spread over as many rounds as the tree can have levels. Each round asks its people, by OUE, in which node
of the frontier they are, and makes the estimates non-negative with total 1. A node that was new in this round
is halved before the next if its estimate reaches θ = √((B + 1)·4e^ε/(n(e^ε − 1)²)), n people a round: below
that, halving adds more noise than it can add truth. A node that is not halved then stays in the frontier, is
asked about again in every later round, and is taken to be uniform.

In the end a node's own estimate and the sum of its parts' are averaged, weighted by their precisions, from
the finest up. A range is answered by the fewest nodes that make it up, as the paper does. Besides, the
differences that are left between a node and its parts may be given to the parts in proportion to their
variances, from the root down, so that the result is one distribution, mostly of less error. That is least
squares with a known root (as Hay et al., PVLDB 2010, have it for equal variances), but for estimates having
been made non-negative, and parts being kept so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from ldprange import OUE
from ldprange.support.arrays import Boundaries, Counts, Floats

_BRANCHING = 2


@dataclass(frozen=True, slots=True)
class _Level:
    """A frontier: where its nodes begin and end, and an estimate of each; a round's own has variance 1."""

    edges: Boundaries
    shares: Floats
    variances: Floats


def adaptive_tree(counts: Counts, epsilon: float, rng: np.random.Generator) -> Floats:
    """Ask a population in rounds, and return the share of people that each bin is found to have.

    >>> people = np.array([500_000, 300_000, 200_000, 0, 0, 0, 0, 0])
    >>> adaptive_tree(people, 2.0, np.random.default_rng(1)).round(2).tolist()
    [0.5, 0.3, 0.2, 0.0, 0.0, 0.0, 0.0, 0.0]
    """
    finest = reduce(_agree, nodes(counts, epsilon, rng).levels)
    return _spread(finest.edges, finest.shares)


def nodes(counts: Counts, epsilon: float, rng: np.random.Generator) -> Nodes:
    """Ask a population in rounds, and return the tree of which the paper answers questions.

    >>> people = np.array([500_000, 300_000, 200_000, 0, 0, 0, 0, 0])
    >>> tree = nodes(people, 2.0, np.random.default_rng(1))
    >>> tree.shares_between(np.array([0, 1]), np.array([2, 8])).round(2).tolist()
    [0.8, 0.5]
    """
    return Nodes(_averaged(_grown(counts, epsilon, rng)))


@dataclass(frozen=True, slots=True)
class Nodes:
    """A tree, each node of which has a share of its own: it need not be the sum of its parts."""

    levels: list[_Level]

    def shares_between(self, low: Boundaries, high: Boundaries) -> Floats:
        """Return the shares of people in ``low`` … ``high − 1``, from the fewest nodes that make these up.

        Of a leaf that lies only partly within, the part is taken.
        """
        edges = self.levels[-1].edges
        upto = np.append(0.0, np.cumsum(_spread(edges, self._whole(edges[:-1], edges[1:]))))
        begin, end = _inner(edges, low, high)
        parts: Floats = upto[high] - upto[low] - (upto[end] - upto[begin])
        return self._whole(begin, end) + parts

    def _whole(self, low: Boundaries, high: Boundaries) -> Floats:
        """Return the shares between edges of leaves."""
        found, done = np.zeros(low.size), (low, low)  # what nodes of coarser levels make up
        for level in self.levels:
            upto = np.append(0.0, np.cumsum(level.shares))
            now = _inner(level.edges, low, high)
            for (begin, end), sign in ((now, 1), (done, -1)):
                found += sign * (
                    upto[np.searchsorted(level.edges, end)] - upto[np.searchsorted(level.edges, begin)]
                )
            done = now
        return found


def _inner(edges: Boundaries, low: Boundaries, high: Boundaries) -> tuple[Boundaries, Boundaries]:
    """Return between which edges the nodes lie that are wholly within; the same twice if none is."""
    first = np.searchsorted(edges, low)
    last = np.maximum(first, np.searchsorted(edges, high, "right") - 1)
    return edges[first], edges[last]


def threshold(epsilon: float, users: float) -> float:
    """Return the share from which on a node is halved, when a round asks so many users.

    >>> round(threshold(math.log(3), users=1000), 4)
    0.0949
    """
    e = math.exp(epsilon)
    return math.sqrt((_BRANCHING + 1) * 4 * e / (users * (e - 1) ** 2))


def without_negatives(estimates: Floats, total: float | Floats = 1.0) -> Floats:
    """Return the nearest shares that are non-negative and add up to ``total``: all lose the same or become 0.

    It is called Norm-Sub by T. Wang et al., "Locally Differentially Private Frequency Estimation with
    Consistency", NDSS 2020. There may be many estimates, a row each, and as many totals.

    >>> without_negatives(np.array([0.75, 0.5, -0.5])).tolist()
    [0.625, 0.375, 0.0]
    """
    ordered = np.flip(np.sort(estimates, axis=-1), axis=-1)
    totals = np.asarray(total)[..., None]
    losses = (np.cumsum(ordered, axis=-1) - totals) / np.arange(
        1, ordered.shape[-1] + 1
    )  # if so many are left
    left = np.count_nonzero(ordered > losses, axis=-1, keepdims=True)  # what is greater comes first
    last = np.maximum(left - 1, 0)  # of a total of 0 nothing is left
    shares: Floats = np.maximum(estimates - np.take_along_axis(losses, last, axis=-1), 0.0)
    return shares


def _grown(counts: Counts, epsilon: float, rng: np.random.Generator) -> list[_Level]:
    """Ask round by round, and return what each heard."""
    rounds = max(1, (counts.size - 1).bit_length())
    least = threshold(epsilon, int(counts.sum()) / rounds)
    levels = [_Level(np.array([0, counts.size]), np.ones(1), np.zeros(1))]  # the root is known
    halved, waiting = np.array([counts.size > 1]), counts
    for later in reversed(range(rounds)):
        edges, new = _halve(levels[-1].edges, halved)
        asked = rng.binomial(waiting, 1 / (later + 1))
        waiting = waiting - asked
        shares = _heard(np.add.reduceat(asked, edges[:-1]), epsilon, rng)
        levels.append(_Level(edges, shares, np.ones(shares.size)))
        halved = new & (shares >= least) & (np.diff(edges) > 1)
    return levels


def _halve(edges: Boundaries, halved: NDArray[np.bool_]) -> tuple[Boundaries, NDArray[np.bool_]]:
    """Return a finer frontier, and which of its nodes are new."""
    middles = (edges[:-1] + edges[1:]) // 2
    return np.sort(np.concatenate([edges, middles[halved]])), np.repeat(halved, 1 + halved)


def _heard(holders: Counts, epsilon: float, rng: np.random.Generator) -> Floats:
    """Ask people which node they are in, and return the shares that they seem to have."""
    oracle = OUE().on(holders.size, epsilon)
    return without_negatives(oracle.estimate(oracle.draw(holders, rng), int(holders.sum())))


def _averaged(levels: list[_Level]) -> list[_Level]:
    """Return all levels, each averaged with the finer ones."""
    finest_up = accumulate(reversed(levels[1:]), lambda finer, level: _average(level, finer))
    return [levels[0], *reversed(list(finest_up))]


def _average(level: _Level, finer: _Level) -> _Level:
    """Average what a level says with what the finer one does; a node that was not halved is its own part."""
    first = _first_parts(level, finer)
    sums, variances = np.add.reduceat(finer.shares, first), np.add.reduceat(finer.variances, first)
    weights = variances / (level.variances + variances)
    return _Level(level.edges, weights * level.shares + (1 - weights) * sums, weights * level.variances)


def _agree(level: _Level, finer: _Level) -> _Level:
    """Move the parts of each node so that they add up to it, as far as none becomes negative."""
    first = _first_parts(level, finer)
    missing = level.shares - np.add.reduceat(finer.shares, first)
    parts = finer.variances[first] / np.add.reduceat(finer.variances, first)
    lower = np.clip(finer.shares[first] + missing * parts, 0.0, level.shares)
    halved = np.diff(first, append=finer.shares.size) > 1
    shares = np.empty(finer.shares.size)
    shares[first] = np.where(halved, lower, level.shares)
    shares[first[halved] + 1] = (level.shares - lower)[halved]
    return _Level(finer.edges, shares, finer.variances)


def _first_parts(level: _Level, finer: _Level) -> Boundaries:
    return np.searchsorted(finer.edges, level.edges[:-1])


def _spread(edges: Boundaries, shares: Floats) -> Floats:
    """Spread each node's share evenly over its bins."""
    sizes = np.diff(edges)
    return np.repeat(shares / sizes, sizes)
