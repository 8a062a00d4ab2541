"""Workload factorisation: its descent, held against what is known, and our plans beside it."""

from __future__ import annotations

import numpy as np
import pytest

from experiments import factorisation


@pytest.mark.parametrize("epsilon", [0.5, 3.0])
def test_of_two_values_it_finds_randomised_response(epsilon: float) -> None:
    questions = factorisation.workload(2, "prefixes")
    chances = factorisation.factorised(questions, epsilon, steps=500)
    least = np.exp(epsilon) / (np.exp(epsilon) - 1) ** 2  # Warner's, and nothing is less
    found = factorisation.variances(questions, chances).mean()
    assert least * (1 - 1e-9) <= found <= least * 1.03


def test_what_it_finds_is_private_and_a_way_to_randomise() -> None:
    chances = factorisation.factorised(factorisation.workload(6, "ranges"), 1.0, steps=50)
    np.testing.assert_allclose(chances.sum(axis=0), 1, rtol=1e-9)
    assert chances.min() > 0
    assert (chances.max(axis=1) / chances.min(axis=1)).max() <= np.exp(1.0) * (1 + 1e-9)


def test_the_gradient_is_the_slope() -> None:
    rng = np.random.default_rng(1)
    chances, questions = rng.uniform(0.5, 1, (12, 4)), factorisation.workload(4, "ranges")
    gram, away = questions.T @ questions, 1e-5 * rng.normal(size=(12, 4))
    _, gradient = factorisation.loss(chances, gram)
    slope = factorisation.loss(chances + away, gram)[0] - factorisation.loss(chances - away, gram)[0]
    assert 2 * (gradient * away).sum() == pytest.approx(slope, rel=1e-6)


def test_the_loss_is_the_mean_variance() -> None:
    questions = factorisation.workload(5, "prefixes")
    chances = factorisation.factorised(questions, 2.0, steps=20)
    height, _ = factorisation.loss(chances, questions.T @ questions)
    mean = (height - (questions**2).sum()) / 5
    assert factorisation.variances(questions, chances).mean() == pytest.approx(mean, rel=1e-9)


def test_ours_of_two_values_is_randomised_response_too() -> None:
    ours = factorisation.our_variances(2, "prefixes", 1.0)
    np.testing.assert_allclose(ours, np.e / (np.e - 1) ** 2, rtol=1e-6)


@pytest.mark.parametrize("kind", factorisation.KINDS)
def test_our_plan_is_within_a_few_per_cent_of_what_it_finds(kind: factorisation.Kind) -> None:
    questions = factorisation.workload(8, kind)
    theirs = factorisation.variances(questions, factorisation.factorised(questions, 1.0, steps=300))
    ratio = factorisation.our_variances(8, kind, 1.0).mean() / theirs.mean()
    assert 0.98 < ratio < 1.07
