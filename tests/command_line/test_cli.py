"""The command line: the whole way, what goes to which stream, and what the help says."""

from __future__ import annotations

import json
from pathlib import Path

import click
import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import ldprange as ldp
from command_line_survey import PEOPLE, ages, answered, done, run
from example_kinds import DECOMPOSITIONS, ORACLES
from ldprange.cli.chart import draw_cdf
from ldprange.cli.command import Command
from ldprange.cli.group import COMMANDS, commands

ROOT = Path(__file__).parents[2]
CHOICES = {**ORACLES, "hrr": ldp.HRR()}
SUFFIXES = ["parquet", "csv", "reports"]


class TestTheWholeWay:
    def test_answers_lie_near_the_truth(self, survey: Path) -> None:
        result = answered("query", "monday.agg", "--range", "18", "64", "--prefix", "30", "--quantile", "0.5")
        truth = np.array(ages())
        assert result["reports"] == PEOPLE
        (between,), (below,), (median,) = result["ranges"], result["prefixes"], result["quantiles"]
        assert between["from"] == 18
        assert between["to"] == 64
        assert abs(between["value"] - np.mean((truth >= 18) & (truth <= 64))) < 0.15
        assert between["low"] < between["value"] < between["high"]
        assert abs(below["value"] - np.mean(truth <= 30)) < 0.15
        assert abs(median["value"] - np.median(truth)) < 12
        assert median["low"] <= median["value"] <= median["high"]

    def test_the_mean_is_the_same_on_the_screen_as_json_and_as_csv(self, survey: Path) -> None:
        mean = answered("query", "monday.agg", "--mean")["mean"]
        assert mean["low"] < mean["value"] < mean["high"]
        assert abs(mean["value"] - np.mean(ages())) < 12
        assert f"{mean['value']:.6g}   {mean['low']:.6g} to {mean['high']:.6g}" in done(
            "query", "monday.agg", "--mean"
        )
        assert f"mean,,,,,,{mean['value']!r}," in done("query", "monday.agg", "--mean", "--csv")

    def test_denoised_shares_are_a_distribution(self, survey: Path) -> None:
        result = answered("query", "monday.agg", "--histogram", "--denoise")
        shares = [row["value"] for row in result["histogram"]]
        assert result["denoised"]
        assert min(shares) >= 0
        assert sum(shares) == pytest.approx(1)
        assert min(row["value"] for row in answered("query", "monday.agg", "--histogram")["histogram"]) < 0

    def test_raw_says_where_it_changes_nothing(self, survey: Path) -> None:
        assert "--raw changes nothing" in run("query", "monday.agg", "--raw", "--quantile", "0.5").stderr

    @pytest.mark.slow
    @pytest.mark.parametrize("oracle", CHOICES)
    @pytest.mark.parametrize("decomposition", ["tree", "windows"])
    @pytest.mark.parametrize("suffix", SUFFIXES)
    def test_every_kind_of_report_file(
        self, here: Path, oracle: str, decomposition: str, suffix: str
    ) -> None:
        (here / "values.txt").write_text("\n".join(map(str, range(100))))
        options = ["--decomposition", decomposition, "--oracle", oracle]
        done("plan", "--low", "0", "--high", "99", "--epsilon", "2", *options, "-o", "p.json")
        done("encode", "p.json", "values.txt", "-o", f"r.{suffix}", "--seed", "3")
        assert answered("aggregate", "p.json", f"r.{suffix}", "-o", "x.agg")["reports"] == 100
        done("encode", "p.json", "values.txt", "-o", "other.reports", "--seed", "3")
        done("aggregate", "p.json", "other.reports", "-o", "y.agg")
        assert (here / "x.agg").read_bytes() == (here / "y.agg").read_bytes()

    @pytest.mark.parametrize("oracle", CHOICES)
    @pytest.mark.parametrize("decomposition", DECOMPOSITIONS)
    def test_the_plan_is_the_librarys(self, here: Path, oracle: str, decomposition: str) -> None:
        chosen, shape, domain = CHOICES[oracle], DECOMPOSITIONS[decomposition], ldp.Domain.integers(0, 99)
        options = ["--decomposition", decomposition, "--oracle", oracle]
        asked = ("plan", "--low", "0", "--high", "99", "--epsilon", "2", *options)
        even = ldp.Plan.from_json(done(*asked, "--levels", "even"))
        assert even == ldp.Plan(domain, 2.0, shape, chosen)
        assert ldp.Plan.from_json(done(*asked)) == ldp.optimise_plan(
            domain, epsilon=2.0, decomposition=shape, oracle=chosen
        )

    @pytest.mark.parametrize(
        ("options", "domain"),
        [
            (["--low", "-5", "--high", "5"], ldp.Domain.integers(-5, 5)),
            (["--low", "0", "--high", "1", "--bins", "10"], ldp.Domain.real(0, 1, 10)),
            (
                ["--low", "0.5", "--high", "1e3", "--bins", "8", "--logarithmic"],
                ldp.Domain.logarithmic(0.5, 1e3, 8),
            ),
            (["--first", "2026-01-01", "--last", "2026-12-31"], ldp.Domain.dates("2026-01-01", "2026-12-31")),
            (["--labels", "XS, S,M"], ldp.Domain.ordered(["XS", "S", "M"])),
        ],
    )
    def test_every_domain(self, here: Path, options: list[str], domain: ldp.Domain) -> None:
        printed = done("plan", *options, "--epsilon", "1")
        plan = ldp.Plan.from_json(printed)
        assert plan.domain == domain
        (here / "p.json").write_text(printed)
        values = [domain.lower(index) for index in range(domain.bins)] * 10
        low, high = str(domain.lower(0)), str(domain.upper(domain.bins - 1))
        done("encode", "p.json", "-", "-o", "x.reports", stdin="\n".join(map(str, values)))
        done("aggregate", "p.json", "x.reports", "-o", "x.agg")
        done("simulate", "p.json", "-", "--repetitions", "2", stdin="\n".join(map(str, values)))
        result = answered("query", "x.agg", "--range", low, high, "--quantile", "0.5", "--histogram", "--cdf")
        assert result["ranges"][0]["value"] == pytest.approx(1)
        assert len(result["histogram"]) == len(result["cdf"]) == domain.bins
        assert result["cdf"][-1]["value"] == pytest.approx(1)
        assert str(result["ranges"][0]["to"]) == high
        overview = done("query", "x.agg")
        assert "└┬" in overview

    def test_a_choice_without_an_order(self, here: Path) -> None:
        done("plan", "--categories", "north, south,east", "--epsilon", "8", "-o", "p.json")
        assert ldp.Plan.load("p.json").domain == ldp.Domain.categories(["north", "south", "east"])
        done("encode", "p.json", "-", "-o", "x.reports", stdin="north\nsouth\n" * 500)
        done("aggregate", "p.json", "x.reports", "-o", "x.agg")
        found = answered("query", "x.agg", "--histogram")["histogram"]
        assert [each["value"] for each in found] == pytest.approx([0.5, 0.5, 0.0], abs=0.05)
        assert run("query", "x.agg", "--quantile", "0.5").exit_code == 2

    def test_the_same_seed_gives_the_same_reports_from_any_file(self, here: Path) -> None:
        done("plan", "--low", "0", "--high", "119", "--epsilon", "1", "-o", "p.json")
        text = "".join(f"{age}\n" for age in ages())
        (here / "a.txt").write_text(text)
        (here / "a.csv").write_text("age\n" + text)
        pyarrow.parquet.write_table(pa.table({"age": ages()}), here / "a.parquet")
        for name in ("a.txt", "a.csv", "a.parquet"):
            done("encode", "p.json", name, "-o", f"{name}.reports", "--seed", "9")
        assert len({path.read_bytes() for path in here.glob("*.reports")}) == 1
        done("encode", "p.json", "a.txt", "-o", "other.reports")
        assert len({path.read_bytes() for path in here.glob("*.reports")}) == 2

    def test_directories_and_merge_add_up(self, survey: Path) -> None:
        Path("more").mkdir()
        for name in ("more/a.csv", "more/b.reports"):
            done("encode", "ages.plan.json", "people.csv", "--column", "age", "-o", name)
        done("aggregate", "ages.plan.json", "reports.parquet", "more", "-o", "all.agg")
        done("aggregate", "ages.plan.json", "more/", "-o", "tuesday.agg")
        assert answered("merge", "monday.agg", "tuesday.agg", "-o", "week.agg")["reports"] == 3 * PEOPLE
        assert ldp.Aggregate.load("week.agg") == ldp.Aggregate.load("all.agg")

    @pytest.mark.slow
    def test_simulate_measures_what_the_plan_predicts(self, survey: Path) -> None:
        result = answered("simulate", "ages.plan.json", "people.csv", "--column", "age", "--seed", "2")
        assert result["users"] == PEOPLE
        for kind in ("ranges", "prefixes"):
            found = result[kind]
            assert found["measured_rmse"] == pytest.approx(found["predicted_rmse"], rel=0.2)
            assert 0.88 < found["coverage"] <= 1
        text = done("simulate", "ages.plan.json", "people.csv", "--column", "age", "--repetitions", "2")
        assert "predicted" in text
        assert "measured" in text

    def test_the_raw_tree_differs(self, here: Path) -> None:
        done(
            "plan", "--low", "0", "--high", "99", "--epsilon", "1", "--decomposition", "tree", "-o", "p.json"
        )
        done("encode", "p.json", "-", "-o", "x.reports", stdin="\n".join(map(str, list(range(100)) * 20)))
        done("aggregate", "p.json", "x.reports", "-o", "x.agg")
        asked = ("query", "x.agg", "--range", "3", "77")
        assert answered(*asked)["ranges"] != answered(*asked, "--raw")["ranges"]

    def test_confidence_widens(self, survey: Path) -> None:
        narrow, wide = (
            answered("query", "monday.agg", "--range", "18", "64", "--confidence", confidence)["ranges"][0]
            for confidence in ("0.5", "0.99")
        )
        assert wide["low"] < narrow["low"] < narrow["high"] < wide["high"]

    def test_a_population_is_typed_as_expected_people_are(self, survey: Path) -> None:
        asked = ("query", "monday.agg", "--range", "18", "64", "--population")
        found = answered(*asked, "1000000")
        assert found["population"] == 1_000_000
        assert answered(*asked, "1e6") == answered(*asked, "1,000,000") == found

    def test_a_simultaneous_band_is_wider(self, survey: Path) -> None:
        asked = ("query", "monday.agg", "--cdf")
        alone, at_once = answered(*asked), answered(*asked, "--band", "simultaneous")
        assert (alone["band"], at_once["band"]) == ("pointwise", "simultaneous")
        assert answered(*asked, "--band", "pointwise") == alone
        for narrow, wide in zip(alone["cdf"][:-1], at_once["cdf"][:-1], strict=True):
            assert wide["low"] < narrow["low"] < narrow["high"] < wide["high"]
        assert set(alone["cdf"][0]) == {"to", "value", "low", "high"}
        assert "95% interval, all at once" in done(*asked, "--band", "simultaneous")
        assert "\nup to 17 " in done(*asked)


