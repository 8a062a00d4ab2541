"""How a plan over several attributes cuts two of them into cells, before anybody has answered."""

import math
from collections.abc import Sequence

import numpy as np

from ldprange.decompositions import GridsLayout
from ldprange.domain import Product
from ldprange.errors import QueryError
from ldprange.least_squares.table import JointFit
from ldprange.plan import Plan

MAX_CELLS = 32  # of a table, on each of its two axes
_MIN_CELLS = 4


def predicted_table(plan: Plan, names: Sequence[str]) -> JointFit:
    """Return how the grids come together in a table, before anybody has answered: for one person."""
    product, grids = parts_of(plan)
    places = tuple(sorted(product.place(name) for name in names))
    return grids.table(plan.law(np.array(plan.probabilities)), places)


def edges_of(plan: Plan, names: tuple[str, str], wanted: float = MAX_CELLS) -> list[list[int]]:
    """Cut two attributes into about ``wanted`` cells each, at most 32, where their trees and grids cut."""
    product, _ = parts_of(plan)
    table = predicted_table(plan, names)
    wanted = min(max(wanted, _MIN_CELLS), MAX_CELLS)
    found = {}
    for attribute, axis, depth in zip(table.chosen, table.axes, table.known, strict=True):
        fitting = [cells for cells in axis.cells[1 : depth + 1] if cells <= MAX_CELLS]
        if fitting:
            cells = min(fitting, key=lambda cells: abs(math.log(cells / wanted)))
            found[attribute] = [*range(0, axis.bins, axis.leaves // cells), axis.bins]
        else:
            found[attribute] = [*range(0, axis.bins, -(-axis.bins // round(wanted))), axis.bins]
    return [found[product.place(name)] for name in names]


def parts_of(plan: Plan) -> tuple[Product, GridsLayout]:
    """Return the attributes and the grids of a plan that has several."""
    if not isinstance(plan.domain, Product) or not isinstance(plan.layout, GridsLayout):
        raise QueryError("this survey has one attribute; ask for its histogram, without attribute")
    return plan.domain, plan.layout
