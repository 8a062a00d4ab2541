"""Every candidate with its predicted error, best first, and the plan to take."""

import math
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from ldprange.decompositions import Decomposition, Flat, Grids, Haar, Tree, Windows
from ldprange.decompositions.branchings import branchings_for
from ldprange.domain import Domain
from ldprange.errors import PlanError
from ldprange.oracles import HRR, OUE
from ldprange.plan import Plan, check_bins, check_epsilon
from ldprange.planner.optimise import Workload, check_workload, optimise_plan
from ldprange.planner.typical_error import non_uniformity, typical_question
from ldprange.prediction import TWO_SIDED, WANTED_MARGIN, Prediction
from ldprange.support.blas import callers_thread
from ldprange.support.checking import check_type, is_number, shown
from ldprange.support.frames import make_frame
from ldprange.support.html_tables import html_text

GUESS = math.sqrt(1 / 12)
"""How far off a guess of one half is, on average, from a share that may be anything."""

_BRANCHINGS = (2, 4, 8, 16)
_MAX_JOINT_BINS = 1 << 24  # that can be asked about together
_MAX_PAIR_CELLS = 1 << 16  # of grids that are finer than they must be
_MAX_TOGETHER = 3  # attributes whose every combination of levels is asked
_MAX_UNARY_BINS = 1 << 12  # the paper's OUE sends a bit per bin
_ALIKE = 1.005  # plans as near as this in error are alike, and the simpler one is taken


@dataclass(frozen=True)
class Candidate:
    """A plan with its predicted error for the people expected, were they spread evenly over the domain.

    Attributes
    ----------
    name, plan, prediction
        What it is called, the plan, and what it predicts.
    """

    name: str
    plan: Plan
    prediction: Prediction

    @cached_property
    def non_uniformity(self) -> float:
        """How much further off answers typically are because people are not spread evenly inside cells.

        It is 0 where every bin is a cell. Only plans of four attributes or more, or of more than 2**24 joint
        bins, have cells of several bins.
        """
        return non_uniformity(self.plan)

    @property
    def range_rmse(self) -> float:
        """Root mean squared error over all ranges, the non-uniformity error included."""
        return math.hypot(self.prediction.range_rmse, self.non_uniformity)

    @property
    def prefix_rmse(self) -> float:
        """Root mean squared error over all prefixes, the non-uniformity error included."""
        return math.hypot(self.prediction.prefix_rmse, self.non_uniformity)

    @property
    def margin(self) -> float:
        """Half the length of a 95% interval around the share of a typical range, that error included."""
        return TWO_SIDED * self.range_rmse

    def error(self, workload: Workload) -> float:
        """Return the root mean squared error over a workload; of both, their geometric mean."""
        ranges, prefixes = self.range_rmse, self.prefix_rmse
        return {"ranges": ranges, "prefixes": prefixes, "both": math.sqrt(ranges * prefixes)}[workload]

    @property
    def report_bytes(self) -> int:
        """The longest report, in bytes."""
        return max(mechanism.width for mechanism in self.plan.mechanisms)


