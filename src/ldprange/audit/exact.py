"""The true ε of a plan, from the integers that its clients compare coins with.

Which level a person reports on is drawn without looking at the value, so a report on level l is as telling as
the mechanism of level l, and a plan as its worst level. Mechanisms know the greatest ratio of two likelihoods
by symmetry, as a fraction; so nothing is enumerated, and a plan may have any number of bins.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Decimal, localcontext
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import inf, nextafter, prod

from ldprange.learning.plan import LabelledPlan
from ldprange.oracles import Oracle
from ldprange.plan import Plan
from ldprange.randomness import WORDS, exponential_from_below

_DIGITS = 60  # a stated ε is told from a true one by parts in 10**48


@dataclass(frozen=True)
class LevelPrivacy:
    """What a report on one level tells, at worst.

    Attributes
    ----------
    attribute
        Of a labelled plan, what the level is about; otherwise empty.
    level
        Its number, from 0.
    oracle
        How it is asked.
    cells
        Among how many cells the oracle is asked.
    chance
        How likely a person is asked about it: exactly, as the coins decide.
    worst_ratio
        The greatest ratio of the likelihoods of one report under two different cells.
    """

    attribute: str
    level: int
    oracle: Oracle
    cells: int
    chance: Fraction
    worst_ratio: Fraction

    @cached_property
    def epsilon(self) -> float:
        """The true ε of the level, rounded up."""
        return logarithm_from_above(self.worst_ratio)


@dataclass(frozen=True)
class ExactPrivacy:
    """What a person's reports under a plan tell, at worst: the ``stated`` ε, and the ratio that holds.

    >>> from ldprange import Domain, Flat, GRR
    >>> found = exact_privacy(Plan(Domain.integers(1, 4), 1.0, Flat(), GRR()))
    >>> found.worst_ratio, found.epsilon, found.holds
    (Fraction(1020842615, 375547011), 0.9999999992815649, True)
    """

    stated: float
    worst_ratio: Fraction
    levels: tuple[LevelPrivacy, ...]

    @cached_property
    def epsilon(self) -> float:
        """The true ε, rounded up."""
        return logarithm_from_above(self.worst_ratio)

    @property
    def holds(self) -> bool:
        """Whether no report is more than e**ε times likelier from one value than from another, exactly."""
        return self.worst_ratio <= exponential_from_below(self.stated)


def exact_privacy(plan: Plan | LabelledPlan) -> ExactPrivacy:
    """Return what a person's reports under ``plan`` tell at worst, in rational numbers."""
    if isinstance(plan, Plan):
        levels = _levels(plan)
        return ExactPrivacy(plan.epsilon, _worst(levels), levels)
    each = [_levels(one, name) for name, one in zip(plan.attributes, plan.plans, strict=True)]
    worst = [_worst(some) for some in each]
    # one attribute is drawn without looking at the numbers; or all are told, with coins of their own
    together = max(worst) if plan.asked == "one" else prod(worst, start=Fraction(1))
    return ExactPrivacy(plan.epsilon, together, tuple(one for some in each for one in some))


def _levels(plan: Plan, attribute: str = "") -> tuple[LevelPrivacy, ...]:
    ends = [0, *(min(upto, WORDS) for upto in plan.level_thresholds), WORDS]
    return tuple(
        LevelPrivacy(
            attribute,
            number,
            plan.oracles[number],
            plan.levels[number].asked,
            Fraction(high - low, WORDS),
            plan.mechanisms[number].worst_ratio(),
        )
        for number, (low, high) in enumerate(pairwise(ends))
    )


def _worst(levels: tuple[LevelPrivacy, ...]) -> Fraction:
    return max(each.worst_ratio for each in levels if each.chance > 0)


def logarithm_from_above(ratio: Fraction) -> float:
    """Return the least floating-point number that is not below the natural logarithm of ``ratio`` ≥ 1.

    >>> logarithm_from_above(Fraction(1)), logarithm_from_above(Fraction(2**64))
    (0.0, 44.361419555836505)
    """
    with localcontext() as context:
        context.prec = _DIGITS
        context.rounding = ROUND_CEILING
        above = Decimal(ratio.numerator) / Decimal(ratio.denominator)
        logarithm = above.ln().next_plus() if ratio != 1 else Decimal(0)  # ln itself rounds to the nearest
    near = float(logarithm)
    return near if Fraction(near) >= Fraction(logarithm) else nextafter(near, inf)
