"""Whom an answer speaks of: the people who answered, or a population of whom they are a random sample.

A share R among N people drawn at random from M varies by R(1 − R)/N · (M − N)/(M − 1) around the share among
all M (the finite population correction). The variances of this library are those of people drawn from an
endless population; for a finite one R(1 − R)/``fixed_people`` is taken off, which leaves just that.
"""

import math
import re
from decimal import Decimal, InvalidOperation
from typing import Literal

from ldprange.errors import QueryError
from ldprange.support.checking import is_number, shown

Population = float | Literal["respondents"] | None
"""An endless population (None), a number of people, or only those who answered."""

RESPONDENTS: Literal["respondents"] = "respondents"
_MOST_PEOPLE = 10**15  # far more than there are


def check_population(population: object, users: float) -> None:
    """Raise QueryError unless ``population`` is None, "respondents" or a number of at least ``users``."""
    if population is None or (isinstance(population, str) and population == RESPONDENTS):
        return
    if not is_number(population) or population < 1:
        raise QueryError(
            "population must be None for an endless one, 'respondents', or the number of people in it, "
            f"got {shown(population)}"
        )
    if population < users:
        raise QueryError(
            f"population must be at least the {users:,.0f} people who answered, got {population:,.0f}"
        )


def read_population(text: str) -> Population:
    """Return the population that was typed as ``text``: "respondents", or a number of people.

    >>> read_population("1,000"), read_population("respondents")
    (1000.0, 'respondents')
    """
    if text == RESPONDENTS:
        return RESPONDENTS
    people = read_people(text)
    if people is None:
        raise QueryError(
            "population must be 'respondents' or a whole number of people from 1 to 10^15, such as "
            f"1,000,000 or 1e6 (left out, it is endless), got {shown(text)}"
        )
    return float(people)


def read_people(text: str) -> int | None:
    """Return the number of people that was typed as ``text``; None if it is not a whole one from 1 to 10^15.

    >>> read_people("1000"), read_people("1,000"), read_people("1e3"), read_people("1.5")
    (1000, 1000, 1000, None)
    """
    grouped = re.fullmatch(r"\d{1,3}(,\d{3})+", text)
    try:
        number = Decimal(text.replace(",", "") if grouped else text)
    except InvalidOperation:
        return None
    whole = number.is_finite() and 1 <= number <= _MOST_PEOPLE and number == int(number)
    return int(number) if whole else None


def fixed_people(population: Population, users: float) -> float:
    """Return N′: an answer about ``population`` varies by R(1 − R)/N′ less than one about an endless one.

    >>> fixed_people(None, 100), fixed_people("respondents", 100), fixed_people(199, 100)
    (inf, 100.0, 200.0)
    """
    check_population(population, users)
    if population is None or users <= 0:
        return math.inf
    if population == RESPONDENTS or population <= users:
        return float(users)
    return users * (float(population) - 1) / (users - 1) if users > 1 else math.inf


def described(population: Population) -> str:
    """Return in words whom the intervals of ``population`` speak of.

    >>> described(None)
    'the population of which those who answered are a random sample'
    """
    if population is None:
        return "the population of which those who answered are a random sample"
    if population == RESPONDENTS:
        return "only the people who answered"
    return f"the {population:,.0f} people of whom those who answered are a random sample"
