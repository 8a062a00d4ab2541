"""How many bins, and one attribute a person or all of them: by exact prediction."""

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache

from ldprange.domain import Domain
from ldprange.errors import PlanError
from ldprange.learning.plan import Asked, Label, LabelledPlan, check_numerical
from ldprange.plan import Plan, check_epsilon
from ldprange.planner import choose_plan, useful_bins
from ldprange.planner.compare import check_users
from ldprange.support.checking import shown

_MIN_BINS = 8  # a density needs a shape, however noisy
_MAX_BINS = 256
_PEOPLE_PER_BIN = 4  # a bin's share is then as large as the half-width of its 95% interval, drawing alone


def choose_labelled_plan(
    domains: Mapping[str, Domain], classes: Sequence[Label], *, epsilon: float, expected_users: float
) -> LabelledPlan:
    """Return the plan of least predicted error: one attribute a person with all of ε, or all with a part.

    Parameters
    ----------
    domains
        What numbers people may have, by attribute.
    classes
        The public labels that a person may have.
    epsilon
        The total privacy loss of a person, over all attributes.
    expected_users
        How many people are expected to report.

    >>> domains = {"hours": Domain.integers(0, 23), "trips": Domain.integers(0, 31)}
    >>> choose_labelled_plan(domains, ["stays", "leaves"], epsilon=1.0, expected_users=100_000).asked
    'one'
    >>> choose_labelled_plan(domains, ["stays", "leaves"], epsilon=20.0, expected_users=100_000).asked
    'all'
    """
    if not isinstance(domains, Mapping) or not domains:
        raise PlanError(f"there must be a domain for each attribute, by its name, got {shown(domains)}")
    for name, domain in domains.items():
        check_numerical(name, domain)
    check_epsilon(epsilon)
    check_users(expected_users)
    ways: tuple[tuple[Asked, float], ...] = (
        ("one", float(epsilon)),
        ("all", part_of(float(epsilon), len(domains))),
    )
    candidates = [
        LabelledPlan(tuple(domains), [_best(domain, each) for domain in domains.values()], classes, asked)
        for asked, each in ways
    ]
    return min(candidates, key=lambda plan: plan.predict(expected_users))


def part_of(epsilon: float, parts: int) -> float:
    """Return the largest ε that can be spent a number of times without exceeding the whole, exactly."""
    part = epsilon / parts
    return part if Fraction(part) * parts <= Fraction(epsilon) else math.nextafter(part, 0.0)


@lru_cache(maxsize=64)  # the folds of a cross-validation are alike
def density_bins(epsilon: float, users: float) -> int:
    """Return into how many bins a density can be cut that ``users`` people tell of, as a power of two.

    A bin is useful as long as its share, in an even population, is at least the half-width of its 95%
    interval: of what privacy adds (:func:`ldprange.useful_bins`), and of what drawing people adds.

    >>> density_bins(epsilon=2.0, users=100_000), density_bins(epsilon=0.5, users=100)
    (64, 8)
    """
    drawn = users / _PEOPLE_PER_BIN
    if drawn < 2 * _MIN_BINS:
        return _MIN_BINS
    try:
        told = useful_bins(epsilon=epsilon, expected_users=users)
    except PlanError:  # not even two halves can be told apart
        return _MIN_BINS
    return min(max(told, _MIN_BINS), 1 << math.floor(math.log2(drawn)), _MAX_BINS)


@lru_cache(maxsize=64)  # so are attributes, often
def _best(domain: Domain, epsilon: float) -> Plan:
    # which plan is best does not depend on how many people there are
    return choose_plan(domain, epsilon=epsilon, expected_users=1.0, workload="ranges")
