"""Decompositions: how a domain is split into levels, of which each user reports on one."""

from ldprange.decompositions.contract import Decomposition, Estimator, Layout
from ldprange.decompositions.grids import Grids
from ldprange.decompositions.grids_layout import GridsLayout
from ldprange.decompositions.haar import Haar
from ldprange.decompositions.tree import Flat, Tree
from ldprange.decompositions.windows import Windows
from ldprange.errors import PlanError
from ldprange.support.checking import make_described

KINDS: dict[str, type[Decomposition]] = {kind.kind: kind for kind in (Flat, Tree, Haar, Windows, Grids)}


def decomposition_from_dict(description: object) -> Decomposition:
    """Rebuild a decomposition from its ``to_dict``."""
    return make_described("a decomposition", KINDS, description, PlanError)


__all__ = [
    "KINDS",
    "Decomposition",
    "Estimator",
    "Flat",
    "Grids",
    "GridsLayout",
    "Haar",
    "Layout",
    "Tree",
    "Windows",
    "decomposition_from_dict",
]
