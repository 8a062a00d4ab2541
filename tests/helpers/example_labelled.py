"""Small labelled plans, and the people that they ask."""

from __future__ import annotations

import itertools

import ldprange as ldp
from ldprange.learning.choice import part_of
from ldprange.learning.plan import Asked

DOMAINS = {"hours": ldp.Domain.integers(0, 2), "trips": ldp.Domain.real(0.0, 1.0, 4)}
PEOPLE = list(itertools.product([0, 1, 2], [0.1, 0.3, 0.6, 0.9]))


def small(asked: Asked, epsilon: float = 1.0) -> ldp.LabelledPlan:
    """Two attributes, one in levels; a person spends ε in all."""
    each = epsilon if asked == "one" else part_of(epsilon, 2)
    hours = ldp.Plan(DOMAINS["hours"], each, ldp.Flat(), ldp.GRR())
    trips = ldp.Plan(DOMAINS["trips"], each, ldp.Tree(2), ldp.GRR(), [0.25, 0.75])
    return ldp.LabelledPlan(("hours", "trips"), (hours, trips), ("a", "b"), asked)
