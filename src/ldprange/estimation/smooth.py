"""Smooth densities of one attribute, and of two whose own distributions are known.

Cells along a line have densities e^f. There are several ways to be smooth, and the mean of all is taken, as
each accounts for the estimate:

- Slopes of f are small, and neighbouring ones alike. As the prior gets stronger the density becomes even, by
  way of e to a straight line.
- How f bends is the same everywhere (its third differences are small). As the prior gets stronger the density
  becomes a normal distribution, or what the domain holds of one (B. W. Silverman, "On the Estimation of a
  Probability Density Function by the Maximum Penalized Likelihood Method", Annals of Statistics 10(3), 1982).
- Where most people are near one end, as of amounts and durations, both along a logarithmic scale, which is
  finer there: a lognormal distribution instead.

A few cells may stand out, of people who all have the same value (0, or all beyond the last): these are left
to the estimate, and the others are neighbours over their heads.

Cells of two attributes have shares ∝ own share of one × own share of the other × e^f. If f is a sum of a
function of each, the attributes are independent. What f says beyond that are the logarithms of the odds
ratios of neighbouring cells. They are taken to be alike, as of two normals they are all the same; and besides
they may be small. So as the prior gets stronger the odds ratio becomes one and the same for the whole table,
or the attributes become independent: again the mean is taken. Categories have no neighbours: there all
differences between cells are alike, and nothing is smooth along them.
"""

from collections.abc import Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from ldprange.estimation.log_density import Penalty, Smooth, log_densities, weighed
from ldprange.support.arrays import Bins, Floats, Positions

_LINE_STRENGTHS = np.geomspace(1e7, 1e-8, 16)  # from an even density to nearly any
_LINE_EVENNESS = 0.3  # of squared slopes in the penalty, beside squared differences between them
_NORMAL_STRENGTHS = np.geomspace(1e-1, 1e-9, 9)  # from a normal distribution to nearly any
_PAIR_STRENGTHS = np.geomspace(1e4, 1e-6, 11)  # from independence to nearly anything
_ALIKE_STRENGTHS = np.geomspace(1e2, 1e-4, 7)  # from one odds ratio for all of a table
_PAIR_EVENNESS = 0.1  # of squared logarithms of odds ratios in the penalty, beside squared differences
_LEAST = 1e-9  # share of a cell, of what an even population would have there
_STANDS_OUT = 4.0  # standard errors of a cell's density above what those about it lead to expect
_END_STANDS_OUT = 3.0  # the same of the first and the last cell
_MAX_STANDING_OUT = 1 / 4  # of all cells: if more do, it is not a smooth density with a few exceptions
_FINEST = 1 / 128  # of the line, near the end of a logarithmic scale
_EVEN_PART = 0.02  # of a distribution by whose normal scores cells are placed, so that all lie apart
_DOUBT = 1.0  # by which a way that is less plain has to be better
_NORMAL_DOUBT = 2.0  # the same of a normal distribution, beside an even one: two numbers are free
_TEMPERATURE = 1.5  # a difference between two ways that matters

_TINY_IS_NOUGHT = np.errstate(under="ignore")  # whatever else a program has NumPy do


class _Way(NamedTuple):
    """A way to be smooth: what is penalised, how strongly, and by how much it has to be better."""

    penalty: Penalty
    strengths: Floats
    doubt: float


