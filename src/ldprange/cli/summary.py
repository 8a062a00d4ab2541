"""A plan in a few lines, for people and for machines."""

from __future__ import annotations

import json
from typing import Any

from ldprange import wire
from ldprange.cli.units import describe
from ldprange.decompositions import Tree
from ldprange.oracles import HadamardHashing, Oracle
from ldprange.plan import Plan, Prediction
from ldprange.reports import Report


def plan_facts(plan: Plan) -> list[tuple[str, str]]:
    """Return what people want to know about a plan."""
    decomposition = type(plan.decomposition).__name__
    if isinstance(plan.decomposition, Tree):
        decomposition = f"Tree, {plan.decomposition.branching} children to a node"
    levels = len(plan.levels)
    widths = report_bytes(plan)
    return [
        ("domain", describe(plan.domain)),
        ("privacy", f"ε = {plan.epsilon:g} for each person in total"),
        ("decomposition", f"{decomposition}, {levels} level" + "s" * (levels != 1)),
        ("oracle", ", ".join(dict.fromkeys(map(oracle_name, plan.oracles)))),
        (
            "report",
            f"{_between(widths)} in a batch, {_between([_alone(plan, width) for width in widths])} alone",
        ),
        ("fingerprint", plan.fingerprint),
    ]


def prediction_facts(prediction: Prediction) -> list[tuple[str, str]]:
    """Return what a plan promises for so many people."""
    return [
        ("people", f"{prediction.users:,.0f}"),
        ("error of a range", f"{percent(prediction.range_rmse)} (root mean square over all ranges)"),
        ("error of a prefix", f"{percent(prediction.prefix_rmse)} (root mean square over all prefixes)"),
    ]


def plan_object(plan: Plan) -> dict[str, Any]:
    """Return the same for machines."""
    return {
        "plan": json.loads(plan.to_json()),
        "bins": plan.domain.bins,
        "levels": [
            {"cells": level.cells, "bins_per_cell": level.size, "report_bytes": width}
            for level, width in zip(plan.levels, report_bytes(plan), strict=True)
        ],
    }


def prediction_object(prediction: Prediction) -> dict[str, Any]:
    """Return a prediction in plain JSON types."""
    return {
        "users": prediction.users,
        "range_rmse": prediction.range_rmse,
        "prefix_rmse": prediction.prefix_rmse,
    }


def report_bytes(plan: Plan) -> list[int]:
    """Return the size of a report of each level."""
    return [mechanism.width for mechanism in plan.mechanisms]


def oracle_name(oracle: Oracle) -> str:
    """Return the name by which the literature knows an oracle."""
    if isinstance(oracle, HadamardHashing):
        return "HRR" if oracle.bits == 1 else f"Hadamard hashing, {oracle.bits} bits"
    return oracle.kind.upper()


def percent(share: float, digits: int = 2) -> str:
    """Return a share as a percentage."""
    return f"{100 * share:.{digits}f}%"


def _alone(plan: Plan, width: int) -> int:
    return len(wire.pack(Report(plan.fingerprint, 0, bytes(width))))


def _between(sizes: list[int]) -> str:
    least, most = min(sizes), max(sizes)
    return f"{least:,} byte" + "s" * (least != 1) if least == most else f"{least:,} to {most:,} bytes"
