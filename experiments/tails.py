"""``python -m experiments.tails``: which crossing of a noisy cdf to call a quantile, from 1% to 99%.

The unbiased cdf crosses a share q more than once, and where hardly anybody is the crossings lie far apart.
Compared are the first and the last one, the middle of the cdf's two monotone envelopes, the crossing of least
check loss, which ``Estimate.quantile`` takes (and isotonic regression), and the denoised cdf's.
"""

from __future__ import annotations

import click
import numpy as np

import ldprange as ldp
from ldprange.estimation.shares import rising
from ldprange.support.arrays import Floats

BINS = 1024
QS = np.array([0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99])
RULES = ("first crossing", "last crossing", "middle of envelopes", "least check loss", "denoised")


def populations(bins: int) -> dict[str, Floats]:
    """Return populations by name: smooth ones, spiky ones, and such with a heavy tail."""
    place, rng = (np.arange(bins) + 0.5) / bins, np.random.default_rng(3)
    spiky = np.full(bins, 1e-6)
    spiky[rng.integers(0, bins, 12)] = rng.exponential(1, 12)
    delays = 20.0 * (place < 0.02) + 3 * np.exp(-place / 0.02) + 1e-4

    def bump(centre: float, width: float) -> Floats:
        found: Floats = np.exp(-(((place - centre) / width) ** 2) / 2)
        return found

    shares = {
        "even": np.ones(bins),
        "normal": bump(0.4, 0.12),
        "two bumps": bump(0.25, 0.06) + bump(0.7, 0.1) / 2,
        "lognormal": np.exp(-((np.log(place / 0.02) / 0.8) ** 2) / 2) / place,
        "pareto": (1 + place / 0.005) ** -2.2,
        "delays": delays,
        "cauchy": 1 / (1 + ((place - 0.4) / 0.01) ** 2),
        "spiky": spiky,
    }
    return {name: each / each.sum() for name, each in shares.items()}


def crossings(cdf: Floats, wanted: Floats) -> Floats:
    """Return the positions at which a cdf that does not fall reaches the wanted shares."""
    found = np.minimum(np.searchsorted(cdf[1:], wanted), cdf.size - 2)
    step = cdf[found + 1] - cdf[found]
    along = np.divide(wanted - cdf[found], step, out=np.full(wanted.shape, 0.5), where=step > 0)
    positions: Floats = found + np.clip(along, 0.0, 1.0)
    return positions


def guesses(aggregate: ldp.Aggregate) -> dict[str, Floats]:
    """Return the positions of all quantiles by every rule."""
    found, denoised = ldp.estimate(aggregate), ldp.estimate(aggregate, denoise=True)
    cdf = np.append(0.0, found.cdf(confidence=None).value)
    upper = np.maximum.accumulate(cdf)
    lower = np.minimum.accumulate(cdf[::-1])[::-1]
    return {
        "first crossing": crossings(upper, QS),
        "last crossing": crossings(lower, QS),
        "middle of envelopes": crossings(rising(cdf), QS),
        "least check loss": BINS * found.quantiles(QS, confidence=None).value,
        "denoised": BINS * denoised.quantiles(QS, confidence=None).value,
    }


def errors(shares: Floats, epsilon: float, users: int, surveys: int) -> dict[str, Floats]:
    """Return mean absolute errors by rule: of values, in % of the domain, and of shares below, in points."""
    plan = ldp.choose_plan(ldp.Domain.real(0.0, 1.0, bins=BINS), epsilon=epsilon, expected_users=users)
    cdf, boundaries = np.append(0.0, np.cumsum(shares)), np.arange(BINS + 1.0)
    truth, total = crossings(cdf, QS), {rule: np.zeros((2, QS.size)) for rule in RULES}
    for seed in range(surveys):
        people = np.random.default_rng(seed).multinomial(users, shares)
        for rule, positions in guesses(ldp.simulate(plan, people, seed=seed)).items():
            total[rule][0] += np.abs(positions - truth) / BINS
            total[rule][1] += np.abs(np.interp(positions, boundaries, cdf) - QS)
    return {rule: 100 * each / surveys for rule, each in total.items()}


@click.command()
@click.option("--epsilon", type=float, default=1.0, show_default=True)
@click.option("--users", type=click.IntRange(1), default=300_000, show_default=True)
@click.option("--surveys", type=click.IntRange(1), default=30, show_default=True, help="Of each population.")
def main(epsilon: float, users: int, surveys: int) -> None:
    """Print the mean absolute error of quantiles by population and rule."""
    found = {name: errors(each, epsilon, users, surveys) for name, each in populations(BINS).items()}
    for at, what in enumerate(("the value, in % of the domain", "the share below it, in points")):
        click.echo(f"\nError of {what}; {users:,} people, ε = {epsilon:g}\n")
        click.echo(f"| people | rule | {' | '.join(f'{100 * q:g}%' for q in QS)} |")
        click.echo(f"|---|---|{'---:|' * QS.size}")
        for name, rules in found.items():
            for rule, each in rules.items():
                click.echo(f"| {name} | {rule} | {' | '.join(f'{error:.2f}' for error in each[at])} |")


if __name__ == "__main__":
    main()
