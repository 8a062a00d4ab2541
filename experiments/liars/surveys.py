"""Surveys in which some people lie together: populations, plans, attacks, and what comes of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

import ldprange as ldp
from experiments.liars.lies import chosen_hash_reports, item_weights, joined, range_weights
from ldprange.oracles.local_hashing import HashingMechanism
from ldprange.support.arrays import Counts, Floats

ITEMS = 10  # that are pushed together
Attack = Callable[[ldp.Plan, ldp.Aggregate, int, np.random.Generator], ldp.Aggregate]


def target(bins: int) -> tuple[int, int]:
    """Return the range that is pushed: a tenth of the domain, in the tail of the population."""
    return 6 * bins // 10, 7 * bins // 10


def _push_items(plan: ldp.Plan, honest: ldp.Aggregate, liars: int, rng: np.random.Generator) -> ldp.Aggregate:
    items = rng.choice(plan.domain.bins, ITEMS, replace=False)
    return joined(plan, honest, item_weights(plan, items.tolist()), liars, rng)


def _push_range(plan: ldp.Plan, honest: ldp.Aggregate, liars: int, rng: np.random.Generator) -> ldp.Aggregate:
    return joined(plan, honest, range_weights(plan, *target(plan.domain.bins)), liars, rng)


def _push_quantile(
    plan: ldp.Plan, honest: ldp.Aggregate, liars: int, rng: np.random.Generator
) -> ldp.Aggregate:
    """Push the median down: everybody into the lowest eighth."""
    return joined(plan, honest, range_weights(plan, 0, plan.domain.bins // 8), liars, rng)


def _push_on_one_level(
    plan: ldp.Plan, honest: ldp.Aggregate, liars: int, rng: np.random.Generator
) -> ldp.Aggregate:
    weights = range_weights(plan, *target(plan.domain.bins))
    each = zip(plan.mechanisms, weights, plan.probabilities, strict=True)
    gains = [float(mechanism.pull(weight).fair_coins) / chance for mechanism, weight, chance in each]
    return joined(plan, honest, weights, liars, rng, level=int(np.argmax(gains)))


def _push_by_a_hash(
    plan: ldp.Plan, honest: ldp.Aggregate, liars: int, rng: np.random.Generator
) -> ldp.Aggregate:
    weights = range_weights(plan, *target(plan.domain.bins))
    return joined(plan, honest, weights, liars, rng, reports=chosen_hash_reports)


def _claim_a_value(
    plan: ldp.Plan, honest: ldp.Aggregate, liars: int, rng: np.random.Generator
) -> ldp.Aggregate:
    """Claim a value in the range and have it randomised as everybody else."""
    people = np.zeros(plan.domain.bins, np.int64)
    people[sum(target(plan.domain.bins)) // 2] = liars
    return honest + ldp.simulate(plan, people, seed=int(rng.integers(1 << 32)))


ATTACKS: dict[str, Attack] = {
    "random items": _push_items,
    "a range": _push_range,
    "a quantile": _push_quantile,
    "a range, level chosen": _push_on_one_level,
    "honest coins, chosen value": _claim_a_value,
}


OF_HASHES: dict[str, Attack] = {"a range, hash chosen": _push_by_a_hash}
"""What is possible besides where reports have a hash of their own: under OLH."""


def attacks_on(plan: ldp.Plan) -> dict[str, Attack]:
    """Return the attacks that are possible on a ``plan``."""
    hashes = all(isinstance(mechanism, HashingMechanism) for mechanism in plan.mechanisms)
    return ATTACKS | OF_HASHES if hashes else ATTACKS


class Survey(NamedTuple):
    """How far answers were moved in one survey: of the range, unbiased and denoised; of the median, in bins.

    And whether it was found.
    """

    unbiased: float
    denoised: float
    median: float
    found: bool


def people(kind: str, bins: int, users: int, rng: np.random.Generator) -> Counts:
    """Return people per bin of a population of one of these kinds."""
    values = {
        "smooth": rng.beta(2, 5, users),
        "two peaks": _two_peaks(users, rng),
        "spikes": _spikes(users, rng),
    }[kind]
    return np.bincount(np.minimum((bins * values).astype(np.int64), bins - 1), minlength=bins)


def _two_peaks(users: int, rng: np.random.Generator) -> Floats:
    low = rng.random(users) < 0.6
    return np.clip(np.where(low, rng.normal(0.25, 0.05, users), rng.normal(0.8, 0.08, users)), 0, 0.9999)


def _spikes(users: int, rng: np.random.Generator) -> Floats:
    return rng.choice([0.0, 0.1, 0.25, 0.5, 0.75], users, p=[0.3, 0.3, 0.2, 0.15, 0.05])


def held(
    plan: ldp.Plan, kind: str, users: int, attack: str, share: float, seed: int
) -> tuple[ldp.Aggregate, ldp.Aggregate]:
    """Return the honest reports of a survey, and all of them: a ``share`` of its ``users`` lies."""
    rng = np.random.default_rng([seed, *attack.encode()])
    liars = round(share * users)
    honest = ldp.simulate(plan, people(kind, plan.domain.bins, users - liars, rng), seed=seed)
    return honest, attacks_on(plan)[attack](plan, honest, liars, rng)


def found(plan: ldp.Plan, kind: str, users: int, attack: str, share: float, seed: int) -> bool:
    """Return whether liars are found in one survey, a ``share`` of its ``users``."""
    _, told = held(plan, kind, users, attack, share, seed)
    return ldp.check(told).suspicious


def survey(plan: ldp.Plan, kind: str, users: int, attack: str, share: float, seed: int) -> Survey:
    """Return what comes of one survey with a ``share`` of liars among its ``users``."""
    honest, told = held(plan, kind, users, attack, share, seed)
    low, high = target(plan.domain.bins)
    before, after = ((ldp.estimate(each), ldp.estimate(each, denoise=True)) for each in (honest, told))
    unbiased, denoised = (
        float(b.range(low, high - 1, confidence=None)) - float(a.range(low, high - 1, confidence=None))
        for a, b in zip(before, after, strict=True)
    )
    medians = [float(each[0].median(confidence=None).value) for each in (before, after)]
    return Survey(unbiased, denoised, medians[1] - medians[0], ldp.check(told).suspicious)


def plan_of(kind: str, bins: int, users: int, epsilon: float) -> ldp.Plan:
    """Return the plan of a kind: the one that is chosen, the paper's HaarHRR, its TreeOUE, or TreeOLH."""
    domain = ldp.Domain.integers(0, bins - 1)
    match kind:
        case "haar":
            return ldp.Plan(domain, epsilon, ldp.Haar(), ldp.HRR())
        case "tree":
            return ldp.Plan(domain, epsilon, ldp.Tree(branching=4), ldp.OUE())
        case "olh":
            return ldp.Plan(domain, epsilon, ldp.Tree(branching=4), ldp.OLH())
        case _:
            return ldp.choose_plan(domain, epsilon=epsilon, expected_users=users)
