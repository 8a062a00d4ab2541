"""People with several attributes, and what is asked about them, for tests."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

import ldprange as ldp
from ldprange.support.arrays import Floats

TWO = ldp.Domain.product(age=ldp.Domain.integers(0, 15), children=ldp.Domain.integers(0, 5))
THREE = ldp.Domain.product(
    age=ldp.Domain.integers(0, 7),
    income=ldp.Domain.real(0, 400, 4),
    region=ldp.Domain.categories(["N", "E", "S"]),
)
PRIME = ldp.Domain.product(hour=ldp.Domain.integers(0, 10), year=ldp.Domain.real(0, 13, 13))


def people(domain: ldp.Domain, users: int = 20_000) -> NDArray[np.int64]:
    """Return a population with attributes that depend on each other, as counts."""
    rng = np.random.default_rng(3)
    weights = rng.gamma(0.5, size=domain.shape)
    return rng.multinomial(users, (weights / weights.sum()).reshape(-1)).reshape(domain.shape)


def boxes(domain: ldp.Domain, number: int) -> tuple[list[Floats], dict[str, Any]]:
    """Return random boxes as indicators of bins, and as a user asks for them."""
    assert isinstance(domain, ldp.domain.Product)
    rng, masks = np.random.default_rng(4), [np.ones(())] * number
    asked: dict[str, Any] = {}
    for each, axis in zip(domain.names, domain.axes, strict=True):
        ends = np.sort(rng.integers(0, axis.bins, (2, number)), axis=0)
        place = np.arange(axis.bins)
        masks = [
            np.multiply.outer(mask, (place >= low) & (place <= high)).astype(float)
            for mask, low, high in zip(masks, *ends, strict=True)
        ]
        asked[each] = ([axis.lower(int(low)) for low in ends[0]], [axis.upper(int(high)) for high in ends[1]])
    return masks, asked


def joint(aggregate: ldp.Aggregate, *, denoise: bool = False) -> ldp.JointEstimate:
    return ldp.estimate(aggregate, denoise=denoise)


@cache  # dozens of tests ask the same few
def estimated(domain: ldp.Domain = TWO, epsilon: float = 2.0, *, denoise: bool = False) -> ldp.JointEstimate:
    plan = ldp.Plan(domain, epsilon, ldp.Tree(4), ldp.HadamardHashing())
    return joint(ldp.simulate(plan, people(domain), seed=1), denoise=denoise)
