"""How large a chance must be at least, or can be at most, to have been seen as often as it was."""

from __future__ import annotations

from math import exp, lgamma, log, log1p

_NEGLIGIBLE = 1e-17
_HALVINGS = 100


def least_chance(seen: int, runs: int, risk: float) -> float:
    """Return the Clopper–Pearson lower bound on a chance that came true ``seen`` times in ``runs``.

    The true chance is below it with a probability of at most ``risk``.

    >>> round(least_chance(10, 100, 0.025), 6)
    0.049005
    """
    if seen == 0:
        return 0.0
    low, high = 0.0, seen / runs
    for _ in range(_HALVINGS):  # with more than this chance, as many are too likely
        middle = (low + high) / 2
        low, high = (low, middle) if _chance_of_so_many(seen, runs, middle) > risk else (middle, high)
    return low


def most_chance(seen: int, runs: int, risk: float) -> float:
    """Return the Clopper–Pearson upper bound on a chance that came true ``seen`` times in ``runs``.

    >>> round(most_chance(10, 100, 0.025), 6)
    0.176223
    """
    return 1.0 - least_chance(runs - seen, runs, risk)


def _chance_of_so_many(seen: int, runs: int, chance: float) -> float:
    """Return how likely at least ``seen`` of ``runs`` are, each of a ``chance`` up to seen/runs."""
    if not 0.0 < chance < 1.0:
        return float(chance >= 1.0)
    choices = lgamma(runs + 1) - lgamma(seen + 1) - lgamma(runs - seen + 1)
    term = exp(choices + seen * log(chance) + (runs - seen) * log1p(-chance))
    total, odds = 0.0, chance / (1 - chance)
    for number in range(seen, runs + 1):  # terms only fall, because seen/runs is not below the chance
        total += term
        term *= (runs - number) / (number + 1) * odds
        if term <= _NEGLIGIBLE * total:
            break
    return total
