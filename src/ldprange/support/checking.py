"""Checks of what users pass in, and how messages show it."""

import datetime
import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from decimal import Decimal
from itertools import islice
from types import UnionType
from typing import Any, TypeGuard, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldprange.errors import ArgumentTypeError, LdprangeError

Values = ArrayLike | Sequence[datetime.date] | Mapping[str, Any]
"""People's values: a column, or one for each of several attributes."""

Made = TypeVar("Made")

_MAX_SHOWN_LENGTH = 60
_SEVERAL = (list, tuple, Set, Mapping)
_MAX_SHOWN = 8  # entries of a list that is short enough to be shown whole


def first_of(array: NDArray[Any]) -> object:
    """Return the first entry as plain Python has it, for messages."""
    return array.reshape(-1)[:1].tolist()[0] if array.size else None


def shown(value: object) -> str:
    """Return ``value`` for a message, in about 60 characters; of a long list its length and first entry.

    Whatever came is shown this way, so that no message holds a column of people's values, or fills a log.

    >>> shown([0.5, 0.25])
    '[0.5, 0.25]'
    >>> shown(["Ann", "Bo"] * 1000)
    "a list of 2000 that begins with 'Ann'"
    """
    if isinstance(value, np.ndarray):
        kind = f"an array of {value.dtype}, {times(value.shape) or 'without axes'}"
        return f"{kind}, that begins with {_first(first_of(value))}" if value.size else kind
    many = value if isinstance(value, _SEVERAL) else ()
    if len(many) <= _MAX_SHOWN and sum(isinstance(each, (str, bytes, *_SEVERAL)) for each in many) < 2:
        text = _cut(value)
        if not many or not text.endswith("…"):
            return text
    return f"a {type(value).__name__} of {len(many)} that begins with {_first(next(iter(many)))}"


def counted(number: float, one: str, many: str) -> str:
    """Return a whole ``number`` of something, in words.

    >>> counted(1, "person", "people"), counted(1000, "person", "people")
    ('1 person', '1,000 people')
    """
    return f"{number:,.0f} {one if number == 1 else many}"


def in_percent(share: float) -> str:
    """Return a share in percent, with all digits that were written.

    >>> in_percent(0.95), in_percent(0.9999999999999)
    ('95%', '99.99999999999%')
    """
    return f"{(100 * Decimal(repr(float(share)))).normalize():f}%"


def _first(entry: object) -> str:
    return f"a {type(entry).__name__}" if isinstance(entry, (*_SEVERAL, np.ndarray)) else _cut(entry)


def listed(names: Iterable[object]) -> str:
    """Return the first few of ``names`` for a message, each shortened.

    >>> listed(["XS", "S", "M"])
    'XS, S, M'
    """
    some = list(islice(names, _MAX_SHOWN + 1))
    cut = [
        text if len(text) <= _MAX_SHOWN_LENGTH else f"{text[:_MAX_SHOWN_LENGTH]}…" for text in map(str, some)
    ]
    return ", ".join(cut[:_MAX_SHOWN]) + (" …" if len(some) > _MAX_SHOWN else "")


def _cut(value: object) -> str:
    try:
        text = repr(value[: _MAX_SHOWN_LENGTH + 1] if isinstance(value, str | bytes) else value)
    except (ValueError, RecursionError):  # a whole number of thousands of digits, or lists in lists
        text = f"a {type(value).__name__} that is too long to be shown"
    return text if len(text) <= _MAX_SHOWN_LENGTH else f"{text[:_MAX_SHOWN_LENGTH]}…"


def check_type(value: object, kind: type | UnionType, what: str) -> None:
    """Raise ArgumentTypeError unless ``value`` is of a type in ``kind``; the message calls it ``what``."""
    if not isinstance(value, kind):
        kinds = kind.__args__ if isinstance(kind, UnionType) else (kind,)
        names = " or ".join(each.__name__ for each in kinds)
        raise ArgumentTypeError(
            f"{what} must be of type {names}, got {shown(value)} of type {type(value).__name__}"
        )


def check_choice(choice: object, choices: Sequence[str], what: str, error: type[LdprangeError]) -> None:
    """Raise ``error`` unless ``choice`` is one of ``choices``; the message calls it ``what``."""
    if choice not in choices:
        raise error(f"{what} must be {' or '.join(map(repr, choices))}, got {shown(choice)}")


def normalise(description: object, **fields: Any) -> None:
    """Put ``fields`` in the place of those that a frozen ``description`` was made with, while it is made.

    A list becomes a tuple and a NumPy number one of Python's, so that each field has one type.
    """
    for name, value in fields.items():
        object.__setattr__(description, name, value)


def times(shape: Sequence[int]) -> str:
    """Return the shape of an array for messages.

    >>> times((4, 3))
    '4 × 3'
    """
    return " × ".join(map(str, shape))


def can_be_written(text: str) -> bool:
    """Say whether UTF-8 can write a text, and it has no NUL."""
    try:
        return b"\0" not in text.encode()
    except UnicodeEncodeError:
        return False


def is_number(value: object) -> TypeGuard[float]:
    """Say whether this is one finite number (and not a truth value)."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond all floats
        return False


def make_described(
    what: str, kinds: Mapping[str, Callable[..., Made]], description: object, error: type[LdprangeError]
) -> Made:
    """Make what a ``to_dict`` described: its kind chooses the maker, the rest are the arguments."""
    kind = description.get("kind") if isinstance(description, Mapping) else None
    if not isinstance(description, Mapping) or not isinstance(kind, str) or kind not in kinds:
        got = shown(kind if isinstance(kind, str) else description)
        raise error(f"{what}'s kind must be one of {listed(kinds)}, got {got}")
    arguments = {key: value for key, value in description.items() if key != "kind"}
    try:
        return kinds[kind](**arguments)
    except TypeError as wrong:
        raise error(f"{what} of kind {kind} cannot be made: {listed([wrong])}") from None
