"""Answers about several attributes: ``python benchmarks/several_attributes.py``.

Seconds on the clock, and of processors in brackets, for 10^5 people at ε = 1 and 256 bins an attribute, on
the plan chosen by default and on the one for denoised answers. Each pair is the first that is asked of it.
Before, all joint bins of two and of three attributes, each with its interval.
"""

from __future__ import annotations

from itertools import combinations
from typing import Literal

import numpy as np

import ldprange as ldp
from large_domains import timed, yardstick

PEOPLE, BINS = 10**5, 256
BARS = {2: 2.0, 5: 20.0}
"""Seconds for all pairs of so many attributes."""


def measure(attributes: int, answers: Literal["unbiased", "denoised"]) -> None:
    """Print how long all pairs of so many attributes take, of people in whom neighbours go together."""
    domain = ldp.Domain.product(
        **{name: ldp.Domain.integers(0, BINS - 1) for name in "abcdefghij"[:attributes]}
    )
    print(f"{attributes} attributes, plan for {answers} answers")
    plan = timed(
        "choose a plan",
        lambda: ldp.choose_plan(domain, epsilon=1.0, expected_users=PEOPLE, answers=answers),
    )
    steps = np.random.default_rng(1).normal(0, 30, (attributes, PEOPLE))
    values = np.clip(BINS / 2 + np.cumsum(steps, axis=0), 0, BINS - 1).astype(np.int64)
    people = dict(zip(domain.attributes, values, strict=True))
    aggregate = ldp.Aggregate.of(plan, ldp.encode_many(plan, people, seed=1))

    def all_pairs() -> None:
        found = ldp.estimate(aggregate, denoise=True)
        for one, other in combinations(domain.attributes, 2):
            found.range({one: (0, BINS // 3), other: (BINS // 4, BINS // 2)})

    timed("estimate and denoise all pairs", all_pairs, BARS[attributes])


def measure_joint_bins(shape: tuple[int, ...]) -> None:
    """Print how long all joint bins of attributes of so many bins take, each with its interval."""
    domain = ldp.Domain.product(
        **{name: ldp.Domain.integers(0, bins - 1) for name, bins in zip("abc", shape, strict=False)}
    )
    print(f"{' × '.join(map(str, shape))} bins, the plan for unbiased answers")
    plan = ldp.choose_plan(domain, epsilon=1.0, expected_users=PEOPLE)
    people = np.random.default_rng(1).multinomial(PEOPLE, np.full(domain.bins, 1 / domain.bins))
    found = ldp.estimate(ldp.simulate(plan, people.reshape(shape), seed=1))
    timed("all joint bins, with intervals", found.histogram)


def main() -> None:
    """Measure two and five attributes denoised, and joint bins of two and three with intervals."""
    yardstick()
    measure_joint_bins((BINS, BINS))
    measure_joint_bins((64, 32, 4))
    for attributes in BARS:
        measure(attributes, "unbiased")
        measure(attributes, "denoised")


if __name__ == "__main__":
    main()
