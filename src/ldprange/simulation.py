"""Rehearsals: the whole protocol with seeded coins, for planning, tests and experiments.

The protocol on one page::

    plan    = Plan(domain, epsilon, decomposition, oracle)      # public
    report  = Client(plan).encode(value)                        # on each device, system's coins
    bytes   = wire.pack(report)
    total   = Aggregate.of(plan, [bytes, …])                    # anywhere; aggregates add
    answers = estimate(total).range(low, high)                  # value and interval

Real people's reports never come from here: a seed is not a secret.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldprange.aggregate import Aggregate
from ldprange.errors import DomainError
from ldprange.kernels import Counts
from ldprange.parallel import in_threads, slices
from ldprange.plan import Plan
from ldprange.randomness import WORDS, generator
from ldprange.reports import Batch

_BLOCK = 1 << 17  # users encoded together


def encode_many(plan: Plan, values: ArrayLike, *, seed: int) -> Batch:
    """Randomise many people's values, with seeded coins and by the clients' law."""
    indices = plan.domain.index(values).reshape(-1)
    blocks = list(in_threads(lambda block: _encode(plan, *block), _blocks(indices, seed)))
    if not blocks:
        blocks = [_encode(plan, indices, np.random.SeedSequence(seed))]
    return Batch(plan, [np.concatenate(columns) for columns in zip(*blocks, strict=True)])


def rehearse(
    plan: Plan, values: ArrayLike, *, seed: int, progress: Callable[[int], None] | None = None
) -> Aggregate:
    """Encode and count people block by block: the same aggregate as that of :func:`encode_many`, in flat memory.

    ``progress`` is called with the number of people done.
    """
    indices = plan.domain.index(values).reshape(-1)
    total, done = Aggregate.empty(plan), 0

    def count(block: tuple[NDArray[np.int64], np.random.SeedSequence]) -> Aggregate:
        return Aggregate.of(plan, Batch(plan, _encode(plan, *block)))

    for part in in_threads(count, _blocks(indices, seed)):
        total += part
        done += part.reports
        if progress:
            progress(done)
    return total


def _blocks(
    indices: NDArray[np.int64], seed: int
) -> Iterator[tuple[NDArray[np.int64], np.random.SeedSequence]]:
    """Cut users into blocks with a random stream each, so that threads do not change the outcome."""
    source = np.random.SeedSequence(seed)
    for part in slices(indices.size, _BLOCK):
        yield indices[part], source.spawn(1)[0]


def _encode(
    plan: Plan, indices: NDArray[np.int64], stream: np.random.SeedSequence
) -> list[NDArray[np.generic]]:
    """Give each user a level and encode level by level."""
    rng = generator(stream)
    words = rng.integers(0, WORDS, indices.size, dtype=np.uint32)
    chosen = np.searchsorted(plan.level_thresholds, words, side="right").astype(np.uint8)
    order = np.argsort(chosen, kind="stable")
    upto = np.cumsum(np.bincount(chosen, minlength=len(plan.levels)))
    grouped = np.split(indices[order], upto[:-1])
    return [
        mechanism.encode_many(held // level.size, rng)
        for level, mechanism, held in zip(plan.levels, plan.mechanisms, grouped, strict=True)
    ]


def simulate(plan: Plan, counts: ArrayLike, *, seed: int) -> Aggregate:
    """Draw the aggregate of a whole population from its counts per bin, by the law of encoding each person.

    Where the oracle's law allows it the counts are drawn at once, in time that does not depend on how
    many people there are (OUE, GRR, and Hadamard hashing on coarse levels).
    """
    people = np.asarray(counts)
    if people.shape != (plan.domain.bins,) or people.dtype.kind not in "iu" or np.any(people < 0):
        raise DomainError(
            f"counts must be {plan.domain.bins} whole numbers of at least 0, one per bin "
            f"(Domain.count makes them), got {people.dtype} of shape {people.shape}"
        )
    left: Counts = people.astype(np.int64)
    share, tallies, users = 1.0, [], []
    streams = np.random.SeedSequence(seed).spawn(len(plan.levels))
    for level, mechanism, probability, stream in zip(
        plan.levels, plan.mechanisms, plan.probabilities, streams, strict=True
    ):
        rng = generator(stream)
        last = level is plan.levels[-1]
        taken = left if last else rng.binomial(left, min(1.0, probability / share) if share > 0 else 0.0)
        left, share = left - taken, share - probability
        holders = np.zeros(level.cells * level.size, np.int64)
        holders[: taken.size] = taken
        holders = holders.reshape(level.cells, level.size).sum(axis=1)
        tallies.append(mechanism.draw(holders, rng))
        users.append(int(taken.sum()))
    return Aggregate(plan, users, tallies)