@_TINY_IS_NOUGHT
def smooth_line(estimate: Floats, precision: Floats, root: Floats, sizes: Floats) -> Smooth:
    """Return the mean of all smooth densities, as each accounts for the ``estimate``.

    Parameters
    ----------
    estimate
        Of the share of every cell of a line, from its one end to the other.
    precision
        The inverse of its covariance; it says nothing of the sum, which is 1.
    root
        A square root of its covariance.
    sizes
        Of the cells.
    """
    cells, even = sizes.size, sizes / sizes.sum()
    alike = tuple(_alike(estimate / sizes, root / sizes[:, None]).tolist())

    def along(places: Positions, doubt: float) -> list[_Way]:
        to_even, to_normal = _penalties_along(tuple(places.tolist()), alike)
        return [
            _Way(to_even, _LINE_STRENGTHS, doubt),
            _Way(to_normal, _NORMAL_STRENGTHS, doubt + _NORMAL_DOUBT),
        ]

    ways, middles = along(np.arange(cells, dtype=np.float64), 0.0), np.cumsum(even) - even / 2
    if estimate[middles < 1 / 3].sum() > 1 / 2:
        ways += along(cells * _logarithms(middles), _DOUBT)
    elif estimate[middles > 2 / 3].sum() > 1 / 2:
        ways += along(-cells * _logarithms(1 - middles), _DOUBT)
    return _mean(ways, estimate, precision, even, precision)


@lru_cache(maxsize=16)  # surveys of as many cells have them in common
def _penalties_along(places: tuple[float, ...], alike: tuple[int, ...]) -> tuple[Penalty, Penalty]:
    """Return what makes densities of ``alike`` cells even, and normal, if cells are at ``places``."""
    cells = len(places)
    slopes, bends, turns = _differences(np.array(places), np.array(alike))
    to_even = np.vstack([cells**1.5 * bends, (_LINE_EVENNESS * cells) ** 0.5 * slopes])
    return Penalty.of(to_even), Penalty.of(cells**2.5 * turns)


@_TINY_IS_NOUGHT
def smooth_pair(
    estimate: Floats, precision: Floats, judged: Floats, own: Sequence[Floats], ordered: Sequence[bool]
) -> Smooth:
    """Return the mean of all smooth densities, as each accounts for the ``estimate``.

    Parameters
    ----------
    estimate
        Of the share of every cell, with an axis for each attribute.
    precision
        The inverse of the covariance of all cells, the last attribute's running fastest; it says nothing of
        the sum, which is 1.
    judged
        The part of the precision by which densities are judged.
    own
        The distribution of each attribute's cells.
    ordered
        Whether neighbouring cells of each attribute are alike.
    """
    plain = tuple(tuple(map(float, range(size))) for size in estimate.shape)
    scores = tuple(tuple(_normal_scores(shares).tolist()) for shares in own)
    ways = [_Way(_penalty_of_pair(plain, tuple(ordered), to_even=True), _PAIR_STRENGTHS, 0.0)]
    if any(along and size > 2 for size, along in zip(estimate.shape, ordered, strict=True)):
        for places in (plain, scores):
            alike = _penalty_of_pair(places, tuple(ordered), to_even=False)
            ways.append(_Way(alike, _ALIKE_STRENGTHS, _DOUBT))
    base = np.maximum(np.multiply.outer(*own), _LEAST / estimate.size).reshape(-1)
    smooth = _mean(ways, estimate.reshape(-1), precision, base, judged)
    return smooth._replace(shares=smooth.shares.reshape(estimate.shape))


def _mean(ways: Sequence[_Way], estimate: Floats, precision: Floats, base: Floats, judged: Floats) -> Smooth:
    """Return the mean of what all ways find, weighed by their criteria; all else as in log_densities.

    Those that smooth hardly anything are left out, unless all do.
    """
    found, told = [], int(np.linalg.matrix_rank(judged, hermitian=True))
    for penalty, strengths, doubt in ways:
        densities = log_densities(estimate, precision, base, penalty, strengths, judged)
        smooth = weighed(densities, judged, told)
        found.append((smooth, smooth.criterion + doubt))
    each, criteria = zip(*([one for one in found if np.isfinite(one[1])] or found[:1]), strict=True)
    weights = np.exp((min(criteria) - np.array(criteria)) / _TEMPERATURE) if len(each) > 1 else np.ones(1)
    weights /= weights.sum()
    shares = weights @ np.stack([smooth.shares for smooth in each])
    return Smooth(shares, float(weights @ [smooth.criterion for smooth in each]))


