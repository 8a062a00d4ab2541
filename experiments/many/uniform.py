"""The answer of someone who has asked nobody: the volume of the question. Called Uni in the literature."""

from __future__ import annotations

import numpy as np

from experiments.many.data import People
from experiments.many.queries import Queries
from ldprange.support.arrays import Floats


def uniform(_people: People, _epsilon: float, queries: Queries, _rng: np.random.Generator) -> Floats:
    """Return the volume of each question.

    >>> asked = Queries(8, np.array([[0, 1]]), np.array([[1, 4]]), np.array([[5, 6]]))
    >>> uniform(np.zeros((2, 1), np.uint8), 1.0, asked, np.random.default_rng()).tolist()
    [0.125]
    """
    volumes: Floats = np.prod((queries.ends - queries.starts) / queries.bins, axis=1)
    return volumes
