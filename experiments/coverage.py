"""``python -m experiments.coverage``: how often 95% intervals hold what is true of the population.

Every survey asks other people: a random sample of a population that is known here and nowhere else.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import click
import numpy as np

import ldprange as ldp
from ldprange.least_squares.table import from_corners, shares_below
from ldprange.support.arrays import Floats

PEOPLE = (100, 1_000, 10_000, 1_000_000)
EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0)
BINS = 64
SHAPE = (16, 8)
_RANGES = 500
KINDS = ("ranges", "prefixes", "single bins", "two attributes", "given another")


def one_attribute(bins: int) -> dict[str, Floats]:
    """Return populations of one attribute: even, smooth, spiky, and one with half of all in the first bin."""
    place = (np.arange(bins) + 0.5) / bins
    spikes = np.full(bins, 1e-4)
    spikes[np.linspace(1, bins - 2, 6).astype(int)] = [5, 1, 0.5, 3, 0.2, 8]
    falling = np.exp(-6 * place)
    falling[0] = falling[1:].sum()
    smooth = np.exp(-(((place - 0.4) / 0.12) ** 2) / 2)
    shares = {"even": np.ones(bins), "smooth": smooth, "spiky": spikes, "zeros": falling}
    return {name: each / each.sum() for name, each in shares.items()}


def two_attributes(shape: tuple[int, int]) -> dict[str, Floats]:
    """Return populations of two attributes: spread evenly, correlated, and in four cells."""
    x, y = ((np.arange(bins) + 0.5) / bins - 0.5 for bins in shape)
    correlated = np.exp(-(x[:, None] ** 2 + y**2 - 1.2 * x[:, None] * y) / 0.04)
    spikes = np.full(shape, 1e-4)
    spikes[[0, 3, shape[0] // 2, -1], [0, 2, shape[1] // 2, -1]] = [5, 2, 3, 1]
    shares = {"even": np.ones(shape), "correlated": correlated, "spiky": spikes}
    return {name: each / each.sum() for name, each in shares.items()}


def held(answer: ldp.Answer[Floats], truth: Floats) -> float:
    """Return the part of the intervals that hold the truth; where it is 0 or all, nothing can be missed."""
    low, high = np.asarray(answer.low), np.asarray(answer.high)
    open_question = (truth > 0) & (truth < 1 - 1e-12)
    return float(((low <= truth) & (truth <= high))[open_question].mean())


def surveys_of_one(
    plan: ldp.Plan, shares: Floats, users: int, seeds: range, denoise: bool = False
) -> Iterator[list[float]]:
    """Yield the coverage of ranges, of prefixes and of single bins, survey by survey."""
    rng, bins = np.random.default_rng(1), shares.size
    cdf = np.append(0.0, np.cumsum(shares))
    ends = np.sort([rng.permutation(bins + 1)[:2] for _ in range(_RANGES)])
    low, high = ends[:, 0], ends[:, 1]
    for seed in seeds:
        people = np.random.default_rng(seed).multinomial(users, shares)
        found = ldp.estimate(ldp.simulate(plan, people, seed=seed), denoise=denoise)
        ranges = held(found.ranges(low, high - 1), cdf[high] - cdf[low])
        yield [
            ranges,
            held(found.prefixes(np.arange(bins - 1)), cdf[1:bins]),
            held(found.histogram(), shares),
        ]


def surveys_of_two(
    plan: ldp.Plan, shares: Floats, users: int, seeds: range, denoise: bool = False
) -> Iterator[list[float]]:
    """Yield the coverage of rectangles, and of one attribute's ranges given the lower half of the other."""
    rng, upto = np.random.default_rng(1), shares_below(shares)
    ends = [np.sort([rng.permutation(bins + 1)[:2] for _ in range(_RANGES)]) for bins in shares.shape]
    low, high = ([each[:, side] for each in ends] for side in (0, 1))
    truth = from_corners(low, high, upto)
    half = shares.shape[1] // 2
    given = upto[:, half] / upto[-1, half]
    for seed in seeds:
        people = np.random.default_rng(seed).multinomial(users, shares.reshape(-1)).reshape(shares.shape)
        found = ldp.estimate(ldp.simulate(plan, people, seed=seed), denoise=denoise)
        rectangles = held(found.ranges(a=(low[0], high[0] - 1), b=(low[1], high[1] - 1)), truth)
        try:
            among = found.marginal("a", given={"b": (0, half - 1)}).ranges(low[0], high[0] - 1)
        except ldp.QueryError:  # the reports see nobody there: no answer, and no interval
            yield [rectangles, np.nan]
            continue
        yield [rectangles, held(among, given[high[0]] - given[low[0]])]


def coverage(
    users: int, epsilon: float, surveys: int, bins: int = BINS, *, denoise: bool = False
) -> tuple[Floats, Floats]:
    """Return the coverage of every kind of question, over all populations, and its standard error.

    Two attributes are asked about beside ``BINS`` bins only. With ``denoise`` plans are for denoised answers,
    and answers are denoised.
    """
    seeds = range(surveys)
    chosen = partial(
        ldp.choose_plan, epsilon=epsilon, expected_users=users, answers="denoised" if denoise else "unbiased"
    )
    one, alone = chosen(ldp.Domain.integers(0, bins - 1)), one_attribute(bins).values()
    found = [[each for p in alone for each in surveys_of_one(one, p, users, seeds, denoise)]]
    if bins == BINS:
        attributes = {name: ldp.Domain.integers(0, size - 1) for name, size in zip("ab", SHAPE, strict=True)}
        two, joint = chosen(ldp.Domain.product(**attributes)), two_attributes(SHAPE).values()
        found.append([each for p in joint for each in surveys_of_two(two, p, users, seeds, denoise)])
    columns = [np.array(each) for each in found]
    means = np.concatenate([np.nanmean(each, axis=0) for each in columns])
    errors = [
        np.nanstd(each, axis=0) / np.sqrt(np.count_nonzero(~np.isnan(each), axis=0)) for each in columns
    ]
    return means, np.concatenate(errors)


@click.command()
@click.option("--surveys", type=click.IntRange(1), default=100, show_default=True, help="Of each population.")
@click.option("--bins", type=click.IntRange(8), default=BINS, show_default=True, help="Of one attribute.")
@click.option(
    "--people", type=click.IntRange(1), multiple=True, help="How many; all of the page's if left out."
)
@click.option("--denoise", is_flag=True, help="Denoised answers, from plans that are chosen for them.")
def main(surveys: int, bins: int, people: tuple[int, ...], denoise: bool) -> None:
    """Print how often 95% intervals of the chosen plans hold the population's shares, in per cent."""
    kinds = KINDS if bins == BINS else KINDS[:3]
    click.echo(f"| people | ε | {' | '.join(kinds)} |\n|---:|---:|{'---:|' * len(kinds)}")
    for users in people or PEOPLE:
        for epsilon in EPSILONS:
            means, errors = coverage(users, epsilon, surveys, bins, denoise=denoise)
            cells = (
                f"{100 * mean:.1f} ± {100 * error:.1f}" for mean, error in zip(means, errors, strict=True)
            )
            click.echo(f"| {users:,} | {epsilon:g} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
