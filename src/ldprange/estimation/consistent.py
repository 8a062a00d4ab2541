"""One attribute's shares from all levels together: by least squares, and denoised where that is wanted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ldprange.aggregate import Aggregate
from ldprange.decompositions.contract import Estimator, Variances
from ldprange.estimation.denoise_beside import denoised_beside
from ldprange.estimation.denoise_categories import in_orders
from ldprange.estimation.denoise_line import denoised
from ldprange.estimation.line_noise import LineNoise, LineNoiseIn, Noise
from ldprange.estimation.shares import (
    CentredShares,
    Spread,
    drawn_slope,
    level_estimates,
    nowhere_empty,
    one_person,
    rising,
)
from ldprange.estimation.single_reports import SingleReports, most_of_one
from ldprange.estimation.within_cells import within_cells
from ldprange.levels import boundaries
from ldprange.noise import Law
from ldprange.plan import Plan
from ldprange.sampling import Population
from ldprange.support.arrays import Boundaries, Floats
from ldprange.support.blas import callers_thread

_ORDINARY = 2.1  # standard deviations, up to which a normal law is near enough
_SMALL = 2.0  # of 1/z standard deviations, which one report may move shares by that have a normal law


@dataclass(eq=False)
class ConsistentShares(CentredShares):
    """Shares with exact variances; the population in them is the estimated one, made to be a distribution.

    Denoised values are biased where a bin stands out alone, so intervals stay about the unbiased ones.

    Parameters
    ----------
    unbiased_cdf, denoised_cdf
        The share below each boundary, before denoising and after; None if it is not denoised.
    users, scales
        As :class:`~ldprange.estimation.shares.Shares` has them.
    variances_in
        The exact variances of ranges in a population, from its cdf, which must not fall.
    empty
        The variances of ranges where nobody is, from their ends and their variances in an even population;
        None if it hardly matters where people are.
    sampled
        As :class:`~ldprange.estimation.shares.CentredShares` has it.
    most_of_one
        What no report moves a share further than, about.
    single_reports
        Works out how far single reports move shares; None if it is not known.
    """

    unbiased_cdf: Floats
    denoised_cdf: Floats | None
    users: int
    scales: tuple[int, ...]
    variances_in: Callable[[Floats], Variances]
    empty: Callable[[Boundaries, Boundaries, Floats], Floats] | None
    sampled: float
    most_of_one: float = 0.0
    single_reports: Callable[[], SingleReports | None] | None = None

    def __post_init__(self) -> None:
        self.cdf = self.unbiased_cdf if self.denoised_cdf is None else self.denoised_cdf
        self.bins, self.bounded = self.cdf.size - 1, self.denoised_cdf is not None
        self.name = "Denoised estimate" if self.bounded else "Estimate"

    def centre(self, low: Boundaries, high: Boundaries) -> Floats:
        return self.unbiased_cdf[high] - self.unbiased_cdf[low]

    def spread(self, low: Boundaries, high: Boundaries) -> Spread:
        variance, share = self._variances(low, high), self._population_cdf[high] - self._population_cdf[low]
        even_share = (high - low) / self.bins
        if self.empty is None:
            return Spread(
                variance, share, drawn_slope(even_share, self.sampled), one_person(self.users), self._reach
            )
        even = self._even_variances(low, high)
        empty = self.empty(low, high, even)
        return Spread.of(variance, share, even, even_share, empty, self.sampled, self.users, self._reach)

    @cached_property
    def single(self) -> SingleReports | None:
        """How far single reports move shares; None if that is not known, or if there are no reports."""
        return self.single_reports and self.single_reports()

    def _reach(self, variance: Floats, z: float) -> Floats:
        """Return how far shares may be off, as :class:`~ldprange.estimation.shares.Spread` has it."""
        found: Floats = z * np.sqrt(variance)
        few = (found > 0) & (_SMALL * found < z**2 * self.most_of_one)
        if z > _ORDINARY and few.any() and self.single:
            found[few] = self.single.reach(variance[few], z)
        return found

    @cached_property
    def _variances(self) -> Variances:
        return self.variances_in(self._population_cdf)

    @cached_property
    def _even_variances(self) -> Variances:
        return self.variances_in(np.linspace(0.0, 1.0, self.bins + 1))

    @cached_property
    def _population_cdf(self) -> Floats:
        return self.cdf if self.bounded else rising(self.cdf)


@callers_thread
def consistent_shares(
    aggregate: Aggregate, population: Population = None, *, denoise: bool = False
) -> ConsistentShares:
    """Return the shares that an ``aggregate`` of one attribute tells of a ``population``.

    They are unbiased, unless ``denoise``.
    """
    plan, users = aggregate.plan, aggregate.users
    estimator, scales = plan.estimator(users, population), plan.layout.known_sizes(users)
    everywhere, known = np.arange(plan.domain.bins + 1), boundaries(plan.domain.bins, scales[-1])
    cdf = (
        _cdf(estimator.fit(level_estimates(aggregate))) if aggregate.reports else everywhere / everywhere[-1]
    )
    if scales[-1] > 1:  # people are taken to be spread evenly where no level says more
        cdf = np.interp(everywhere, known, cdf[known])
    smooth = None
    if denoise:
        law = plan.law(users, population)
        smooth = _denoised(plan, estimator, law, cdf, known) if aggregate.reports else cdf
    return shares_around(plan, estimator, users, cdf, population, smooth)


def _denoised(plan: Plan, estimator: Estimator, law: Law, cdf: Floats, known: Boundaries) -> Floats:
    """Return the denoised cdf of all bins, of which reports tell what is below the ``known`` boundaries.

    Noise is first taken to be that of an even population, then, if people are drawn and it matters, of the
    one that was found.
    """
    bins, plain, estimate = cdf.size - 1, plan.domain.plain_bins, np.diff(cdf)
    occupied = law.occupied_part([level.asked for level in plan.levels])

    def found(shares: Floats, noise: Noise) -> Floats:
        if known.size == cdf.size:
            return denoised_beside(shares, noise, plain)
        cells = denoised(np.diff(cdf[known]), noise.block_variances, noise.variances, known)
        return within_cells(cells, known)

    def in_order(order: Boundaries | slice) -> Floats:
        shares = found(estimate[order], LineNoise(estimator, known, bins))
        if law.drawn and occupied > 0:
            people = _cdf(nowhere_empty(shares, float(law.users.sum())))
            shares = found(estimate[order], LineNoiseIn(estimator, known, people, occupied))
        return shares

    # the noise of categories, which are asked about all at once, is the same in any order
    shares = in_orders(in_order, bins, plain, unordered=bool(plan.domain.unordered))
    return _cdf(shares).clip(0.0, 1.0)


def shares_around(
    plan: Plan,
    estimator: Estimator,
    users: Sequence[float],
    cdf: Floats,
    population: Population,
    smooth: Floats | None = None,
) -> ConsistentShares:
    """Return the shares of a ``population`` with an estimated ``cdf`` from ``users`` on each level.

    The ``estimator`` is the plan's for them; ``smooth`` is the denoised cdf, if it is denoised.
    """
    law = plan.law(users, population)
    occupied = law.occupied_part([level.asked for level in plan.levels])
    empty = None if occupied == 0 else lambda low, high, even: (1 - occupied) * even
    return ConsistentShares(
        cdf,
        smooth,
        round(sum(users)),
        plan.layout.known_sizes(users),
        estimator.variances,
        empty,
        law.sampled,
        most_of_one(plan.mechanisms, users),
        lambda: SingleReports.of(estimator, plan.levels, plan.mechanisms, law, plan.domain.bins),
    )


def _cdf(shares: Floats) -> Floats:
    cdf = np.append(0.0, np.cumsum(shares))
    cdf[-1] = 1.0
    return cdf
