"""``python -m experiments.many``: errors on questions about many attributes, ours and other people's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import click
import numpy as np

from experiments.many.data import ATTRIBUTES, BINS, DATA, People, people
from experiments.many.hdg import hdg
from experiments.many.hio import hio
from experiments.many.ours import ours
from experiments.many.queries import Queries, random_queries, true_answers
from experiments.many.uniform import uniform
from experiments.seeds import seed_of
from ldprange.support.arrays import Floats

Method = Callable[[People, float, Queries, np.random.Generator], Floats]

METHODS: dict[str, Method] = {
    "ldprange": partial(ours, answers="denoised"),
    "ldprange, default plan": ours,
    "HDG": hdg,
    "HDG, all quadrants": partial(hdg, quadrants=True),
    "HIO": hio,
    "Uni": uniform,
}
WAYS = (2, 4)
EPSILONS = (0.5, 1.0, 2.0)

_HEAD = (
    "| data | λ | ε | method | mean absolute error | ± | mean squared error |\n|---|---|---|---|---|---|---|"
)


@click.command()
@click.option(
    "--data", multiple=True, type=click.Choice(list(DATA)), help="Only these people.  [default: all]"
)
@click.option("--users", type=click.IntRange(1 << 13), default=10**6, show_default=True)
@click.option("--queries", type=click.IntRange(1), default=200, show_default=True, help="Questions a seed.")
@click.option("--seeds", type=click.IntRange(1), default=5, show_default=True, help="From 0 on.")
def main(data: tuple[str, ...], users: int, queries: int, seeds: int) -> None:
    """Print a table of errors: means over seeds, each with other people, questions and coins.

    ± is the standard error of the mean absolute error over the seeds.
    """
    click.echo(_HEAD)
    for name in data or DATA:
        runs = [dict(errors(name, users, queries, seed)) for seed in range(seeds)]
        for ways, epsilon, method in runs[0]:
            columns = np.array([run[ways, epsilon, method] for run in runs])
            absolute, squared = columns.mean(axis=0)
            spread = columns[:, 0].std(ddof=1) / seeds**0.5 if seeds > 1 else np.nan
            click.echo(
                f"| {name} | {ways} | {epsilon} | {method} | {absolute:.4f} | {spread:.4f} | {squared:.2e} |"
            )


def errors(
    name: str, users: int, number: int, seed: int
) -> Iterator[tuple[tuple[int, float, str], tuple[float, float]]]:
    """Yield mean absolute and mean squared error by ways, ε and method."""
    asked = people(name, users, seed)
    for ways in WAYS:
        coins = np.random.default_rng(seed_of(("queries", name, ways, seed)))
        queries = random_queries(number, ways, ATTRIBUTES, BINS, coins)
        truth = true_answers(asked, queries)
        for epsilon in EPSILONS:
            for method, answer in METHODS.items():
                # the same coins for all, so that both kinds of HDG hear the same
                rng = np.random.default_rng(seed_of(("coins", name, ways, epsilon, seed)))
                error = answer(asked, epsilon, queries, rng) - truth
                yield (ways, epsilon, method), (float(np.abs(error).mean()), float(np.mean(error**2)))


if __name__ == "__main__":
    main()
