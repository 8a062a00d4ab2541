"""What a decomposition makes of a domain: one tree rule, and equal descriptions on equal domains."""

from __future__ import annotations

from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ldprange as ldp
from ldprange.decompositions import GridsLayout
from ldprange.decompositions.branchings import branchings_for
from ldprange.decompositions.tree_layout import TreeLayout

OTHER = ldp.Domain.integers(0, 3)


@pytest.mark.parametrize("branching", [2, 4, 16])
@pytest.mark.parametrize("bins", [2, 7, 50, 101, 120, 121, 365, 1000])
def test_a_tree_is_the_same_alone_and_beside_another_attribute(bins: int, branching: int) -> None:
    domain = ldp.Domain.integers(1, bins)
    alone = [level.branching for level in ldp.Tree(branching).on(domain).levels]
    both = ldp.Tree(branching).on(ldp.Domain.product(a=domain, b=OTHER))
    assert isinstance(both, GridsLayout)
    assert list(both.axes[0].branchings) == alone


@pytest.mark.parametrize("bins", [2, 5, 7, 101, 120])
def test_haar_is_the_same_tree_of_halves_beside_another_attribute(bins: int) -> None:
    domain = ldp.Domain.integers(1, bins)
    alone = [level.branching for level in ldp.Haar().on(domain).levels]
    both = ldp.Haar().on(ldp.Domain.product(a=domain, b=OTHER))
    assert isinstance(both, GridsLayout)
    assert list(both.axes[0].branchings) == alone


@given(bins=st.integers(1, 1 << 26), branching=st.integers(2, 64))
def test_trees_have_fewer_than_twice_as_many_leaves_as_bins(bins: int, branching: int) -> None:
    assert max(2, bins) <= prod(branchings_for(bins, branching)) < max(4, 2 * bins)


@pytest.mark.parametrize("nested", [True, False])
def test_a_tree_with_fewer_leaves_than_bins_is_refused(nested: bool) -> None:
    assert TreeLayout(ldp.Flat(), (2, 3), ldp.Domain.integers(1, 6), nested=nested).bins == 6
    with pytest.raises(ldp.PlanError, match=r"multiply to at least 7, the number of bins, got \(2, 3\)"):
        TreeLayout(ldp.Flat(), (2, 3), ldp.Domain.integers(1, 7), nested=nested)


def test_equal_grids_are_equal_and_know_no_domain() -> None:
    near, far = (ldp.Domain.product(a=ldp.Domain.integers(1, bins), b=OTHER) for bins in (101, 105))
    one, other = (ldp.Grids.product([(3, 5, 7), (4,)]) for _ in range(2))
    assert one == other
    assert hash(one) == hash(other)
    for domain, bins in ((near, 101), (far, 105)):
        layout = one.on(domain)
        assert layout.decomposition == one
        assert [axis.bins for axis in layout.axes] == [bins, 4]