class TestStreams:
    def test_a_plan_without_output_is_standard_output(self, here: Path) -> None:
        result = run("plan", "--low", "0", "--high", "9", "--epsilon", "1", "--users", "1000")
        assert result.exit_code == 0
        assert ldp.Plan.from_json(result.stdout).domain.bins == 10
        assert "error of a range" in result.stderr

    def test_a_plan_with_output_is_summed_up(self, here: Path) -> None:
        options = ["--decomposition", "haar", "--oracle", "hrr", "--users", "1000", "-o", "p.json"]
        text = done("plan", "--low", "0", "--high", "9", "--epsilon", "1", *options)
        for part in ("10 bins", "ε = 1", "Haar", "HRR", "1 byte", "1,000", "error of a prefix", "p.json"):
            assert part in text
        assert "median             if it's 4, you'll get" in text

    def test_json_says_what_the_summary_says(self, here: Path) -> None:
        options = ["--decomposition", "haar", "--oracle", "hrr", "--users", "1000"]
        result = answered("plan", "--low", "0", "--high", "9", "--epsilon", "1", *options)
        plan = ldp.Plan.from_json(json.dumps(result["plan"]))
        assert result["prediction"]["range_rmse"] == plan.predict(1000).range_rmse
        assert result["bins"] == 10
        assert [level["report_bytes"] for level in result["levels"]] == [1, 1, 1, 1]

    def test_encode_says_that_it_is_a_rehearsal(self, survey: Path) -> None:
        result = run("encode", "ages.plan.json", "people.csv", "--column", "age", "-o", "x.reports", "--json")
        assert "rehearsal" in result.stderr
        assert json.loads(result.stdout)["reports"] == PEOPLE
        failed = run("encode", "ages.plan.json", "people.csv", "--column", "name", "-o", "y.reports")
        assert "rehearsal" not in failed.stderr

    def test_an_overview_draws_the_quartiles_and_the_cdf(self, survey: Path) -> None:
        text = done("query", "monday.agg")
        for part in (
            f"{PEOPLE:,}",
            "25% lie up to",
            "50% lie up to",
            "75% lie up to",
            "100% ┤",
            "whole curve",
        ):
            assert part in text
        assert len(answered("query", "monday.agg")["quantiles"]) == 3

    def test_shares_may_be_in_percent(self, survey: Path) -> None:
        asked = ("query", "monday.agg", "--range", "18", "64", "--quantile")
        assert done(*asked, "50%", "--confidence", "90%") == done(*asked, "0.5", "--confidence", "0.9")
        assert "95% interval" in done(*asked, "0.5")

    def test_a_confidence_has_all_its_digits(self, survey: Path) -> None:
        asked = ("query", "monday.agg", "--range", "18", "64", "--confidence", "0.9999999999999")
        assert "99.99999999999% interval" in " ".join(done(*asked).split())

    def test_tables_name_the_questions(self, survey: Path) -> None:
        text = done("query", "monday.agg", "--range", "18", "64", "--prefix", "30", "--histogram", "--cdf")
        for part in ("from 18 to 64", "up to 30", "95% interval", "histogram", "cdf"):
            assert part in text

    @pytest.mark.parametrize("width", [10, 40, 80, 300])
    @pytest.mark.parametrize("ascii_only", [False, True])
    def test_the_picture_fits(self, width: int, ascii_only: bool) -> None:
        plan = ldp.Plan(ldp.Domain.dates("2026-01-01", "2026-12-31"), 1.0, ldp.Haar(), ldp.HRR())
        estimated = ldp.estimate(ldp.simulate(plan, np.full(365, 100), seed=1))
        picture = draw_cdf(estimated, width=width, ascii_only=ascii_only).plain
        assert picture.isascii() == ascii_only
        assert all(len(line) <= max(27, min(width, 100)) for line in picture.splitlines()[:-1])

    def test_inside_a_bin_the_band_reaches_from_its_lower_end_to_its_upper(self) -> None:
        plan = ldp.Plan(ldp.Domain.real(0, 120, 2), 8.0, ldp.Flat(), ldp.GRR())
        estimated = ldp.estimate(ldp.simulate(plan, [20_000, 20_000], seed=1))
        picture = draw_cdf(estimated, width=47, ascii_only=True).plain.splitlines()[:20]
        shaded = [{row for row, line in enumerate(picture) if line[column] in ".:*"} for column in (8, 44)]
        assert shaded == [set(range(9, 20)), set(range(11))]  # half of the people are in either bin


