"""``python -m experiments.many.denoised``: what denoising brings where two attributes are asked together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

import ldprange as ldp
from ldprange.least_squares.table import from_corners, shares_below

PEOPLE = ldp.Domain.product(age=ldp.Domain.integers(0, 99), income=ldp.Domain.real(0, 8_000, bins=64))
SIZES = ((50_000, 1.0), (500_000, 1.0), (500_000, 2.0), (5_000_000, 2.0))
_RECTANGLES = 1500


def populations(number: int) -> Iterator[tuple[str, NDArray[np.int64]]]:
    """Yield so many people in some ways, as counts."""
    rng = np.random.default_rng(1)
    age = rng.integers(18, 80, number)
    yield "older ones earn more", _count(age, rng.gamma(4, 400, number) + 20 * age)
    both = rng.normal(size=(2, number))
    yield "correlation 0.9", _count(50 + 15 * both[0], 3000 + 900 * both[0] + 1000 * np.sqrt(0.19) * both[1])
    age = np.clip(50 + 15 * rng.normal(size=number), 0, 99).astype(int)
    yield "independent", _count(age, rng.gamma(2, 800, number))
    yield "copies", _count(age, 80.0 * age + rng.uniform(0, 80, number))


def _count(age: NDArray[Any], income: NDArray[np.float64]) -> NDArray[np.int64]:
    whole = np.clip(age, 0, 99).astype(np.int64)
    return PEOPLE.count({"age": whole, "income": np.clip(income, 0, 7_999)})


def errors(counts: NDArray[np.int64], epsilon: float, seeds: int) -> tuple[float, float]:
    """Return the root mean squared error over random rectangles, unbiased and denoised."""
    plan = ldp.choose_plan(PEOPLE, epsilon=epsilon, expected_users=int(counts.sum()))
    rng, upto = np.random.default_rng(2), shares_below(counts / counts.sum())
    ends = [np.sort([rng.permutation(bins + 1)[:2] for _ in range(_RECTANGLES)]) for bins in counts.shape]
    low, high = ([each[:, side] for each in ends] for side in (0, 1))
    truth = from_corners(low, high, upto)
    asked = {"age": (low[0], high[0] - 1), "income": (125.0 * low[1], 125.0 * high[1])}
    squares = np.zeros(2)
    for seed in range(seeds):
        drawn = ldp.simulate(plan, counts, seed=seed)
        for at, denoise in enumerate((False, True)):
            found = ldp.estimate(drawn, denoise=denoise)
            answer = found.ranges(confidence=None, given=None, **asked)
            squares[at] += float(np.square(answer.value - truth).mean()) / seeds
    unbiased, denoised = np.sqrt(squares).tolist()
    return unbiased, denoised


@click.command()
@click.option("--seeds", type=click.IntRange(1), default=5, show_default=True)
def main(seeds: int) -> None:
    """Print a table of errors over random rectangles of 100 × 64 bins."""
    click.echo("| people | ε | population | unbiased | denoised / unbiased |\n|---:|---:|---|---:|---:|")
    for number, epsilon in SIZES:
        for name, counts in populations(number):
            unbiased, denoised = errors(counts, epsilon, seeds)
            click.echo(f"| {number:,} | {epsilon} | {name} | {unbiased:.4f} | {denoised / unbiased:.2f} |")


if __name__ == "__main__":
    main()
