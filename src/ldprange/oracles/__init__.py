"""Frequency oracles: randomise one item out of many, estimate all frequencies from counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ldprange.errors import PlanError
from ldprange.oracles.contract import Mechanism, Oracle
from ldprange.oracles.hadamard import HRR, HadamardHashing
from ldprange.oracles.local_hashing import OptimalLocalHashing
from ldprange.oracles.randomized_response import GeneralizedRandomizedResponse
from ldprange.oracles.unary_encoding import OptimizedUnaryEncoding

GRR = GeneralizedRandomizedResponse
OUE = OptimizedUnaryEncoding
OLH = OptimalLocalHashing

KINDS: dict[str, type[Oracle]] = {oracle.kind: oracle for oracle in (GRR, OUE, OLH, HadamardHashing)}


def oracle_from_dict(description: Mapping[str, Any]) -> Oracle:
    """Rebuild an oracle from its ``to_dict``."""
    if not isinstance(description, Mapping) or str(description.get("kind")) not in KINDS:
        raise PlanError(f"an oracle's kind must be one of {', '.join(KINDS)}, got {description!r}")
    arguments = {key: value for key, value in description.items() if key != "kind"}
    try:
        return KINDS[description["kind"]](**arguments)
    except TypeError as error:
        raise PlanError(f"an oracle of kind {description['kind']} cannot be made: {error}") from None


__all__ = ["GRR", "HRR", "KINDS", "OLH", "OUE", "HadamardHashing", "Mechanism", "Oracle", "oracle_from_dict"]
