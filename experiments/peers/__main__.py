"""``python -m experiments.peers``: denoised answers beside those of peers, as ratios of errors."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from types import ModuleType

import click
import numpy as np

from experiments.peers import one, several
from ldprange.support.arrays import Floats

OURS = "ldprange"
EPSILONS = (0.2, 0.6, 1.0, 2.0, 4.0)


@click.command()
@click.option("--attributes", type=click.IntRange(1, 8), default=1, show_default=True)
@click.option("--bins", type=click.IntRange(2), default=1024, show_default=True, help="Of one attribute.")
@click.option("--users", type=click.IntRange(100), default=100_000, show_default=True)
@click.option("--epsilon", "epsilons", multiple=True, type=float, help="Several may be given.")
@click.option("--repetitions", type=click.IntRange(2), default=10, show_default=True)
@click.option("--workers", type=click.IntRange(1), default=2, show_default=True)
def main(
    attributes: int, bins: int, users: int, epsilons: Sequence[float], repetitions: int, workers: int
) -> None:
    """Print the error of our denoised answers over that of each peer: below 1, ours is less.

    ± is a standard error over repetitions. The last row for an ε is the geometric mean over populations. With
    one attribute, Wasserstein-1 and Kolmogorov-Smirnov distances follow in a second and a third table.
    """
    module: ModuleType = one if attributes == 1 else several
    size = bins if attributes == 1 else attributes
    others = [method for method in module.METHODS if method != OURS]
    click.echo(f"{size:,} {'bins' if attributes == 1 else 'attributes'}, {users:,} people")
    with ProcessPoolExecutor(workers) as pool:
        for epsilon in epsilons or EPSILONS:
            found = _measured(module, pool, size, users, epsilon, repetitions)
            for at, measure in enumerate(module.MEASURES):
                click.echo(f"\nε = {epsilon:g}, {measure}: ours, and ours / theirs")
                click.echo(f"| population | {OURS} | {' | '.join(others)} |")
                click.echo("|---" * (len(others) + 2) + "|")
                ratios = {method: list[float]() for method in others}
                for name in module.POPULATIONS:
                    ours = found[OURS, name][:, at]
                    cells = [f"{ours.mean():.2e} ± {_standard_error(ours):.0e}"]
                    for method in others:
                        ratio, spread = _ratio(ours, found[method, name][:, at])
                        ratios[method].append(ratio)
                        cells.append(f"{ratio:.2f} ± {spread:.2f}")
                    click.echo(f"| {name} | {' | '.join(cells)} |")
                means = [f"**{np.exp(np.log(ratios[method]).mean()):.2f}**" for method in others]
                click.echo(f"| geometric mean | | {' | '.join(means)} |")


def _measured(
    module: ModuleType, pool: Executor, size: int, users: int, epsilon: float, repetitions: int
) -> dict[tuple[str, str], Floats]:
    """Return the errors of each method on each population, a row for every repetition."""
    waiting = {
        (method, name): [
            pool.submit(module.errors, method, name, size, users, epsilon, seed)
            for seed in range(repetitions)
        ]
        for method in module.METHODS
        for name in module.POPULATIONS
    }
    return {key: np.stack([each.result() for each in runs]) for key, runs in waiting.items()}


def _standard_error(errors: Floats) -> float:
    return float(errors.std(ddof=1) / errors.size**0.5)


def _ratio(ours: Floats, theirs: Floats) -> tuple[float, float]:
    """Return the ratio of mean errors and its standard error; the surveys are independent."""
    ratio = ours.mean() / theirs.mean()
    relative = np.hypot(_standard_error(ours) / ours.mean(), _standard_error(theirs) / theirs.mean())
    return float(ratio), float(ratio * relative)


if __name__ == "__main__":
    main()
