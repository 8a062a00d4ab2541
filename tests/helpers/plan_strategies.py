"""Plans and batches of every kind, for property tests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

import ldprange as ldp
from example_kinds import DECOMPOSITIONS, ORACLES
from ldprange.decompositions import Decomposition
from ldprange.oracles import Oracle


def domains() -> st.SearchStrategy[ldp.Domain]:
    return st.one_of(
        st.builds(lambda low, bins: ldp.Domain.integers(low, low + bins - 1), st.integers(-99, 99), _bins()),
        st.builds(ldp.Domain.real, st.just(-0.5), st.just(2.0), _bins()),
        st.builds(ldp.Domain.logarithmic, st.just(0.1), st.just(99.0), _bins()),
        st.builds(lambda days: ldp.Domain.dates("2024-02-28", f"2024-03-{days:02}"), st.integers(1, 31)),
        st.builds(
            lambda bins, sides: ldp.Domain.real(-0.5, 2.0, bins, open_ends=sides),
            _bins(),
            st.sampled_from([True, "low", "high"]),
        ),
        st.builds(lambda bins: ldp.Domain.integers(1, bins, open_ends="low", no_answer=True), _bins()),
        st.lists(st.sampled_from("äbcdefg\"'{"), min_size=1, unique=True).map(ldp.Domain.ordered),
    )


def _bins() -> st.SearchStrategy[int]:
    return st.one_of(st.integers(1, 40), st.sampled_from([64, 100, 120, 255, 256, 257]))


def decompositions() -> st.SearchStrategy[Decomposition]:
    return st.one_of(st.sampled_from([*DECOMPOSITIONS.values()]), st.builds(ldp.Tree, st.integers(2, 9)))


def oracles() -> st.SearchStrategy[Oracle]:
    return st.one_of(
        st.sampled_from([*ORACLES.values()]),
        st.builds(ldp.OLH, st.integers(2, 300)),
        st.builds(ldp.HadamardHashing, st.integers(1, 4)),
    )


@st.composite
def plans(draw: st.DrawFn) -> ldp.Plan:
    """Draw a plan: one oracle or one for each level, even level probabilities or others."""
    domain, decomposition = draw(domains()), draw(decompositions())
    levels = len(decomposition.on(domain).levels)
    oracle = draw(st.one_of(oracles(), st.lists(oracles(), min_size=levels, max_size=levels)))
    probabilities = None
    if draw(st.booleans()):
        weights = draw(st.lists(st.integers(0, 9), min_size=levels, max_size=levels).filter(any))
        probabilities = [weight / sum(weights) for weight in weights]
    return ldp.Plan(domain, draw(st.floats(0.01, 8.0)), decomposition, oracle, probabilities)


@st.composite
def batches(draw: st.DrawFn, plan: ldp.Plan | None = None) -> ldp.Batch:
    """Draw the reports of up to thirty people."""
    if plan is None:
        plan = draw(plans())
    people = np.array(draw(st.lists(st.integers(0, plan.domain.bins - 1), max_size=30)), np.int64)
    values = np.array([plan.domain.at(index + 0.5) for index in people])
    return ldp.encode_many(plan, values, seed=draw(st.integers(0, 2**32)))
