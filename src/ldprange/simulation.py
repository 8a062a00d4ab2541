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

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import reduce
from itertools import islice
from operator import add
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldprange import kernels
from ldprange.aggregate import Aggregate
from ldprange.errors import DomainError
from ldprange.oracles.contract import Column, Items, each_holder
from ldprange.oracles.hadamard import ContrastMechanism
from ldprange.plan import Plan
from ldprange.randomness import generator, seed_sequence
from ldprange.reports import Batch
from ldprange.support.arrays import Counts
from ldprange.support.checking import Values, as_array, check_type, times
from ldprange.support.parallel import in_threads

_BLOCK = 1 << 20  # users encoded together: threads take turns at Python itself, so few large steps
_BLOCK_BYTES = 1 << 26  # of reports in a block, where a report is long
_MOST_BLOCKS = 8  # that are counted together, where counters are as many as users
_USERS_PER_DRAW = 8  # a binomial draw costs about as much as sending so many users to their levels


def encode_many(plan: Plan, values: Values, *, seed: int) -> Batch:
    """Randomise many people's values, with seeded coins and by the clients' law."""
    check_type(plan, Plan, "the first argument")
    blocks = list(in_threads(lambda block: _encode(plan, *block), _blocks(plan, [values], seed)))
    if not blocks:
        blocks = [_encode(plan, values, seed_sequence(seed))]
    return Batch(plan, [np.concatenate(columns) for columns in zip(*blocks, strict=True)])


