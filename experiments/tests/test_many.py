"""People of many attributes, questions about them, and the table of errors."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner

from experiments.many.__main__ import METHODS, WAYS, main
from experiments.many.data import ATTRIBUTES, BINS, DATA, people
from experiments.many.queries import Queries, random_queries, true_answers

USERS = 200_000


@pytest.mark.parametrize("name", DATA)
def test_people_are_the_same_every_time(name: str) -> None:
    persons = people(name, 1000, 3)
    assert persons.shape == (ATTRIBUTES, 1000)
    assert persons.dtype == np.uint8
    assert persons.max() < BINS
    np.testing.assert_array_equal(persons, people(name, 1000, 3))
    assert np.any(persons != people(name, 1000, 4))


def test_an_unknown_population_is_refused() -> None:
    with pytest.raises(ValueError, match="must be one of normal, laplace, uneven, got 'nobody'"):
        people("nobody", 10, 0)


@pytest.mark.parametrize(("name", "kurtosis"), [("normal", 3.0), ("laplace", 6.0)])
def test_correlated_people_have_the_papers_moments(name: str, kurtosis: float) -> None:
    """Within what bins of 10/64 and, of the Laplace distribution, cut tails make of them."""
    places = (people(name, USERS, 0) + 0.5) * 10 / BINS - 5
    np.testing.assert_allclose(places.mean(axis=1), 0, atol=0.02)
    covariance = np.cov(places)
    np.testing.assert_allclose(np.diag(covariance), 1, atol=0.03)
    np.testing.assert_allclose(covariance[~np.eye(ATTRIBUTES, dtype=bool)], 0.8, atol=0.03)
    fourth = np.mean(places**4, axis=1) / np.diag(covariance) ** 2
    np.testing.assert_allclose(fourth, kurtosis, rtol=0.12)


def test_pairs_of_the_uneven_people_are_as_described() -> None:
    skewed, copied, _, hills, distance, parity = persons = people("uneven", USERS, 0).astype(float)
    correlations = np.corrcoef(persons)
    assert correlations[0, 1] > 0.95
    assert correlations[0, 2] < -0.1
    assert abs(correlations[3, 4]) < 0.02
    assert np.corrcoef(np.abs(hills - 31.5), distance)[0, 1] > 0.9
    assert np.mean(skewed) > 1.3 * np.median(skewed)
    assert np.mean(copied < 16) > 0.7
    # of three together, and of no two
    rare, upper, odd = skewed > np.median(skewed), hills > 31.5, parity > 31.5
    assert abs(np.corrcoef(rare, odd)[0, 1]) < 0.1
    assert abs(np.corrcoef(upper, odd)[0, 1]) < 0.1
    assert np.mean((rare ^ upper) == odd) > 0.9


def test_questions_have_their_volume_and_differ() -> None:
    asked = random_queries(500, 4, ATTRIBUTES, BINS, np.random.default_rng(1))
    assert asked.ways == 4
    assert np.all(asked.ends - asked.starts == 32)
    assert (asked.starts.min(), asked.ends.max()) == (0, 64)
    assert np.all(np.diff(asked.attributes, axis=1) > 0)
    # each attribute is in two thirds of the questions: within 6 standard deviations
    assert np.abs(np.bincount(asked.attributes.ravel()) - 333).max() < 6 * np.sqrt(500 * 2 / 9)


@pytest.mark.parametrize("ways", [1, 2, 5])
def test_true_answers_are_counted(ways: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("experiments.many.queries._TOGETHER", 300)
    persons, asked = people("normal", 1000, 0), random_queries(13, ways, 6, 64, np.random.default_rng(2))
    for answer, attributes, starts, ends in zip(
        true_answers(persons, asked), asked.attributes, asked.starts, asked.ends, strict=True
    ):
        values = persons[attributes]
        inside = (values >= starts[:, None]) & (values < ends[:, None])
        assert answer == inside.all(axis=0).mean()


def test_coverage_adds_up_to_the_range() -> None:
    asked = Queries(64, np.array([[0, 3]]), np.array([[5, 0]]), np.array([[38, 64]]))
    for cells in (1, 4, 32, 64):
        np.testing.assert_allclose(asked.coverage(cells).sum(axis=2) * 64 / cells, [[33, 64]])


def test_the_command_prints_all_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    epsilons = (1.0,)
    monkeypatch.setattr("experiments.many.__main__.EPSILONS", epsilons)
    result = CliRunner().invoke(
        main, ["--data", "normal", "--users", "8192", "--queries", "1", "--seeds", "2"]
    )
    assert result.exit_code == 0, result.output
    head, rule, *rows = result.output.splitlines()
    assert head.count("|") == rule.count("|") == 8
    assert len(rows) == len(WAYS) * len(epsilons) * len(METHODS)
    cells = [row.strip("| ").split(" | ") for row in rows]
    assert {row[3] for row in cells} == set(METHODS)
    assert all(float(number) >= 0 for row in cells for number in row[4:])
