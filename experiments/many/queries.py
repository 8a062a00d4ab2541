"""Questions about several attributes: what share of people has all of them in given ranges."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np

from experiments.many.data import People
from ldprange.support.arrays import Boundaries, Floats
from ldprange.support.parallel import slices

_TOGETHER = 1 << 16  # people looked at together


@dataclass(frozen=True, slots=True)
class Queries:
    """Columns of questions: row i asks for those who have every ``attributes[i, t]`` in its range.

    Attributes
    ----------
    bins
        Of each attribute.
    attributes
        A row for each question, ascending.
    starts, ends
        The first bin of each range, and the one after its last.
    categories
        Attributes whose bins have no order; of these a range is one bin.
    """

    bins: int
    attributes: Boundaries
    starts: Boundaries
    ends: Boundaries
    categories: tuple[int, ...] = ()

    @property
    def ways(self) -> int:
        """How many attributes a question is about."""
        return int(self.attributes.shape[1])

    def coverage(self, cells: int) -> Floats:
        """Return what part of each of so many equal cells a range covers: question × attribute × cell.

        >>> asked = Queries(8, np.array([[0]]), np.array([[1]]), np.array([[6]]))
        >>> asked.coverage(4).tolist()
        [[[0.5, 1.0, 1.0, 0.0]]]
        """
        width = self.bins // cells
        lower = np.arange(cells) * width
        overlap = np.minimum(lower + width, self.ends[..., None]) - np.maximum(lower, self.starts[..., None])
        parts: Floats = np.maximum(overlap, 0) / width
        return parts


def random_queries(
    number: int, ways: int, attributes: int, bins: int, rng: np.random.Generator, volume: float = 0.5
) -> Queries:
    """Return questions about random attributes, with ranges of ``volume`` × ``bins`` bins anywhere."""
    chosen = np.sort(np.argsort(rng.random((number, attributes)), axis=1)[:, :ways], axis=1)
    length = round(bins * volume)
    starts = rng.integers(0, bins - length + 1, (number, ways))
    return Queries(bins, chosen, starts, starts + length)


def true_answers(people: People, queries: Queries) -> Floats:
    """Return the exact share of people for each question.

    For each attribute a table says which bins each question allows, eight questions a byte; a person is
    counted where all attributes allow it.
    """
    number = len(queries.attributes)
    allowed = np.ones((len(people), queries.bins, number), bool)
    rows = np.arange(number)[:, None]
    allowed[queries.attributes, :, rows] = queries.coverage(queries.bins) > 0
    packed = np.packbits(allowed, axis=2)
    counts = np.zeros(number, np.int64)
    for block in slices(people.shape[1], _TOGETHER):
        inside = reduce(
            np.bitwise_and, (table[held] for table, held in zip(packed, people[:, block], strict=True))
        )
        counts += np.unpackbits(inside, axis=1, count=number).sum(axis=0, dtype=np.int64)
    shares: Floats = counts / people.shape[1]
    return shares