def _alike(density: Floats, root: Floats) -> Bins:
    """Return the cells of a line but for those that surely stand out.

    These are denser than a straight line through the four nearest others. ``root`` is a square root of the
    covariance of the densities.
    """
    cells = density.size
    about = np.clip(np.arange(cells) - 2, 0, cells - 5)[:, None] + np.arange(5)
    away = (about - np.arange(cells)[:, None]).astype(np.float64)
    others = (away != 0) / 4
    centre = (others * away).sum(axis=1, keepdims=True)
    spread = (others * (away - centre) ** 2).sum(axis=1, keepdims=True)
    expected = others * (1 - centre * (away - centre) / spread)
    excess = np.eye(cells)
    np.put_along_axis(excess, about, (away == 0) - expected, axis=1)
    limit = np.full(cells, _STANDS_OUT)
    limit[[0, -1]] = _END_STANDS_OUT
    found = np.flatnonzero(excess @ density > limit * np.sqrt(((excess @ root) ** 2).sum(axis=1)))
    few = found.size <= _MAX_STANDING_OUT * cells
    return np.delete(np.arange(cells), found if few else [])


def _logarithms(places: Positions) -> Positions:
    """Return where ``places`` between 0 and 1 are on a logarithmic scale from 0 to 1."""
    logarithms: Positions = np.log1p(places / _FINEST) / np.log1p(1 / _FINEST)
    return logarithms


def _differences(places: Positions, alike: Bins) -> list[Floats]:
    """Return what takes first, second and third differences along a line, of those cells alone.

    ``places`` are where the cells are on it, about 1 apart. What lies closer together counts for less, so
    that the squares add up to an integral.
    """
    at, rows, found = places[alike], np.eye(places.size)[alike], []
    for _ in range(3):
        gaps = np.diff(at)[:, None]
        rows, at = np.diff(rows, axis=0) / gaps, (at[1:] + at[:-1]) / 2
        found.append(rows * np.sqrt(gaps))
    return found


class _Axis(NamedTuple):
    """First and second differences along an attribute, in units of its whole length."""

    steps: Floats
    bends: Floats


def _along(places: Positions, ordered: bool) -> _Axis:
    """Return the differences of cells at these places, or of categories.

    Those have no neighbours: all differences between them are alike.
    """
    cells = places.size
    if not ordered:
        return _Axis(cells**0.5 * (np.eye(cells) - 1 / cells), np.zeros((0, cells)))
    steps, bends, _ = _differences(places, np.arange(cells))
    return _Axis(cells**0.5 * steps, cells**1.5 * bends)


@lru_cache(maxsize=8)  # surveys of as many cells have some in common
def _penalty_of_pair(
    places: tuple[tuple[float, ...], ...], ordered: tuple[bool, ...], *, to_even: bool
) -> Penalty:
    """Return what makes logarithms of odds ratios of cells at ``places`` alike, and ``to_even`` small too."""
    one, other = (_along(np.array(at), along) for at, along in zip(places, ordered, strict=True))
    rows = [np.kron(one.bends, other.steps), np.kron(one.steps, other.bends)]
    if to_even:
        rows.append(_PAIR_EVENNESS**0.5 * np.kron(one.steps, other.steps))
    return Penalty.of(np.vstack(rows))


def _normal_scores(shares: Floats) -> Positions:
    """Return where cells of such ``shares`` are if they are stretched until people are normal along them."""
    shares = (1 - _EVEN_PART) * shares + _EVEN_PART / shares.size
    law = NormalDist()
    scores = np.array([law.inv_cdf(below) for below in (np.cumsum(shares) - shares / 2).tolist()])
    stretched: Positions = scores * ((shares.size - 1) / (scores[-1] - scores[0]))
    return stretched
