"""Single values in the domain's own units, as text and in JSON."""

import datetime
import re
from decimal import Decimal
from typing import Any

import numpy as np


def shown(value: Any) -> str:
    """Return ``value`` for people."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def plain(value: Any) -> Any:
    """Return ``value`` in plain JSON types."""
    if isinstance(value, np.generic):
        return value.item()
    return value.isoformat() if isinstance(value, datetime.date) else value


def exact(value: Any) -> str:
    """Return ``value`` whole, a number in the fewest digits that mean it, as JavaScript writes it too.

    >>> exact(120.0), exact(0.00001), exact(1e-7), exact(1e20), exact(2.5e21)
    ('120', '0.00001', '1e-7', '100000000000000000000', '2.5e+21')
    """
    if not isinstance(value, float):
        return str(value)
    if not value:
        return "0"  # never −0
    if 1e-6 <= abs(value) < 1e21:
        return f"{Decimal(repr(value)):f}".removesuffix(".0")
    return re.sub(r"e([-+])0", r"e\1", repr(value))
