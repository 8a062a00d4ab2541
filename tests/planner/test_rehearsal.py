"""Rehearsals: the same figures in Python and on the command line, and nobody left out in silence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ldprange as ldp
from command_line_survey import done
from ldprange.errors import ArgumentError, DomainError
from ldprange.simulation import simulate_quickly

PLAN = ldp.Plan(ldp.Domain.integers(0, 9), 1.0, ldp.Tree(branching=4), ldp.GRR())
VALUES = [1, 2, 2, 7, 9] * 100
MISSING: Any = [1, None]


@pytest.mark.parametrize(("population", "denoise"), [(None, True), ("respondents", False)])
def test_the_command_has_the_same_figures(
    tmp_path: Path, population: ldp.sampling.Population, denoise: bool
) -> None:
    PLAN.save(tmp_path / "plan.json")
    (tmp_path / "people.txt").write_text("\n".join(map(str, VALUES)))
    found = ldp.rehearse(PLAN, VALUES, repetitions=3, seed=5, denoise=denoise, population=population)
    files = (str(tmp_path / "plan.json"), str(tmp_path / "people.txt"))
    typed = ["simulate", *files, "--repetitions", "3", "--seed", "5"] + ["--denoise"] * denoise
    typed += ["--population", str(population)] if population else []
    assert json.loads(done(*typed, "--json")) == found.to_dict()
    said = done(*typed)
    assert all(text in said for row in found.rows for text in row)


def test_errors_are_as_predicted() -> None:
    # one fixed seed and a wide margin: this only shows that the parts are joined rightly
    found = ldp.rehearse(PLAN, VALUES, repetitions=40, seed=1)
    for score in (found.ranges, found.prefixes):
        assert score.measured_rmse == pytest.approx(score.predicted_rmse, rel=1 / 3)
        assert score.coverage is not None
        assert score.coverage > 0.85


@pytest.mark.slow
def test_how_far_chance_goes_is_told() -> None:
    done: list[int] = []
    many = [
        ldp.rehearse(PLAN, VALUES, repetitions=8, seed=seed, progress=done.append).ranges
        for seed in range(30)
    ]
    assert done == 30 * list(range(1, 9))
    measured = np.array([score.measured_rmse for score in many])
    told = np.array([score.standard_error for score in many])
    # 30 surveys of 8 each: the deviation of their errors is within a third of what each told of its own
    assert measured.std(ddof=1) == pytest.approx(np.sqrt((told**2).mean()), rel=1 / 3)
    assert ldp.rehearse(PLAN, VALUES, repetitions=1, seed=1).ranges.standard_error is None


@pytest.mark.slow
def test_denoised_answers_have_less_error() -> None:
    few = [1, 2, 2, 7, 9] * 20
    unbiased, denoised = (ldp.rehearse(PLAN, few, seed=1, denoise=denoise) for denoise in (False, True))
    assert denoised.ranges.measured_rmse < unbiased.ranges.measured_rmse
    assert denoised.ranges.predicted_rmse == unbiased.ranges.predicted_rmse
    assert "the prediction is for unbiased ones" in str(denoised)


def test_sets_are_drawn_one_by_one_by_the_same_law() -> None:
    plan = ldp.Plan(ldp.Domain.integers(0, 5), 1.0, ldp.Flat(), ldp.SubsetSelection(size=2))
    people, surveys = np.array([300, 0, 100, 0, 50, 50]), 400
    counts = [
        np.array([draw(plan, people, seed=seed).counts[0] for seed in range(surveys)])
        for draw in (simulate_quickly, ldp.simulate)
    ]
    for moment in (np.mean, np.std):
        one, other = (moment(each, axis=0) for each in counts)
        # means differ by √(2/400) deviations of one count, here about 10; five times that never happens
        assert one == pytest.approx(other, abs=5 * 10 * (2 / surveys) ** 0.5)


def test_shown_as_text_and_as_a_table() -> None:
    found = ldp.rehearse(PLAN, VALUES, repetitions=1, seed=1)
    for text in (text for row in (found.headings, *found.rows) for text in row):
        assert text in str(found)
        assert f">{text}<" in found._repr_html_()


def test_what_cannot_be() -> None:
    with pytest.raises(ArgumentError, match="repetitions must be a whole number of at least 1, got 0"):
        ldp.rehearse(PLAN, VALUES, repetitions=0)
    with pytest.raises(DomainError, match="needs people"):
        ldp.rehearse(PLAN, [])
    with pytest.raises(DomainError, match="missing"):
        ldp.rehearse(PLAN, MISSING)
    with pytest.warns(UserWarning, match="left out 1 of 2"):
        assert ldp.rehearse(PLAN, MISSING, repetitions=1, missing="skip").users == 1