@dataclass(frozen=True)
class Comparison:
    """All candidates for a survey, best first; printed, it is a table that says why."""

    workload: Workload
    candidates: tuple[Candidate, ...]

    @property
    def best(self) -> Candidate:
        """The candidate to take."""
        return self.candidates[0]

    @property
    def useful(self) -> bool:
        """Whether the best answers are better than guesses."""
        return self.best.error(self.workload) < GUESS

    def to_frame(self) -> Any:
        """Return a frame with a row for each candidate: plan, errors, bytes of a report, and counters.

        It is one of pandas, or of polars where pandas is not installed; ``error`` is that over the workload.

        >>> import ldprange as ldp
        >>> comparison = ldp.compare_plans(ldp.Domain.integers(0, 9), epsilon=1.1, expected_users=1000)
        >>> comparison.to_frame()["plan"].tolist()[:2]
        ['Windows', 'Tree 2']
        """
        each = self.candidates
        return make_frame(
            {
                "plan": np.array([one.name for one in each]),
                "range_rmse": np.array([one.range_rmse for one in each]),
                "prefix_rmse": np.array([one.prefix_rmse for one in each]),
                "error": np.array([one.error(self.workload) for one in each]),
                "bytes": np.array([one.report_bytes for one in each]),
                "counters": np.array([one.plan.counters for one in each]),
            }
        )

    def _repr_html_(self) -> str:
        return html_text(str(self))

    def __str__(self) -> str:
        best, plan = self.best, self.best.plan
        users = best.prediction.users
        width = max(len(each.name) for each in self.candidates)
        lines = [
            f"{plan.domain.bins:,} bins, ε = {plan.epsilon:g}, {users:,.0f} people, {_NAMES[self.workload]}",
            f"{'plan':{width}}  {'range RMSE':>10}  {'prefix RMSE':>11}  {'error':>6}  "
            f"{'bytes':>6}  {'counters':>11}",
        ]
        for each in self.candidates:
            more = self._ratio(each) - 1
            lines.append(
                f"{each.name:{width}}  {each.range_rmse:10.3g}  "
                f"{each.prefix_rmse:11.3g}  {'best' if each is best else f'{more:+.0%}':>6}  "
                f"{each.report_bytes:6}  {each.plan.counters:11,}"
            )
        return "\n".join([*lines, self.reason, *self._advice()])

    def _advice(self) -> list[str]:
        margin = self.best.margin
        if margin <= WANTED_MARGIN:
            return []
        asked = typical_question(self.best.plan.domain)
        known = f"You'll know a typical {asked} only to ± {100 * margin:.0f} percentage points"
        return [f"{known}: ldprange.outlook shows what would help."]

    def _ratio(self, candidate: Candidate) -> float:
        """Return by how much an error is larger than the best; that may be 0."""
        error, best = candidate.error(self.workload), self.best.error(self.workload)
        return error / best if best else (math.inf if error else 1.0)

    @property
    def reason(self) -> str:
        """Why the best is the best, and whether it is any good, in a sentence or two."""
        best, error = self.best, self.best.error(self.workload)
        if not self.useful:
            users = best.prediction.users * (error / GUESS) ** 2
            return (
                f"Nothing useful can be had: the best plan is off by {error:.2g} on average, and a guess of "
                f"one half by {GUESS:.2g}. To do better than a guess takes more than {users:,.0f} people, or "
                "a larger ε."
            )
        others = [each for each in self.candidates if each is not best]
        if not others:
            return f"{best.name}: there is nothing else to choose from."
        nearest = min(others, key=lambda each: each.error(self.workload))
        ratio = self._ratio(nearest) ** 2
        if best.non_uniformity:
            return (
                f"{best.name}: finer cells would have more noise. Inside a cell, people are taken to be "
                "spread evenly; where they aren't, a typical answer is off by some "
                f"{100 * best.non_uniformity:.1f} points, besides noise."
            )
        if nearest.non_uniformity:
            return (
                f"{best.name}: every bin is a cell of its own. Coarser cells would have less noise, but more "
                "error from people who aren't spread evenly inside them."
            )
        if ratio <= _ALIKE**2:
            return f"{best.name} is as accurate as {nearest.name}, and the simpler of the two."
        return f"{best.name} needs {1 - 1 / ratio:.0%} fewer people than {nearest.name} for the same error."


_NAMES: dict[Workload, str] = {
    "ranges": "for ranges",
    "prefixes": "for prefixes and quantiles",
    "both": "for ranges and prefixes",
}


@callers_thread
def compare_plans(
    domain: Domain, *, epsilon: float, expected_users: float, workload: Workload = "both"
) -> Comparison:
    """Compare all kinds of plans by their exactly predicted error.

    Parameters
    ----------
    domain
        What values people may have.
    epsilon
        The total privacy loss of a person who reports once.
    expected_users
        How many people are expected to report.
    workload
        What is to be accurate: ``"ranges"``, ``"prefixes"`` (and quantiles), or ``"both"``.

    >>> import ldprange as ldp
    >>> comparison = compare_plans(ldp.Domain.integers(0, 119), epsilon=1.1, expected_users=100_000)
    >>> comparison.best.name
    'Windows'
    """
    check_survey(domain, epsilon, expected_users, workload)
    epsilon = float(epsilon)
    candidates: list[Candidate] = []
    for name, plan in _candidates(domain, epsilon, workload):
        last = candidates[-1] if candidates else None
        candidates.append(Candidate(name, plan, plan.predict(expected_users)))
        if last and last.non_uniformity and last.error(workload) < candidates[-1].error(workload):
            break  # still finer grids have still more noise
    least = min(each.error(workload) for each in candidates)
    best = next(each for each in candidates if each.error(workload) <= _ALIKE * least)
    rest = sorted((each for each in candidates if each is not best), key=lambda each: each.error(workload))
    return Comparison(workload, (best, *rest))


