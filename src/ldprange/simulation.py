"""Rehearsals: many people at once, with seeded coins, for planning, tests and experiments.

What the protocol is, :mod:`ldprange.protocol` shows on one page; here it is fast. Real people's reports never
come from here: a seed is not a secret.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.random  # now, not at its first use: an interrupt would be lost in there, or become another error
from numpy.typing import ArrayLike, NDArray

from ldprange import kernels
from ldprange.aggregate import Aggregate
from ldprange.errors import DomainError
from ldprange.oracles import Mechanism
from ldprange.oracles.contract import Items, each_holder
from ldprange.oracles.subset_selection import SubsetMechanism
from ldprange.plan import Plan
from ldprange.randomness import generator, seed_sequence
from ldprange.reports import Batch, joined
from ldprange.support.arrays import Counts
from ldprange.support.checking import Values, check_type, times
from ldprange.support.columns import Missing, as_array
from ldprange.support.parallel import in_threads

_BLOCK = 1 << 20  # users encoded together: threads take turns at Python itself, so few large steps
_BLOCK_BYTES = 1 << 26  # of reports in a block, where a report is long
_WORTH_THREADS = 1 << 15  # people and counters; fewer are drawn before a second thread has started
_SETS_PER_CELL = 512  # on a level; fewer are encoded faster than they are drawn together
_USERS_PER_DRAW = 8  # a binomial draw costs about as much as sending so many users to their levels


def encode_many(plan: Plan, values: Values, *, seed: int, missing: Missing = "refuse") -> Batch:
    """Return reports of people's ``values`` under ``plan``, by the clients' law, with coins from ``seed``.

    Values may be a list, an array, or a column of a frame (pandas, polars, arrow); of several attributes a
    frame, or a column for each, by name. People whose value is ``missing`` (NaN, None, NaT, NA, null) are an
    error, or left out with a warning (``"skip"``).
    """
    batches = list(encode_stream(plan, [values], seed=seed, missing=missing))
    return joined(batches) if batches else Batch(plan, plan.empty_columns)


def encode_stream(
    plan: Plan, chunks: Iterable[Values], *, seed: int, missing: Missing = "refuse"
) -> Iterator[Batch]:
    """Yield reports under ``plan`` of people whose values come in ``chunks``, with coins from ``seed``.

    Blocks of people are encoded side by side, in threads, and yielded in their order, in memory that does not
    grow with the number of chunks. Each block has a random stream of its own, so threads do not change the
    outcome; how the chunks are cut does. For ``missing`` see :func:`encode_many`.
    """
    check_type(plan, Plan, "the first argument")
    source, people = seed_sequence(seed), reports_at_once(plan)
    pieces = (piece for chunk in chunks for piece in plan.domain.pieces(chunk, people, missing))
    blocks = ((piece, source.spawn(1)[0]) for piece in pieces)
    return in_threads(lambda block: _encode(plan, *block), blocks)


def reports_at_once(plan: Plan) -> int:
    """Return how many people are encoded together under ``plan``: their longest reports fit into a block."""
    return max(1, min(_BLOCK, _BLOCK_BYTES // max(mechanism.width for mechanism in plan.mechanisms)))


def simulate_values(
    plan: Plan,
    values: Values | Iterator[Values],
    *,
    seed: int,
    missing: Missing = "refuse",
    progress: Callable[[int], None] | None = None,
) -> Aggregate:
    """Encode and count people block by block, in memory that does not grow with their number.

    Parameters
    ----------
    plan
        The plan.
    values
        People's values, or an iterator over arrays of them; of several attributes a frame, or a column for
        each, by name.
    seed
        Of the coins. The outcome also depends on how an iterator cuts the values.
    missing
        Whether people whose value is missing are an error (``"refuse"``), or left out with a warning
        (``"skip"``).
    progress
        Called with the number of people done so far.
    """
    chunks = values if isinstance(values, Iterator) else [values]
    return Aggregate.of(plan, _telling(progress, encode_stream(plan, chunks, seed=seed, missing=missing)))


def _telling(progress: Callable[[int], None] | None, batches: Iterable[Batch]) -> Iterator[Batch]:
    """Yield ``batches``, and call ``progress`` after each with the number of reports so far."""
    done = 0
    for batch in batches:
        yield batch
        done += len(batch)
        if progress:
            progress(done)


def _encode(plan: Plan, values: Values, stream: np.random.SeedSequence) -> Batch:
    """Give each user a level and encode level by level."""
    rng = generator(stream)
    held = plan.domain.index(values)
    chosen = _split(plan, held, rng)
    columns = [
        mechanism.encode_many(level.cells_of(items), rng)
        for level, mechanism, items in zip(plan.levels, plan.mechanisms, chosen, strict=True)
    ]
    return Batch(plan, columns)


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
    return _simulate(plan, counts, seed, lambda mechanism, held, rng: mechanism.draw(held, rng))


def simulate_quickly(plan: Plan, counts: ArrayLike, *, seed: int) -> Aggregate:
    """Draw what :func:`simulate` does from ``counts``, by the same law, with other coins from the ``seed``.

    Sets are drawn faster one by one than together, unless people are many.
    """
    return _simulate(plan, counts, seed, _draw_quickly)


def simulate_drawn(plan: Plan, people: Items, users: int, *, seed: int) -> Aggregate:
    """Draw the aggregate of ``users`` who are anybody of these ``people``: a row of bins for each attribute.

    Everyone is drawn anew, with replacement, so few people can stand for many.
    """
    split, *streams = seed_sequence(seed).spawn(1 + len(plan.levels))
    rng, items = generator(split), people[0] if len(people) == 1 else people
    holders = []
    for level, number in zip(plan.levels, rng.multinomial(users, plan.probabilities), strict=True):
        held = np.bincount(level.cells_of(items), minlength=level.cells)
        holders.append(rng.multinomial(number, held / held.sum()))
    return _tallied(plan, holders, streams, _draw_quickly)


def _draw_quickly(mechanism: Mechanism, holders: Counts, rng: np.random.Generator) -> Counts:
    if not isinstance(mechanism.grid, SubsetMechanism) or holders.sum() > _SETS_PER_CELL * mechanism.cells:
        return mechanism.draw(holders, rng)
    return mechanism.draw_each(holders, rng)


def _simulate(
    plan: Plan,
    counts: ArrayLike,
    seed: int,
    tally: Callable[[Mechanism, Counts, np.random.Generator], Counts],
) -> Aggregate:
    """Return the aggregate of ``counts`` of people, where ``tally`` draws what a level's people send."""
    check_type(plan, Plan, "the first argument")
    people = as_array(counts)
    if people.shape != plan.domain.shape or people.dtype.kind not in "iu" or np.any(people < 0):
        raise DomainError(
            f"counts must be {times(plan.domain.shape)} whole numbers of at least 0, one per bin "
            f"(Domain.count makes them), got {people.dtype} of shape {people.shape}"
            + (f", the least {people.min()}" if people.dtype.kind in "if" and people.size else "")
        )
    split, *streams = seed_sequence(seed).spawn(1 + len(plan.levels))
    return _tallied(plan, _holders(plan, people.astype(np.int64), split), streams, tally)


def _tallied(
    plan: Plan,
    holders: Sequence[Counts],
    streams: Sequence[np.random.SeedSequence],
    tally: Callable[[Mechanism, Counts, np.random.Generator], Counts],
) -> Aggregate:
    """Return the aggregate of so many ``holders`` of each level's cells."""

    def draw(level: int) -> Counts:
        return tally(plan.mechanisms[level], holders[level], generator(streams[level]))

    levels, users = range(len(plan.levels)), [int(held.sum()) for held in holders]
    few = sum(users) + plan.counters < _WORTH_THREADS
    return Aggregate(plan, users, list(map(draw, levels) if few else in_threads(draw, levels)))


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
