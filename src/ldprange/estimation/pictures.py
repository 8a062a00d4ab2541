"""What is drawn of an estimate: the questions that a figure asks of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ldprange.answer import Answer
from ldprange.domain.no_answer import NO_ANSWER
from ldprange.errors import DomainError, QueryError
from ldprange.estimation.beside import beside_the_axis
from ldprange.plotting.distribution import Distribution, distribution_figure
from ldprange.plotting.heat_map import Side, heat_map
from ldprange.plotting.labelled_bars import Bars
from ldprange.support.arrays import Floats
from ldprange.support.checking import listed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ldprange.estimation.attribute_estimate import Estimate
    from ldprange.estimation.joint_estimate import JointEstimate

_MAX_CELLS = 12  # of a heat map, each way
_MAX_CELLS_OF_ONE = 2000  # of a distribution


def one_attribute(found: Estimate, counts: ArrayLike | None, title: str, label: str) -> Figure:
    """Return the figure of the distribution that was ``found``, beside the true one of ``counts``."""
    domain, bins = found.domain, found.domain.plain_bins
    # categories are drawn one by one; of other bins, as many cells as can be seen
    number = bins.stop - bins.start
    cells = number if domain.unordered else min(number, _MAX_CELLS_OF_ONE)
    drawn = np.linspace(0, number, cells + 1).astype(np.int64)
    edges = bins.start + drawn
    each_alone = cells == number
    truth = None if counts is None else _true_shares(counts, found.everyone.domain.bins)
    cdf = None
    if not domain.unordered:
        cdf = found.cdf(band="simultaneous").map(lambda column: np.append(0.0, column)[edges])
    return distribution_figure(
        Distribution(
            domain.plain,
            drawn,
            found.histogram(confidence=0.95 if each_alone else None).map(
                lambda column: np.add.reduceat(column[bins], drawn[:-1]) / np.diff(drawn)
            ),
            cdf,
            None if truth is None else np.append(0.0, _among(truth, domain.bins).cumsum())[edges],
            _beside(found, truth),
        ),
        title=title,
        label=label,
    )


def _among(truth: Floats, bins: int) -> Floats:
    """Return the true shares among the people in the first ``bins``: those who answered."""
    answered: Floats = truth[:bins]
    return answered / (answered.sum() or 1.0)


def _beside(found: Estimate, truth: Floats | None) -> Bars | None:
    """Return the bars of what has no place on the axis; None if everything has one."""
    shares = beside_the_axis(found, 0.95)
    if not shares:
        return None
    ends = [[getattr(each, end) for each in shares.values()] for end in ("value", "low", "high")]
    value, low, high = np.array(ends)
    known = None
    if truth is not None:
        among = _among(truth, found.domain.bins)
        known = np.array(
            [truth[-1] if name == NO_ANSWER else among[found.domain.index_one(name)] for name in shares]
        )
    labels = [f"{name} (of all people)" if name == NO_ANSWER else name for name in shares]
    return Bars(labels, Answer(value, low, high, 0.95), known)


def _true_shares(counts: ArrayLike, bins: int) -> Floats:
    """Return the true share of every bin."""
    try:
        people = np.asarray(counts, np.float64)
    except (TypeError, ValueError):
        people = np.array(np.nan)
    if people.shape != (bins,) or not np.all(np.isfinite(people) & (people >= 0)) or not np.any(people):
        raise DomainError(
            f"counts must be {bins} numbers of at least 0, one per bin, and not all 0, got "
            f"{str(counts)[:60]} of shape {people.shape}; make them with plan.domain.count(values)"
        )
    shares: Floats = people / people.sum()
    return shares


def two_attributes(found: JointEstimate, names: tuple[str, ...], title: str) -> Figure:
    """Return the heat map of the two attributes ``names``, in at most 12 cells each way."""
    if len(set(names)) != 2 or len(names) != 2:
        raise QueryError(
            f"one or two attributes can be drawn together, got {listed(names)}; name them, as in "
            f"plot({found.names[0]!r}, {found.names[1]!r})"
        )
    domains = [found.domain.attribute(name) for name in names]
    edges = [_cell_edges(domain.bins) for domain in domains]
    ends = [domain.run_ends(each) for domain, each in zip(domains, edges, strict=True)]
    shape = tuple(len(each) - 1 for each in edges)
    pairs = {
        name: tuple([column[i] for i in at] for column in columns)
        for name, columns, at in zip(names, ends, np.indices(shape).reshape(2, -1), strict=True)
    }
    cells: Answer[Floats] = found.ranges(pairs).map(lambda column: column.reshape(shape))
    across, up = (
        Side(name, domain, its_edges, found.marginal(name).ranges(*its_ends))
        for name, domain, its_edges, its_ends in zip(names, domains, edges, ends, strict=True)
    )
    return heat_map(across, up, cells, title)


def _cell_edges(bins: int) -> list[int]:
    edges: list[int] = np.unique(np.linspace(0, bins, min(bins, _MAX_CELLS) + 1).astype(int)).tolist()
    return edges
