"""A whole audit of a plan: what is proved, what was tried, what was not, and what is wrong."""

from __future__ import annotations

import datetime
import platform
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

import ldprange
from ldprange import kernels
from ldprange.audit.artefacts import Artefact, JavaScriptClient, PythonClient, Rehearsal
from ldprange.audit.black_box import CONFIDENCE, BlackBox, look_at, pairs_of
from ldprange.audit.coins import CoinCheck, check_javascript, check_python
from ldprange.audit.exact import ExactPrivacy, exact_privacy
from ldprange.audit.javascript import Browser, Node, find_browser, find_node, started
from ldprange.learning.plan import LabelledPlan
from ldprange.plan import Plan

RUNS = 1_000_000
"""How often ``encode_many`` is run on each value by default; clients, which are slower, less often."""

Progress = Callable[[str, int], None]
"""Called with what is being run, and how many runs were made since the last call."""


@dataclass(frozen=True)
class Audit:
    """What an audit of ``plan`` found.

    Attributes
    ----------
    exact
        The true ε, from the integers that clients compare coins with.
    boxes
        What each artefact showed of itself; of a labelled plan, for each of its attributes.
    coins
        What holds of the coins.
    made_on
        The day.
    refusals
        Why the plan is not accepted at all, where something was asked of it, a sentence each.
    """

    plan: Plan | LabelledPlan
    exact: ExactPrivacy
    boxes: tuple[tuple[str, BlackBox], ...] = ()
    coins: tuple[CoinCheck, ...] = ()
    made_on: datetime.date = field(default_factory=lambda: datetime.datetime.now(datetime.UTC).date())
    refusals: tuple[str, ...] = ()

    @property
    def wrong(self) -> list[str]:
        """What is wrong, a sentence each; empty if all is well."""
        found = list(self.refusals)
        if not self.exact.holds:
            found.append(
                f"the plan's ε is {self.exact.epsilon:.9g}, above the {self.exact.stated:g} that is stated"
            )
        found += [f"{named(name, box.artefact)}: {box.wrong}" for name, box in self.boxes if box.wrong]
        found += [
            f"{check.artefact}: it does not hold that {check.what}"
            for check in self.coins
            if not (check.holds or check.not_run)
        ]
        return found

    @property
    def not_run(self) -> list[str]:
        """What was not run and why, a sentence each."""
        boxes = [f"{named(name, box.artefact)}: {box.not_run}" for name, box in self.boxes if box.not_run]
        return boxes + [
            f"{each.artefact}, {each.what}: {each.not_run}" for each in self.coins if each.not_run
        ]


def named(attribute: str, artefact: str) -> str:
    """Return what was run, with the ``attribute`` that it was run on, if that has a name."""
    return f"{artefact}, {attribute}" if attribute else artefact


def audit(
    plan: Plan | LabelledPlan,
    *,
    runs: int = RUNS,
    only_exact: bool = False,
    progress: Progress = lambda what, runs: None,
) -> Audit:
    """Return what an audit of ``plan`` finds.

    Parameters
    ----------
    plan
        The plan; of a labelled one each attribute's plan is run by itself.
    runs
        How often ``encode_many`` is run on each value.
    only_exact
        Whether nothing is run, and only the true ε calculated.
    progress
        Called as the audit goes on.
    """
    exact = exact_privacy(plan)
    if only_exact:
        return Audit(plan, exact)
    plans = {"": plan} if isinstance(plan, Plan) else dict(zip(plan.attributes, plan.plans, strict=True))
    # before any thread is there: a fork of this process must find it as it would be without an audit
    coins = [check for each in list(plans.values())[:1] for check in check_python(each)]
    boxes: list[tuple[str, BlackBox]] = []
    with ExitStack() as stack:
        artefacts: list[Artefact] = [Rehearsal(), PythonClient()]
        missing: list[BlackBox] = []
        for kind, found in ((Node, find_node()), (Browser, find_browser())):
            runtime = stack.enter_context(started(found))
            if isinstance(runtime, str):
                missing.append(BlackBox(kind.name, not_run=runtime))
                coins.append(
                    CoinCheck(kind.name, "each report is made by the platform's coins alone", not_run=runtime)
                )
                continue
            coins += check_javascript(runtime, next(iter(plans.values())))
            artefacts.append(JavaScriptClient(runtime))
        tests = sum(len(pairs_of(each)) for each in plans.values()) * len(artefacts)
        risk = (1 - CONFIDENCE) / max(1, tests)
        for name, each in plans.items():
            for artefact in artefacts:
                told = named(name, artefact.name)
                boxes.append((name, look_at(artefact, each, runs, risk, partial(progress, told))))
        boxes += [("", box) for box in missing]
    return Audit(plan, exact, tuple(boxes), tuple(coins))


def versions() -> dict[str, str]:
    """Return what the audit was made with."""
    return {
        "ldprange": ldprange.__version__,
        "kernels": kernels.KIND,
        "Python": platform.python_version(),
        "NumPy": np.__version__,
    }


def audit_object(found: Audit) -> dict[str, Any]:
    """Return an audit in plain JSON types."""
    return {
        "plan": found.plan.fingerprint,
        "stated_epsilon": found.exact.stated,
        "exact_epsilon": found.exact.epsilon,
        "worst_ratio": str(found.exact.worst_ratio),
        "holds": found.exact.holds,
        "levels": [
            {
                **({"attribute": each.attribute} if each.attribute else {}),
                "level": each.level,
                "oracle": each.oracle.kind,
                "cells": each.cells,
                "probability": float(each.chance),
                "exact_epsilon": each.epsilon,
                "worst_ratio": str(each.worst_ratio),
            }
            for each in found.exact.levels
        ],
        "confidence": CONFIDENCE,
        "black_box": [_box_object(name, box) for name, box in found.boxes],
        "coins": [
            {"artefact": each.artefact, "what": each.what, "holds": None if each.not_run else each.holds}
            for each in found.coins
        ],
        "wrong": found.wrong,
        "not_run": found.not_run,
        "date": found.made_on.isoformat(),
        "versions": versions(),
    }


def _box_object(name: str, box: BlackBox) -> dict[str, Any]:
    return {
        **({"attribute": name} if name else {}),
        "artefact": box.artefact,
        "epsilon_lower_bound": None if box.not_run else box.least_epsilon,
        "findings": [
            {
                "pair": each.pair.what,
                "runs": each.runs,
                "event": each.event,
                "seen": list(each.seen),
                "epsilon_lower_bound": each.least_epsilon,
            }
            for each in box.findings
        ],
        "wrong": box.wrong,
    }
