"""Many attributes from tables of pairs: what the reports say of two at a time, made into one distribution.

1. Each attribute's own distribution is denoised as that of a single one.
2. So is the table of two (:mod:`ldprange.estimation.denoise_pair`), which is made to agree with both.
3. Three attributes or more are taken to be as even as their pairs allow (most entropy), by fitting the pairs
   in turns. To that comes what reports about three or more at once surely say besides
   (:mod:`ldprange.estimation.beyond_pairs`). What nobody was asked about together is not there.

Within the cells of a table the attributes are taken to be independent of each other.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import prod

import numpy as np

from ldprange.decompositions import GridsLayout
from ldprange.errors import QueryError
from ldprange.estimation.beyond_pairs import beyond_pairs
from ldprange.estimation.denoise_beside import denoised_beside
from ldprange.estimation.denoise_categories import in_orders
from ldprange.estimation.denoise_pair import denoised_pair
from ldprange.estimation.pair_beside import with_bins_apart
from ldprange.estimation.raking import agreeing, raked
from ldprange.estimation.shares import nowhere_empty
from ldprange.estimation.within_cells import within_cells
from ldprange.least_squares.table import Boxes, JointFit, coarser
from ldprange.levels import neighbours
from ldprange.noise import Law
from ldprange.support.arrays import Boundaries, Floats, Positions
from ldprange.support.blas import callers_thread

_MAX_CELLS = 1 << 18  # of a table of many attributes


class PairedShares:
    """The denoised joint distribution of any attributes that are asked about in pairs.

    Parameters
    ----------
    grids, law, coefficients
        The levels, how sure they are, and what they say in the basis of details.
    plain
        Of every attribute, the bins that have a place on its line.
    unordered
        The attributes whose bins have no order.
    """

    def __init__(
        self,
        grids: GridsLayout,
        law: Law,
        coefficients: Sequence[Floats],
        plain: Sequence[slice],
        unordered: frozenset[int],
    ) -> None:
        self._grids, self._law, self._coefficients, self._plain = grids, law, coefficients, plain
        self._unordered, self._people = unordered, float(law.users.sum())
        # noise is that of an even population, then, if people are drawn and it matters, of the one found
        matters = law.drawn and law.occupied_part([level.asked for level in grids.levels]) > 0
        self._rounds = 2 if matters else 1
        self._alone: dict[int, Floats] = {}
        self._tables: dict[tuple[int, ...], tuple[Floats, tuple[int, ...]]] = {}

    @callers_thread
    def alone(self, attribute: int) -> Floats:
        """Return the distribution of one attribute over its leaves."""
        if attribute not in self._alone:
            self._alone[attribute] = self._denoised(attribute)
        return self._alone[attribute]

    def _denoised(self, attribute: int) -> Floats:
        table, plain = self._grids.table(self._law, (attribute,)), self._plain[attribute]
        (axis,), unordered = table.axes, attribute in self._unordered
        bins, leaves, shares = axis.bins, axis.leaves, table.fit(self._coefficients)
        # leaves of which reports tell nothing by themselves share what their cell has
        whole = plain == slice(0, bins) and not unordered
        size = axis.sizes[table.known[0]] if whole else 1
        ends, held = np.arange(0, leaves + 1, size), -(-bins // size)
        seen, places = np.add.reduceat(shares, ends[:-1]), np.minimum(ends[: held + 1], bins)
        line, along = (slice(0, held), places) if whole else (plain, None)

        def in_order(order: Boundaries | slice) -> Floats:
            found = np.full(leaves, 1 / leaves)
            for _ in range(self._rounds):
                people = np.append(0.0, np.cumsum(nowhere_empty(found, self._people)))
                noise = _TableNoise(table, people, ends)
                cells = denoised_beside(seen[order], noise, line, along, nobody=seen.size - held)
                found = np.append(within_cells(cells[:held], places), np.zeros(leaves - bins))
            return found

        return in_orders(in_order, leaves, plain, unordered=unordered)

    def between(
        self, chosen: tuple[int, ...], starts: Sequence[Positions], stops: Sequence[Positions]
    ) -> Floats:
        """Return the shares of people between positions on each of two ``chosen`` attributes or more."""
        stops = [
            self._grids.axes[attribute].leaf(stop) for attribute, stop in zip(chosen, stops, strict=True)
        ]
        table, depths = self._table(chosen)
        found = np.broadcast_to(table, (len(starts[0]), *table.shape))
        for attribute, depth, start, stop in zip(chosen, depths, starts, stops, strict=True):
            inside = self._inside(attribute, depth, start, stop)
            rest = prod(found.shape[1:]) // inside.shape[1]
            found = np.einsum("qn,qnr->qr", inside, found.reshape(*inside.shape, rest))
        return found[:, 0]

    def joint_cdf(
        self, chosen: tuple[int, ...], attribute: int, given: Mapping[int, tuple[int, int]]
    ) -> Floats:
        """Return the share of the people in given ranges who lie below each leaf boundary of an attribute."""
        table, depths = self._table(chosen)
        for at, (other, depth) in reversed(list(enumerate(zip(chosen, depths, strict=True)))):
            if other != attribute:
                low, high = (np.array([float(end)]) for end in given[other])
                inside = self._inside(other, depth, low, self._grids.axes[other].leaf(high))[0]
                table = np.tensordot(table, inside, axes=(at, 0))
        own, depth = self.alone(attribute), depths[chosen.index(attribute)]
        each = np.divide(
            table, cells := self._cells(attribute, depth), out=np.zeros_like(table), where=cells > 0
        )
        return np.append(0.0, np.cumsum(own * np.repeat(each, own.size // each.size)))

    def _inside(self, attribute: int, depth: int, start: Positions, stop: Positions) -> Floats:
        """Return, for every range, what part of the people in each cell of an attribute lie in it."""
        axis, shares = self._grids.axes[attribute], self.alone(attribute)
        cdf = np.concatenate([[0.0], np.cumsum(shares)])
        edges, leaves = np.arange(0, axis.leaves + 1, axis.sizes[depth]), np.arange(axis.leaves + 1)
        ends = np.clip(edges, start[:, None], stop[:, None])
        parts, cells = np.diff(np.interp(ends, leaves, cdf)), np.diff(cdf[edges])
        inside: Floats = np.divide(parts, cells, out=np.zeros_like(parts), where=cells > 0)
        return inside

    @callers_thread
    def _table(self, chosen: tuple[int, ...]) -> tuple[Floats, tuple[int, ...]]:
        """Return the joint distribution of cells, and how deep they are."""
        if chosen not in self._tables:
            self._tables[chosen] = self._pair(chosen) if len(chosen) == 2 else self._many(chosen)
        return self._tables[chosen]

    def _pair(self, chosen: tuple[int, ...]) -> tuple[Floats, tuple[int, ...]]:
        if not self._grids.asks_together(chosen):
            raise QueryError("the plan does not ask about every two of these attributes together")
        table = self._grids.table(self._law, chosen)
        alone = [self.alone(attribute) for attribute in chosen]
        own = [self._cells(attribute, depth) for attribute, depth in zip(chosen, table.known, strict=True)]
        ordered = [attribute not in self._unordered for attribute in chosen]
        found = denoised_pair(table, self._coefficients, alone, ordered, self._people, self._rounds)
        apart = [self._apart(attribute, depth) for attribute, depth in zip(chosen, table.known, strict=True)]
        if any(bins.size for bins in apart):
            found = with_bins_apart(table, table.fit(self._coefficients, table.known), found, own, apart)
        return agreeing(found, *own), table.known

    def _apart(self, attribute: int, depth: int) -> Boundaries:
        """Return which cells of a depth are bins apart from the line: none, where cells are several bins."""
        axis = self._grids.axes[attribute]
        return np.delete(np.arange(axis.bins if axis.sizes[depth] == 1 else 0), self._plain[attribute])

    def _many(self, chosen: tuple[int, ...]) -> tuple[Floats, tuple[int, ...]]:
        parts: dict[tuple[int, ...], tuple[Floats, tuple[int, ...]]] = {
            part: self._table(tuple(chosen[at] for at in part))
            for size in (2, 3)
            for part in combinations(range(len(chosen)), size)
            if size == 2 or (size < len(chosen) and self._grids.asks_together([chosen[at] for at in part]))
        }
        depths = [
            min(known[part.index(at)] for part, (_, known) in parts.items() if at in part)
            for at in range(len(chosen))
        ]
        axes = [self._grids.axes[attribute] for attribute in chosen]
        while prod(axis.cells[depth] for axis, depth in zip(axes, depths, strict=True)) > _MAX_CELLS:
            deepest = int(np.argmax([axis.cells[depth] for axis, depth in zip(axes, depths, strict=True)]))
            if depths[deepest] == 1:
                raise QueryError(
                    f"at most {_MAX_CELLS} cells can be put together; ask about fewer attributes"
                )
            depths[deepest] -= 1
        joint = np.ones([axis.cells[depth] for axis, depth in zip(axes, depths, strict=True)])
        margins = {
            part: coarser(table, [axes[at].cells[depths[at]] for at in part])
            for part, (table, _) in parts.items()
        }
        joint = raked(joint / joint.size, margins)
        if self._grids.asks_together(chosen):
            together = self._grids.table(self._law, chosen)
            joint = beyond_pairs(together, self._coefficients, joint, depths)
            joint = raked(joint, {part: margins[part] for part in margins if len(part) == 2})
        return joint, tuple(depths)

    def _cells(self, attribute: int, depth: int) -> Floats:
        return coarser(self.alone(attribute), [self._grids.axes[attribute].cells[depth]])


class _TableNoise:
    """The noise of the cells with these ``ends`` on the one axis of a table, in a population of a ``cdf``."""

    def __init__(self, table: JointFit, cdf: Floats, ends: Boundaries) -> None:
        self._exact, self._ends = table.variances(cdf), ends

    def variances(self, low: Boundaries, high: Boundaries) -> Floats:
        return self._exact(Boxes([self._ends[low]], [self._ends[high]]))

    def block_variances(self, width: int, step: int) -> Floats:
        return self.variances(*neighbours(width, self._ends.size - 1, step))
