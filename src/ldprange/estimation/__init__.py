"""From an aggregate to answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast, overload

from numpy.typing import ArrayLike

from ldprange.aggregate import Aggregate
from ldprange.answer import Answer
from ldprange.errors import QueryError
from ldprange.estimation.attribute_estimate import Estimate
from ldprange.estimation.consistent import ConsistentShares, consistent_shares
from ldprange.estimation.joint_estimate import JointEstimate
from ldprange.estimation.predicted import estimate_of, predict_estimate
from ldprange.estimation.raw import RawShares
from ldprange.sampling import Population, check_population
from ldprange.support.arrays import Floats
from ldprange.support.checking import check_type

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    class EitherEstimate(JointEstimate, Estimate):
        """What :func:`estimate` returns, to a type checker, which cannot tell how many attributes there are.

        At run time it is one of the two, and what only the other one can be asked is an error in words.
        """

        @property
        def everyone(self) -> EitherEstimate: ...

        @overload
        def range(
            self,
            ranges: Mapping[str, Any] | None = None,
            /,
            *,
            confidence: float | None = 0.95,
            given: Mapping[str, Any] | None = None,
            **named: Any,
        ) -> Answer[float]: ...
        @overload
        def range(
            self, low: Any, high: Any = ..., /, *, confidence: float | None = 0.95
        ) -> Answer[float]: ...
        def range(self, /, *args: Any, **kwargs: Any) -> Answer[float]: ...

        @overload
        def ranges(
            self,
            ranges: Mapping[str, Any] | None = None,
            /,
            *,
            confidence: float | None = 0.95,
            given: Mapping[str, Any] | None = None,
            **named: Any,
        ) -> Answer[Floats]: ...
        @overload
        def ranges(
            self, lows: ArrayLike, highs: ArrayLike, /, *, confidence: float | None = 0.95
        ) -> Answer[Floats]: ...
        def ranges(self, /, *args: Any, **kwargs: Any) -> Answer[Floats]: ...

        @overload
        def plot(self, *names: str, title: str = "") -> Figure: ...
        @overload
        def plot(self, *, counts: ArrayLike | None = None, title: str = "", label: str = "") -> Figure: ...
        def plot(self, *args: Any, **kwargs: Any) -> Figure: ...


def estimate(
    aggregate: Aggregate, *, consistent: bool = True, denoise: bool = False, population: Population = None
) -> EitherEstimate:
    """Estimate the distribution behind an aggregate, without bias unless it is denoised.

    Parameters
    ----------
    aggregate
        Counts of reports.
    consistent
        Combine all levels by least squares, so that every range is the sum of its parts. ``False``
        gives the paper's raw tree, for comparison: a range is the sum of the fewest nodes that make
        it up. (Haar and windows have no such nodes: they are the same either way.)
    denoise
        Trade a little bias for less error: the result is a distribution (no share below 0, all together 1).
        Intervals stay those of the unbiased estimate, within 0 and 1, and hold the denoised value.
    population
        Whom the intervals speak of. Left out: an endless population of which those who answered are a random
        sample. A number: that many people, of whom they are a random sample. ``"respondents"``: just the
        people who answered, whoever they are. No interval makes up for who chose to answer.

    >>> import ldprange as ldp
    >>> plan = ldp.Plan(ldp.Domain.integers(0, 9), 2.0, ldp.Tree(branching=4), ldp.OUE())
    >>> people = [2] * 30_000 + [7] * 10_000
    >>> print(estimate(ldp.simulate(plan, plan.domain.count(people), seed=1)).range(0, 4))
    0.746 [0.732, 0.761] at 95%
    """
    check_type(aggregate, Aggregate, "what is estimated from")
    check_type(denoise, bool, "whether to denoise")
    check_population(population, aggregate.reports)
    return cast("EitherEstimate", _estimate(aggregate, consistent, denoise, population))


def _estimate(
    aggregate: Aggregate, consistent: bool, denoise: bool, population: Population
) -> Estimate | JointEstimate:
    if len(aggregate.plan.domain.attributes) > 1:
        if not consistent:
            raise QueryError(
                "over several attributes every estimate is consistent; leave out consistent=False"
            )
        return JointEstimate(aggregate, denoise=denoise, population=population)
    if denoise and not consistent:
        raise QueryError("only a consistent estimate can be denoised; leave out consistent=False")
    plan = aggregate.plan
    if consistent or not plan.layout.has_nodes:
        return estimate_of(plan, consistent_shares(aggregate, population, denoise=denoise))
    if plan.domain.optional:
        raise QueryError(
            "where there may be no answer, every estimate is consistent; leave out consistent=False"
        )
    return Estimate(plan, RawShares(aggregate, population))


def shares_by_attribute(aggregate: Aggregate) -> dict[str, ConsistentShares]:
    """Return the unbiased shares of each attribute by itself, by its name."""
    found = _estimate(aggregate, consistent=True, denoise=False, population=None)
    names = aggregate.plan.domain.attributes
    return {name: cast("ConsistentShares", found.marginal(name).everyone._shares) for name in names}


__all__ = ["Estimate", "JointEstimate", "estimate", "predict_estimate", "shares_by_attribute"]
