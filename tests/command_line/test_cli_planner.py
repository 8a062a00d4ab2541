"""The command line's planner: the best plan, the comparison, and the questions turned round."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest

import ldprange as ldp
from command_line_survey import ages, answered, done, fact, run
from ldprange.planner.optimise import Workload

DOMAIN = ldp.Domain.integers(0, 119)
AGES = ("--low", "0", "--high", "119")
PLAN = ("plan", *AGES, "--epsilon", "1.1")
COMPARE = ("compare", *AGES, "--epsilon", "1.1")
STARS_DOMAIN = ldp.Domain.integers(1, 10)  # few bins, as what is needed is found by planning again and again
STARS = ("--low", "1", "--high", "10")
pytestmark = pytest.mark.usefixtures("eighty_columns", "planned_once")
every_workload = pytest.mark.parametrize("workload", get_args(Workload))


def plan_of(result: dict[str, Any]) -> ldp.Plan:
    return ldp.Plan.from_json(json.dumps(result["plan"]))


class TestPlan:
    @every_workload
    def test_the_best_is_the_librarys_choice_for_any_number_of_people(self, workload: Workload) -> None:
        asked = (*PLAN, "--workload", workload)
        chosen = ldp.choose_plan(DOMAIN, epsilon=1.1, expected_users=1000, workload=workload)
        assert ldp.Plan.from_json(done(*asked)) == chosen
        assert ldp.Plan.from_json(done(*asked, "--users", "7")) == chosen

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("typed", "domain"),
        [
            (("plan", "--low", "0", "--high", "6", "--epsilon", "1.1"), ldp.Domain.integers(0, 6)),
            (
                (
                    "plan",
                    "--attribute",
                    "a",
                    "0..2",
                    "--attribute",
                    "b",
                    "categories:x,y",
                    "--epsilon",
                    "1.1",
                ),
                ldp.Domain.product(a=ldp.Domain.integers(0, 2), b=ldp.Domain.categories(["x", "y"])),
            ),
        ],
    )
    def test_a_plan_for_denoised_answers_says_what_error_to_expect(
        self, typed: tuple[str, ...], domain: ldp.Domain
    ) -> None:
        asked = (*typed, "--users", "5000", "--answers", "denoised", "--json")
        chosen = ldp.choose_plan(domain, epsilon=1.1, expected_users=5000, answers="denoised")
        result = answered(*asked)
        assert plan_of(result) == chosen
        expected = ldp.predict_denoised(chosen, 5000)
        assert result["denoised"]["range_rmse"] == pytest.approx(expected.range_rmse)
        assert result["denoised"]["prefix_rmse"] == pytest.approx(expected.prefix_rmse)
        assert "denoised ranges" in run(*asked[:-1]).stderr

    @pytest.mark.parametrize("typed", ["1,000,000", "1e6", "1_000_000"])
    @pytest.mark.usefixtures("here")
    def test_people_are_counted_as_one_writes_it(self, typed: str) -> None:
        told = done(*PLAN, "--users", typed, "-o", "p.json")
        assert told == done(*PLAN, "--users", "1000000", "-o", "p.json")

    @pytest.mark.parametrize("typed", ["0", "-1", "1.5", "1,5", "1,00", "inf", "nan", "1e999999999", "x", ""])
    def test_what_is_no_number_of_people_is_refused(self, typed: str) -> None:
        refused = run(*PLAN, "--users", typed)
        assert refused.exit_code == 2
        assert f"from 1 to 10^15, such as 1,000,000 or 1e6, got {typed!r}" in refused.stderr

    def test_four_attributes_depend_on_how_many_people_answer(self) -> None:
        many = [option for name in "abcd" for option in ("--attribute", name, "0..63")]
        asked = ("plan", *many, "--epsilon", "1")
        assert "add --users" in run(*asked).stderr
        told = run(*asked, "--users", "1000000").stderr
        assert "add --users" not in told
        best = ldp.compare_plans(
            ldp.Domain.product(**dict.fromkeys("abcd", ldp.Domain.integers(0, 63))),
            epsilon=1.0,
            expected_users=1_000_000,
        ).best
        assert f"{best.range_rmse:.2%} (root mean square" in told

    @pytest.mark.parametrize(
        ("more", "what"),
        [
            ((), "--answers denoised needs --users"),
            (
                ("--users", "9", "--decomposition", "haar"),
                "--answers denoised goes with --decomposition best",
            ),
        ],
    )
    def test_a_plan_for_denoised_answers_needs_its_people_and_its_freedom(
        self, more: tuple[str, ...], what: str
    ) -> None:
        refused = run(*PLAN, "--answers", "denoised", *more)
        assert refused.exit_code == 2
        assert what in refused.stderr

    @pytest.mark.parametrize("levels", ["best", "even"])
    def test_the_best_oracle_of_every_level_is_chosen(self, levels: str) -> None:
        made = ldp.Plan.from_json(done(*PLAN, "--decomposition", "windows", "--levels", levels))
        best = ldp.optimise_plan(DOMAIN, epsilon=1.1, decomposition=ldp.Windows())
        assert made.oracles == best.oracles
        assert (made == best) == (levels == "best")

    def test_a_workload_shifts_people_between_levels(self) -> None:
        asked = (*PLAN, "--decomposition", "haar")
        ranges, prefixes = (
            ldp.Plan.from_json(done(*asked, "--workload", each)) for each in ("ranges", "prefixes")
        )
        assert ranges == ldp.optimise_plan(DOMAIN, epsilon=1.1, decomposition=ldp.Haar(), workload="ranges")
        assert ranges.probabilities != prefixes.probabilities

    def test_the_facts_name_widths_oracles_and_shares(self, here: Path) -> None:
        text = done(*PLAN, "--users", "1000000", "-o", "p.json")
        assert fact(text, "decomposition") == "Windows, 7 levels of 64, 32, 16, 8, 4, 2, 1 bins"
        assert fact(text, "oracle by level").startswith("GRR ×2, ")
        shares = [float(share.rstrip("%")) for share in fact(text, "people by level").split(", ")]
        assert len(shares) == 7
        assert sum(shares) == pytest.approx(100, abs=0.5)
        assert fact(text, "people") == "1,000,000, taken to be spread evenly over the bins"
        paper = ["--decomposition", "haar", "--oracle", "hrr", "--levels", "even"]
        text = done(*PLAN, *paper, "-o", "p.json")
        assert fact(text, "decomposition") == "Haar, 7 levels"
        assert fact(text, "oracle by level") == "HRR"
        assert fact(text, "people by level") == "14.3% each"
        text = done(*PLAN, "--decomposition", "flat", "--oracle", "hadamard", "--bits", "3", "-o", "p.json")
        assert fact(text, "oracle by level") == "Hadamard-3"
        assert fact(text, "people by level") == "100%"

    def test_json_describes_every_level(self) -> None:
        result = answered(*PLAN)
        made, levels = plan_of(result), result["levels"]
        assert [level["bins_per_cell"] for level in levels] == [64, 32, 16, 8, 4, 2, 1]
        assert [level["cells"] for level in levels] == [3, 5, 9, 16, 31, 61, 120]
        assert [level["probability"] for level in levels] == list(made.probabilities)
        assert [level["oracle"] for level in levels] == [oracle.kind for oracle in made.oracles]
        assert result["prediction"] is None
        assert result["reason"] is None

    @pytest.mark.parametrize("decomposition", ["best", "windows", "haar", "tree", "flat"])
    def test_every_prediction_is_for_an_even_population(self, decomposition: str) -> None:
        result = answered(*PLAN, "--decomposition", decomposition, "--users", "5000")
        expected = plan_of(result).predict(5000)
        assert result["prediction"] == {
            "users": 5000,
            "population": "even",
            "range_rmse": expected.range_rmse,
            "prefix_rmse": expected.prefix_rmse,
        }

    def test_the_reason_is_told_where_there_was_a_choice(self, here: Path) -> None:
        reason = ldp.compare_plans(DOMAIN, epsilon=1.1, expected_users=5000).reason
        assert reason in done(*PLAN, "--users", "5000", "-o", "p.json")
        assert answered(*PLAN, "--users", "5000")["reason"] == reason
        for options in (["-o", "p.json"], ["--users", "5000", "--decomposition", "haar", "-o", "p.json"]):
            assert "fewer people" not in done(*PLAN, *options)

    @pytest.mark.parametrize("options", [[], ["--json"]])
    def test_a_useless_plan_is_written_with_a_note(self, here: Path, options: list[str]) -> None:
        result = run(*PLAN, "--users", "10", "-o", "p.json", *options)
        assert result.exit_code == 0
        told = result.stderr.splitlines()
        assert told[0] == f"note: {ldp.compare_plans(DOMAIN, epsilon=1.1, expected_users=10).reason}"
        assert "Nothing useful" in told[0]
        assert ("too rough to learn much" in result.stderr) == (not options)
        assert ldp.Plan.from_json((here / "p.json").read_text()) == ldp.choose_plan(
            DOMAIN, epsilon=1.1, expected_users=10
        )


class TestCompare:
    @every_workload
    def test_json_is_the_librarys_comparison(self, workload: Workload) -> None:
        result = answered(*COMPARE, "--users", "5000", "--workload", workload)
        expected = ldp.compare_plans(DOMAIN, epsilon=1.1, expected_users=5000, workload=workload)
        assert (result["bins"], result["epsilon"], result["users"]) == (120, 1.1, 5000)
        assert (result["workload"], result["useful"]) == (workload, True)
        assert result["reason"] == expected.reason
        assert [plan_of(each) for each in result["candidates"]] == [each.plan for each in expected.candidates]
        for found, each in zip(result["candidates"], expected.candidates, strict=True):
            assert found["name"] == each.name
            assert found["error"] == each.error(workload)
            assert found["prediction"]["prefix_rmse"] == each.prediction.prefix_rmse
            assert (found["report_bytes"], found["counters"]) == (each.report_bytes, each.plan.counters)

    def test_the_best_is_what_plan_makes(self) -> None:
        best = answered(*COMPARE, "--users", "5000")["candidates"][0]
        assert best["plan"] == answered(*PLAN)["plan"]

    def test_the_table_has_a_line_for_every_plan(self) -> None:
        text = done(*COMPARE, "--users", "1000000")
        comparison = ldp.compare_plans(DOMAIN, epsilon=1.1, expected_users=1_000_000)
        lines = text.splitlines()
        assert all(len(line) <= 80 for line in lines)
        for each in comparison.candidates:
            (line,) = (line for line in lines if line.startswith(f" {each.name}  "))
            assert f"{each.prediction.range_rmse:.3%}" in line
            assert f" {each.plan.counters:,}" in line
            assert (" best " in line) == (each is comparison.best)
        assert lines[-1] == comparison.reason

    def test_nothing_useful_is_said(self) -> None:
        asked = (*COMPARE, "--users", "10")
        assert "Nothing useful can be had" in done(*asked)
        assert answered(*asked)["useful"] is False

    def test_a_single_bin_has_a_single_plan(self) -> None:
        asked = ("compare", "--low", "3", "--high", "3", "--epsilon", "1", "--users", "10")
        assert "nothing else to choose from" in done(*asked)
        assert len(answered(*asked)["candidates"]) == 1


class TestNeed:
    @every_workload
    def test_people(self, workload: Workload) -> None:
        asked = ("need", *STARS, "--epsilon", "1.1", "--workload", workload, "--error")
        users = ldp.users_needed(STARS_DOMAIN, epsilon=1.1, error=0.01, workload=workload)
        expected = {"bins": 10, "epsilon": 1.1, "users": users, "error": 0.01, "workload": workload}
        assert answered(*asked, "0.01") == answered(*asked, "1%") == {"asked": "users", **expected}
        text = done(*asked, "1%")
        assert text.startswith(f"It takes {users:,} people at ε = 1.1 for an error of 1%.\n\n")
        assert fact(text, "people").startswith(f"{users:,}")
        assert "over ranges and prefixes" in done("need", *STARS, "--epsilon", "1.1", "--error", "1%")

    def test_one_person_is_a_person(self) -> None:
        assert done("need", *STARS, "--epsilon", "9", "--error", "90%").startswith(
            "It takes 1 person at ε = 9"
        )
        assert done("need", *STARS, "--epsilon", "1", "--users", "1").startswith("With 1 answer at ε = 1")

    def test_as_many_people_have_that_error(self) -> None:
        users = answered("need", *STARS, "--epsilon", "1.1", "--error", "2%")["users"]
        assert answered("compare", *STARS, "--epsilon", "1.1", "--users", str(users))["candidates"][0][
            "error"
        ] == pytest.approx(0.02, 1e-4)

    @pytest.mark.slow
    def test_epsilon(self) -> None:
        asked = ("need", *STARS, "--users", "100000", "--error", "1%")
        result = answered(*asked)
        exact = ldp.epsilon_needed(STARS_DOMAIN, expected_users=100_000, error=0.01)
        assert exact <= result["epsilon"] < exact + 0.01
        assert (result["asked"], result["users"], result["error"]) == ("epsilon", 100_000, 0.01)
        text = done(*asked)
        assert text.startswith(f"It takes ε = {result['epsilon']} from each of 100,000 people")
        spent = ("compare", *STARS, "--epsilon", str(result["epsilon"]), "--users", "100000")
        assert answered(*spent)["candidates"][0]["error"] <= 0.01

    @pytest.mark.slow
    def test_bins(self) -> None:
        asked = ("need", "--epsilon", "1.1", "--users", "1000000")
        bins = ldp.useful_bins(epsilon=1.1, expected_users=1_000_000)
        assert answered(*asked) == {"asked": "bins", "bins": bins, "epsilon": 1.1, "users": 1_000_000}
        text = done(*asked)
        assert text.startswith(f"Up to {bins} bins are useful with 1,000,000 people at ε = 1.1")
        assert fact(text, "bins") == str(bins)
        assert "with more, a bin's margin of error would be larger" in " ".join(text.split())

    def test_the_most_bins_are_only_the_most_that_are_looked_at(self) -> None:
        text = done("need", "--epsilon", "50", "--users", "1000000000")
        assert text.startswith("Up to 65,536 bins are useful with 1,000,000,000 people at ε = 50")
        assert "the most that is looked at" in " ".join(text.split())
        assert "larger than its share" not in " ".join(text.split())


class TestFiles:
    @pytest.mark.parametrize("suffix", ["parquet", "csv", "reports"])
    def test_a_plan_of_windows_goes_the_whole_way(self, here: Path, suffix: str) -> None:
        people = ages(5000)
        (here / "people.csv").write_text("age\n" + "".join(f"{age}\n" for age in people))
        done(*PLAN, "--decomposition", "windows", "-o", "p.json")
        days = []
        for seed in ("1", "2"):
            done("encode", "p.json", "people.csv", "-o", f"{seed}.{suffix}", "--seed", seed)
            done("aggregate", "p.json", f"{seed}.{suffix}", "-o", f"{seed}.agg")
            days.append(f"{seed}.agg")
        assert answered("merge", *days, "-o", "both.agg")["reports"] == 10_000
        result = answered("query", "both.agg", "--range", "18", "64", "--cdf")
        (between,) = result["ranges"]
        truth = np.mean((np.array(people) >= 18) & (np.array(people) <= 64))
        assert between["low"] < between["value"] < between["high"]
        assert abs(between["value"] - truth) < 3 * (between["high"] - between["low"]) / 4  # 3 deviations
        assert result["cdf"][-1]["value"] == pytest.approx(1)
        assert "Windows, 7 levels" in done("query", "both.agg")

    def test_windows_are_simulated_as_predicted(self, here: Path) -> None:
        done(*PLAN, "--decomposition", "windows", "-o", "p.json")
        (here / "people.txt").write_text("\n".join(map(str, ages(5000))))
        text = done("simulate", "p.json", "people.txt", "--seed", "3")
        assert fact(text, "decomposition").startswith("Windows")
        for kind in ("2,048 ranges", "120 prefixes"):
            (row,) = (line.split() for line in text.splitlines() if kind in line)
            predicted, measured, _margin, coverage = (
                float(number.rstrip("%")) for number in row[-5:] if number != "±"
            )
            assert measured == pytest.approx(predicted, rel=0.2)
            assert coverage > 88


def test_of_categories_the_error_is_that_of_one(here: Path) -> None:
    said = done("plan", "--categories", "bus,car,train", "--epsilon", "1", "--users", "2000", "-o", "p.json")
    error = ldp.Plan.load("p.json").predict(2000).range_rmse
    assert fact(said, "error of a category").startswith(f"{error:.2%} (root mean square over all categories)")
    assert "error of a range" not in said
    assert "error of a prefix" not in said


class TestHelp:
    @pytest.mark.parametrize("name", ["plan", "compare", "need"])
    def test_all_say_a_domain_in_the_same_ways(self, name: str) -> None:
        text = done(name, "--help")
        assert "six ways to say which values" in text
        listed = text.partition("Options:")[2].splitlines()
        options = [line.split()[0] for line in listed if line.startswith("  --")]
        numbers = ["--low", "--high", "--bins", "--logarithmic"]
        beyond = ["--open-ends", "--prefer-not-to-say"]
        others = ["--first", "--last", "--labels", "--categories"]
        assert options[:11] == [*numbers, *others, *beyond, "--attribute"]
        assert {"--epsilon", "--users", "--workload", "--json"} < set(options)

    @pytest.mark.parametrize("name", ["plan", "compare", "need"])
    def test_nothing_but_an_example_is_wider_than_a_terminal(self, name: str) -> None:
        text, _ = done(name, "--help").split("\nExamples:\n")
        assert all(len(line) <= 80 for line in text.splitlines())


class TestDocumentation:
    @pytest.mark.parametrize("name", ["plan", "compare", pytest.param("need", marks=pytest.mark.slow)])
    def test_what_is_printed_there_is_printed(self, here: Path, name: str) -> None:
        text = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text()
        examples = text.split(f"\n$ ldprange {name} ")[1:]
        assert examples
        for example in examples:
            command, *printed = re.split(r"\n(?:```|\$ |\.\.\.)", example)[0].split("\n")
            lines = [line.rstrip() for line in done(name, *command.split()).splitlines()]
            expected = [line for line in printed if line]
            assert expected
            # the page leaves out the empty lines around a table
            assert [line for line in lines if line][: len(expected)] == expected
