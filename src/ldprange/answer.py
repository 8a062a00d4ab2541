"""What a question gets back: a value and the interval that says how sure we are of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """A value with its interval; one number each, or one array each when many were asked.

    Shares are fractions of the population; quantiles are in the domain's own units.
    ``low`` and ``high`` are ``None`` when no interval was asked for. ``note`` says what would make it
    shorter, where a bound lies inside a bin.

    >>> print(Answer(0.83, 0.752, 0.908, 0.95))
    0.830 [0.752, 0.908] at 95%
    """

    value: T
    low: T | None
    high: T | None
    confidence: float | None
    note: str = ""

    def __str__(self) -> str:
        if self.low is None or self.high is None or self.confidence is None:
            return _text(self.value)
        interval = f"[{_text(self.low)}, {_text(self.high)}] at {100 * self.confidence:.10g}%"
        return f"{_text(self.value)} {interval}" + f" ({self.note})" * bool(self.note)


def _text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}" if abs(value) < 1000 else f"{value:.1f}"
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return np.array2string(value, precision=3, suppress_small=True, threshold=8)
    return str(value)
