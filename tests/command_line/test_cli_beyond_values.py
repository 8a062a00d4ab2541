"""The command line where people may answer something other than a value: beyond an end, or nothing."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ldprange as ldp
from command_line_survey import answered, done, run

MINUTES = ("--low", "0", "--high", "15")


@pytest.mark.parametrize(
    ("options", "domain"),
    [
        ((*MINUTES, "--open-ends"), ldp.Domain.integers(0, 15, open_ends=True)),
        (("--open-ends", "high", *MINUTES), ldp.Domain.integers(0, 15, open_ends="high")),
        ((*MINUTES, "--open-ends", "low", "--bins", "4"), ldp.Domain.real(0, 15, 4, open_ends="low")),
        (
            ("--first", "2026-01-01", "--last", "2026-01-09", "--open-ends"),
            ldp.Domain.dates("2026-01-01", "2026-01-09", open_ends=True),
        ),
    ],
)
def test_ends_are_open_if_said(here: Path, options: tuple[str, ...], domain: ldp.Domain) -> None:
    plan = ldp.Plan.from_json(json.dumps(answered("plan", *options, "--epsilon", "1")["plan"]))
    assert plan.domain == domain


def test_the_whole_way_with_open_ends(here: Path) -> None:
    done("plan", *MINUTES, "--open-ends", "high", "--epsilon", "5", "-o", "plan.json")
    (here / "values.txt").write_text("3\n99\n" * 5000)
    done("encode", "plan.json", "values.txt", "-o", "some.reports", "--seed", "1")
    done("aggregate", "plan.json", "some.reports", "-o", "some.agg")
    asked = ("--range", "10", "more than 15", "--quantile", "0.9", "--histogram")
    found = answered("query", "some.agg", *asked)
    assert found["ranges"][0]["value"] == pytest.approx(0.5, abs=0.05)
    assert answered("query", "some.agg", "--range", "10", "inf")["ranges"] == found["ranges"]
    assert found["quantiles"][0]["value"] == "more than 15"
    assert found["histogram"][-1]["from"] == found["histogram"][-1]["to"] == "more than 15"
    assert "more than 15" in done("query", "some.agg", *asked)
    assert "more than 15" in done("query", "some.agg")


@pytest.mark.parametrize(
    ("options", "values", "first"),
    [
        (MINUTES, "3", 3),
        (("--low", "0", "--high", "1", "--bins", "4"), "0.1", 0),
        (("--first", "2026-01-01", "--last", "2026-01-03"), "2026-01-02", "2026-01-02"),
        (("--labels", "S,M"), "M", "M"),
    ],
)
def test_the_whole_way_with_no_answer(here: Path, options: tuple[str, ...], values: str, first: Any) -> None:
    done("plan", *options, "--prefer-not-to-say", "--epsilon", "5", "-o", "plan.json")
    (here / "values.csv").write_text("it,more\n" + f"{values},x\n,y\n" * 5000)
    done("encode", "plan.json", "values.csv", "--column", "it", "-o", "some.reports", "--seed", "1")
    done("aggregate", "plan.json", "some.reports", "-o", "some.agg")
    found = answered("query", "some.agg", "--histogram")
    assert found["no_answer"]["value"] == pytest.approx(0.5, abs=0.05)
    most = max(found["histogram"], key=lambda row: row["value"])
    assert (most["from"], most["value"]) == (first, pytest.approx(1, abs=0.05))
    shown = done("query", "some.agg")
    assert "no answer, of all people" in shown
    assert "about those who answered" in " ".join(shown.split())
    assert "no answer," in done("query", "some.agg", "--csv")
    found = answered("query", "some.agg", "--everyone", "--histogram", "--range", "no answer", "no answer")
    assert "no_answer" not in found
    for asked in (("--range", "no answer", "no answer"), ("--prefix", "no answer")):
        refused = run("query", "some.agg", *asked)
        assert (refused.exit_code, "add --everyone" in " ".join(refused.stderr.split())) == (2, True)
    assert [row["value"] for row in found["histogram"] if row["value"] > 0.25] == [
        pytest.approx(0.5, abs=0.05)
    ] * 2
    assert found["ranges"][0]["value"] == pytest.approx(0.5, abs=0.05)
    assert "no answer" in done("simulate", "plan.json", "values.csv", "--column", "it", "--repetitions", "2")


def test_the_whole_way_with_no_answer_on_one_of_several_attributes(here: Path) -> None:
    several = (
        "--attribute",
        "pay",
        "0..7/no-answer",
        "--attribute",
        "town",
        "categories:north,south/no-answer",
    )
    done("plan", *several, "--epsilon", "5", "-o", "plan.json")
    plan = ldp.Plan.load("plan.json")
    assert plan.domain == ldp.Domain.product(
        pay=ldp.Domain.integers(0, 7, no_answer=True),
        town=ldp.Domain.categories(["north", "south"], no_answer=True),
    )
    (here / "values.csv").write_text("town,pay\n" + "north,1\nsouth,6\nsouth,\n,6\n" * 5000)
    done("encode", "plan.json", "values.csv", "-o", "some.reports", "--seed", "1")
    done("aggregate", "plan.json", "some.reports", "-o", "some.agg")
    near = partial(pytest.approx, abs=0.05)
    pay = answered("query", "some.agg", "--attribute", "pay", "--range", "4", "7")
    assert (pay["no_answer"]["value"], pay["ranges"][0]["value"]) == (near(1 / 4), near(2 / 3))
    asked = ("--within", "pay", "4", "7", "--within", "town", "south", "south")
    both = answered("query", "some.agg", *asked)["within"]
    assert (both["no_answer"]["value"], both["value"]) == (near(1 / 2), near(1 / 2))
    given = ("--attribute", "town", "--given", "pay", "no answer", "no answer", "--range", "south", "south")
    silent = answered("query", "some.agg", *given)
    assert (silent["no_answer"]["value"], silent["ranges"][0]["value"]) == (near(0), near(1))
    shown = " ".join(done("query", "some.agg", *asked).split())
    assert "pay or town: no answer, of all people" in shown
    assert "All but the share of no answer is about those who answered." in shown
    assert "no answer,pay or town," in done("query", "some.agg", *asked, "--csv")
    assert both["no_answer"]["attributes"] == ["pay", "town"]
    assert "of all people" not in " ".join(done("query", "some.agg", *given).split())
    overview = done("query", "some.agg")
    assert overview.count("no answer, of all people") == 2
    assert "no answer" in done("simulate", "plan.json", "values.csv", "--repetitions", "2")
    declined = ("--within", "pay", "no answer", "no answer", "--within", "town", "south", "south")
    refused = run("query", "some.agg", *declined)
    assert (refused.exit_code, "add --everyone" in " ".join(refused.stderr.split())) == (2, True)
    found = answered("query", "some.agg", *declined, "--everyone")
    assert (found["everyone"], found["within"]["value"]) == (True, near(1 / 4))
    assert "no_answer" not in found["within"]
    refused = run("query", "some.agg", "--everyone")
    assert refused.exit_code == 2
    assert "--everyone goes with a question" in refused.stderr


def test_only_those_who_may_decline_are_told_of(here: Path) -> None:
    domain = ldp.Domain.product(
        {
            "channel": ldp.Domain.categories(["web", "phone"], no_answer=True),
            "wait": ldp.Domain.integers(0, 3),
        }
    )
    plan = ldp.choose_plan(domain, epsilon=3, expected_users=1000)
    ldp.simulate(plan, np.full(domain.shape, 100), seed=1).save("some.agg")
    asked = ("query", "some.agg", "--within", "wait", "0", "1", "--within", "channel", "web", "web")
    assert answered(*asked)["within"]["no_answer"]["attributes"] == ["channel"]
    assert "\n channel: no answer, of all people " in done(*asked)
    assert "no answer,channel," in done(*asked, "--csv")


def test_a_table_must_have_all_values_where_all_must_answer(here: Path) -> None:
    done("plan", *MINUTES, "--epsilon", "5", "-o", "plan.json")
    (here / "values.csv").write_text("it,more\n3,x\n,y\n")
    refused = run("encode", "plan.json", "values.csv", "--column", "it", "-o", "some.reports")
    assert refused.exit_code == 2
    assert "row 2 has none" in " ".join(refused.stderr.split())


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--labels", "S,M", "--open-ends"), "open ends must be those of numbers or days"),
        (
            ("--attribute", "a", "0..9", "--attribute", "b", "0..9", "--open-ends"),
            "add /open to the values",
        ),
        (
            ("--attribute", "a", "0..9", "--attribute", "b", "0..9", "--prefer-not-to-say"),
            "add /no-answer to the values",
        ),
        ((*MINUTES, "--open-ends", "left"), "'left' is not one of 'both', 'low', 'high'"),
    ],
)
def test_open_ends_of_what_has_none_are_refused(here: Path, options: tuple[str, ...], reason: str) -> None:
    refused = run("plan", *options, "--epsilon", "1")
    assert refused.exit_code == 2
    assert reason in " ".join(refused.stderr.split())
