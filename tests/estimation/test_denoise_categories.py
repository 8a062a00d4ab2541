"""Denoised categories: how their labels are listed must not matter, or hardly."""

from __future__ import annotations

import numpy as np
import pytest

import ldprange as ldp
from example_products import joint
from ldprange.estimation import denoise_categories
from ldprange.estimation.denoise_categories import in_orders
from ldprange.support.arrays import Boundaries, Floats

SHARES = np.array([0.3, 0.02, 0.2, 0.01, 0.25, 0.03, 0.15, 0.04])
LABELS = [f"work {number}" for number in range(SHARES.size)]


def test_every_bin_gets_its_own_share_back() -> None:
    for unordered in (False, True):
        found = in_orders(lambda order: SHARES[order], SHARES.size, slice(0, 8), unordered=unordered)
        np.testing.assert_allclose(found, SHARES)


def test_what_is_apart_keeps_its_place() -> None:
    seen: list[Boundaries] = []

    def denoise(order: Boundaries | slice) -> Floats:
        seen.append(np.arange(SHARES.size)[order])
        return SHARES[order]

    in_orders(denoise, SHARES.size, slice(0, 7), unordered=True)
    assert all(order[7] == 7 for order in seen)
    assert len({tuple(order.tolist()) for order in seen}) > 1


def _spread(plan: ldp.Plan) -> float:
    """Return by how much denoised shares differ between twelve listings of the same labels."""
    told = ldp.simulate(plan, (2000 * SHARES).astype(np.int64), seed=4)
    found = []
    for seed in range(12):
        order = np.random.default_rng(100 + seed).permutation(SHARES.size)
        listed = ldp.Aggregate(plan, told.users, [told.counts[0][order]])
        shares = np.empty(SHARES.size)
        shares[order] = ldp.estimate(listed, denoise=True).histogram(confidence=None).value
        found.append(shares)
    return float(np.std(found, axis=0).mean())


@pytest.mark.slow
def test_how_labels_are_listed_hardly_matters(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = ldp.Plan(ldp.Domain.categories(LABELS), 1.0, ldp.Flat(), ldp.GRR())
    spread = _spread(plan)
    monkeypatch.setattr(denoise_categories, "_ORDERS", 1)
    assert spread < 0.7 * _spread(plan)


def test_categories_are_denoised_alike_alone_and_beside_others() -> None:
    """Where they are all that is asked about, the same reports give the same shares."""
    two = ldp.Domain.product(work=ldp.Domain.categories(LABELS), age=ldp.Domain.integers(0, 3))
    plan = ldp.Plan(two, 1.0, ldp.Grids([(8,), (4,)], [(1, 0), (0, 1)]), ldp.GRR(), [1.0, 0.0])
    one = ldp.Plan(two.attributes["work"], 1.0, ldp.Flat(), ldp.GRR())
    counts = ldp.simulate(one, (2000 * SHARES).astype(np.int64), seed=4).counts[0]
    beside = joint(ldp.Aggregate(plan, [2000, 0], [counts, np.zeros(4, np.int64)]), denoise=True)
    alone = ldp.estimate(ldp.Aggregate(one, [2000], [counts]), denoise=True)
    np.testing.assert_allclose(
        beside.marginal("work").histogram(confidence=None).value,
        alone.histogram(confidence=None).value,
        atol=1e-3,  # the noise of blocks in a population is interpolated for one attribute
    )
