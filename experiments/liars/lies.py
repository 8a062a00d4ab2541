"""The reports of people who lie together, already added up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import ldprange as ldp
from ldprange import kernels
from ldprange.oracles import Mechanism
from ldprange.oracles.hadamard import ContrastMechanism, _HadamardMechanism
from ldprange.oracles.local_hashing import HashingMechanism
from ldprange.oracles.randomized_response import _ResponseMechanism
from ldprange.oracles.shifted import ShiftedMechanism
from ldprange.oracles.subset_selection import SubsetMechanism
from ldprange.oracles.unary_encoding import _UnaryMechanism
from ldprange.support.arrays import Codes, Counts, Floats

Reports = Callable[[Any, Floats, int, np.random.Generator], Counts]
"""What liars send: by mechanism, weights, how many there are, and chance; added up."""

HASHES_TRIED = 1000  # by liars who choose one


def best_reports(mechanism: Mechanism, weights: Floats, number: int, rng: np.random.Generator) -> Counts:
    """Return the tally of reports that each make Σ ``weights`` × estimate greatest, with public coins fair.

    Where several do, each is as likely.
    """
    if isinstance(mechanism, ShiftedMechanism):
        shifts = rng.multinomial(number, np.full(mechanism._shifts, 1 / mechanism._shifts))
        windows = mechanism._window_weights(weights)
        rows = [
            np.append(people, best_reports(mechanism.grid, row, int(people), rng))
            for people, row in zip(shifts, windows, strict=True)
        ]
        return np.concatenate(rows)
    counts = np.zeros(mechanism.counters, np.int64)
    match mechanism:
        case ContrastMechanism():
            signs = np.zeros(mechanism._pairs)
            signs[: weights.size // 2] = weights[0::2] - weights[1::2]
            kernels.walsh_hadamard(signs)
            pairs = rng.integers(0, mechanism._pairs, number)
            np.add.at(counts, 2 * pairs + (signs[pairs] < 0), 1)
        case _HadamardMechanism():
            sums = mechanism._code_sums(weights)
            best = np.argmax(sums + 1e-12 * rng.random(sums.shape), axis=-1)
            lines = rng.integers(0, mechanism._lines, number)
            np.add.at(counts, lines * mechanism._symbols + best[lines], 1)
        case SubsetMechanism():
            order = np.argsort(weights + 1e-12 * rng.random((number, weights.size)), axis=1)
            np.add.at(counts, order[:, -mechanism.size :], 1)
        case _ResponseMechanism():
            np.add.at(counts, np.argmax(weights + 1e-12 * rng.random((number, weights.size)), axis=1), 1)
        case _UnaryMechanism():
            counts += number * (weights > 0)
        case HashingMechanism():
            made = _hashes(mechanism, number, rng)
            symbols, _ = _best_symbols(mechanism, weights, made)
            counts += mechanism.tally(np.column_stack([made, symbols]))
        case _:
            raise NotImplementedError(
                f"what liars send is not written for {type(mechanism).__name__}; take another oracle"
            )
    return counts


def chosen_hash_reports(
    mechanism: HashingMechanism, weights: Floats, number: int, rng: np.random.Generator
) -> Counts:
    """Return the tally of reports that all have the best hash of some that are tried, and its best symbol."""
    made = _hashes(mechanism, HASHES_TRIED, rng)
    symbols, sums = _best_symbols(mechanism, weights, made)
    best = int(np.argmax(sums))
    return number * mechanism.tally(np.append(made[best], symbols[best])[None])


def _hashes(mechanism: HashingMechanism, number: int, rng: np.random.Generator) -> Codes:
    """Return the coefficients of a ``number`` of hashes, drawn as an honest client does."""
    return mechanism.encode_many(np.zeros(number, np.uint32), rng)[:, :3]


def _best_symbols(mechanism: HashingMechanism, weights: Floats, made: Codes) -> tuple[Codes, Floats]:
    """Return of every hash the symbol whose cells have the greatest sum of ``weights``, and that sum."""
    cells = np.arange(weights.size, dtype=np.uint64)
    symbols = mechanism.hashed(made.T.astype(np.uint64)[:, :, None], cells).astype(np.int64)
    number = 1 + int(symbols.max(initial=0))
    places = symbols + number * np.arange(len(made))[:, None]
    every = np.broadcast_to(weights, places.shape)
    sums = np.bincount(places.ravel(), every.ravel(), number * len(made)).reshape(-1, number)
    return np.argmax(sums, axis=1).astype(np.uint32), sums.max(axis=1)


def range_weights(plan: ldp.Plan, low: int, high: int) -> list[Floats]:
    """Return the weights of every level's estimates in the answer to a range of bins."""
    weigh = plan.layout.answer_weights(plan.law(1e6 * np.array(plan.probabilities)), (0,))
    return [rows[0] for rows in weigh(np.array([[low]]), np.array([[high]])).levels]


def item_weights(plan: ldp.Plan, items: Sequence[int]) -> list[Floats]:
    """Return, level by level, how many of some ``items`` lie in each cell."""
    held = np.bincount(items, minlength=plan.domain.bins).astype(np.int64)
    return [level.sums(held).astype(np.float64) for level in plan.levels]


def joined(
    plan: ldp.Plan,
    honest: ldp.Aggregate,
    weights: Sequence[Floats],
    liars: int,
    rng: np.random.Generator,
    *,
    level: int | None = None,
    reports: Reports = best_reports,
) -> ldp.Aggregate:
    """Return ``honest`` reports with ``reports`` of ``liars`` added; all on one ``level`` if it is given."""
    each = (
        rng.multinomial(liars, plan.probabilities)
        if level is None
        else np.bincount([level], minlength=len(plan.levels)) * liars
    )
    counts = [
        old + reports(mechanism, weight, int(number), rng)
        for old, mechanism, weight, number in zip(honest.counts, plan.mechanisms, weights, each, strict=True)
    ]
    return ldp.Aggregate(
        plan, [int(a + b) for a, b in zip(honest.users, each, strict=True)], counts
    ).checked()
