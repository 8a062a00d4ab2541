"""A plan in a few lines, for people and for machines."""

import json
import math
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from ldprange import wire
from ldprange.answer import Answer
from ldprange.cli.output import note
from ldprange.domain import Domain
from ldprange.influence import Influence
from ldprange.oracles import HadamardHashing, Oracle, SubsetSelection
from ldprange.plan import Plan
from ldprange.planner.optimise import Workload
from ldprange.planner.typical_error import non_uniformity, typical_question
from ldprange.prediction import Prediction
from ldprange.rehearsal import DenoisedPrediction
from ldprange.reports import Report

_MAX_TOLD = 24  # levels of which each is told
_WEAK = 5.0  # an ε beyond which a report nearly tells the answer
_COUNTLESS = 10**9  # times, beyond which nobody asks how many


def plan_facts(plan: Plan) -> list[tuple[str, str]]:
    """Return what people want to know about a plan."""
    widths = report_bytes(plan)
    alone = [len(wire.pack(Report(plan.fingerprint, 0, bytes(width)))) for width in widths]
    return [
        ("domain", plan.domain.describe()),
        privacy_fact(plan.epsilon),
        ("decomposition", plan.layout.describe()),
        ("oracle by level", _runs([oracle_name(oracle) for oracle in plan.oracles])),
        ("people by level", _shares(plan.probabilities)),
        ("report", f"{_between(widths)} in a batch, {_between(alone)} alone"),
        ("fingerprint", plan.fingerprint),
    ]


def prediction_facts(plan: Plan, prediction: Prediction) -> list[tuple[str, str]]:
    """Return what a ``plan`` promises for a number of people, spread evenly over the domain.

    Inside cells of several bins they need not be, and the error that adds is in it.
    """
    uneven = non_uniformity(plan)
    more = "; people who aren't spread evenly inside cells included" if uneven else ""
    errors = [("range", "ranges", prediction.range_rmse), ("prefix", "prefixes", prediction.prefix_rmse)]
    if typical_question(plan.domain) == "category":
        errors = [("category", "categories", prediction.range_rmse)]
    rows = [people_fact(prediction.users)]
    for one, many, noise in errors:
        error = percent(math.hypot(noise, uneven))
        rows.append((f"error of a {one}", f"{error} (root mean square over all {many}{more})"))
    return rows


def median_facts(median: Answer[Any]) -> list[tuple[str, str]]:
    """Return how far off a survey's ``median`` may be, in the domain's units, for the same people."""
    ends = (median.value, median.low, median.high)
    middle, low, high = (f"{end:.4g}" if isinstance(end, float) else str(end) for end in ends)
    return [("median", f"if it's {middle}, you'll get {low} to {high} (95% sure)")]


def denoised_facts(prediction: DenoisedPrediction) -> list[tuple[str, str]]:
    """Return what is to be expected of denoised answers, over kinds of populations."""
    names = {"ranges": prediction.range_rmse, "prefixes": prediction.prefix_rmse}
    return [
        (f"denoised {name}", f"{percent(low)} to {percent(high)}, depending on how people are spread")
        for name, (low, high) in names.items()
    ]


def influence_facts(influence: Influence, domain: Domain) -> list[tuple[str, str]]:
    """Return what made-up reports can do to answers about a ``domain``."""
    points = f"{100 * influence.fair_coins:.3g}"
    most = f"{points} point{'s' * (points != '1')}"
    declined = any(each.optional for each in domain.attributes.values())
    whose = "a share of all people" if declined else "an answer"
    return [("made-up reports", f"{influence.share:.0%} of all move {whose} by at most {most}")]


def warn_if_weak(epsilon: float) -> None:
    """Say on standard error that ``epsilon`` protects hardly anybody, where it is so large."""
    if epsilon > _WEAK:
        note(
            f"ε = {epsilon:g} protects hardly anybody: what a person sends may be "
            f"{_times(epsilon)} times likelier from one answer than another; 1 is usual"
        )


def _times(epsilon: float) -> str:
    """Return e^ε in words.

    >>> _times(7), _times(1e9)
    ('e^ε = 1,097', 'more than 1,000,000,000')
    """
    if epsilon > math.log(_COUNTLESS):
        return f"more than {_COUNTLESS:,}"
    return f"e^ε = {math.exp(epsilon):,.0f}"


def privacy_fact(epsilon: float) -> tuple[str, str]:
    """Return what a person spends."""
    return "privacy", f"ε = {epsilon:g} for each person in total"


def people_fact(users: float) -> tuple[str, str]:
    """Return how many people are expected, and how they are taken to be spread."""
    return "people", f"{users:,.0f}, taken to be spread evenly over the bins"


def questions(workload: Workload) -> str:
    """Return what a workload asks, in words."""
    return "ranges and prefixes" if workload == "both" else workload


def plan_object(plan: Plan) -> dict[str, Any]:
    """Return the same for machines."""
    return {
        "plan": json.loads(plan.to_json()),
        "bins": plan.domain.bins,
        "levels": [
            {
                "cells": level.asked,
                "bins_per_cell": level.size * level.shifts,
                "oracle": oracle.kind,
                "probability": probability,
                "report_bytes": width,
            }
            for level, oracle, probability, width in zip(
                plan.levels, plan.oracles, plan.probabilities, report_bytes(plan), strict=True
            )
        ],
    }


def prediction_object(prediction: Prediction) -> dict[str, Any]:
    """Return a prediction for an even population in plain JSON types."""
    return {
        "users": prediction.users,
        "population": "even",
        "range_rmse": prediction.range_rmse,
        "prefix_rmse": prediction.prefix_rmse,
    }


def denoised_object(prediction: DenoisedPrediction) -> dict[str, Any]:
    """Return what is to be expected of denoised answers in plain JSON types: least and greatest errors."""
    return {
        "users": prediction.users,
        "range_rmse": list(prediction.range_rmse),
        "prefix_rmse": list(prediction.prefix_rmse),
    }


def report_bytes(plan: Plan) -> list[int]:
    """Return the size of a report of each level."""
    return [mechanism.width for mechanism in plan.mechanisms]


def oracle_name(oracle: Oracle) -> str:
    """Return the short name by which the literature knows an oracle."""
    if isinstance(oracle, HadamardHashing):
        return "HRR" if oracle.bits == 1 else f"Hadamard-{oracle.bits}"
    return "subset" if isinstance(oracle, SubsetSelection) else oracle.kind.upper()


def percent(share: float, digits: int = 2) -> str:
    """Return a share as a percentage."""
    return f"{100 * share:.{digits}f}%"


def _runs(names: Sequence[str]) -> str:
    """Return names in a row, each run of the same as one; of very many, how often each is there."""
    runs = [(name, len(list(run))) for name, run in groupby(names)]
    if len(runs) == 1:
        return names[0]
    if len(runs) > _MAX_TOLD:
        runs = Counter(names).most_common()
    return ", ".join(name if length == 1 else f"{name} ×{length}" for name, length in runs)


def _shares(probabilities: Sequence[float]) -> str:
    shares = [f"{100 * probability:.3g}%" for probability in probabilities]
    if len(shares) > 1 and len(set(shares)) == 1:
        return f"{shares[0]} each"
    if len(shares) > _MAX_TOLD:
        return f"{100 * min(probabilities):.3g}% to {100 * max(probabilities):.3g}%"
    return ", ".join(shares)


def _between(sizes: list[int]) -> str:
    least, most = min(sizes), max(sizes)
    return f"{least:,} byte" + "s" * (least != 1) if least == most else f"{least:,} to {most:,} bytes"
