"""The paper's people: a Cauchy distribution cut off at the ends of the domain."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ldprange.support.arrays import Counts

HEIGHT = 0.1  # the distribution's scale, as a share of the domain: the paper's "height" is D/10
CENTRE = 0.4  # the paper's P unless said otherwise: the peak lies at P·D


@lru_cache(maxsize=2)  # runs come sorted by population, and the largest takes 32 MiB
def cauchy(bins: int, centre: float, users: int) -> Counts:
    """Draw how many of ``users`` people fall into each bin, with a fixed seed.

    >>> people = cauchy(256, centre=0.4, users=1_000_000)
    >>> int(people.sum()), abs(int(people.argmax()) - 102) < 6
    (1000000, True)
    """
    angles = np.arctan((np.arange(bins + 1) / bins - centre) / HEIGHT)
    shares = np.diff(angles) / (angles[-1] - angles[0])
    people = np.random.default_rng([bins, users, round(1000 * centre)]).multinomial(users, shares)
    people.setflags(write=False)
    return people
