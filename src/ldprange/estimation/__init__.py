"""From an aggregate to answers."""

from __future__ import annotations

from ldprange.aggregate import Aggregate
from ldprange.domain import Product
from ldprange.errors import QueryError
from ldprange.estimation.attribute_estimate import Estimate
from ldprange.estimation.consistent import ConsistentShares
from ldprange.estimation.denoised import DenoisedShares
from ldprange.estimation.joint_estimate import JointEstimate
from ldprange.estimation.raw import RawShares
from ldprange.sampling import Population, check_population
from ldprange.support.checking import check_type


def estimate(
    aggregate: Aggregate, *, consistent: bool = True, denoise: bool = False, population: Population = None
) -> Estimate:
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
        sample. A number: so many people, of whom they are a random sample. ``"respondents"``: just the
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
    if isinstance(aggregate.plan.domain, Product):
        if not consistent:
            raise QueryError(
                "over several attributes every estimate is consistent; leave out consistent=False"
            )
        return JointEstimate(aggregate, denoise=denoise, population=population)
    if denoise and not consistent:
        raise QueryError("only a consistent estimate can be denoised; leave out consistent=False")
    if denoise:
        return Estimate(aggregate.plan, DenoisedShares(aggregate, population))
    if consistent or not aggregate.plan.layout.has_nodes:
        return Estimate(aggregate.plan, ConsistentShares(aggregate, population))
    return Estimate(aggregate.plan, RawShares(aggregate, population))


__all__ = ["Estimate", "JointEstimate", "estimate"]
