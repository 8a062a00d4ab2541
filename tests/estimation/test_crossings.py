"""Where a noisy cdf crosses a height, against the loss of every bin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldprange.estimation import crossings as module
from ldprange.estimation.crossings import crossings


@settings(max_examples=200, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 60),
    st.sampled_from([0.0, 0.01, 0.3]),
    st.sampled_from([1, 7, 1 << 22]),
)
def test_a_crossing_has_the_least_loss_of_all_bins(seed: int, bins: int, noise: float, together: int) -> None:
    rng = np.random.default_rng(seed)
    cdf = np.append(0.0, np.cumsum(rng.dirichlet(np.ones(bins))))
    cdf[1:-1] += noise * rng.normal(size=bins - 1)
    if seed % 2:  # heights that are met exactly, and more than once
        cdf = np.round(cdf, 1)
    wanted = np.append(np.linspace(0, 1, 11), rng.random(20))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_TOGETHER", together)
        found = crossings(cdf, wanted)
    losses = np.append(0.0, np.cumsum(cdf[1:-1])) - wanted[:, None] * np.arange(bins)
    own = np.take_along_axis(losses, found.astype(np.int64)[:, None], axis=1)[:, 0]
    np.testing.assert_allclose(own, losses.min(axis=1), atol=1e-12)


def test_no_heights_have_no_crossings() -> None:
    assert crossings(np.array([0.0, 0.5, 1.0]), np.zeros(0)).size == 0
