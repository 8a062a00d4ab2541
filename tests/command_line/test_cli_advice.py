"""What the command line says beside a plan: what would help, and what its figures do not say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ldprange as ldp
from command_line_survey import answered, done, fact, run

STARS = ("--low", "1", "--high", "10")
pytestmark = pytest.mark.usefixtures("eighty_columns", "planned_once")


@pytest.mark.parametrize(
    ("epsilon", "times"),
    [
        ("6", "may be e^ε = 403 times"),
        ("7", "may be e^ε = 1,097 times"),
        ("1e9", "may be more than 1,000,000,000 times"),
    ],
)
def test_an_epsilon_that_protects_nobody_is_told(here: Path, epsilon: str, times: str) -> None:
    made = run("plan", "--low", "0", "--high", "10", "--epsilon", epsilon, "-o", "weak.json")
    assert f"protects hardly anybody: what a person sends {times} likelier" in made.stderr
    assert ("at most 1 point\n" in made.stdout) == (epsilon == "1e9")


@pytest.mark.slow
def test_few_people_are_told_what_would_do_before_anyone_is_asked(here: Path) -> None:
    survey = ("--low", "0", "--high", "120", "--epsilon", "1", "--users", "300")
    for command in (("plan", *survey, "-o", "few.json"), ("compare", *survey)):
        said = run(*command).stderr
        assert "typical range to ± 51 percentage points. That's too rough to learn much." in said
        assert "- ask for 2 bins instead of 121 (± 10)" in said
    assert "- spend ε = 4 for each person (± 8.9)" in done("need", *survey)
    told = json.loads(done("need", *survey, "--json"))
    assert (told["asked"], told["enough"], told["bins_needed"]) == ("outlook", False, 2)
    many = ("--low", "0", "--high", "120", "--epsilon", "1", "--users", "100000")
    assert "too little" not in run("plan", *many, "-o", "many.json").stderr
    assert "typical range to ± 2.8 percentage points.\n" in done("need", *many)


def test_a_plan_that_is_not_the_most_accurate_is_told_its_own_accuracy(here: Path) -> None:
    domain = ("--low", "0", "--high", "255", "--epsilon", "1")
    flat = ("plan", *domain, "--decomposition", "flat", "-o", "flat.json")
    made = run(*flat, "--users", "20000")
    off = float(fact(made.stdout, "error of a range").split("%")[0])
    assert f"this plan tells the share of people in a typical range to ± {1.96 * off:.0f}" in made.stderr
    assert "The most accurate plan, which ldprange plan makes without further choices, tells" in made.stderr
    assert "ask for" not in made.stderr  # what would help is to take that one
    assert "With that one:\nWith 500 answers" in run(*flat, "--users", "500").stderr


@pytest.mark.parametrize(
    "asked",
    [
        ("plan", *STARS, "--epsilon", "1", "--users", "50000", "-o", "stars.json"),
        ("need", *STARS, "--epsilon", "1", "--error", "5%"),
    ],
)
def test_where_people_may_decline_it_is_told_whose_shares_errors_are_of(
    here: Path, asked: tuple[str, ...]
) -> None:
    whose = "errors are those of shares of all people"
    assert whose not in run(*asked).stderr
    said = run(*asked, "--prefer-not-to-say")
    assert whose in said.stderr
    if asked[0] == "plan":
        assert "1% of all move a share of all people by at most" in fact(said.stdout, "made-up reports")


def test_what_made_up_reports_do_is_told_of_categories_too(here: Path) -> None:
    result = answered("plan", "--categories", "north,south,west", "--epsilon", "1", "-o", "p.json")
    assert result["influence"]["fair_coins"] == ldp.Plan.load("p.json").influence().fair_coins
    text = done("plan", "--categories", "north,south,west", "--epsilon", "1", "-o", "p.json")
    assert fact(text, "made-up reports").startswith("1% of all move an answer")
