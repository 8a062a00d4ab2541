"""Aggregates that tests of their laws and of their files share."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

import ldprange as ldp
from ldprange.aggregate import Aggregate
from plan_strategies import batches, plans

PLAN = ldp.Plan(ldp.Domain.integers(0, 9), 1.1, ldp.Tree(branching=3), ldp.HRR())


@st.composite
def aggregates_of_one_plan(draw: st.DrawFn, number: int = 3) -> list[Aggregate]:
    plan = draw(plans())
    return [Aggregate.of(plan, draw(batches(plan))) for _ in range(number)]


def some(plan: ldp.Plan = PLAN, people: int = 50, seed: int = 1) -> Aggregate:
    return Aggregate.of(plan, ldp.encode_many(plan, np.arange(people) % 10, seed=seed))
