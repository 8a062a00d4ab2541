"""Blocks that hold too few people to tell anything of their halves: not split, but spread evenly."""

from __future__ import annotations

import numpy as np
import pytest

from ldprange.estimation import denoise_splits
from ldprange.estimation.denoise_splits import by_splits
from ldprange.support.arrays import Floats


def noisy(bins: int, deviation: float) -> tuple[Floats, list[int]]:
    """Return what is denoised of an even population, and the widths whose variances were asked for."""
    rng = np.random.default_rng(bins)
    asked: list[int] = []

    def block_variances(width: int, step: int) -> Floats:
        if step == 1:
            asked.append(width)
        return np.full(len(range(step - width, bins, step)), deviation**2)

    below = np.linspace(0.0, 1.0, bins + 1)
    below[1:-1] += rng.normal(0.0, deviation, bins - 1)
    return by_splits(np.diff(below), block_variances), asked


@pytest.mark.parametrize("bins", [1, 2, 100, 257, 4096])
@pytest.mark.parametrize("deviation", [1e-9, 0.01, 1.0, 100.0])
def test_shares_stay_a_distribution_wherever_splitting_ends(bins: int, deviation: float) -> None:
    shares, _ = noisy(bins, deviation)
    assert shares.shape == (bins,)
    assert np.all(shares >= 0)
    assert shares.sum() == pytest.approx(1.0)


def test_splitting_ends_where_every_block_is_faint(monkeypatch: pytest.MonkeyPatch) -> None:
    shares, asked = noisy(4096, 0.1)
    # even blocks of 51 bins have an eighth of a standard error; denoised ones are not quite even
    assert 8 <= min(asked) <= 64
    monkeypatch.setattr(denoise_splits, "_FAINT", 0.0)
    split, asked_for_all = noisy(4096, 0.1)
    assert min(asked_for_all) == 1
    assert np.abs(np.diff(shares)).mean() < np.abs(np.diff(split)).mean() / 2
    monkeypatch.undo()
    _, asked = noisy(4096, 1e-4)
    assert min(asked) == 1


def test_one_heavy_block_keeps_all_being_split() -> None:
    bins, deviation = 1024, 0.1
    asked: list[int] = []

    def block_variances(width: int, step: int) -> Floats:
        if step == 1:
            asked.append(width)
        return np.full(len(range(step - width, bins, step)), deviation**2)

    shares = np.full(bins, 0.2 / bins)
    shares[300] += 0.8
    found = by_splits(shares, block_variances)
    assert min(asked) == 1
    assert found.argmax() == 300


@pytest.mark.parametrize("width", [1, 2, 8, 64])
def test_blocks_of_an_even_population_make_it_even(width: int) -> None:
    bins = 50
    begins = np.arange(1 - width, bins)
    mass = (np.minimum(begins + width, bins) - np.maximum(begins, 0)) / bins
    np.testing.assert_allclose(denoise_splits._evenly(mass, width, bins, 1), 1 / bins, rtol=1e-12)
