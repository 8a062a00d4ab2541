"""The few hot loops. Nothing else in the package runs once per user.

There are two twins, with the same names, arguments and results: ``numpy_kernels``, the reference, and
``compiled_kernels``, the same in C++ (``src/compiled``). The compiled one is used where it was built; the
environment variable ``LDPRANGE_KERNELS``, set to ``numpy`` or ``compiled``, insists on one.

Integers are equal bit for bit, so a seed means the same with either. The Walsh–Hadamard transform adds in
another order: exact for whole numbers below 2**53, and otherwise equal up to rounding. So do the variances.
"""

from __future__ import annotations

import os

from ldprange.errors import LdprangeError
from ldprange.kernels import numpy_kernels
from ldprange.kernels.numpy_kernels import *  # noqa: F403 (all of its names, and no others)

KIND = os.environ.get("LDPRANGE_KERNELS", "")
"""Which twin is in use: ``compiled`` or ``numpy``."""

if KIND not in ("", "numpy", "compiled"):
    raise LdprangeError(f"LDPRANGE_KERNELS must be numpy or compiled, or not be set, got {KIND!r}")
if not KIND:
    try:
        import ldprange.kernels._compiled  # noqa: F401 (is it there?)

        KIND = "compiled"
    except ImportError:
        KIND = "numpy"

if KIND == "compiled":
    from ldprange.kernels.compiled_kernels import *  # noqa: F403 (in the place of the reference's)

__all__ = ["KIND"]
__all__ += numpy_kernels.__all__
