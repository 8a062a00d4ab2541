"""What is drawn of an estimate: the questions that a figure asks of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ldprange.answer import Answer
from ldprange.errors import DomainError, QueryError
from ldprange.plotting.distribution import Distribution, distribution_figure
from ldprange.plotting.heat_map import Side, heat_map
from ldprange.support.arrays import Floats
from ldprange.support.checking import listed

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from ldprange.estimation.attribute_estimate import Estimate
    from ldprange.estimation.joint_estimate import JointEstimate

_MAX_CELLS = 12  # of a heat map, each way


def one_attribute(found: Estimate, counts: ArrayLike | None, title: str, label: str) -> Figure:
    """Return the figure of the distribution that was ``found``, beside the true one of ``counts``."""
    true_cdf = None if counts is None else _from_zero(np.cumsum(_true_shares(counts, found.domain.bins)))
    cdf = found.cdf(band="simultaneous").map(_from_zero)
    return distribution_figure(
        Distribution(found.domain, cdf, found.histogram(), true_cdf), title=title, label=label
    )


def _from_zero(cdf: Floats) -> Floats:
    """Return the share below every edge, from that up to every bin."""
    return np.append(0.0, cdf)


def _true_shares(counts: ArrayLike, bins: int) -> Floats:
    """Return the true share of every bin."""
    try:
        people = np.asarray(counts, np.float64)
    except (TypeError, ValueError):
        people = np.array(np.nan)
    if people.shape != (bins,) or not np.all(np.isfinite(people) & (people >= 0)) or not np.any(people):
        raise DomainError(
            f"counts must be {bins} numbers of at least 0, one per bin, and not all 0, got "
            f"{str(counts)[:60]} of shape {people.shape}; make them with domain.count(values)"
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
