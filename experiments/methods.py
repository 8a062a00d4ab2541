"""The methods that are compared, by the names of the paper's figures.

``TreeOUE4`` is a tree with branching 4 and OUE on every level: HH₄ in the paper, and HH₄ᶜ where its
estimate is made consistent. ``Flat`` has no number, ``Haar`` neither.
"""

from __future__ import annotations

import re

from experiments.hashing import PerfectHashing
from ldprange import HRR, OUE, Domain, Flat, Haar, HadamardHashing, Plan, Tree

HAAR = "HaarHRR"
_ORACLES = {"OUE": OUE(), "HRR": HRR(), "OLH": PerfectHashing(), "Hadamard": HadamardHashing()}
_NAME = re.compile(r"(Flat|Tree|Haar)([A-Za-z]+)(\d*)")
_PAPERS = re.compile(r"HH(\d+)")


def tree(oracle: str, branching: int) -> str:
    """Return the name of a tree.

    >>> tree("OUE", 4)
    'TreeOUE4'
    """
    return f"Tree{oracle}{branching}"


def named_in_paper(name: str) -> str:
    """Return our name for one of the paper's.

    >>> named_in_paper("HH4"), named_in_paper("HaarHRR")
    ('TreeOUE4', 'HaarHRR')
    """
    hierarchy = _PAPERS.fullmatch(name)
    return tree("OUE", int(hierarchy[1])) if hierarchy else name


def parts(method: str) -> tuple[str, str, int | None]:
    """Return decomposition, oracle and branching of a method.

    >>> parts("TreeOUE4"), parts("HaarHRR")
    (('Tree', 'OUE', 4), ('Haar', 'HRR', None))
    """
    found = _NAME.fullmatch(method)
    if not found or found[2] not in _ORACLES:
        raise ValueError(f"a method must be named like TreeOUE4, FlatOUE or HaarHRR, got {method!r}")
    return found[1], found[2], int(found[3]) if found[3] else None


def plan_of(method: str, bins: int, epsilon: float) -> Plan:
    """Return the plan of a method, with users spread evenly over levels as the paper has them."""
    decomposition, oracle, branching = parts(method)
    shape = {"Flat": Flat(), "Haar": Haar()}.get(decomposition) or Tree(branching or 2)
    return Plan(Domain.integers(0, bins - 1), epsilon, shape, _ORACLES[oracle])


def users_encoded(method: str) -> bool:
    """Say whether every user is really encoded (HRR and Hadamard hashing) or the counts are drawn."""
    return isinstance(_ORACLES[parts(method)[1]], HadamardHashing)
