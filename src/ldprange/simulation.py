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

from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import ArrayLike

from ldprange import kernels
from ldprange.aggregate import Aggregate
from ldprange.checking import as_array, check_type
from ldprange.errors import DomainError
from ldprange.kernels import Counts
from ldprange.oracles.contract import Column
from ldprange.parallel import in_threads, slices
from ldprange.plan import Plan
from ldprange.randomness import generator, seed_sequence, seeded_words
from ldprange.reports import Batch

_BLOCK = 1 << 20  # users encoded together: threads take turns at Python itself, so few large steps
_BLOCK_BYTES = 1 << 26  # of reports in a block, where a report is long
_STEP = 1 << 15  # users whose level is drawn together: small enough that no memory is asked for anew


def encode_many(plan: Plan, values: ArrayLike, *, seed: int) -> Batch:
    """Randomise many people's values, with seeded coins and by the clients' law."""
    check_type(plan, Plan, "the first argument")
    blocks = list(in_threads(lambda block: _encode(plan, *block), _blocks(plan, [values], seed)))
    if not blocks:
        blocks = [_encode(plan, values, seed_sequence(seed))]
    return Batch(plan, [np.concatenate(columns) for columns in zip(*blocks, strict=True)])


def rehearse(
    plan: Plan,
    values: ArrayLike | Iterator[ArrayLike],
    *,
    seed: int,
    progress: Callable[[int], None] | None = None,
) -> Aggregate:
    """Encode and count people block by block, in memory that does not grow with their number.

    Parameters
    ----------
    plan
        The plan.
    values
        People's values, or an iterator over arrays of them.
    seed
        Of the coins. The outcome also depends on how an iterator cuts the values.
    progress
        Called with the number of people done so far.
    """
    check_type(plan, Plan, "the first argument")
    total, done = Aggregate.empty(plan), 0

    def count(block: tuple[ArrayLike, np.random.SeedSequence]) -> Aggregate:
        return Aggregate.of(plan, Batch(plan, _encode(plan, *block)))

    parts = values if isinstance(values, Iterator) else [values]
    for part in in_threads(count, _blocks(plan, parts, seed)):
        total.absorb(part)
        done += part.reports
        if progress:
            progress(done)
    return total


def _blocks(
    plan: Plan, parts: Iterable[ArrayLike], seed: int
) -> Iterator[tuple[ArrayLike, np.random.SeedSequence]]:
    """Cut users into blocks with a random stream each, so that threads do not change the outcome."""
    source = seed_sequence(seed)
    widest = max(mechanism.width for mechanism in plan.mechanisms)
    users = max(1, min(_BLOCK, _BLOCK_BYTES // widest))
    for part in parts:
        array = as_array(part)
        if array.ndim != 1:
            raise DomainError(f"values must be one column, a value a person, got shape {array.shape}")
        for block in slices(array.size, users):
            yield array[block], source.spawn(1)[0]


def _encode(plan: Plan, values: ArrayLike, stream: np.random.SeedSequence) -> list[Column]:
    """Give each user a level and encode level by level."""
    people, rng = as_array(values), generator(stream)
    chosen = np.empty(people.size, np.uint8)
    for part in slices(people.size, _STEP):
        words = seeded_words(rng, part.stop - part.start)
        chosen[part] = kernels.choose_levels(words, plan.level_thresholds)
    columns = []
    for level, mechanism, users in zip(
        plan.levels, plan.mechanisms, kernels.group_by_level(chosen, len(plan.levels)), strict=True
    ):
        try:
            held = plan.domain.index(people.take(users)).astype(np.uint32)
        except DomainError:
            plan.domain.index(people)  # says the same of whoever comes first
            raise
        columns.append(mechanism.encode_many(held // np.uint32(level.size), rng))
    return columns


def simulate(plan: Plan, counts: ArrayLike, *, seed: int) -> Aggregate:
    """Draw the aggregate of a whole population from its counts per bin, by the law of encoding each person.

    Where the oracle's law allows it the counts are drawn at once, in time that does not depend on how
    many people there are (OUE, GRR, and Hadamard hashing on coarse levels).
    """
    check_type(plan, Plan, "the first argument")
    people = as_array(counts)
    if people.shape != (plan.domain.bins,) or people.dtype.kind not in "iu" or np.any(people < 0):
        raise DomainError(
            f"counts must be {plan.domain.bins} whole numbers of at least 0, one per bin "
            f"(Domain.count makes them), got {people.dtype} of shape {people.shape}"
            + (f", the least {people.min()}" if people.dtype.kind in "if" and people.size else "")
        )
    left: Counts = people.astype(np.int64)
    share, tallies, users = 1.0, [], []
    streams = seed_sequence(seed).spawn(len(plan.levels))
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
