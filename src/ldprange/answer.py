"""What a question gets back: a value and the interval that says how sure we are of it."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, NoReturn, TypeVar

import numpy as np
from numpy.typing import NDArray

from ldprange.errors import ArgumentError, ArgumentTypeError, QueryError
from ldprange.support.checking import check_type, in_percent, is_number, shown
from ldprange.support.frames import make_frame
from ldprange.support.html_tables import html_table

S = TypeVar("S")
T = TypeVar("T")

_MAX_ROWS = 20  # of answers that a notebook shows

Asked = Callable[[], Mapping[str, NDArray[Any]]]
"""Returns what was asked, column by column: the ends of ranges or bins, labels, quantiles."""


@dataclass(frozen=True, slots=True)
class Answer(Generic[T]):
    """A value with its interval; one number each, or one array each when many were asked.

    Shares are fractions of the population; quantiles are in the domain's own units.
    ``low`` and ``high`` are ``None`` when no interval was asked for. ``note`` says why it is wide,
    where that is not noise alone: a bound lies inside a bin, say. ``jumps`` says that it is a quantile's,
    which jumps from one value to the next: :meth:`minus` then adds half-widths. ``kind`` is what was asked
    for: ``"shares"``, ``"shares of bins"``, ``"shares up to bins"``, ``"means"`` or ``"quantiles"``; nothing
    in an answer that is made by hand.

    >>> answer = Answer(0.83, 0.752, 0.908, 0.95)
    >>> print(answer)
    0.830 [0.752, 0.908] at 95%
    >>> float(answer), answer.interval
    (0.83, (0.752, 0.908))
    >>> answer.to_dict()
    {'value': 0.83, 'low': 0.752, 'high': 0.908, 'confidence': 0.95, 'note': ''}
    """

    value: T
    low: T | None
    high: T | None
    confidence: float | None
    note: str = ""
    asked: Asked = field(default=dict, repr=False, compare=False)
    jumps: bool = field(default=False, repr=False, compare=False)
    kind: str = field(default="", repr=False, compare=False)

    @property
    def interval(self) -> tuple[T, T] | None:
        """The pair ``(low, high)``; None when no interval was asked for."""
        return None if self.low is None or self.high is None else (self.low, self.high)

    def map(self, change: Callable[[T], S]) -> Answer[S]:
        """Return the answer with ``change`` made to value, low and high; it must not both rise and fall.

        Where it falls, the ends of the interval change places.

        >>> Answer(0.5, 0.25, 0.75, 0.95).map(lambda share: 100 * share).interval
        (25.0, 75.0)
        >>> Answer(0.5, 0.25, 1.0, 0.95).map(lambda share: 1 - share).interval
        (0.0, 0.75)
        """
        low, high = (None if end is None else change(end) for end in (self.low, self.high))
        low, high = _in_order(low, high)
        value, rest = change(self.value), (self.note, self.asked, self.jumps, self.kind)
        return Answer(value, low, high, self.confidence, *rest)

    def minus(self, other: Answer[T]) -> Answer[Any]:
        """Return this answer less ``other``, an answer of another, independent survey, with its interval.

        The interval is Newcombe's: with half-widths a and b it reaches √(a² + b²) to either side. Of
        quantiles it reaches a + b: they jump, and often both to the ends of their intervals. It is for
        unbiased answers, and only for independent ones: those of different people, from aggregates that
        share no reports. Between days it is their number.

        Both must be of one :attr:`kind`, with as many entries: a share less a quantile says nothing, nor does
        a histogram less a cdf. Plans and domains may differ, and an answer made by hand goes with any.

        >>> print(Answer(0.62, 0.58, 0.66, 0.95).minus(Answer(0.50, 0.47, 0.53, 0.95)))
        0.120 [0.070, 0.170] at 95%
        """
        check_type(other, Answer, "what is subtracted")
        if self.confidence != other.confidence:
            raise ArgumentError(
                f"both answers must have the same confidence, got {self.confidence} and {other.confidence}"
            )
        one, two = _numbers(self.value), _numbers(other.value)
        _check_alike(self, other)
        value, jumps = _single(one - two), self.jumps or other.jumps
        if self.interval is None or other.interval is None:
            return Answer(value, None, None, None, asked=self.asked, jumps=jumps, kind=self.kind)
        (low, high), (other_low, other_high) = map(_numbers, self.interval), map(_numbers, other.interval)
        together = np.add if jumps else np.hypot
        below, above = together(one - low, other_high - two), together(high - one, two - other_low)
        least, most = _single(one - two - below), _single(one - two + above)
        note = "; ".join(filter(None, (self.note, other.note)))
        return Answer(value, least, most, self.confidence, note, self.asked, jumps, self.kind)

    def __sub__(self, other: object) -> NoReturn:
        """Raise ArgumentTypeError: whether two answers are independent, only the caller knows."""
        raise ArgumentTypeError(
            "answers are not subtracted with “-”, which cannot know whether they are independent; if they "
            "are from different people, use answer.minus(other)"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return value, low, high, confidence and note in plain JSON types: arrays as lists, days as text."""
        ends = {"value": _plain(self.value), "low": _plain(self.low), "high": _plain(self.high)}
        confidence = None if self.confidence is None else float(self.confidence)
        return {**ends, "confidence": confidence, "note": self.note}

    def to_frame(self) -> Any:
        """Return a frame with a row for each answer: what was asked, value, low, high, confidence and note.

        It is one of pandas, or of polars where pandas is not installed. Ranges and bins have columns ``from``
        and ``to`` (labels a ``label``; where there are open ends or no answer, bins have all three, and those
        have nothing in ``from`` and ``to``), prefixes ``to``, quantiles ``q``; of several attributes, after
        their names. Without an interval there is no ``confidence``, and without a note no ``note``. Beyond an
        open end there is nothing (NaN or NaT) among numbers and days.

        >>> Answer(np.array([0.25, 0.75]), None, None, None).to_frame()["value"].tolist()
        [0.25, 0.75]
        """
        columns = {name: _of_one_kind(column) for name, column in self._columns().items()}
        if self.interval is not None:
            columns["confidence"] = np.full(columns["value"].size, self.confidence)
        if self.note:
            columns["note"] = np.full(columns["value"].size, self.note)
        return make_frame(columns)

    def _repr_html_(self) -> str:
        columns = self._columns()
        rows = zip(*(map(_text, column[:_MAX_ROWS].tolist()) for column in columns.values()), strict=True)
        more = columns["value"].size - _MAX_ROWS
        told = [f"at {in_percent(self.confidence)}"] if self.interval and self.confidence else []
        told += [f"and {more:,} more rows"] if more > 0 else []
        return html_table(list(columns), rows, ", ".join(told + [self.note] * bool(self.note)))

    def _columns(self) -> dict[str, NDArray[Any]]:
        """Return what was asked, value, low and high, an entry for each answer."""
        ends = {} if self.interval is None else {"low": self.low, "high": self.high}
        columns = {**self.asked(), "value": self.value, **ends}
        return {name: _column(column) for name, column in columns.items()}

    def __float__(self) -> float:
        """Return the value, where it is one number."""
        if not is_number(self.value):
            raise ArgumentTypeError(
                f"float takes an answer whose value is one number, got {shown(self.value)}; use answer.value"
            )
        return float(self.value)

    def __str__(self) -> str:
        if self.low is None or self.high is None or self.confidence is None:
            return _text(self.value)
        interval = f"[{_text(self.low)}, {_text(self.high)}] at {in_percent(self.confidence)}"
        return f"{_text(self.value)} {interval}" + f" ({self.note})" * bool(self.note)