CONTEXT = click.Context(commands)


def found(name: str) -> click.Command:
    """Return a command, or one of a group's."""
    command: click.Command = commands
    for part in name.split():
        assert isinstance(command, click.Group)
        inner = command.get_command(CONTEXT, part)
        assert inner is not None
        command = inner
    return command


def inside(name: str) -> list[str]:
    command = found(name)
    return [f"{name} {part}" for part in command.commands] if isinstance(command, click.Group) else [name]


NAMES = [each for name in COMMANDS for each in inside(name)]


class TestHelp:
    @pytest.mark.parametrize("name", NAMES)
    def test_every_option_is_explained_and_every_command_has_examples(self, name: str) -> None:
        command = found(name)
        assert isinstance(command, Command)
        for option in command.params:
            if isinstance(option, click.Option):
                assert option.help, option.name
        assert command.help
        assert all(example.split("| ")[-1].startswith(f"ldprange {name}") for example in command.examples)
        text = done(*name.split(), "--help")
        assert all(f"\n  {example}\n" in text for example in command.examples)

    def test_the_group_lists_every_command(self) -> None:
        text = done("--help")
        for name, (_, summary) in COMMANDS.items():
            assert name in text
            assert summary in text

    def test_every_command_is_documented(self) -> None:
        text = (ROOT / "docs" / "command-line.md").read_text()
        for name in COMMANDS:
            assert f"\n## {name}\n" in text
        for name in NAMES:
            assert f"$ ldprange {name}" in text or f"| ldprange {name}" in text

    def test_every_documented_option_exists(self) -> None:
        documented = {
            word.strip("`(),;:.")
            for word in (ROOT / "docs" / "command-line.md").read_text().split()
            if word.strip("`(),;:.").startswith("--")
        }
        known = {"--help"}
        for name in NAMES:
            for parameter in found(name).params:
                known |= {*parameter.opts, *parameter.secondary_opts}
        assert {word for word in documented if word.strip("-")} <= known

    def test_the_version(self) -> None:
        assert ldp.__version__ in done("--version")
