"""Least squares over trees by plain linear algebra: what the closed forms are held against."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ldprange.levels import Level
from ldprange.noise import Law, Noise
from ldprange.support.arrays import Floats


def law_of(levels: int) -> Law:
    """Return a law of ``levels`` levels whose numbers of people and noises differ, and are of every kind."""
    noises = (
        Noise(spread=3.0, occupied=1.0, total=0.1, cross=-0.2),
        Noise(spread=4.0),
        Noise(spread=1.5, occupied=2.5, cross=0.3),
        Noise(spread=2.0, occupied=0.4, total=-0.3),
    )
    users = np.array([5000.0, 800.0, 2000.0, 12000.0])
    at = np.arange(levels) % 4
    return Law(users[at], tuple(noises[i] for i in at), fixed_people=1.5 * users[at].sum())


def sums(level: Level) -> Floats:
    """Return the matrix that adds leaves up into a level's nodes."""
    matrix: Floats = np.repeat(np.eye(level.cells), level.size, axis=1)
    return matrix


class DenseTree:
    """The estimator of a tree, or of Haar levels, as matrices.

    Attributes
    ----------
    covariance
        Of the leaves, given the variances, before anything is known about padding.
    maps
        Level by level, the matrix from that level's node estimates to the estimated real bins.
    constant
        What is added to their sum.
    """

    def __init__(self, levels: Sequence[Level], bins: int, nested: bool, variances: Sequence[float]) -> None:
        leaves = levels[0].cells * levels[0].size
        self.covariance, maps = _least_squares(levels, variances) if nested else _wavelets(levels, variances)
        everyone = np.full(leaves, 1 / leaves)
        if bins < leaves:
            padding = (np.arange(leaves) >= bins).astype(float)
            gain = self.covariance @ padding / (padding @ self.covariance @ padding)
            known = np.eye(leaves) - np.outer(gain, padding)
        else:
            known = np.eye(leaves)
        self.maps = [(known @ map_)[:bins] for map_ in maps]
        self.constant = (known @ everyone)[:bins]
        self.conditioned = (known @ self.covariance @ known.T)[:bins, :bins]

    def fit(self, estimates: Sequence[Floats]) -> Floats:
        fitted: Floats = self.constant + sum(
            map_ @ estimate for map_, estimate in zip(self.maps, estimates, strict=True)
        )
        return fitted


def _least_squares(levels: Sequence[Level], variances: Sequence[float]) -> tuple[Floats, list[Floats]]:
    """Minimise Σ_k ‖y_k − A_k x‖²/σ_k² where the leaves add up to 1, by its Karush–Kuhn–Tucker system."""
    matrices = [sums(level) for level in levels]
    leaves = matrices[0].shape[1]
    system = np.zeros((leaves + 1, leaves + 1))
    for matrix, variance in zip(matrices, variances, strict=True):
        system[:-1, :-1] += matrix.T @ matrix / variance
    system[-1, :-1] = system[:-1, -1] = 1.0
    covariance = np.linalg.inv(system)[:-1, :-1]
    return covariance, [
        covariance @ matrix.T / variance for matrix, variance in zip(matrices, variances, strict=True)
    ]


def _wavelets(levels: Sequence[Level], variances: Sequence[float]) -> tuple[Floats, list[Floats]]:
    """Half the difference of two siblings, spread evenly over their leaves with opposite signs."""
    maps = []
    for level in levels:
        pairs = np.kron(np.eye(level.cells // 2), [[0.5, -0.5], [-0.5, 0.5]])
        maps.append(sums(level).T @ pairs / level.size)
    covariance: Floats = np.sum(
        [variance * map_ @ map_.T for map_, variance in zip(maps, variances, strict=True)], axis=0
    )
    return covariance, maps


def all_ranges(bins: int) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
    """Return the ends of all ranges and their indicators, one row each."""
    low, high = np.triu_indices(bins)
    high = high + 1
    places = np.arange(bins)
    return low, high, ((places >= low[:, None]) & (places < high[:, None])).astype(float)


def variances_of(rows: Floats, covariance: Floats) -> Floats:
    """Return rᵀ C r for every row r."""
    found: Floats = np.einsum("ij,jk,ik->i", rows, covariance, rows)
    return found


def cdf_of(shares: Floats) -> Floats:
    """Return the share below each boundary."""
    return np.concatenate([[0.0], np.cumsum(shares)])
