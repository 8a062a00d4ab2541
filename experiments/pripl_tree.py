"""PriPL-Tree: a density of a few straight lines, and a tree whose leaves are the lines.

After L. Wang, Q. Ye, H. Hu, X. Meng, "PriPL-Tree: Accurate Range Query for Arbitrary Distribution under Local
Differential Privacy", PVLDB 17(11), 2024 (one attribute), and after the authors' program in what it leaves
open. A fifth of the people are asked by square wave, and what is reconstructed from that, with smoothing and
without, is cut into at most 32 straight lines (:mod:`experiments.piecewise_linear`). These are the leaves of
a tree (:mod:`experiments.segment_tree`) that everyone else is asked about by OUE.

The third phase, refinement, brings estimates together. A leaf's is averaged with what the square wave says,
whose squared error is taken to be how much more the two differ than noise explains. From the leaves up, a
node's is averaged with the sum of its children's, weighted by precision; from the root down, children are
moved alike to add up to their node, none below 0. Within a leaf people follow its line, as steep as it can be
without going below 0.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from experiments.adaptive_tree import without_negatives
from experiments.piecewise_linear import segments
from experiments.segment_tree import Node, tree_of
from experiments.square_wave import SquareWave, reconstruct
from ldprange import OUE
from ldprange.support.arrays import Boundaries, Counts, Floats

_FIRST = 0.2  # the authors' α: the part of the people that is asked by square wave
_TOLERANCE = 1e-3  # of either reconstruction's log-likelihood, in the authors' program


@dataclass(frozen=True, slots=True)
class Leaves:
    """Segments of the domain: their edges, shares, the variances of these, and slopes, in shares a bin."""

    edges: Boundaries
    shares: Floats
    variances: Floats
    slopes: Floats

    def spread(self) -> Floats:
        """Return the share of each bin: a straight line within each leaf, nowhere below 0."""
        sizes = np.diff(self.edges)
        steepest = 2 * self.shares / np.maximum(sizes * (sizes - 1), 1)
        slopes = np.clip(self.slopes, -steepest, steepest)
        centres = (self.edges[:-1] + self.edges[1:] - 1) / 2
        from_centre = np.arange(self.edges[-1]) - np.repeat(centres, sizes)
        shares: Floats = np.repeat(self.shares / sizes, sizes) + np.repeat(slopes, sizes) * from_centre
        return np.maximum(shares, 0.0)  # what is below 0 is rounding


@dataclass(frozen=True, slots=True)
class Estimates:
    """What is found of each node of a tree, in the order of :meth:`Node.all`, changed in place.

    Attributes
    ----------
    shares
        Of the people; the root has 1.
    variances
        Of the error that is a node's own, independent of all others.
    mixtures
        A row for each node: how much of every node's own error there is in its share.
    """

    shares: Floats
    variances: Floats
    mixtures: Floats

    def variance(self, places: list[int]) -> Floats:
        """Return the variance of the share of some nodes."""
        total: Floats = self.mixtures[places] ** 2 @ self.variances
        return total


def pripl_tree(counts: Counts, epsilon: float, rng: np.random.Generator) -> Floats:
    """Ask a population, everyone once, and return the share of people that each bin is found to have.

    >>> people = np.array([0, 100_000, 200_000, 300_000, 200_000, 100_000, 0, 0])
    >>> pripl_tree(people, 3.0, np.random.default_rng(1)).round(2).tolist()
    [0.0, 0.11, 0.22, 0.33, 0.22, 0.11, 0.0, 0.0]
    """
    return leaves(counts, epsilon, rng).spread()


def leaves(counts: Counts, epsilon: float, rng: np.random.Generator) -> Leaves:
    """Ask a population, everyone once, and return the leaves of its tree."""
    users = int(counts.sum())
    first = _some(counts, int(_FIRST * users), rng)
    wave = SquareWave.of(counts.size, epsilon)
    reports = wave.draw(first, rng)
    smooth, rough = (reconstruct(wave, reports, smooth, _TOLERANCE) for smooth in (True, False))
    found = segments(rough, smooth, least=math.sqrt(OUE().on(2, epsilon).noise.spread / users))
    root = tree_of(found.edges, users - int(first.sum()))
    estimates = heard(root, counts - first, epsilon, rng)
    average(root, estimates, smooth)
    agree(root, estimates)
    ends = [place for place, node in enumerate(root.all()) if not node.children]
    return Leaves(found.edges, estimates.shares[ends], estimates.variance(ends), found.slopes)


def heard(root: Node, waiting: Counts, epsilon: float, rng: np.random.Generator) -> Estimates:
    """Ask people, who stand in line in random order, about the nodes that they are to be asked about.

    OUE's bits are independent, so each node's are drawn by themselves: of a bit for it and one for the rest.
    """
    nodes = list(root.all())
    below = {
        0: np.zeros(waiting.size + 1, np.int64)
    }  # of so many people in line, how many are below each edge
    for before, stop in pairwise(sorted({stop for node in nodes for stop in (node.first, node.last)})):
        group = _some(waiting, stop - before, rng)
        waiting = waiting - group
        below[stop] = below[before] + np.concatenate([[0], np.cumsum(group)])
    oracle = OUE().on(2, epsilon)
    shares, variances = np.ones(len(nodes)), np.zeros(len(nodes))
    for place, node in enumerate(nodes[1:], start=1):
        users = node.last - node.first
        inside = int(np.diff((below[node.last] - below[node.first])[[node.start, node.end]])[0])
        shares[place] = oracle.estimate(oracle.draw(np.array([inside, users - inside]), rng), users)[0]
        variances[place] = oracle.noise.spread / users
    return Estimates(shares, variances, np.eye(len(nodes)))


def average(root: Node, estimates: Estimates, smooth: Floats) -> None:
    """Average leaves with the shares of the square wave, and other nodes with the sums of their children."""
    shares, variances, mixtures = estimates.shares, estimates.variances, estimates.mixtures
    for place, (node, children) in reversed(list(enumerate(_families(root)))[1:]):
        if children:
            others, sums = estimates.variance(children).sum(), shares[children].sum()
            weight = others / (variances[place] + others)
            mixtures[place] = weight * mixtures[place] + (1 - weight) * mixtures[children].sum(axis=0)
        else:
            sums = smooth[node.start : node.end].sum()
            difference = (sums - shares[place]) ** 2
            explained = variances[place] if difference > variances[place] else 0.0
            others = min(difference - explained, sums**2)
            weight = others / (variances[place] + others)
            variances[place] *= weight
        shares[place] = weight * shares[place] + (1 - weight) * sums


def agree(root: Node, estimates: Estimates) -> None:
    """Move the children of each node alike so that they add up to it, those that would be negative to 0."""
    shares, mixtures = estimates.shares, estimates.mixtures
    for place, (_, children) in enumerate(_families(root)):
        if not children:
            continue
        shares[children] = without_negatives(shares[children], shares[place])
        left = [child for child in children if shares[child] > 0]
        if left:
            mixtures[left] += (mixtures[place] - mixtures[left].sum(axis=0)) / len(left)


def _families(root: Node) -> list[tuple[Node, list[int]]]:
    """Return all nodes in the order of :meth:`Node.all`, each with the places of its children in it."""
    nodes = list(root.all())
    places = {node: place for place, node in enumerate(nodes)}
    return [(node, [places[child] for child in node.children]) for node in nodes]


def _some(people: Counts, number: int, rng: np.random.Generator) -> Counts:
    """Draw so many of the people at random."""
    return rng.multivariate_hypergeometric(people, number, method="marginals")
