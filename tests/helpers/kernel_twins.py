"""The kernels, NumPy and compiled, for tests that hold for both."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from ldprange.kernels import numpy_kernels

Kernels = Any  # a module: which of the twins

compiled: Kernels = None
with suppress(ImportError):
    from ldprange.kernels import compiled_kernels as compiled

needs_compiled = pytest.mark.skipif(
    compiled is None,
    reason="the compiled kernels were not built: CONTRIBUTING.md says how",
)


def transformed(kernels: Kernels, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the Walsh–Hadamard transform, and leave the values as they are."""
    result = np.ascontiguousarray(values).copy()
    kernels.walsh_hadamard(result)
    return result


both_twins = pytest.mark.parametrize(
    "kernels",
    [
        pytest.param(numpy_kernels, id="numpy"),
        pytest.param(compiled, id="compiled", marks=needs_compiled),
    ],
)
