"""Liars: their reports are the best ones, and the program holds its surveys."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import ldprange as ldp
from experiments.liars.__main__ import main
from experiments.liars.lies import joined, range_weights
from experiments.liars.settings import main as settings
from experiments.liars.surveys import ATTACKS, plan_of, survey, target


@pytest.mark.parametrize("kind", ["default", "haar", "tree"])
def test_an_answer_is_moved_as_far_as_the_plan_says_it_can_be(kind: str) -> None:
    """Up where nobody is in the range, down where everybody is: the mean of 30 surveys, to 6 errors."""
    plan, users, liars = plan_of(kind, 64, 50_000, 1.0), 50_000, 5_000
    low, high = target(64)
    moves = []
    for sign, bin_of_all in ((1.0, 0), (-1.0, low)):
        people = np.where(np.arange(64) == bin_of_all, users - liars, 0)
        weights = [sign * weight for weight in range_weights(plan, low, high)]
        answers = []
        for seed in range(30):
            honest, rng = ldp.simulate(plan, people, seed=seed), np.random.default_rng(seed)
            told = ldp.estimate(joined(plan, honest, weights, liars, rng))
            answers.append(float(told.range(low, high - 1, confidence=None)))
        moves.append((sign * (np.mean(answers) - (bin_of_all == low)), np.std(answers) / np.sqrt(30)))
    moved, error = max(moves)
    assert abs(moved - plan.influence(0.1, between=(low, high - 1)).fair_coins) < 6 * error


def test_a_tenth_of_liars_is_found_unless_they_claim_a_value() -> None:
    plan = plan_of("default", 64, 50_000, 1.0)
    found = {attack: survey(plan, "smooth", 50_000, attack, 0.1, seed=1).found for attack in ATTACKS}
    assert found == {attack: attack != "honest coins, chosen value" for attack in ATTACKS}


@pytest.mark.slow
def test_the_program_prints_a_row_for_each_attack_and_share(tmp_path: Path) -> None:
    options = {"--bins": "16", "--users": "2000", "--repetitions": "2", "--workers": "1"}
    asked = [word for option in options.items() for word in option]
    asked += ["--share", "0", "--share", "0.1", "--figure", str(tmp_path / "liars.svg")]
    done = CliRunner().invoke(main, asked)
    assert done.exit_code == 0, done.output
    for attack in ATTACKS:
        assert [f"| {attack} | {share:.1%} |" in done.output for share in (0, 0.1)] == [True, True]
        assert done.output.count(f"| {attack} |") == 2
    told = CliRunner().invoke(main, ["--help"], terminal_width=200).output
    assert "[default: 0.0, 0.005, 0.01, 0.05, 0.1" in told
    assert "</svg>" in (tmp_path / "liars.svg").read_text(encoding="utf-8")


def test_a_hash_that_is_chosen_moves_a_range_further_than_one_left_to_chance_but_not_beyond_the_bound() -> (
    None
):
    plan = plan_of("olh", 64, 50_000, 1.0)
    low, high = target(64)
    attacks = ("a range", "a range, hash chosen")
    fair, chosen = (survey(plan, "smooth", 50_000, attack, 0.1, seed=1).unbiased for attack in attacks)
    assert 0.1 < fair < chosen < plan.influence(0.1, between=(low, high - 1)).fair_coins


def test_settings_are_told_of_in_rows() -> None:
    asked = ["--repetitions", "1", "--workers", "1", "--only", "64 bins", "--only", "Tree 4, OLH"]
    done = CliRunner().invoke(settings, asked)
    assert done.exit_code == 0, done.output
    heading, _, *rows = done.output.splitlines()
    assert [row.split(" | ")[0] for row in rows] == ["| 64 bins", "| Tree 4, OLH"]
    assert {row.count("|") for row in rows} == {heading.count("|")}
    assert rows[0].endswith("| – | 0 of 5 |")
    assert rows[1].endswith("% | 0 of 5 |")
