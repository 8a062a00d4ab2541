"""The planner's products of matrices, cut so small that no BLAS takes more than one thread to them."""

from __future__ import annotations

import numpy as np
import pytest

from ldprange.decompositions import windows_design


@pytest.mark.parametrize("size", [1, 2, 31, 32, 33, 60, 125, 128])
def test_products_and_inverses_by_parts_are_those_of_the_whole(size: int) -> None:
    rng = np.random.default_rng(size)
    left, right = rng.normal(size=(2, 3, size, size))
    np.testing.assert_allclose(windows_design._product(left, right), left @ right, rtol=1e-12, atol=1e-12)
    positive = left @ np.swapaxes(left, -1, -2) + np.eye(size)
    np.testing.assert_allclose(
        windows_design._inverse(positive), np.linalg.inv(positive), rtol=1e-9, atol=1e-12 * size
    )
