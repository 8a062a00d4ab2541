"""``python -m experiments.quantile_intervals``: how often 95% intervals of quantiles hold, and their length.

Every survey asks other people, as in :mod:`experiments.coverage`. Half of all people at either end of the
domain is the hardest case: nobody is where the median's interval has to end.
"""

from __future__ import annotations

import click
import numpy as np

import ldprange as ldp
from experiments.coverage import one_attribute
from ldprange.support.arrays import Floats

QS = np.array([0.1, 0.25, 0.5, 0.75, 0.9])


def populations(bins: int) -> dict[str, Floats]:
    """Return populations by name."""
    halves = np.zeros(bins)
    halves[[0, -1]] = 0.501, 0.499
    return {**one_attribute(bins), "halves": halves}


def held_and_long(plan: ldp.Plan, shares: Floats, users: int, surveys: int, denoise: bool) -> Floats:
    """Return the part of surveys whose intervals hold each quantile, and their mean length in bins."""
    truth, found = np.searchsorted(np.cumsum(shares), QS - 1e-12), np.zeros((surveys, QS.size + 1))
    for seed in range(surveys):
        people = np.random.default_rng(seed).multinomial(users, shares)
        answer = ldp.estimate(ldp.simulate(plan, people, seed=seed), denoise=denoise).quantiles(QS)
        low, high = np.asarray(answer.low), np.asarray(answer.high)
        found[seed] = [*((low <= truth) & (truth <= high)), np.mean(high + 1 - low)]
    mean: Floats = found.mean(axis=0)
    return mean


@click.command()
@click.option("--surveys", type=click.IntRange(1), default=100, show_default=True, help="Of each population.")
@click.option("--bins", type=click.IntRange(8), default=1000, show_default=True)
@click.option("--people", type=click.IntRange(1), default=100_000, show_default=True)
@click.option("--epsilon", type=click.FloatRange(0, min_open=True), default=1.0, show_default=True)
@click.option("--denoise", is_flag=True, help="Denoised answers, from a plan that is chosen for them.")
def main(surveys: int, bins: int, people: int, epsilon: float, denoise: bool) -> None:
    """Print how often 95% intervals of quantiles hold, in per cent, and their mean length in bins."""
    plan = ldp.choose_plan(
        ldp.Domain.integers(0, bins - 1),
        epsilon=epsilon,
        expected_users=people,
        answers="denoised" if denoise else "unbiased",
    )
    click.echo(f"{bins:,} bins, {people:,} people, ε = {epsilon:g}, {surveys} surveys\n")
    click.echo(f"| people | {' | '.join(f'{100 * q:g}%' for q in QS)} | length |")
    click.echo(f"|---|{'---:|' * (QS.size + 1)}")
    for name, shares in populations(bins).items():
        *held, length = held_and_long(plan, shares, people, surveys, denoise)
        click.echo(f"| {name} | {' | '.join(f'{100 * part:.0f}' for part in held)} | {length:.1f} |")


if __name__ == "__main__":
    main()
