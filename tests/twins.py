"""The kernels, NumPy and compiled, for tests that hold for both."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest

from ldprange.kernels import numpy_kernels

Kernels = Any  # a module: which of the twins

compiled: Kernels = None
with suppress(ImportError):
    from ldprange.kernels import compiled_kernels as compiled

needs_compiled = pytest.mark.skipif(
    compiled is None,
    reason="the compiled kernels were not built: CONTRIBUTING.md says how",
)
both_twins = pytest.mark.parametrize(
    "kernels",
    [
        pytest.param(numpy_kernels, id="numpy"),
        pytest.param(compiled, id="compiled", marks=needs_compiled),
    ],
)
