"""People with six attributes of 64 bins each: a row for each attribute, a column for each person.

``normal`` and ``laplace`` are the made-up data of J. Yang et al., "Answering Multi-Dimensional Range Queries
under Local Differential Privacy", PVLDB 14(3), 2020: mean 0, standard deviation 1, and covariance 0.8 between
any two attributes. They do not say how numbers become bins; here bins have equal widths from −5 to 5, and
what lies beyond counts to the last.

``uneven`` is ours and harder: marginals are skewed, some pairs of attributes are nearly copies and others
independent, one pair is dependent without being correlated, and one attribute depends on two others together
but on neither of them alone, which no table of pairs can show.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from experiments.seeds import seed_of
from ldprange.support.arrays import Floats

People = NDArray[np.uint8]

ATTRIBUTES = 6
BINS = 64
_COVARIANCE = 0.8
_REACH = 5.0


def people(name: str, users: int, seed: int) -> People:
    """Return people of one of the populations in :data:`DATA`; the same every time.

    >>> people("normal", users=3, seed=1).shape
    (6, 3)
    """
    if name not in DATA:
        raise ValueError(f"a population must be one of {', '.join(DATA)}, got {name!r}")
    return DATA[name](users, np.random.default_rng(seed_of(("many", name, users, seed))))


def _normal(users: int, rng: np.random.Generator) -> People:
    return _binned((_correlated(users, rng) + _REACH) / (2 * _REACH))


def _laplace(users: int, rng: np.random.Generator) -> People:
    """Return a normal vector times the root of one exponential number: each attribute is a Laplace one."""
    stretched = _correlated(users, rng) * np.sqrt(rng.exponential(size=users))
    return _binned((stretched + _REACH) / (2 * _REACH))


def _correlated(users: int, rng: np.random.Generator) -> Floats:
    """Return normal numbers with variance 1: a part that all attributes share, and a part of their own."""
    own = rng.standard_normal((ATTRIBUTES, users))
    shared: Floats = np.sqrt(1 - _COVARIANCE) * own + np.sqrt(_COVARIANCE) * rng.standard_normal(users)
    return shared


def _uneven(users: int, rng: np.random.Generator) -> People:
    """See the module; all places are from 0 to 1."""
    skewed = rng.exponential(0.15, users)
    copied = 0.9 * skewed + 0.02 * rng.standard_normal(users)
    reversed_in_part = np.where(rng.random(users) < 0.4, 1 - skewed, rng.random(users) ** 2)
    upper = rng.random(users) < 0.5  # of two narrow hills
    hills = np.where(upper, 0.72, 0.28) + 0.07 * rng.standard_normal(users)
    distance = 2 * np.abs(hills - 0.5) + 0.03 * rng.standard_normal(users)
    odd = upper ^ (skewed > 0.15 * np.log(2))  # the median: each alone says nothing about this
    parity = np.where(odd, 0.5, 0.0) + 0.5 * rng.beta(2.0, 5.0, users)
    return _binned(np.stack([skewed, copied, reversed_in_part, hills, distance, parity]))


def _binned(places: Floats) -> People:
    return np.clip(np.floor(places * BINS), 0, BINS - 1).astype(np.uint8)


DATA: dict[str, Callable[[int, np.random.Generator], People]] = {
    "normal": _normal,
    "laplace": _laplace,
    "uneven": _uneven,
}
"""The populations by name."""
