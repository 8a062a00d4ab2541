"""Single values in the domain's own units, as text and in JSON."""

import datetime
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
