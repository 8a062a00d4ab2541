"""Matrices that are the same from either end."""

import numpy as np
import pytest

from ldprange.least_squares.either_end import inverses


@pytest.mark.parametrize("size", [1, 2, 3, 8, 9, 150, 151])
def test_inverses_are_inverses(size: int) -> None:
    half = np.random.default_rng(size).normal(size=(4, size, size))
    matrices = half @ np.swapaxes(half, 1, 2)
    alike = matrices + matrices[:, ::-1, ::-1]
    np.testing.assert_allclose(inverses(alike) @ alike, np.broadcast_to(np.eye(size), alike.shape), atol=1e-9)
    np.testing.assert_allclose(inverses(alike[0]), np.linalg.inv(alike[0]), rtol=1e-9, atol=1e-9)
