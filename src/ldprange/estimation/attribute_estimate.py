"""Answers in the user's own units, each with its interval."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ldprange.answer import Answer, Asked
from ldprange.domain import Domain
from ldprange.domain.no_answer import NO_ANSWER, check_answered
from ldprange.errors import DomainError, QueryError
from ldprange.estimation.crossings import crossings
from ldprange.estimation.inner_bounds import (
    cells_note,
    inner_bounds_note,
    interval_between,
    shares_between,
)
from ldprange.estimation.named_ranges import check_ends, check_one
from ldprange.estimation.pictures import one_attribute
from ldprange.estimation.quantile_bounds import quantile_bounds
from ldprange.estimation.shares import Shares
from ldprange.plan import Plan
from ldprange.support.arrays import Floats, Positions
from ldprange.support.checking import check_choice, counted, is_number, shown
from ldprange.support.columns import as_array
from ldprange.support.html_tables import html_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MAX_SHARES_TOLD = 8
_THE_SAME: Any = object()  # a high end that was left out; None would be a mistake


class Estimate:
    """What the reports say about the population.

    Every question takes ``confidence``, 0.95 if not said otherwise; ``None`` leaves the interval out.
    Shares are unbiased, so a small one may come out below 0, unless the estimate was denoised: then they lie
    between 0 and 1 and rise with the range, and intervals stay about the unbiased share.

    Made by :func:`ldprange.estimate`.

    >>> import ldprange as ldp
    >>> plan = ldp.Plan(ldp.Domain.integers(0, 9), 2.0, ldp.Tree(branching=4), ldp.OUE())
    >>> found = ldp.estimate(ldp.simulate(plan, plan.domain.count([2] * 30_000 + [7] * 20_000), seed=1))
    >>> print(found.range(0, 4))
    0.593 [0.580, 0.607] at 95%
    >>> print(found.describe())
    50,000 people reported
    mean       4.01476 [3.94764, 4.08188] at 95%
    25% up to  2 [2, 2] at 95%
    50% up to  2 [2, 2] at 95%
    75% up to  7 [7, 7] at 95%
    """

    def __init__(
        self,
        plan: Plan,
        shares: Shares,
        domain: Domain | None = None,
        everyone: Estimate | None = None,
    ) -> None:
        self.plan = plan
        self._everyone = everyone
        self._shares = shares
        self.domain = domain or plan.domain
        """What is asked about: the plan's domain or one of its attributes, without "no answer"."""
        self.users = shares.users
        """How many people reported."""

    def __repr__(self) -> str:
        reports = counted(self.users, "report", "reports")
        return f"{self._shares.name} from {reports} under plan {self.plan.fingerprint}"

    def _repr_html_(self) -> str:
        return html_text(f"{self!r}\n{self.describe()}")

    @property
    def everyone(self) -> Estimate:
        """The estimate of all people, with "no answer" as a bin; itself, where everybody has to answer.

        Where people may give no answer, an estimate speaks of those who gave one, and this of all.

        >>> import ldprange as ldp
        >>> plan = ldp.Plan(ldp.Domain.integers(0, 9, no_answer=True), 4.0, ldp.Tree(branching=4), ldp.OUE())
        >>> found = ldp.estimate(ldp.simulate_values(plan, [2, 2, 7, None] * 10_000, seed=1))
        >>> print(found.range(0, 4))
        0.671 [0.660, 0.682] at 95%
        >>> print(found.everyone.range(0, 4))
        0.500 [0.492, 0.508] at 95%
        >>> print(found.no_answer())
        0.255 [0.247, 0.264] at 95%
        """
        return self._everyone or self

    def no_answer(self, *, confidence: float | None = 0.95) -> Answer[float]:
        """Return the share of all people who gave no answer."""
        domain = self.everyone.domain
        if not domain.optional:
            raise QueryError(
                "everybody has to answer here; for a share of no answer, make the domain with no_answer=True"
            )
        return self.everyone.range(NO_ANSWER, NO_ANSWER, confidence=confidence)

    def marginal(
        self, name: str | None = None, *more: str, given: Mapping[str, Any] | None = None
    ) -> Estimate:
        """Return the estimate of the only attribute, which is this one: :class:`JointEstimate` has several.

        Parameters
        ----------
        name
            Left out, or ``""``: one attribute has no name.
        *more
            None: further names are an error, in words.
        given
            Left out or empty: there is no other attribute to give a range of.
        """
        check_one(name, more)
        self.domain.attribute(name or "")  # raises an error if there is none of this name
        if given:
            raise QueryError(
                f"there is one attribute, and no other to give a range of, got given={shown(dict(given))}; "
                "leave it out"
            )
        return self

    def range(self, low: Any, high: Any = _THE_SAME, *, confidence: float | None = 0.95) -> Answer[float]:
        """Return the share of people between ``low`` and ``high``; of one value, if that is left out.

        Both ends are included where every value has a bin of its own (whole numbers, dates, labels). On
        bins with width the range goes from ``low`` up to, not including, ``high``; only the top end of the
        domain itself belongs to the last bin.
        """
        return single(self.ranges([low], [low if high is _THE_SAME else high], confidence=confidence))

    def ranges(self, lows: ArrayLike, highs: ArrayLike, *, confidence: float | None = 0.95) -> Answer[Floats]:
        """Return the shares of many ranges at once, as arrays."""
        for bounds in (lows, highs):
            check_answered(self.domain, self.everyone.domain, bounds)
        starts, stops = self.domain.starts(lows), self.domain.stops(highs)
        try:
            starts, stops = np.broadcast_arrays(starts, stops)
        except ValueError:
            raise QueryError(
                f"there must be as many low ends as high ends, got {starts.shape} and {stops.shape}"
            ) from None
        check_ends(starts, stops, lows, highs)
        low_ends, high_ends = (np.broadcast_to(np.asarray(bounds), starts.shape) for bounds in (lows, highs))
        asked: Asked = partial(dict, {"from": low_ends, "to": high_ends})
        return replace(self._answer(starts, stops, confidence), asked=asked)

    def prefix(self, bound: Any, *, confidence: float | None = 0.95) -> Answer[float]:
        """Return the share of people from the domain's low end up to ``bound``, as :meth:`range` has it."""
        return single(self.prefixes([bound], confidence=confidence))

    def prefixes(self, bounds: ArrayLike, *, confidence: float | None = 0.95) -> Answer[Floats]:
        """Return the shares of many prefixes at once, as arrays."""
        if self.domain.unordered:
            raise QueryError(
                "categories have no order, so they have no prefixes; ask for the share of a label with range"
            )
        check_answered(self.domain, self.everyone.domain, bounds)
        stops = self.domain.stops(bounds)
        answer = self._answer(np.zeros_like(stops), stops, confidence)
        return replace(answer, asked=partial(dict, to=np.asarray(bounds)))

    def histogram(self, *, confidence: float | None = 0.95) -> Answer[Floats]:
        """Return the share of every bin."""
        bins = np.arange(self._shares.bins, dtype=np.float64)
        answer = self._answer(bins, bins + 1, confidence)
        return replace(answer, asked=self.domain.bin_columns, kind="shares of bins")

    def cdf(self, *, confidence: float | None = 0.95, band: str = "pointwise") -> Answer[Floats]:
        """Return the share up to every bin, itself included.

        Parameters
        ----------
        confidence
            How often the interval is to hold the truth.
        band
            ``"pointwise"``: each interval holds on its own. ``"simultaneous"``: all hold at once (by
            Bonferroni's inequality: for trees and Haar 2 to 5% wider than need be, more where a level has
            so few reports that one of them moves a share far).
        """
        if self.domain.unordered:
            raise QueryError("categories have no order, so they have no cdf; ask for the histogram")
        self._check_answered("cdf")
        check_choice(band, ("pointwise", "simultaneous"), "the band", QueryError)
        stops = np.arange(1.0, self._shares.bins + 1)
        at_once = max(1, self._shares.bins - 1) if band == "simultaneous" else 1
        answer = self._answer(np.zeros_like(stops), stops, confidence, at_once)
        return replace(answer, asked=partial(_upper_ends, self.domain), kind="shares up to bins")

    def quantile(self, q: float, *, confidence: float | None = 0.95) -> Answer[Any]:
        """Return the value up to which a share ``q`` of the people lies, in the domain's units."""
        return self.quantiles([q], confidence=confidence).map(lambda column: column.tolist()[0])

    def quantiles(self, qs: ArrayLike, *, confidence: float | None = 0.95) -> Answer[NDArray[Any]]:
        """Return many quantiles at once, as arrays.

        Each interval is of whole bins, and holds by itself. It leaves out what shares below boundaries rule
        out: first those of all boundaries at once, and then some thirty in turn from either end.
        """
        if self.domain.unordered:
            raise QueryError("categories have no order, so they have no quantiles; ask for the share of each")
        self._check_answered("quantiles")
        given = as_array(qs)
        if given.dtype.kind not in "iuf":
            raise QueryError(f"a quantile must be a number, got {shown(qs)}")
        wanted = given.astype(np.float64)
        if not np.all((wanted >= 0) & (wanted <= 1)):
            outside = wanted[~((wanted >= 0) & (wanted <= 1))].flat[0]
            raise QueryError(
                f"a quantile must lie between 0 and 1, such as 0.5 for the median, got {outside:g}"
            )
        z = normal_quantile(confidence, 1)
        # quantile 0 is the least value anyone has; at 1/N itself noise would decide which step it is
        first_person = 0.5 / self.users if self.users else 0.0
        flat, domain = np.maximum(wanted.reshape(-1), first_person), self.domain
        positions = crossings(self._shares.cdf, flat)
        value = _units([domain.at(position) for position in positions.tolist()], wanted.shape)
        asked: Asked = partial(dict, q=wanted)
        if z is None:
            return Answer(value, None, None, None, asked=asked, jumps=True, kind="quantiles")
        low, high = quantile_bounds(self._shares, flat, z)
        low, high = np.minimum(low, positions), np.maximum(high, positions)
        lows = _units([domain.at(position) for position in low.tolist()], wanted.shape)
        highs = _units([domain.up_to(position) for position in high.tolist()], wanted.shape)
        return Answer(value, lows, highs, confidence, asked=asked, jumps=True, kind="quantiles")

    def _check_answered(self, what: str) -> None:
        if self.domain.optional:
            raise QueryError(
                f"there can be no {what} of everyone: people who gave no answer have no place among values; "
                "ask about those who answered, without everyone"
            )

    def median(self, *, confidence: float | None = 0.95) -> Answer[Any]:
        """Return the value up to which half of the people lie."""
        return self.quantile(0.5, confidence=confidence)

    def mean(self, *, confidence: float | None = 0.95) -> Answer[float]:
        """Return the mean of people's values: Σ value · share over all bins; of a wide bin, its middle.

        It is unbiased, unless the estimate was denoised, but for where in its bin each person lies, which the
        interval does not allow for: up to half a bin where bins have equal width, more where they are
        logarithmic (there the middle is the geometric one). It does allow for where people are in cells of
        several bins, which the reports of some plans do not tell apart. Among some of the people (those who
        answered, where some may give no answer, or those in a condition) it is a ratio of two estimates, with
        Fieller's interval.
        """
        values, shares, z = self.domain.middles(), self._shares, normal_quantile(confidence, 1)
        value = float(values @ np.diff(shares.cdf))
        if z is None:
            return Answer(value, None, None, None, kind="means")
        if not self.users:  # it may be anything
            return Answer(value, float(values.min()), float(values.max()), confidence, kind="means")
        low, high = shares.mean_interval(values, z)
        note = cells_note(shares.scales[-1])
        return Answer(value, min(low, value), max(high, value), confidence, note, kind="means")

    def describe(self, *, confidence: float | None = 0.95) -> str:
        """Return lines with the number of people, the mean of numbers and the quartiles, at ``confidence``.

        Categories have neither: of them the lines tell the largest shares.
        """
        lines = [f"{counted(self.users, 'person', 'people')} reported"]
        if self._everyone is not None:
            lines.append(f"no answer  {self.no_answer(confidence=confidence)}; of those who answered:")
        if self.domain.unordered:
            shares = self.histogram(confidence=None).value
            largest = map(self.domain.label, np.argsort(-shares, kind="stable")[:_MAX_SHARES_TOLD].tolist())
            lines += [f"{label}  {self.range(label, label, confidence=confidence)}" for label in largest]
            return "\n".join(lines)
        with suppress(DomainError):  # dates and labels have none
            mean = self.mean(confidence=confidence).map("{:.6g}".format)
            lines.append(f"mean       {mean}")
        lines += [f"{100 * q:g}% up to  {self.quantile(q, confidence=confidence)}" for q in (0.25, 0.5, 0.75)]
        return "\n".join(lines)

    def plot(self, *, counts: ArrayLike | None = None, title: str = "", label: str = "") -> Figure:
        """Return a figure of the distribution, with 95% intervals, which a notebook shows by itself.

        Of more than 2,000 bins some are drawn together, as the mean share of a bin, without intervals.
        It is one of matplotlib (``pip install 'ldprange[plot]'``); ``figure.savefig("commutes.png")`` keeps
        it.

        Parameters
        ----------
        counts
            The true number of people per bin (:meth:`ldprange.Domain.count` makes them), where it is known
            (a rehearsal), drawn beside.
        title
            Above the figure.
        label
            What the values are, such as "minutes", on their axis.
        """
        return one_attribute(self, counts, title, label)

    def _answer(
        self, starts: Positions, stops: Positions, confidence: float | None, at_once: int = 1
    ) -> Answer[Floats]:
        z = normal_quantile(confidence, at_once)
        shares, step = self._shares, self._shares.scales[-1]
        value = shares_between(lambda low, high: shares.share(low[0], high[0]), [starts], [stops])
        if z is None:
            return Answer(value, None, None, None, kind="shares")
        low, high = interval_between(
            lambda ends: shares.interval(*ends[0], z), [starts], [stops], [step], [shares.bins]
        )
        note = inner_bounds_note(self.domain, starts, stops, step)
        low, high = np.minimum(low, value), np.maximum(high, value)
        return Answer(value, low, high, confidence, note, kind="shares")


def _upper_ends(domain: Domain) -> dict[str, NDArray[Any]]:
    """Return the column that says where every prefix of whole bins ends."""
    return {name: column for name, column in domain.bin_columns().items() if name != "from"}


def normal_quantile(confidence: float | None, at_once: int) -> float | None:
    """Return how many standard deviations an interval reaches to either side; none, if none is wanted."""
    if confidence is None:
        return None
    if not is_number(confidence) or not 0 < confidence < 1:
        raise QueryError(f"the confidence must lie between 0 and 1, such as 0.95, got {shown(confidence)}")
    return -NormalDist().inv_cdf((1 - confidence) / (2 * at_once))


def _units(values: list[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Collect values of the domain's own type; dates and labels stay what they are."""
    if all(isinstance(value, int | float) for value in values):
        return np.array(values).reshape(shape)
    array = np.empty(len(values), object)
    array[:] = values
    return array.reshape(shape)


def single(answer: Answer[Floats]) -> Answer[float]:
    """Return the only one of an array of answers."""
    if answer.value.shape != (1,):
        raise QueryError("range and prefix take single bounds; ranges and prefixes take many at once")
    return answer.map(lambda column: float(column[0]))
