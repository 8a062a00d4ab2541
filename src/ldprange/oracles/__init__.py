"""Frequency oracles: randomise one item out of many, estimate all frequencies from counts."""

from __future__ import annotations

from ldprange.errors import PlanError
from ldprange.oracles.contract import Mechanism, Oracle
from ldprange.oracles.hadamard import HRR, HadamardHashing
from ldprange.oracles.local_hashing import OLH
from ldprange.oracles.randomized_response import GRR
from ldprange.oracles.shifted import mechanism_of
from ldprange.oracles.subset_selection import SubsetSelection
from ldprange.oracles.unary_encoding import OUE
from ldprange.support.checking import make_described

KINDS: dict[str, type[Oracle]] = {
    oracle.kind: oracle for oracle in (GRR, OUE, OLH, HadamardHashing, SubsetSelection)
}


def oracle_from_dict(description: object) -> Oracle:
    """Rebuild an oracle from its ``to_dict``."""
    return make_described("an oracle", KINDS, description, PlanError)


__all__ = [
    "GRR",
    "HRR",
    "KINDS",
    "OLH",
    "OUE",
    "HadamardHashing",
    "Mechanism",
    "Oracle",
    "SubsetSelection",
    "mechanism_of",
    "oracle_from_dict",
]
