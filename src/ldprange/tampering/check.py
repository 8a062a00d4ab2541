"""The check of an aggregate: what honest clients leave behind, and what these reports did.

Four things are known of honest reports, whatever people's values are. Levels come as often as the plan says.
Outcomes of other public coins (shifts of windows, indices of hashes) all come alike often. The share of any
range, as one level tells it, is a share: not below 0 nor above 1, but for noise. And levels agree with each
other, but for noise. Whoever makes reports up to move an answer breaks one of these, unless they just lie
about their value and randomise it honestly: such reports cannot be told from true ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from ldprange.aggregate import Aggregate
from ldprange.decompositions.grids_layout import Grid
from ldprange.domain import Domain
from ldprange.errors import ArgumentError
from ldprange.estimation import shares_by_attribute
from ldprange.estimation.consistent import ConsistentShares
from ldprange.levels import Level
from ldprange.oracles import Mechanism
from ldprange.support.arrays import Boundaries, Counts, Floats
from ldprange.support.checking import check_type, is_number, shown
from ldprange.support.html_tables import html_text
from ldprange.tampering.comparisons import Comparisons, logarithm_of

KINDS = {
    "levels": "how often each level was reported on",
    "coins": "how often each outcome of a public coin came",
    "shares": "shares between 0 and 1",
    "agreement": "levels that agree with each other",
}
"""What is compared, by the name under which it is found."""

_MAX_PIECES = 48  # of a line, between whose ends ranges are compared
_FEW = 8  # outcomes of a coin are put together until as many are expected of each
_EXACT = 1 << 22  # cells × ranges up to which the most that a report says of a range is worked out
_ROUNDING = 1e-9  # of a share
_GREATEST = 6.0  # standard deviations: what one report of very many cells at most adds, nearly


@dataclass(frozen=True, slots=True)
class Finding:
    """One way in which reports are not what honest clients send.

    Attributes
    ----------
    kind
        One of the keys of :data:`KINDS`.
    level
        The level that it is about, counted from 0; None if it is about all of them.
    text
        What is wrong, in words.
    times
        How many times further off it is than honest reports are allowed to be.
    """

    kind: str
    level: int | None
    text: str
    times: float


@dataclass(frozen=True, slots=True)
class Check:
    """Whether reports are what honest clients send.

    Attributes
    ----------
    false_alarms
        The chance, at most, that anything is found among honest reports.
    comparisons
        How many were made, by kind.
    nearest
        By kind, how much of what is allowed the furthest off has used up: above 1 it is found.
    findings
        What is wrong, the worst first; of each kind and level the worst.
    """

    false_alarms: float
    comparisons: dict[str, int]
    nearest: dict[str, float]
    findings: tuple[Finding, ...]

    @property
    def suspicious(self) -> bool:
        """Whether anything was found."""
        return bool(self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it in plain JSON types."""
        return {"suspicious": self.suspicious, **asdict(self)}

    def _repr_html_(self) -> str:
        return html_text(str(self))

    def __str__(self) -> str:
        lines = [
            f"{KINDS[kind]:44}  {number:>7,} compared, at most {self.nearest[kind]:.2f} of what is allowed"
            for kind, number in self.comparisons.items()
        ]
        if self.findings:
            lines += [
                "These reports are not what honest clients send:",
                *(f"- {found.text} ({found.times:.1f} times what is allowed)" for found in self.findings),
                "Count again without the sources that you doubt, if you can tell them apart; or show "
                "denoised answers, which lies move less far.",
            ]
        else:
            lines.append("Nothing was found. (People who lie about their own value are never found.)")
        return "\n".join([*lines, f"The chance of a false alarm is at most {self.false_alarms:g}."])


def check(aggregate: Aggregate, *, false_alarms: float = 0.001) -> Check:
    """Return whether the reports in ``aggregate`` are what honest clients send.

    Parameters
    ----------
    aggregate
        What was counted.
    false_alarms
        The chance, at most, that anything is found if all reports are honest, whatever people's values are.

    >>> import ldprange as ldp
    >>> plan = ldp.Plan(ldp.Domain.integers(0, 9), 1.0, ldp.Tree(branching=4), ldp.OUE())
    >>> honest = ldp.simulate(plan, plan.domain.count([2] * 30_000 + [7] * 20_000), seed=1)
    >>> check(honest).suspicious
    False
    """
    check_type(aggregate, Aggregate, "what is checked")
    if not is_number(false_alarms) or not 0 < false_alarms < 1:
        raise ArgumentError(
            f"the chance of a false alarm must be above 0 and below 1, got {shown(false_alarms)}"
        )
    every = list(_comparisons(aggregate))
    total = sum(each.off.size for each in every)
    numbers, nearest = dict.fromkeys(KINDS, 0), dict.fromkeys(KINDS, 0.0)
    findings = []
    for each in every:
        if not each.off.size:
            continue
        times = each.off / each.allowed(logarithm_of(total, false_alarms))
        worst = int(np.argmax(times))
        numbers[each.kind] += each.off.size
        nearest[each.kind] = max(nearest[each.kind], float(times[worst]))
        if times[worst] > 1:
            findings.append(Finding(each.kind, each.level, each.describe(worst), float(times[worst])))
    findings.sort(key=lambda found: -found.times)
    return Check(false_alarms, numbers, nearest, tuple(findings))


