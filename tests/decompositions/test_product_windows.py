"""What windows over two attributes would bring: the calculation, against the library and dense algebra."""

from __future__ import annotations

import numpy as np
import pytest

import ldprange as ldp
from experiments.many.windows import least_variance, tree, windows
from experiments.noise_alone import noise_alone


@pytest.mark.parametrize("branching", [2, 4])
@pytest.mark.parametrize("attributes", [1, 2])
def test_trees_have_the_error_that_the_planner_predicts(branching: int, attributes: int) -> None:
    domain = ldp.Domain.integers(0, 15)
    if attributes == 2:
        domain = ldp.Domain.product(a=domain, b=domain)
    plan = ldp.optimise_plan(
        domain, epsilon=1.0, decomposition=ldp.Tree(branching), oracle=ldp.OUE(), workload="ranges"
    )
    spread = plan.mechanisms[-1].noise.spread  # that of all levels
    found = least_variance(*tree(16, branching), attributes)
    assert noise_alone(plan, 1.0).range_variance / spread == pytest.approx(found, rel=0.01)


def test_windows_are_all_shifts_of_cells_on_a_ring() -> None:
    bins = 8
    told, energy = windows(bins, 2)
    place = np.arange(bins)
    for known, width in zip(told, (8, 4, 2, 1), strict=True):
        shifts = [(place + shift) % bins // width for shift in range(width)]
        dense = np.mean([np.equal.outer(cells, cells) for cells in shifts], axis=0)
        assert np.sort(np.linalg.eigvalsh(dense)) == pytest.approx(np.sort(known), abs=1e-12)
    ranges = [(place >= low) & (place <= high) for low in range(bins) for high in range(low, bins)]
    spectra = np.abs(np.fft.fft(np.array(ranges, float), axis=1, norm="ortho")) ** 2
    assert energy == pytest.approx(spectra.mean(axis=0))


def test_windows_are_better_the_more_bins_and_attributes_there_are() -> None:
    def ratio(attributes: int, bins: int) -> float:
        shifted, still = windows(bins, 2), tree(bins, 2)
        return least_variance(*shifted, attributes) / least_variance(*still, attributes)

    assert ratio(2, 16) < ratio(2, 8) < 1
    assert ratio(2, 16) < ratio(1, 16) < ratio(1, 8) < 1
