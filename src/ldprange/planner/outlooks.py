"""What a survey can tell, before anyone is asked, and what would make it tell more."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

from ldprange.decompositions import Windows
from ldprange.domain import Domain
from ldprange.domain.extended import Extended
from ldprange.planner.compare import Candidate, check_survey, compare_plans
from ldprange.planner.needs import users_needed
from ldprange.planner.optimise import optimise_plan
from ldprange.planner.typical_error import typical_question
from ldprange.prediction import TWO_SIDED, WANTED_MARGIN
from ldprange.support.checking import counted
from ldprange.support.html_tables import html_text

_BINS = (2, 4, 8, 16, 32)
_MORE = 1.01  # times as many people, until they are enough
_EPSILONS = (0.5, 1.0, 2.0, 3.0, 4.0, 6.0)
_MAX_WINDOWS = 1 << 22  # bins; windows of more may need too many counters


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a survey will tell, and what would make it tell more.

    Margins are half the length of a 95% interval around the share of people in a typical range, or category,
    for people spread evenly over the domain: 0.05 is ± 5 percentage points.

    Attributes
    ----------
    users, epsilon
        How many people are expected to answer, and ε of each.
    margin
        The margin of the survey as it is.
    wanted
        The margin that would tell something.
    users_needed
        How many people it takes for that, if nothing else changes.
    epsilon_needed
        An ε that would do, if nothing else changes; None if none of ``epsilons`` does.
    bins_needed
        Into how few bins the values would have to be cut, those of each attribute if there are several; None
        if not even two would do.
    bins_of
        Which bins these are, in words: ``"of each attribute"``, ``"besides “no answer”"``; empty if all.
    question
        What is typically asked about: a ``"range"``, or a ``"category"`` where there is nothing else.
    bins, epsilons, margins
        A table: a row of margins for each number of bins, the domain's own last; a column for each ε. Open
        ends and no answer, where there are any, have their bins besides.
    """

    users: float
    epsilon: float
    margin: float
    wanted: float
    users_needed: int
    epsilon_needed: float | None
    bins_needed: int | None
    bins_of: str
    question: str
    bins: tuple[int, ...]
    epsilons: tuple[float, ...]
    margins: tuple[tuple[float, ...], ...]

    @property
    def enough(self) -> bool:
        """Whether it tells something as it is."""
        return self.margin <= self.wanted

    def to_dict(self) -> dict[str, Any]:
        """Return all of it in plain JSON types."""
        return {"enough": self.enough, **asdict(self)}

    def _repr_html_(self) -> str:
        return html_text(str(self))

    def __str__(self) -> str:
        return "\n".join([self.sentence, *self._ways(), "", *self._table()])

    @property
    def sentence(self) -> str:
        """What the survey tells as it is, in a sentence."""
        known = (
            f"With {counted(self.users, 'answer', 'answers')} at ε = {self.epsilon:g}, you'll know the share "
            f"of people in a typical {self.question} to {points(self.margin)} percentage points"
        )
        return f"{known}." if self.enough else f"{known}. That's too rough to learn much."

    def _ways(self) -> list[str]:
        if self.enough:
            return []
        ways = []
        if self.bins_needed is not None:
            margin = self.margins[self.bins.index(self.bins_needed)][self.epsilons.index(self.epsilon)]
            fewer = f"{self.bins_needed} bins{f' {self.bins_of}' * bool(self.bins_of)}"
            ways.append(f"- ask for {fewer} instead of {self.bins[-1]:,} ({points(margin)})")
        if self.epsilon_needed is not None:
            margin = self.margins[-1][self.epsilons.index(self.epsilon_needed)]
            ways.append(f"- spend ε = {self.epsilon_needed:g} for each person ({points(margin)})")
        ways.append(f"- ask {counted(rounded_up(self.users_needed), 'person', 'people')}")
        first = "Any one of these would make" if len(ways) > 1 else "This would make"
        return [f"{first} it {points(self.wanted)} or better:", *ways]

    def _table(self) -> list[str]:
        """Return lines: points, by bins and ε."""
        width = max(len(f"{self.bins[-1]:,}"), len("bins"))
        rows = [
            f"{bins:>{width},}  " + "".join(f"{points(margin):>8}" for margin in row)
            for bins, row in zip(self.bins, self.margins, strict=True)
        ]
        heading = f"{'bins':>{width}}  " + "".join(f"{f'ε = {epsilon:g}':>8}" for epsilon in self.epsilons)
        bins_of = f", by bins {self.bins_of}" * bool(self.bins_of)
        return [f"Percentage points for {self.users:,.0f} answers{bins_of}:", heading, *rows]


