"""A lower bound on the ε of what is shipped, from the reports that it makes of two values.

Nothing is taken on trust: an artefact is run many times on one value, and as often on another. Half of the
runs choose the event that tells the two apart best. The other half, which had no say in that, show how
often it comes true. The Clopper–Pearson bounds of its two chances give a ratio that the true one is not
below, but for a stated risk, which all tests of an audit share.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import log
from typing import Any

import numpy as np

from ldprange.audit.artefacts import Artefact
from ldprange.audit.binomial import least_chance, most_chance
from ldprange.errors import WireError
from ldprange.oracles import Mechanism
from ldprange.plan import Plan
from ldprange.reports import Batch
from ldprange.support.arrays import Counts, Floats

CONFIDENCE = 0.999999
"""How sure all lower bounds of an audit are together: one audit in a million of a right client fails."""

_FEW_REPORTS = 1 << 12  # of a level: so many are looked at one by one
_CAUTION = 4.0  # standard deviations that an event must be better by, to be chosen rather than a frequent one
_PATTERNS = ("neither value", "the second value alone", "the first value alone", "both values")


@dataclass(frozen=True)
class Pair:
    """Two bins whose reports are compared, and what they are."""

    first: Any
    second: Any
    what: str


@dataclass(frozen=True)
class Finding:
    """What one artefact showed of itself on one pair of values.

    Attributes
    ----------
    pair, runs
        On which values it was run, and how often on each; half of the runs chose the event.
    event
        What told the two apart best.
    seen
        How often it came true in the other half, of the value that it is likelier from and of the other.
    least_epsilon
        The true ε is not below this, but for the risk.
    """

    pair: Pair
    runs: int
    event: str
    seen: tuple[int, int]
    least_epsilon: float


@dataclass(frozen=True)
class BlackBox:
    """What an artefact showed of itself: ``findings``, or why it was ``not_run``; and what is ``wrong``."""

    artefact: str
    findings: tuple[Finding, ...] = ()
    not_run: str = ""
    wrong: str = ""

    @property
    def least_epsilon(self) -> float:
        """The greatest of the lower bounds."""
        return max((each.least_epsilon for each in self.findings), default=0.0)


def pairs_of(plan: Plan) -> list[Pair]:
    """Return the pairs of bins of ``plan`` that are compared: its ends, and neighbours in its middle.

    Every level tells the ends apart. Neighbours are told apart where the domain is cut most finely.
    """
    shape = plan.domain.shape
    place: Callable[[Sequence[int]], Any] = (lambda bins: bins[0]) if len(shape) == 1 else tuple
    ends = Pair(place([0] * len(shape)), place([bins - 1 for bins in shape]), "the two ends")
    middle = [bins // 2 for bins in shape]
    before = [max(0, bins - 1) for bins in middle]
    neighbours = Pair(place(before), place(middle), "neighbours in the middle")
    found = [ends] if ends.first != ends.second else []
    if neighbours.first != neighbours.second and neighbours != ends and plan.domain.bins > 2:
        found.append(neighbours)
    return found


def look_at(
    artefact: Artefact,
    plan: Plan,
    runs: int,
    risk: float,
    progress: Callable[[int], None] = lambda runs: None,
) -> BlackBox:
    """Return what ``artefact`` shows of itself under ``plan``, in about ``runs`` runs on each value.

    Each finding is wrong with a probability of at most ``risk``; ``progress`` is called with the runs made
    since the last call.
    """
    findings: list[Finding] = []
    number = artefact.runs_for(plan, runs)
    for pair in pairs_of(plan):
        lengths: set[tuple[int, int]] = set()

        def seen(index: Any, pair: Pair = pair, lengths: set[tuple[int, int]] = lengths) -> Counts:
            """Count what half of the runs on a value show."""
            tallies = []
            for made in artefact.blocks(plan, index, number // 2):
                tallies.append(_tally(plan, pair, made.batch))
                lengths |= made.lengths
                progress(len(made.batch))
            total: Counts = np.sum(tallies, axis=0)
            return total

        try:
            choosing, testing = ((seen(pair.first), seen(pair.second)) for _ in range(2))
        except WireError as error:
            return BlackBox(
                artefact.name, tuple(findings), wrong=f"it made a report that is refused: {error}"
            )
        if len({level for level, _ in lengths}) < len(lengths):
            return BlackBox(artefact.name, tuple(findings), wrong="reports of one level differ in length")
        findings.append(_finding(plan, pair, number, choosing, testing, risk))
    box = BlackBox(artefact.name, tuple(findings))
    if box.least_epsilon <= plan.epsilon:
        return box
    told = f"its ε is at least {box.least_epsilon:.4f}, above the {plan.epsilon:g} that is stated"
    return replace(box, wrong=told)


def _tally(plan: Plan, pair: Pair, batch: Batch) -> Counts:
    """Count reports by level and by which of the two values they support, then short ones by themselves."""
    counts = []
    alone = []
    for level, mechanism, column in zip(plan.levels, plan.mechanisms, batch.columns, strict=True):
        first, second = (
            mechanism.supporting(column, np.full(len(column), level.cell(index), np.uint32))
            for index in (pair.first, pair.second)
        )
        counts.append(np.bincount(2 * first + second, minlength=4))
        if _is_short(mechanism):
            rows = mechanism.pack(column).astype(np.int64)
            codes = (rows << (8 * np.arange(rows.shape[1]))).sum(axis=1)
            alone.append(np.bincount(codes, minlength=256**mechanism.width))
    return np.concatenate([*counts, *alone]).astype(np.int64)


def _is_short(mechanism: Mechanism) -> bool:
    return mechanism.width <= 2 and mechanism.outputs <= _FEW_REPORTS


def _events(plan: Plan, counts: Counts) -> tuple[Counts, Callable[[int], str]]:
    """Return how often every event came true, from what :func:`_tally` counted, and what each is called."""
    levels = len(plan.levels)
    by_level, alone = counts[: 4 * levels].reshape(levels, 4), counts[4 * levels :]

    def name(event: int) -> str:
        if event < 4:
            return f"the report supports {_PATTERNS[event]}"
        if event < 4 + levels:
            return f"the report is on level {event - 4}"
        if event < 4 + 5 * levels:
            level, pattern = divmod(event - 4 - levels, 4)
            return f"the report is on level {level}, and supports {_PATTERNS[pattern]}"
        code = event - 4 - 5 * levels
        for level, mechanism in enumerate(plan.mechanisms):
            if _is_short(mechanism):
                if code < 256**mechanism.width:
                    return f"the report is {code.to_bytes(mechanism.width, 'little').hex()} on level {level}"
                code -= 256**mechanism.width
        raise AssertionError(event)

    return np.concatenate([by_level.sum(axis=0), by_level.sum(axis=1), by_level.reshape(-1), alone]), name


def _finding(
    plan: Plan,
    pair: Pair,
    runs: int,
    choosing: tuple[Counts, Counts],
    testing: tuple[Counts, Counts],
    risk: float,
) -> Finding:
    """Choose an event by one half of the runs, and test it on the other."""
    (one, name), (other, _) = (_events(plan, counts) for counts in choosing)
    scores = [_score(one, other), _score(other, one)]
    way = int(np.argmax([score.max() for score in scores]))
    event = int(np.argmax(scores[way]))
    likelier, rarer = (int(_events(plan, counts)[0][event]) for counts in (testing[way], testing[1 - way]))
    tested = runs // 2
    low, high = least_chance(likelier, tested, risk / 2), most_chance(rarer, tested, risk / 2)
    least = max(0.0, log(low / high)) if low > 0 else 0.0
    return Finding(pair, runs, name(event), (likelier, rarer), least)


def _score(likelier: Counts, rarer: Counts) -> Floats:
    """Return about what a lower bound on the logarithm of the ratio will be, for choosing alone."""
    one, other = likelier + 0.5, rarer + 0.5
    return np.log(one / other) - _CAUTION * np.sqrt(1 / one + 1 / other)
