"""Rehearsals: the same figures in Python and on the command line, and nobody left out in silence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ldprange as ldp
from command_line_survey import done
from ldprange.errors import ArgumentError, DomainError

PLAN = ldp.Plan(ldp.Domain.integers(0, 9), 1.0, ldp.Tree(branching=4), ldp.GRR())
VALUES = [1, 2, 2, 7, 9] * 100
MISSING: Any = [1, None]


@pytest.mark.parametrize("population", [None, "respondents"])
def test_the_command_has_the_same_figures(tmp_path: Path, population: ldp.sampling.Population) -> None:
    PLAN.save(tmp_path / "plan.json")
    (tmp_path / "people.txt").write_text("\n".join(map(str, VALUES)))
    found = ldp.rehearse(PLAN, VALUES, repetitions=3, seed=5, population=population)
    files = (str(tmp_path / "plan.json"), str(tmp_path / "people.txt"))
    typed = ["simulate", *files, "--repetitions", "3", "--seed", "5"]
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