def _comparisons(aggregate: Aggregate) -> Iterator[Comparisons]:
    if not aggregate.reports:
        return
    plan = aggregate.plan
    yield _of_levels(aggregate)
    estimated = shares_by_attribute(aggregate)
    for name, shares in estimated.items():
        yield _of_answers(plan.domain.attributes[name], name, shares)
    for at, (level, mechanism) in enumerate(zip(plan.levels, plan.mechanisms, strict=True)):
        users, counts = aggregate.users[at], aggregate.counts[at]
        if users:
            for coin in mechanism.public_coins(counts):
                yield from _of_coin(at, coin)
            if not level.contrast:
                for told in _told(level, mechanism, counts, users, estimated):
                    yield from _of_level(at, plan.domain.attributes[told.name], mechanism.grid, told)


def _of_levels(aggregate: Aggregate) -> Comparisons:
    users, chances = np.array(aggregate.users, np.float64), np.array(aggregate.plan.probabilities)
    expected = chances * aggregate.reports

    def describe(level: int) -> str:
        return f"level {level + 1} has {users[level]:,.0f} reports, and should have {expected[level]:,.0f}"

    return Comparisons(
        "levels", None, np.abs(users - expected), expected * (1 - chances), np.ones(users.size), describe
    )


def _of_coin(level: int, counts: Counts) -> Iterator[Comparisons]:
    """Compare the outcomes of a coin of which all are alike likely: each, and all together by χ²."""
    users, outcomes = float(counts.sum()), counts.size
    if outcomes < 2:
        return
    expected = users / outcomes

    def describe(outcome: int) -> str:
        return (
            f"outcome {outcome} of a public coin on level {level + 1} came {counts[outcome]:,} times, "
            f"and should have come {expected:,.1f} times"
        )

    size = np.ones(outcomes)
    yield Comparisons(
        "coins", level, np.abs(counts - expected), expected * (1 - 1 / outcomes) * size, size, describe
    )
    together = min(outcomes, int(-(-_FEW // expected)))
    if outcomes // together < 2:
        return
    begins = np.arange(outcomes // together) * together
    sizes = np.diff(np.append(begins, outcomes))
    wanted = expected * sizes
    spread = float(((np.add.reduceat(counts, begins) - wanted) ** 2 / wanted).sum())
    free = begins.size - 1

    def describe_all(_: int) -> str:
        return (
            f"the outcomes of a public coin on level {level + 1} do not come alike often: "
            f"χ² is {spread:,.0f}, and {free:,} are expected"
        )

    # 2√(fL) + 2L bounds χ² with f degrees of freedom less its mean (Laurent and Massart 2000, lemma 1)
    yield Comparisons(
        "coins", level, np.array([spread - free]), np.array([2.0 * free]), np.array([6.0]), describe_all
    )


def _people(domain: Domain, name: str, begins: Boundaries, ends: Boundaries) -> str:
    """Return in words the people whose values of the attribute ``name`` are in a range of bins.

    Of shifted grids, whose cells begin in different places, there are several: their widest reach is told.
    """
    if not begins.any() and np.all(ends == domain.bins):
        return "all people"
    low = min(int(begins.min()), domain.bins - 1)  # cells beyond the last bin hold nobody
    high, answered = max(low, int(ends.max()) - 1), domain.answered.bins
    if low == answered:
        return f"people with no answer{f' to {name}' if name else ''}"
    last = min(high, answered - 1)
    first, to = domain.label(low), "" if low == last else f" to {domain.label(last)}"
    of = f" of {name}" if name else ""
    values = f"values{of} from {first}{to}" if to else f"the value{of} {first}"
    return f"people with {values}{' or no answer' if high > last else ''}"


def _of_answers(domain: Domain, name: str, shares: ConsistentShares) -> Comparisons:
    """Compare the shares of ranges, from all levels, with what a share may be."""
    ends = _thinned(shares.bins)
    first, last = np.triu_indices(ends.size, 1)
    low, high = ends[first], ends[last]
    share = shares.share(low, high)
    variance = shares.spread(low, high).variance
    most = _most_of_answers(shares, low, high, variance) + _ROUNDING

    def describe(at: int) -> str:
        people = _people(domain, name, low[at : at + 1], high[at : at + 1])
        return f"the share of {people} is {share[at]:.3f}, and must be 0 to 1"

    off = np.maximum(np.maximum(-share, share - 1), 0.0)
    return Comparisons("shares", None, off, variance, most, describe)


def _most_of_answers(shares: ConsistentShares, low: Boundaries, high: Boundaries, variance: Floats) -> Floats:
    """Return how far one report can move answers from all levels, of which the ``variance`` is known.

    Either end of a range moves with it, unless it is an end of the line. Of one of several attributes it is
    not worked out, and taken to be six standard deviations.
    """
    if shares.single is None:
        return _GREATEST * np.sqrt(variance / shares.users)
    ends = (low > 0).astype(np.float64) + (high < shares.bins)
    return ends * shares.single.furthest


@dataclass(frozen=True, slots=True)
class _Told:
    """What a level by itself says of people in cells along one attribute.

    ``numbers`` are unbiased numbers of people in cells, each the sum of ``cells`` cells of the oracle. There
    are as many grids as rows of ``ends``, their boundaries in bins, and ``people`` reported on each.
    ``shares`` are what all levels together say.
    """

    name: str
    numbers: Floats
    cells: int
    people: Floats
    ends: Boundaries
    shares: ConsistentShares

    @property
    def users(self) -> float:
        """How many reported."""
        return float(self.people.sum())

    def expected(self, low: Boundaries, high: Boundaries) -> tuple[Floats, Floats, Floats]:
        """Return what all levels say of how many are in ranges of cells.

        Then its variance at most, and how far one report can move it.
        """
        begin, end = self.ends[:, low], self.ends[:, high]
        variance = self.shares.spread(begin, end).variance
        most = _most_of_answers(self.shares, begin, end, variance)
        numbers = self.people @ self.shares.share(begin, end)
        return numbers, (self.people @ np.sqrt(variance)) ** 2, self.people @ most


def _told(
    level: Level, mechanism: Mechanism, counts: Counts, users: int, estimated: dict[str, ConsistentShares]
) -> Iterator[_Told]:
    people, numbers = mechanism.people_of_grids(counts, users)
    if not isinstance(level, Grid):
        ((name, shares),) = estimated.items()
        low, high = level.windows()
        ends = np.minimum(np.concatenate([low, high[:, -1:]], axis=1), shares.bins)
        yield _Told(name, numbers.sum(axis=0), 1, people.astype(np.float64), ends, shares)
        return
    table = numbers.reshape(level.shape)
    for place, (name, shares) in enumerate(estimated.items()):
        number, size = level.shape[place], level.scales[place]
        if number > 1:
            ends = np.minimum(np.arange(number + 1) * size, shares.bins)
            others = tuple(axis for axis in range(table.ndim) if axis != place)
            own = table.sum(axis=others)
            yield _Told(name, own, level.cells // number, np.array([float(users)]), ends[None], shares)


def _of_level(at: int, domain: Domain, grid: Mechanism, told: _Told) -> Iterator[Comparisons]:
    """Compare what one level says of ranges with what a share may be, and with what all levels say."""
    ends = _thinned(told.numbers.size)
    first, last = np.triu_indices(ends.size, 1)
    low, high = ends[first], ends[last]
    below = np.append(0.0, np.cumsum(told.numbers))
    own = below[high] - below[low]
    expected, doubt, moved = told.expected(low, high)
    number = (high - low) * float(told.cells)
    share, noise = np.clip(expected / told.users, 0.0, 1.0), grid.noise
    each = (
        number * noise.spread
        + number**2 * noise.total
        + (noise.occupied + 2 * number * noise.cross) * share
        - share**2
    )
    each = np.maximum(each, 0.0)
    exactly = low.size * grid.cells <= _EXACT
    most = 1 + (_most(grid, low, high, told) if exactly else _GREATEST * np.sqrt(each))

    def describe(what: str) -> Callable[[int], str]:
        def text(place: int) -> str:
            people = _people(domain, told.name, told.ends[:, low[place]], told.ends[:, high[place]])
            return (
                f"level {at + 1} says that the share of {people} is {own[place] / told.users:.3f}, "
                f"{what.format(expected[place] / told.users)}"
            )

        return text

    outside = np.maximum(np.maximum(-own, own - told.users), 0.0)
    yield Comparisons("shares", at, outside, told.users * each, most, describe("and must say 0 to 1"))
    # the level is a part of all of them, so that their difference varies no more than if they were apart
    apart, variance = np.abs(own - expected), told.users * each + doubt
    yield Comparisons(
        "agreement", at, apart, variance, most + moved, describe("and all levels together {:.3f}")
    )


def _most(grid: Mechanism, low: Boundaries, high: Boundaries, told: _Told) -> Floats:
    """Return how far one report about a range of cells can be off."""
    if told.cells > 1:  # every cell that it supports may lie in the range
        whole = float(grid.pull(np.ones(grid.cells)).chosen_coins)
        return np.full(low.size, abs(whole))
    cells = np.arange(grid.cells)
    inside = ((cells >= low[:, None]) & (cells < high[:, None])).astype(np.float64)
    return np.maximum(grid.pull(inside).chosen_coins, grid.pull(-inside).chosen_coins)


def _thinned(cells: int) -> Boundaries:
    """Return boundaries of a line of cells: all of them, or some at equal distances."""
    pieces = min(cells, _MAX_PIECES)
    return np.arange(pieces + 1) * cells // pieces
