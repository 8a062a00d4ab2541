"""How often intervals hold the truth: questions drawn at random, of every kind."""

from __future__ import annotations

import numpy as np

from ldprange import Estimate
from ldprange.support.arrays import Boundaries, Counts, Floats

LENGTHS = {"short": (0.0, 1 / 32), "medium": (1 / 32, 1 / 4), "long": (1 / 4, 1.0)}
"""Shortest and longest range of a kind, as shares of the domain."""
KINDS = ("bins", "held", *LENGTHS, "prefixes", "quantiles")
"""Any bin; a bin as people are in it, so that spikes are asked about; ranges; prefixes; quantiles."""
_QUESTIONS = 100  # of a kind, in a run
_QUANTILES = np.arange(1, 100) / 100


def covered(estimate: Estimate, people: Counts, rng: np.random.Generator) -> dict[str, float]:
    """Return which share of the intervals at 95% hold the truth, for each kind of question."""
    cdf = np.concatenate([[0.0], np.cumsum(people) / people.sum()])
    found = {
        kind: _ranges_covered(estimate, cdf, low, high) for kind, (low, high) in _ranges(people, rng).items()
    }
    answer = estimate.quantiles(_QUANTILES)
    true = np.searchsorted(cdf[1:], _QUANTILES)
    if answer.low is None or answer.high is None:
        raise TypeError("quantiles were asked for with intervals")
    found["quantiles"] = float(np.mean((answer.low <= true) & (true <= answer.high)))
    return found


def _ranges_covered(estimate: Estimate, cdf: Floats, low: Boundaries, high: Boundaries) -> float:
    answer = estimate.ranges(low, high - 1)
    if answer.low is None or answer.high is None:
        raise TypeError("ranges were asked for with intervals")
    true = cdf[high] - cdf[low]
    slack = 1e-12  # sums of shares are rounded
    return float(np.mean((answer.low <= true + slack) & (true <= answer.high + slack)))


def _ranges(people: Counts, rng: np.random.Generator) -> dict[str, tuple[Boundaries, Boundaries]]:
    """Return first bin and end of every range that is asked about, by kind."""
    bins = people.size
    anywhere = rng.integers(0, bins, _QUESTIONS)
    held = rng.choice(bins, _QUESTIONS, p=people / people.sum())
    ranges = {"bins": (anywhere, anywhere + 1), "held": (held, held + 1)}
    for kind, (shortest, longest) in LENGTHS.items():
        lengths = rng.integers(max(1, int(shortest * bins)), int(longest * bins), _QUESTIONS, endpoint=True)
        starts = rng.integers(0, bins - lengths, endpoint=True)
        ranges[kind] = starts, starts + lengths
    ends = rng.integers(1, bins, _QUESTIONS)
    return {**ranges, "prefixes": (np.zeros_like(ends), ends)}