def simulate_values(
    plan: Plan,
    values: Values | Iterator[Values],
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
        People's values, or an iterator over arrays of them; of several attributes a column for each, by name.
    seed
        Of the coins. The outcome also depends on how an iterator cuts the values.
    progress
        Called with the number of people done so far.
    """
    check_type(plan, Plan, "the first argument")
    total, done = Aggregate.empty(plan), 0

    def count(blocks: Sequence[tuple[Values, np.random.SeedSequence]]) -> Aggregate:
        if contrasts is not None:
            return reduce(add, (_count_contrasts(plan, contrasts, *block) for block in blocks))
        return Aggregate.of(plan, (Batch(plan, _encode(plan, *block)) for block in blocks))

    parts = values if isinstance(values, Iterator) else [values]
    contrasts = _contrasts(plan)
    together = min(max(1, plan.counters // _BLOCK), _MOST_BLOCKS)
    blocks = _blocks(plan, parts, seed)
    groups = iter(lambda: tuple(islice(blocks, together)), ())
    for part in in_threads(count, groups):
        total.absorb(part)
        done += part.reports
        if progress:
            progress(done)
    return total


def _blocks(
    plan: Plan, parts: Iterable[Values], seed: int
) -> Iterator[tuple[Values, np.random.SeedSequence]]:
    """Cut users into blocks with a random stream each, so that threads do not change the outcome."""
    source = seed_sequence(seed)
    widest = max(mechanism.width for mechanism in plan.mechanisms)
    users = max(1, min(_BLOCK, _BLOCK_BYTES // widest))
    for part in parts:
        for piece in plan.domain.pieces(part, users):
            yield piece, source.spawn(1)[0]


def _encode(plan: Plan, values: Values, stream: np.random.SeedSequence) -> list[Column]:
    """Give each user a level and encode level by level."""
    rng = generator(stream)
    held = plan.domain.index(values)
    chosen = _split(plan, held, rng)
    return [
        mechanism.encode_many(level.cells_of(items), rng)
        for level, mechanism, items in zip(plan.levels, plan.mechanisms, chosen, strict=True)
    ]


def _contrasts(plan: Plan) -> list[tuple[int, int, int]] | None:
    """Say what each level asks if all are contrasts (HaarHRR): then one kernel encodes and counts a block."""
    asked = []
    for level, mechanism in zip(plan.levels, plan.mechanisms, strict=True):
        if not isinstance(mechanism, ContrastMechanism):
            return None
        asked.append((level.size, *mechanism.pairs_and_threshold))
    return asked


def _count_contrasts(
    plan: Plan, asked: list[tuple[int, int, int]], values: Values, stream: np.random.SeedSequence
) -> Aggregate:
    held = plan.domain.index(values)
    return Aggregate(plan, *kernels.count_contrasts(held, generator(stream), plan.level_thresholds, asked))


def _split(plan: Plan, items: NDArray[np.integer[Any]], rng: np.random.Generator) -> list[Items]:
    """Give each user a level; return, for every level, the items that its users hold."""
    people = items.shape[-1]
    chosen = kernels.draw_levels(rng, people, plan.level_thresholds)
    if items.ndim == 1:
        return kernels.split_by_level(items, chosen, len(plan.levels))
    rows = kernels.split_by_level(np.arange(people), chosen, len(plan.levels))
    return [items[:, each].astype(np.uint32) for each in rows]


def simulate(plan: Plan, counts: ArrayLike, *, seed: int) -> Aggregate:
    """Draw the aggregate of a whole population from its counts per bin, by the law of encoding each person.

    Where the oracle's law allows it the counts are drawn at once, in time that does not depend on how
    many people there are (OUE, GRR, and Hadamard hashing on coarse levels).
    """
    check_type(plan, Plan, "the first argument")
    people = as_array(counts)
    if people.shape != plan.domain.shape or people.dtype.kind not in "iu" or np.any(people < 0):
        raise DomainError(
            f"counts must be {times(plan.domain.shape)} whole numbers of at least 0, one per bin "
            f"(Domain.count makes them), got {people.dtype} of shape {people.shape}"
            + (f", the least {people.min()}" if people.dtype.kind in "if" and people.size else "")
        )
    split, *streams = seed_sequence(seed).spawn(1 + len(plan.levels))
    holders = list(_holders(plan, people.astype(np.int64), split))

    def draw(level: int) -> Counts:
        return plan.mechanisms[level].draw(holders[level], generator(streams[level]))

    tallies = list(in_threads(draw, range(len(plan.levels))))
    return Aggregate(plan, [int(held.sum()) for held in holders], tallies)


def _holders(plan: Plan, people: Counts, stream: np.random.SeedSequence) -> list[Counts]:
    """Send people to levels, and return how many of each level hold each of its cells."""
    if people.sum() < _USERS_PER_DRAW * plan.domain.bins * len(plan.levels):
        return _split_users(plan, people, stream)
    return _split_counts(plan, people, generator(stream))


def _split_users(plan: Plan, people: Counts, stream: np.random.SeedSequence) -> list[Counts]:
    """Go through the people: where they are few to a bin and level."""
    holders = [np.zeros(level.cells, np.int64) for level in plan.levels]

    def count(block: tuple[Items, np.random.SeedSequence]) -> list[tuple[int, Counts]]:
        items, source = block
        places = items if len(shape) == 1 else np.stack(np.unravel_index(items, shape))
        held = _split(plan, places, generator(source))
        cells = [level.cells_of(each) for each, level in zip(held, plan.levels, strict=True)]
        firsts = [int(each.min()) if each.size else 0 for each in cells]
        return [(first, np.bincount(each - first)) for first, each in zip(firsts, cells, strict=True)]

    shape = plan.domain.shape
    blocks = ((items, stream.spawn(1)[0]) for items in each_holder(people.reshape(-1), _BLOCK))
    for parts in in_threads(count, blocks):
        for held, (first, part) in zip(holders, parts, strict=True):
            held[first : first + part.size] += part
    return holders


def _split_counts(plan: Plan, people: Counts, rng: np.random.Generator) -> list[Counts]:
    """Draw for each bin how many go to each level: where people are many."""
    holders, left, share = [], people, 1.0
    for level, probability in zip(plan.levels, plan.probabilities, strict=True):
        last = level is plan.levels[-1]
        taken = left if last else rng.binomial(left, min(1.0, probability / share) if share > 0 else 0.0)
        left, share = left - taken, share - probability
        holders.append(level.sums(taken))
    return holders