def _text(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.3f}" if abs(value) < 1000 else f"{value:.1f}"
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return np.array2string(value, precision=3, suppress_small=True, threshold=8)
    return str(value)


def _in_order(low: Any, high: Any) -> tuple[Any, Any]:
    """Return two ends, or columns of them, the lesser first; names, which say no order, as they came."""
    try:
        lows, highs = np.asarray(low), np.asarray(high)
        if lows.shape != highs.shape or _has_names(lows) or _has_names(highs) or not np.any(lows > highs):
            return low, high
    except (TypeError, ValueError):  # what has no order at all
        return low, high
    if not lows.ndim:
        return high, low
    return np.where(lows > highs, highs, lows), np.where(lows > highs, lows, highs)


def _has_names(array: NDArray[Any]) -> bool:
    return array.dtype.kind in "UT" or (
        array.dtype.kind == "O" and any(isinstance(e, str) for e in array.flat)
    )


def _column(values: Any) -> NDArray[Any]:
    """Return one value or an array of any shape as a column; days as NumPy has them."""
    column = np.asarray(values).reshape(-1)
    days = column.dtype.kind == "O" and all(isinstance(each, datetime.date) for each in column)
    return column.astype("datetime64[D]") if days else column


def _numbers(values: Any) -> NDArray[Any]:
    """Return values, or the ends of their intervals, as an array of numbers; days are counted."""
    column = _column(values)
    if column.dtype.kind not in "iufM":
        wrong = next((each for each in column.tolist() if isinstance(each, str)), values)
        raise ArgumentTypeError(
            "answers that are subtracted must be numbers or days, with all ends of their intervals, got "
            f"{shown(wrong)}; leave out quantiles that may lie beyond an open end"
        )
    numbers = column.astype(np.int64) if column.dtype.kind in "uM" else column
    return numbers.reshape(np.shape(values))


def _check_alike(one: Answer[Any], two: Answer[Any]) -> None:
    """Raise QueryError unless two answers are to the same kind of question, with as many entries."""
    # shares go with those of bins, too, and nothing with all
    if not (one.kind.startswith(two.kind) or two.kind.startswith(one.kind)):
        raise QueryError(
            f"answers that are subtracted must be of the same kind, got {one.kind} and {two.kind}; "
            "ask both surveys the same question"
        )
    days = [_column(each.value).dtype.kind == "M" for each in (one, two)]
    if np.shape(one.value) != np.shape(two.value) or days[0] != days[1]:
        raise QueryError(
            "answers that are subtracted must be numbers or days, one each or as many of both, got "
            f"{shown(one.value)} and {shown(two.value)}; ask both surveys the same question"
        )


def _single(numbers: NDArray[Any]) -> Any:
    return numbers if numbers.ndim else numbers.item()


def _of_one_kind(column: NDArray[Any]) -> NDArray[Any]:
    """Return a column of numbers or days with nothing where it has a name, as of an open end."""
    if column.dtype.kind != "O" or all(isinstance(each, str) for each in column):
        return column
    days = any(isinstance(each, datetime.date) for each in column)
    there = [None if isinstance(each, str) else each for each in column]
    return np.array(there, "datetime64[D]" if days else np.float64)


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()  # at once, and days as datetime.date
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, list) and not all(isinstance(each, int | float | str) for each in value):
        return [_plain(each) for each in value]
    return value
