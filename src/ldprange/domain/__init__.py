"""Domains: between people's values and D ordered bins, in both directions."""

from ldprange.domain.contract import Domain
from ldprange.domain.dates import Dates
from ldprange.domain.labels import Categories, Ordered
from ldprange.domain.no_answer import NoAnswer
from ldprange.domain.numbers import Integers, Logarithmic, Real
from ldprange.domain.open_ends import OpenEnds
from ldprange.domain.product import Product
from ldprange.support.arrays import Bins, Positions

__all__ = [
    "Bins",
    "Categories",
    "Dates",
    "Domain",
    "Integers",
    "Logarithmic",
    "NoAnswer",
    "OpenEnds",
    "Ordered",
    "Positions",
    "Product",
    "Real",
]