def check_survey(domain: Domain, epsilon: float, expected_users: float, workload: Workload) -> None:
    """Raise an error unless a plan can be chosen for all this."""
    check_type(domain, Domain, "a plan's domain")
    check_workload(workload)
    check_users(expected_users)
    check_epsilon(epsilon)
    check_bins(domain)


def check_users(users: object) -> None:
    """Raise PlanError unless ``users`` is a number of at least 1."""
    if not is_number(users) or users < 1:
        raise PlanError(f"expected_users must be a number of at least 1, got {shown(users)}")


def _candidates(domain: Domain, epsilon: float, workload: Workload) -> Iterable[tuple[str, Plan]]:
    """Return the kinds of plans, simplest first: with best oracles and probabilities, and the paper's."""
    kinds: Iterable[tuple[str, Decomposition]]
    if len(domain.attributes) > 1:
        kinds = _grids(domain)
    elif domain.unordered:
        kinds = [("Flat", Flat())]
    else:
        return _lines(domain, epsilon, workload)
    return (
        (name, optimise_plan(domain, epsilon=epsilon, decomposition=kind, workload=workload))
        for name, kind in kinds
    )


def _lines(domain: Domain, epsilon: float, workload: Workload) -> list[tuple[str, Plan]]:
    """Return the kinds of plans of one attribute."""
    bins = max(2, domain.bins)
    kinds: list[tuple[str, Decomposition]] = [("Flat", Flat())]
    if bins > 2:
        kinds.append(("Haar", Haar()))
        kinds += _trees(bins)
        kinds.append(("Windows", Windows()))
    found = []
    for name, decomposition in kinds:
        try:
            plan = optimise_plan(domain, epsilon=epsilon, decomposition=decomposition, workload=workload)
            found.append((name, plan))
        except PlanError:  # such as more counters than a plan may need, where others do with fewer
            if decomposition == kinds[-1][1] and not found:
                raise
    if bins > 2:
        found.append(("Haar, as in the paper", Plan(domain, epsilon, Haar(), HRR())))
    if 4 < bins <= _MAX_UNARY_BINS:
        found.append(("Tree 4, as in the paper", Plan(domain, epsilon, Tree(4), OUE())))
    return found


def _grids(domain: Domain) -> Iterable[tuple[str, Decomposition]]:
    """Return all combinations of levels for two attributes or three, and pairs for more."""
    shape = domain.shape
    if len(shape) <= _MAX_TOGETHER and prod(shape) <= _MAX_JOINT_BINS:
        kinds: dict[Decomposition, int] = {}
        for branching in reversed(_BRANCHINGS):
            with suppress(PlanError):  # all combinations are more levels than a plan may have
                kinds[Tree(branching).on(domain).decomposition] = branching
        if kinds:
            return [(f"Tree {branching}", grids) for grids, branching in kinds.items()]
    return _pairs(domain)


def _pairs(domain: Domain) -> Iterator[tuple[str, Decomposition]]:
    """Yield grids of pairs, of ever finer cells."""
    coarsest = Grids.pairs(domain)
    trees, first = coarsest.trees, max(max(row) for row in coarsest.depths if len(row) - row.count(0) > 1)
    for depth in range(first, max(map(len, trees)) + 1):
        cells = [prod(tree[:depth]) for tree in trees]
        if depth > first and prod(sorted(cells)[-2:]) > _MAX_PAIR_CELLS:
            break
        each = zip(trees, cells, strict=True)
        finest = max((number for tree, number in each if len(tree) > 1), default=0)
        name = f"Pairs, {finest} × {finest} cells" if finest else "Pairs"
        yield name, Grids.pairs(domain, depth=depth)


def _trees(bins: int) -> list[tuple[str, Decomposition]]:
    """Return trees that differ: on few bins two branchings may come to the same."""
    trees = {branchings_for(bins, branching): Tree(branching) for branching in reversed(_BRANCHINGS)}
    return [(f"Tree {tree.branching}", tree) for tree in reversed(trees.values()) if tree.branching < bins]
