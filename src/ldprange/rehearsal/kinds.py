"""Populations of many kinds, from even ones to people in a few places: nobody knows which one will answer."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ldprange.domain import Domain
from ldprange.oracles.contract import Items
from ldprange.support.arrays import Floats

_CORRELATION = 0.6  # of normals
_PLACES = 12
_NEAR = 0.02  # how far people are from their place


def kinds_of_line(place: Floats) -> list[Floats]:
    """Return the shares of cells in each kind of population, by their places between 0 and 1."""
    hill, steep = np.exp(-(((place - 0.45) / 0.15) ** 2)), np.exp(-6 * place)
    two = np.exp(-(((place - 0.25) / 0.05) ** 2)) + np.exp(-(((place - 0.65) / 0.15) ** 2))
    steps = np.select([place < 0.2, place < 0.5, place < 0.6], [1.0, 0.2, 2.0], 0.5)
    few = (np.arange(place.size) % 13 == 5) + 0.01
    kinds = [np.ones(place.size), hill, steep, two, steps, few]
    return [kind / kind.sum() for kind in kinds]


def _even(rng: np.random.Generator, attributes: int, people: int) -> Floats:
    return rng.random((attributes, people))


def _together(rng: np.random.Generator, attributes: int, people: int) -> Floats:
    """Return normals that go together."""
    part: Floats = np.sqrt(_CORRELATION) * rng.standard_normal(people)
    own: Floats = np.sqrt(1 - _CORRELATION) * rng.standard_normal((attributes, people))
    return part + own


def _normals(rng: np.random.Generator, attributes: int, people: int) -> Floats:
    return 0.45 + _together(rng, attributes, people) / 8


def _amounts(rng: np.random.Generator, attributes: int, people: int) -> Floats:
    """Return skewed amounts, of which every third is 0."""
    amounts: Floats = np.exp(0.8 * _together(rng, attributes, people)) / 10
    amounts[rng.random(amounts.shape) < 1 / 3] = 0.0
    return amounts


def _groups(rng: np.random.Generator, attributes: int, people: int) -> Floats:
    """Return two groups of people, each low on every second attribute and high on the others."""
    low = (rng.random(people) < 0.4) ^ (np.arange(attributes) % 2 == 0)[:, None]
    spread = rng.standard_normal((attributes, people))
    return np.where(low, 0.25 + 0.05 * spread, 0.65 + 0.1 * spread)


def _line(rng: np.random.Generator, attributes: int, people: int) -> Floats:
    """Return people whose values are nearly the same on every attribute."""
    return rng.random(people) + _NEAR * rng.standard_normal((attributes, people))


def _places(rng: np.random.Generator, attributes: int, people: int) -> Floats:
    homes, sizes = rng.random((attributes, _PLACES)), rng.exponential(size=_PLACES)
    chosen = rng.choice(_PLACES, people, p=sizes / sizes.sum())
    return homes[:, chosen] + _NEAR * rng.standard_normal((attributes, people)) / 2


_OF_PEOPLE = (_even, _normals, _amounts, _groups, _line, _places)
KINDS = len(_OF_PEOPLE)


def kinds_of_people(domain: Domain, people: int) -> Iterator[Items]:
    """Yield people of each kind, the same every time: a row of bins for each attribute.

    Values go together in all kinds but the first. Categories are in no order.
    """
    attributes = domain.attributes.values()
    for number, kind in enumerate(_OF_PEOPLE):
        rng = np.random.default_rng(number)
        bins = []
        for axis, place in zip(attributes, kind(rng, len(attributes), people), strict=True):
            held = np.clip(place * axis.bins, 0, axis.bins - 1).astype(np.uint32)
            names = rng.permutation(axis.bins).astype(np.uint32)
            bins.append(names[held] if axis.unordered else held)
        yield np.stack(bins)
