"""Names for the kinds of arrays that pass from one module to another."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

Bins = NDArray[np.int64]
"""Numbers of bins, from 0 on."""

Boundaries = NDArray[np.int64]
"""Places between bins: boundary b lies before bin b, and the last one after all of them."""

Positions = NDArray[np.float64]
"""Places on the line of bins, also inside them: position 2.5 is halfway through bin 2."""

Counts = NDArray[np.int64]
"""People, or reports, per cell."""

Codes = NDArray[np.unsignedinteger[Any]]
"""Reports that are one number each."""

Words = NDArray[np.uint32]
"""32 random bits each."""
