"""What an entry of the list is, and how its check speaks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


class RefutedError(Exception):
    """A calculation does not bear an erratum out."""


@dataclass(frozen=True, slots=True)
class Erratum:
    """One place of the paper that is wrong or loose.

    Attributes
    ----------
    number
        By which the erratum is cited.
    place
        Section, equation or figure of the paper.
    printed
        What stands there, in our words.
    correct
        What is right.
    check
        Calculates the evidence and returns it in a line; raises :class:`RefutedError` if there is none.
    """

    number: int
    place: str
    printed: str
    correct: str
    check: Callable[[], str]


def holds(condition: bool, what: str) -> None:
    """Refuse an erratum whose calculation does not bear it out.

    >>> holds(1 + 1 == 3, "one and one are three")
    Traceback (most recent call last):
        ...
    experiments.errata.erratum.RefutedError: it does not hold that one and one are three
    """
    if not condition:
        raise RefutedError(f"it does not hold that {what}")
