"""Decompositions: how a domain is split into levels, of which each user reports on one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ldprange.decompositions.contract import Decomposition
from ldprange.decompositions.haar import Haar
from ldprange.decompositions.tree import Flat, Tree
from ldprange.errors import PlanError

KINDS: dict[str, type[Decomposition]] = {kind.kind: kind for kind in (Flat, Tree, Haar)}


def decomposition_from_dict(description: Mapping[str, Any]) -> Decomposition:
    """Rebuild a decomposition from its ``to_dict``."""
    if not isinstance(description, Mapping) or str(description.get("kind")) not in KINDS:
        raise PlanError(f"a decomposition's kind must be one of {', '.join(KINDS)}, got {description!r}")
    arguments = {key: value for key, value in description.items() if key != "kind"}
    try:
        return KINDS[description["kind"]](**arguments)
    except TypeError as error:
        raise PlanError(f"a decomposition of kind {description['kind']} cannot be made: {error}") from None


__all__ = ["KINDS", "Decomposition", "Flat", "Haar", "Tree", "decomposition_from_dict"]
