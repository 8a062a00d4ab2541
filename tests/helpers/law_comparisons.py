"""How likely it is that draws as far from an exact law as these come from it."""

from __future__ import annotations

import numpy as np
from scipy import stats

from ldprange.support.arrays import Counts, Floats


def chi_squared(observed: Floats | Counts, expected: Floats) -> tuple[float, int]:
    """Return statistic and degrees of freedom; categories that hardly occur are put together."""
    order = np.argsort(expected)
    observed, expected = observed[order], expected[order]
    rare = max(1, int(np.searchsorted(expected, 10.0)))
    while expected[:rare].sum() < 10:
        rare += 1
    observed, expected = (np.append(array[rare:], array[:rare].sum()) for array in (observed, expected))
    return float(((observed - expected) ** 2 / expected).sum()), expected.size - 1


def chance_of_counts(observed: Counts, chances: Floats) -> float:
    """Return the chance of counts as far from ``chances``, a row for each item, as those ``observed``."""
    each = [chi_squared(row, row.sum() * law) for row, law in zip(observed, chances, strict=True)]
    return float(stats.chi2.sf(sum(statistic for statistic, _ in each), sum(degrees for _, degrees in each)))


def moments(tallies: Floats | Counts, chances: Floats, holders: Counts) -> tuple[Floats, Floats]:
    """Return mean and covariance of the tally of ``holders[i]`` people with item i.

    A report of item i adds ``tallies[k]`` with chance ``chances[i, k]``.
    """
    means = chances @ tallies
    seconds = tallies.T @ ((holders @ chances)[:, None] * tallies)
    return holders @ means, seconds - means.T @ (holders[:, None] * means)


def chances_of_draws(draws: Floats | Counts, mean: Floats, covariance: Floats) -> dict[str, float]:
    """Compare draws with mean and covariance; return the chance of being so far off, or 0 if impossible."""
    variances, directions = np.linalg.eigh(covariance)
    free = variances > 1e-9 * variances.max()
    off = (draws - mean) @ directions
    scale = 1e-6 * np.abs(mean).max()
    impossible = bool(np.any(np.abs(off[:, ~free]) > scale))
    unit = off[:, free] / np.sqrt(variances[free])
    number, rank = unit.shape
    mean_statistic = number * np.sum(unit.mean(axis=0) ** 2)
    products = unit[:, :, None] * unit[:, None, :]
    upper = np.triu_indices(rank)
    away = (products.mean(axis=0) - np.eye(rank))[upper] / (products.std(axis=0)[upper] / np.sqrt(number))
    return {
        "what must hold in every draw": 0.0 if impossible else 1.0,
        "means": float(stats.chi2.sf(mean_statistic, rank)),
        "variances": float(stats.chi2.sf(np.sum(away[upper[0] == upper[1]] ** 2), rank)),
        "covariances": float(stats.chi2.sf(np.sum(away**2), away.size)),
    }
