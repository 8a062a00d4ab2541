"""A bin for people who would rather not say, beside those of any other domain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, get_args

import numpy as np
from numpy.typing import NDArray

from ldprange.domain.contract import Domain, in_message
from ldprange.domain.dates import Dates
from ldprange.domain.extended import Extended, Sides, read_inside, words_of
from ldprange.domain.labels import Categories, Ordered
from ldprange.domain.numbers import Integers, Logarithmic, Real
from ldprange.domain.open_ends import OpenEnds
from ldprange.errors import ArgumentError, DomainError, QueryError
from ldprange.support.arrays import Bins
from ldprange.support.checking import Values, check_choice, normalise
from ldprange.support.columns import Missing, as_array, with_missing

NO_ANSWER = "no answer"
"""The name of the bin, which stands for its value; what is missing (None, NaN, NaT) means the same."""

ASK_EVERYONE = "its share is no_answer(); for other questions about all people, ask estimate.everyone"
"""What to do in Python where no answer was asked about among those who gave one."""

_KINDS = (Integers, Real, Logarithmic, Dates, Ordered, Categories, OpenEnds)


@dataclass(frozen=True)
class NoAnswer(Extended):
    """A domain of one attribute, and "no answer" as one more bin, the last.

    It is randomised as any other answer is, so not even that somebody gave none can be seen in a report.

    >>> pay = Domain.integers(0, 9, no_answer=True)
    >>> pay.index([3, None, "no answer"]).tolist()
    [3, 10, 10]
    """

    inside: Domain
    kind: ClassVar[str] = "no_answer"

    def __post_init__(self) -> None:
        normalise(self, inside=read_inside(self.inside, *_KINDS))
        if not isinstance(self.inside, _KINDS):
            raise DomainError(
                "no answer must be beside the values of one attribute, and once, got "
                f"{in_message(self.inside)}"
            )
        if isinstance(self.inside, Ordered) and NO_ANSWER in self.inside.labels:
            raise DomainError(f"labels must differ from {NO_ANSWER!r}, which stands for itself; rename yours")

    @property
    def before(self) -> None:
        return None

    @property
    def after(self) -> str:
        return NO_ANSWER

    @property
    def words(self) -> dict[str, Any]:
        return {**words_of(self.inside), NO_ANSWER: None}

    @property
    def answered(self) -> Domain:
        return self.inside

    def to_dict(self) -> dict[str, Any]:
        return {"kind": self.kind, "inside": self.inside.to_dict()}

    def index(self, values: Values) -> Bins:
        return Extended.index(self, self.present(values))

    def present(self, values: Values, missing: Missing = "refuse") -> Any:
        """Return ``values`` as an array; nothing is ``missing``, for what is not there is no answer."""
        check_choice(missing, get_args(Missing), "missing", ArgumentError)
        array, absent = with_missing(values)
        if array.dtype.kind == "O":  # one word for what may be told in several
            array = array.copy()
            array[absent] = None
        return array

    def _sides(self, values: NDArray[Any]) -> Sides:
        return with_missing(values)[1].astype(np.int64)

    def _bound_sides(self, bounds: NDArray[Any]) -> Sides:
        return np.zeros(bounds.shape, np.int64)


def check_answered(asked: Domain, everyones: Domain, bounds: Values, advice: str = ASK_EVERYONE) -> None:
    """Raise QueryError if one of ``bounds`` is no answer, which is a value in ``everyones`` domain alone."""
    if asked.optional or not everyones.optional or isinstance(bounds, int | float):
        return
    if any(bound is None or bound == NO_ANSWER for bound in as_array(bounds).reshape(-1).tolist()):
        raise QueryError(f"shares are of the people who gave an answer, got “{NO_ANSWER}”; {advice}")
