"""Workload factorisation (McKenna, Maity, Mazumdar, Miklau, PVLDB 13(12), 2020) beside the plans we choose.

Any way to randomise one of n values is a matrix Q: the chance of every output given every value. Linear
questions W are answered without bias by W(QᵀD⁻¹Q)⁻¹QᵀD⁻¹, D the outputs' chances over all values together,
and the total variance, averaged over values, is (tr[(QᵀD⁻¹Q)⁻¹WᵀW] − ‖W‖²) / n. Here Q is found by descent
on that, among those with z ≤ Q ≤ e^ε z row by row, z free too. It knows no levels, windows or oracles: what
it cannot beat is hard to beat. Run ``python -m experiments.factorisation``.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import click
import numpy as np

import ldprange as ldp
from ldprange.support.arrays import Boundaries, Floats

OUTPUTS = 4  # times as many as values, as in the paper
STEP = 0.4  # by which the logarithm of a chance changes in a step, at first
STEPS = 3000

Kind: TypeAlias = Literal["prefixes", "ranges"]
KINDS: tuple[Kind, ...] = ("prefixes", "ranges")


def workload(values: int, kind: Kind) -> Floats:
    """Return the questions about so many values, one a row: all ``"prefixes"`` or all ``"ranges"``."""
    low, high = _ends(values, kind)
    places = np.arange(values)
    return np.asarray((places >= low[:, None]) & (places < high[:, None]), np.float64)


def _ends(values: int, kind: Kind) -> tuple[Boundaries, Boundaries]:
    if kind == "prefixes":
        return np.zeros(values - 1, np.int64), np.arange(1, values)
    low, high = np.triu_indices(values + 1, 1)
    return low, high


def projected(chances: Floats, low: Floats, high: Floats) -> Floats:
    """Return the nearest columns that add up to 1, each row of them between ``low`` and ``high``."""
    low, high = low[:, None], high[:, None]
    least, most = (low - chances).min(axis=0), (high - chances).max(axis=0)
    for _ in range(45):
        middle = (least + most) / 2
        short = np.clip(chances + middle, low, high).sum(axis=0) < 1
        least, most = np.where(short, middle, least), np.where(short, most, middle)
    return np.asarray(np.clip(chances + (least + most) / 2, low, high))


def loss(chances: Floats, gram: Floats) -> tuple[float, Floats]:
    """Return tr[(QᵀD⁻¹Q)⁻¹WᵀW] of Q, the ``chances``, and its gradient; ``gram`` is WᵀW."""
    seen = chances / chances.sum(axis=1, keepdims=True)
    inverse = np.linalg.inv(chances.T @ seen)
    pull = inverse @ gram @ inverse
    by_output = np.einsum("oi,ij,oj->o", seen, pull, seen)
    return float(np.trace(inverse @ gram)), by_output[:, None] - 2 * seen @ pull


class _Adam:
    """Steps that are about as long whatever the gradient's scale is (Kingma and Ba, 2015)."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        self._mean, self._square, self._taken = np.zeros(shape), np.zeros(shape), 0

    def step(self, gradient: Floats) -> Floats:
        self._taken += 1
        self._mean = 0.9 * self._mean + 0.1 * gradient
        self._square = 0.99 * self._square + 0.01 * gradient**2
        mean, square = self._mean / (1 - 0.9**self._taken), self._square / (1 - 0.99**self._taken)
        return np.asarray(mean / np.sqrt(square + 1e-300))


def factorised(questions: Floats, epsilon: float, *, seed: int = 0, steps: int = STEPS) -> Floats:
    """Return the best matrix Q found for the ``questions``; its columns are values, its rows outputs."""
    values, ratio, gram = questions.shape[1], np.exp(epsilon), questions.T @ questions
    outputs = OUTPUTS * values
    least = np.full(outputs, 2 / (1 + ratio) / outputs)  # with as many outputs likely as not
    chances = np.random.default_rng(seed).random((outputs, values)) * 2 * ratio / outputs
    of_chances, of_least = _Adam(chances.shape), _Adam(least.shape)
    best, found = np.inf, np.empty(0)
    for at in range(steps):
        chances = projected(chances, least, ratio * least)
        height, gradient = loss(chances, gram)
        if height < best:
            best, found = height, chances
        # a least chance moves the chances that lie on it, and the free ones in their column against these
        low, high = (np.isclose(chances, edge[:, None], rtol=1e-9, atol=0) for edge in (least, ratio * least))
        free = ~(low | high)
        beside = gradient - (gradient * free).sum(axis=0) / np.maximum(free.sum(axis=0), 1)
        pull = (beside * low).sum(axis=1) + ratio * (beside * high).sum(axis=1)
        length = STEP * (1 + np.cos(np.pi * at / steps)) / 2 + 1e-4
        lean = gradient - (gradient * chances).sum(axis=0)  # columns add up to 1
        chances = chances * np.exp(-length * of_chances.step(lean * chances))
        least = least * np.exp(-0.3 * length * of_least.step(pull))
        least *= min(1.0, 0.999 / least.sum()) * max(1.0, 1.001 / (ratio * least.sum()))
    return found


def variances(questions: Floats, chances: Floats) -> Floats:
    """Return the total variance of the answers to the ``questions`` that one person has, value by value."""
    seen = chances / chances.sum(axis=1, keepdims=True)
    answers = questions @ np.linalg.inv(chances.T @ seen) @ seen.T
    return np.asarray((answers**2).sum(axis=0) @ chances - (questions**2).sum(axis=0))


def our_variances(values: int, kind: Kind, epsilon: float) -> Floats:
    """Return the same for the plan that :func:`ldprange.choose_plan` gives for these questions."""
    people = 1e9
    domain = ldp.Domain.integers(1, values)
    plan = ldp.choose_plan(domain, epsilon=epsilon, expected_users=people, workload=kind)
    estimator = plan.estimator(people * np.array(plan.probabilities))
    ends = _ends(values, kind)
    below = np.arange(values + 1)
    return np.array(
        [
            people * estimator.variances((below > value).astype(np.float64))(*ends).sum()
            for value in range(values)
        ]
    )


@click.command()
@click.option(
    "--values", type=click.IntRange(2), multiple=True, default=(64, 128), help="Several may be given."
)
@click.option("--epsilon", type=float, multiple=True, default=(1.0,), help="Several may be given.")
def main(values: tuple[int, ...], epsilon: tuple[float, ...]) -> None:
    """Print the total variance of one person's answers, ours over that of the best matrix found."""
    print("| values | questions | ε | greatest, ours / theirs | mean, ours / theirs |")
    print("|---:|---|---|---|---|")
    for number in values:
        for kind in KINDS:
            questions = workload(number, kind)
            for each in epsilon:
                theirs = variances(questions, factorised(questions, each))
                ours = our_variances(number, kind, each)
                print(
                    f"| {number} | all {kind} | {each:g} | {ours.max() / theirs.max():.3f} "
                    f"| {ours.mean() / theirs.mean():.3f} |",
                    flush=True,
                )


if __name__ == "__main__":
    main()