def outlook(domain: Domain, *, epsilon: float, expected_users: float) -> Outlook:
    """Return what a survey of a ``domain`` can tell, and what would make it tell more.

    Parameters
    ----------
    domain
        What is asked.
    epsilon
        A person's privacy budget, in total.
    expected_users
        How many people are expected to answer.

    >>> import ldprange as ldp
    >>> found = outlook(ldp.Domain.integers(0, 120), epsilon=1, expected_users=300)
    >>> found.enough, found.bins_needed, found.epsilon_needed, found.users_needed
    (False, 2, 4.0, 7689)
    """
    check_survey(domain, epsilon, expected_users, "ranges")
    most = max(part.plain.bins for part in domain.attributes.values())
    bins = (*(number for number in _BINS if number < most), most)
    epsilons = tuple(sorted({*_EPSILONS, float(epsilon)}))
    own = epsilons.index(float(epsilon))
    best = compare_plans(domain, epsilon=epsilon, expected_users=expected_users).best
    margin = best.margin
    margins = tuple(
        tuple(
            margin
            if (number, each) == (most, epsilon)
            else _margin(_cut(domain, number), each, expected_users)
            for each in epsilons
        )
        for number in bins
    )
    return Outlook(
        users=float(expected_users),
        epsilon=float(epsilon),
        margin=margin,
        wanted=WANTED_MARGIN,
        users_needed=_users_needed(best, expected_users),
        epsilon_needed=next(
            (each for each, told in zip(epsilons, margins[-1], strict=True) if told <= WANTED_MARGIN), None
        ),
        bins_needed=max(
            (number for number, row in zip(bins, margins, strict=True) if row[own] <= WANTED_MARGIN),
            default=None,
        ),
        bins_of=_bins_of(domain),
        question=typical_question(domain),
        bins=bins,
        epsilons=epsilons,
        margins=margins,
    )


def _users_needed(best: Candidate, users: float) -> int:
    """Return how many people it takes for the wanted margin, if with so many ``users`` a plan is the best."""
    if not best.non_uniformity:
        return max(1, math.ceil(users * (best.margin / WANTED_MARGIN) ** 2))
    # more people lower that error only by plans of finer cells, of which ranges alone do not choose
    domain, epsilon = best.plan.domain, best.plan.epsilon
    needed = users_needed(domain, epsilon=epsilon, error=WANTED_MARGIN / TWO_SIDED, workload="ranges")
    while _margin(domain, epsilon, needed) > WANTED_MARGIN:
        needed = math.ceil(_MORE * needed)
    return needed


def points(margin: float) -> str:
    """Return a ``margin`` of error in percentage points, to two digits.

    >>> points(0.0512), points(0.512), points(1.5)
    ('± 5.1', '± 51', '± 100')
    """
    return f"± {100 * min(margin, 1.0):.{1 if margin < 0.0995 else 0}f}"


def rounded_up(number: float) -> int:
    """Return a whole ``number`` of two digits that count, or the next one above.

    >>> rounded_up(7712), rounded_up(41)
    (7800, 41)
    """
    step: int = 10 ** max(0, len(str(math.ceil(number))) - 2)
    return math.ceil(number / step) * step


def _bins_of(domain: Domain) -> str:
    """Return, in words, which bins can be fewer: not those of open ends and of no answer."""
    if len(domain.attributes) > 1:
        return "of each attribute"
    names: list[str] = []
    while isinstance(domain, Extended):
        names[:0] = [f"“{name}”" for name in (domain.before, domain.after) if name]
        domain = domain.inside
    found = ["besides " + " and ".join(names)] if names else []
    if domain.column == "dates":
        found.append("(weeks or months, as labels)")  # a bin is a day
    return " ".join(found)


def _cut(domain: Domain, bins: int) -> Domain:
    """Return a question like ``domain`` with at most so many ``bins`` for the values of each attribute."""
    parts = {name: _cut_one(part, bins) for name, part in domain.attributes.items()}
    return Domain.product(**parts) if len(parts) > 1 else next(iter(parts.values()))


def _cut_one(domain: Domain, bins: int) -> Domain:
    values = domain.plain.bins
    if values <= bins:
        return domain
    number = bins + domain.bins - values
    return (
        Domain.categories([str(label) for label in range(number)])
        if domain.unordered
        else Domain.integers(0, number - 1)
    )


def _margin(domain: Domain, epsilon: float, users: float) -> float:
    """Return the margin for so many people."""
    if len(domain.attributes) == 1 and not domain.unordered and 2 < domain.bins <= _MAX_WINDOWS:
        # what is chosen, or within two hundredths of it, in a third of the time
        return optimise_plan(domain, epsilon=epsilon, decomposition=Windows()).predict(users).margin
    return compare_plans(domain, epsilon=epsilon, expected_users=users).best.margin
