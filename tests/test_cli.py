"""The command line: the whole way, every bad input, and what goes to which stream."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path
from typing import Any

import click
import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from click.testing import CliRunner, Result

import ldprange as ldp
from ldprange.cli import commands
from ldprange.cli.chart import draw_cdf
from ldprange.cli.command import Command
from ldprange.cli.group import COMMANDS
from ldprange.files import write_reports

ROOT = Path(__file__).parent.parent
PEOPLE = 20_000
ORACLES = ["grr", "oue", "olh", "hrr", "hadamard"]
SUFFIXES = ["parquet", "csv", "reports"]


def run(*arguments: str | Path, stdin: str | bytes | None = None) -> Result:
    return CliRunner().invoke(commands, [str(argument) for argument in arguments], input=stdin)


def done(*arguments: str | Path, stdin: str | bytes | None = None) -> str:
    """Run a command that must succeed, and return its standard output."""
    result = run(*arguments, stdin=stdin)
    assert result.exit_code == 0, result.output
    return result.stdout


def answered(*arguments: str | Path) -> Any:
    """Run a command with --json, whose standard output must be one JSON object."""
    return json.loads(done(*arguments, "--json"))


def ages(people: int = PEOPLE) -> list[int]:
    drawn = np.random.default_rng(5).normal(40, 18, people)
    rounded: list[int] = np.clip(drawn, 0, 119).astype(int).tolist()
    return rounded


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def make_survey() -> None:
    """Put a plan, people, their reports and an aggregate into the working directory."""
    rows = "".join(f"p{i},{age}\n" for i, age in enumerate(ages()))
    Path("people.csv").write_text("name,age\n" + rows)
    done("plan", "--low", "0", "--high", "119", "--epsilon", "1.1", "-o", "ages.plan.json")
    done("encode", "ages.plan.json", "people.csv", "--column", "age", "-o", "reports.parquet", "--seed", "1")
    done("aggregate", "ages.plan.json", "reports.parquet", "-o", "monday.agg")


@pytest.fixture
def survey(here: Path) -> Path:
    """Return a working directory with a survey in it."""
    make_survey()
    return here


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

    @pytest.mark.parametrize("oracle", ORACLES)
    @pytest.mark.parametrize("suffix", SUFFIXES)
    def test_every_kind_of_report_file(self, here: Path, oracle: str, suffix: str) -> None:
        (here / "values.txt").write_text("\n".join(map(str, range(100))))
        options = ["--decomposition", "tree", "--oracle", oracle]
        done("plan", "--low", "0", "--high", "99", "--epsilon", "2", *options, "-o", "p.json")
        done("encode", "p.json", "values.txt", "-o", f"r.{suffix}", "--seed", "3")
        assert answered("aggregate", "p.json", f"r.{suffix}", "-o", "x.agg")["reports"] == 100
        done("encode", "p.json", "values.txt", "-o", "other.reports", "--seed", "3")
        done("aggregate", "p.json", "other.reports", "-o", "y.agg")
        assert (here / "x.agg").read_bytes() == (here / "y.agg").read_bytes()

    @pytest.mark.parametrize("oracle", ORACLES)
    @pytest.mark.parametrize("decomposition", ["flat", "tree", "haar"])
    def test_the_plan_is_the_librarys(self, here: Path, oracle: str, decomposition: str) -> None:
        done(
            *("plan", "--low", "0", "--high", "99", "--epsilon", "2", "-o", "p.json"),
            *("--oracle", oracle, "--decomposition", decomposition),
        )
        oracles = {
            "grr": ldp.GRR,
            "oue": ldp.OUE,
            "olh": ldp.OLH,
            "hrr": ldp.HRR,
            "hadamard": ldp.HadamardHashing,
        }
        shapes = {"flat": ldp.Flat(), "tree": ldp.Tree(4), "haar": ldp.Haar()}
        expected = ldp.Plan(ldp.Domain.integers(0, 99), 2.0, shapes[decomposition], oracles[oracle]())
        assert ldp.Plan.from_json((here / "p.json").read_text()) == expected

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
        text = done("plan", "--low", "0", "--high", "9", "--epsilon", "1", "--users", "1000", "-o", "p.json")
        for part in ("10 bins", "ε = 1", "Haar", "HRR", "1 byte", "1,000", "error of a prefix", "p.json"):
            assert part in text

    def test_json_says_what_the_summary_says(self, here: Path) -> None:
        result = answered("plan", "--low", "0", "--high", "9", "--epsilon", "1", "--users", "1000")
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
            "25% lie below",
            "50% lie below",
            "75% lie below",
            "100% ┤",
            "whole curve",
        ):
            assert part in text
        assert len(answered("query", "monday.agg")["quantiles"]) == 3

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


ENCODE = ("encode", "ages.plan.json")
PLAN = ("plan", "--low", "0", "--high", "9")
BAD = {
    "values outside the domain": ((*ENCODE, "outside.txt"), "between 0 and 119, got 120"),
    "NaN": ((*ENCODE, "nan.txt"), "row 2 has 'nan'"),
    "a missing value": ((*ENCODE, "missing.csv", "--column", "age"), "row 2 has none"),
    "strings where numbers belong": ((*ENCODE, "people.csv", "--column", "name"), "row 1 has 'p0'"),
    "halves where whole numbers belong": ((*ENCODE, "halves.txt"), "got 1.5"),
    "no such column": ((*ENCODE, "people.csv", "--column", "agee"), "its columns are: name, age"),
    "no column chosen": ((*ENCODE, "people.csv"), "choose one: name, age"),
    "no such file": ((*ENCODE, "gone.csv"), "gone.csv: it cannot be read: No such file"),
    "an empty file": ((*ENCODE, "empty.csv"), "empty"),
    "an empty column": ((*ENCODE, "empty.txt"), "empty"),
    "a truncated table": ((*ENCODE, "cut.parquet", "--column", "age"), "truncated"),
    "the output over the input": (
        (*ENCODE, "people.csv", "--column", "age", "-o", "people.csv"),
        "replace an input",
    ),
    "output nowhere": ((*ENCODE, "people.csv", "--column", "age", "-o", "nowhere/x"), "no directory nowhere"),
    "simulating nonsense": (("simulate", "ages.plan.json", "nan.txt"), "row 2 has 'nan'"),
    "simulating outside the domain": (
        ("simulate", "ages.plan.json", "outside.txt"),
        "outside.txt: values must lie",
    ),
    "ε of 0": ((*PLAN, "--epsilon", "0"), "ε must be a finite number above 0"),
    "negative ε": ((*PLAN, "--epsilon", "-1"), "ε must be a finite number above 0"),
    "infinite ε": ((*PLAN, "--epsilon", "inf"), "ε must be a finite number above 0"),
    "ε not a number": ((*PLAN, "--epsilon", "nan"), "ε must be a finite number above 0"),
    "ε a word": ((*PLAN, "--epsilon", "much"), "not a valid float"),
    "B < 2": ((*PLAN, "--epsilon", "1", "--decomposition", "tree", "--branching", "1"), "at least 2"),
    "branching without a tree": ((*PLAN, "--epsilon", "1", "--branching", "4"), "--decomposition tree only"),
    "bits without Hadamard": ((*PLAN, "--epsilon", "1", "--bits", "2"), "--oracle hadamard only"),
    "too many bits": ((*PLAN, "--epsilon", "1", "--oracle", "hadamard", "--bits", "9"), "from 1 to 4, got 9"),
    "a domain upside down": (("plan", "--low", "9", "--high", "0", "--epsilon", "1"), "must not exceed"),
    "half a domain": (("plan", "--low", "9", "--epsilon", "1"), "--high is missing"),
    "the other half": (("plan", "--high", "9", "--epsilon", "1"), "--low is missing"),
    "half a year": (("plan", "--first", "2026-01-01", "--epsilon", "1"), "--last is missing"),
    "two domains": ((*PLAN, "--labels", "a,b", "--epsilon", "1"), "say what values"),
    "no domain": (("plan", "--epsilon", "1"), "say what values"),
    "real numbers without bins": (("plan", "--low", "0.5", "--high", "9", "--epsilon", "1"), "need --bins"),
    "bins of dates": (
        ("plan", "--first", "2026-01-01", "--last", "2026-01-02", "--bins", "2", "--epsilon", "1"),
        "go with --low and --high",
    ),
    "no bins": ((*PLAN, "--bins", "0", "--epsilon", "1"), "bins must be a whole number from 1"),
    "a bound that is a word": (
        ("plan", "--low", "few", "--high", "9", "--epsilon", "1"),
        "must be a number, got 'few'",
    ),
    "a day that is none": (
        ("plan", "--first", "today", "--last", "2026-01-02", "--epsilon", "1"),
        "got 'today'",
    ),
    "labels twice": (("plan", "--labels", "S,M,S", "--epsilon", "1"), "must differ"),
    "nobody expected": ((*PLAN, "--epsilon", "1", "--users", "0"), "users must be"),
    "a plan that is none": (
        ("encode", "people.csv", "people.csv", "--column", "age"),
        "people.csv: the file must be a plan, but it is plain text; swap",
    ),
    "JSON that is no plan": (("encode", "other-json.json", "people.csv"), "with the key 'ldprange_plan'"),
    "an aggregate for a plan": (
        ("aggregate", "monday.agg", "reports.parquet"),
        r"monday\.agg: the file must be a plan, but it is an aggregate; swap the arguments\?",
    ),
    "reports for a plan": (
        ("aggregate", "reports.parquet", "ages.plan.json"),
        "a plan, but it is a Parquet table; swap",
    ),
    "packed reports for a plan": (
        ("aggregate", "whole.reports", "ages.plan.json"),
        "a plan, but it is packed reports; swap",
    ),
    "a plan for values": (
        (*ENCODE, "other.json"),
        "other.json: .* people's values .*, but it is a plan; swap",
    ),
    "a plan for reports": (
        ("aggregate", "ages.plan.json", "other.json"),
        "reports.*, but it is a plan; swap",
    ),
    "an aggregate for reports": (
        ("aggregate", "ages.plan.json", "other.agg"),
        "but it is an aggregate; .*merge",
    ),
    "a plan for an aggregate": (
        ("query", "ages.plan.json"),
        "ages.plan.json: the file must be an aggregate, but it is a plan; give one",
    ),
    "reports for an aggregate": (
        ("merge", "monday.agg", "reports.parquet"),
        "an aggregate, but it is a Parquet table; give one",
    ),
    "a spreadsheet": ((*ENCODE, "people.xlsx", "--column", "age"), "a spreadsheet .*; export it as CSV"),
    "semicolons": (
        (*ENCODE, "semicolons.csv", "--column", "age"),
        "separator must be a comma, and the header shows semicolons: name;age",
    ),
    "an edited plan": (("aggregate", "edited.json", "reports.parquet"), "edited.json: .*fingerprint"),
    "reports of another plan": (("aggregate", "other.json", "reports.parquet"), "another plan"),
    "reports that are none": (
        ("aggregate", "ages.plan.json", "people.csv"),
        "columns must be plan,level,report",
    ),
    "truncated reports": (
        ("aggregate", "ages.plan.json", "reports.parquet", "cut.reports"),
        "cut.reports: .*truncated",
    ),
    "truncated Parquet reports": (("aggregate", "ages.plan.json", "cut-reports.parquet"), "truncated"),
    "empty reports": (("aggregate", "ages.plan.json", "empty.reports"), "empty"),
    "a directory of other things": (("aggregate", "ages.plan.json", "."), "only report files"),
    "reports given twice": (("aggregate", "ages.plan.json", "reports.parquet", "./reports.parquet"), "twice"),
    "a sum over one of its parts": (
        ("merge", "monday.agg", "other.agg", "-o", "monday.agg"),
        "replace an input",
    ),
    "an aggregate given twice": (("merge", "monday.agg", "monday.agg"), "twice"),
    "aggregates of different plans": (
        ("merge", "monday.agg", "other.agg"),
        "other.agg: .*same plan.*epsilon",
    ),
    "a truncated aggregate": (("merge", "monday.agg", "cut.agg"), "cut.agg .*truncated"),
    "an aggregate that is none": (
        ("query", "people.csv"),
        "people.csv: the file must be an aggregate, but it is plain text",
    ),
    "an empty aggregate": (("query", "empty.txt"), "empty"),
    "an aggregate of nobody": (("query", "nobody.agg"), "at least one report"),
    "a quantile above 1": (("query", "monday.agg", "--quantile", "1.5"), "between 0 and 1"),
    "a quantile below 0": (("query", "monday.agg", "--quantile", "-0.5"), "between 0 and 1"),
    "a quantile that is no number": (("query", "monday.agg", "--quantile", "nan"), "between 0 and 1"),
    "low > high": (("query", "monday.agg", "--range", "64", "18"), "a range must end after it begins"),
    "a range outside": (("query", "monday.agg", "--range", "-5", "18"), "between 0 and 119, got -5"),
    "a prefix outside": (("query", "monday.agg", "--prefix", "200"), "between 0 and 119, got 200"),
    "a bound of the wrong kind": (("query", "monday.agg", "--range", "a", "b"), "a whole number, got 'a'"),
    "confidence of 1": (("query", "monday.agg", "--confidence", "1"), "confidence must lie between 0 and 1"),
    "a band of nothing": (("query", "monday.agg", "--band", "simultaneous"), "--cdf only"),
    "an unknown command": (("guess",), "No such command"),
    "an unknown option": (("query", "monday.agg", "--guess"), "No such option"),
    "no people": (("demo", "--people", "0"), "not in the range"),
    "a demonstration without privacy": (("demo", "--epsilon", "0"), "ε must be"),
}


def make_trouble() -> None:
    """Put a survey into the working directory, and all that can be wrong beside it."""
    make_survey()
    for name, text in {
        "outside.txt": "1\n120\n",
        "nan.txt": "1\nnan\n",
        "missing.csv": "age,x\n1,a\n,b\n",
        "halves.txt": "1.5\n",
        "semicolons.csv": "name;age\nKim;1,5\n",
        "other-json.json": '{"plan": "none"}',
        "empty.csv": "",
        "empty.txt": "",
        "empty.reports": "",
    }.items():
        Path(name).write_text(text)
    pyarrow.parquet.write_table(pa.table({"age": ages()}), "whole.parquet")
    with zipfile.ZipFile("people.xlsx", "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
    done(*ENCODE, "people.csv", "--column", "age", "-o", "whole.reports")
    done("plan", "--low", "0", "--high", "119", "--epsilon", "2", "-o", "other.json")
    done("encode", "other.json", "people.csv", "--column", "age", "-o", "other.reports")
    done("aggregate", "other.json", "other.reports", "-o", "other.agg")
    ldp.Aggregate.empty(ldp.Plan.from_json(Path("other.json").read_text())).save("nobody.agg")
    for whole, cut in {
        "whole.parquet": "cut.parquet",
        "reports.parquet": "cut-reports.parquet",
        "whole.reports": "cut.reports",
        "monday.agg": "cut.agg",
    }.items():
        data = Path(whole).read_bytes()
        Path(cut).write_bytes(data[: len(data) * 2 // 3])
    Path("edited.json").write_text(Path("ages.plan.json").read_text().replace("1.1", "9.9"))


def contents(directory: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in directory.iterdir()}


@pytest.fixture(scope="module")
def trouble(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[Path, bytes]]:
    """Return a directory with all that can be wrong, made once, and its contents."""
    directory = tmp_path_factory.mktemp("trouble")
    with contextlib.chdir(directory):
        make_trouble()
    return directory, contents(directory)


@pytest.mark.parametrize(("arguments", "match"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_told_and_changes_nothing(
    trouble: tuple[Path, dict[Path, bytes]], arguments: tuple[str, ...], match: str
) -> None:
    directory, before = trouble
    writes = arguments[0] in ("plan", "encode", "aggregate", "merge") and "-o" not in arguments
    with contextlib.chdir(directory):
        result = run(*arguments, *(["-o", "new"] if writes else []))
    assert result.exit_code == 2, result.output
    assert isinstance(result.exception, SystemExit)
    assert "Traceback" not in result.output
    (message,) = (line for line in result.stderr.splitlines() if line.lower().startswith("error: "))
    assert re.search(match, message)
    assert contents(directory) == before


class TestHelp:
    context = click.Context(commands)

    @pytest.mark.parametrize("name", COMMANDS)
    def test_every_option_is_explained_and_every_command_has_examples(self, name: str) -> None:
        command = commands.get_command(self.context, name)
        assert isinstance(command, Command)
        for option in command.params:
            if isinstance(option, click.Option):
                assert option.help, option.name
        assert command.help
        assert all(example.split("| ")[-1].startswith(f"ldprange {name}") for example in command.examples)
        text = done(name, "--help")
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
            assert f"$ ldprange {name}" in text or f"| ldprange {name}" in text

    def test_every_documented_option_exists(self) -> None:
        documented = {
            word.strip("`(),;:")
            for word in (ROOT / "docs" / "command-line.md").read_text().split()
            if word.strip("`(),;:").startswith("--")
        }
        known = {"--help"}
        for name in COMMANDS:
            command = commands.get_command(self.context, name)
            assert command is not None
            known |= {option for parameter in command.params for option in parameter.opts}
        assert {word for word in documented if word.strip("-")} <= known

    def test_the_version(self) -> None:
        assert ldp.__version__ in done("--version")


def process(*arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ldprange", *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", check=False, **options)


class TestProcess:
    """What only a process of its own can show."""

    def test_help(self) -> None:
        result = process("--help")
        assert result.returncode == 0
        assert "Usage: ldprange" in result.stdout

    def test_help_imports_nothing_heavy(self) -> None:
        program = (
            "import sys; from ldprange.cli import commands; commands(['--help'], standalone_mode=False); "
            "sys.exit(', '.join({'pyarrow', 'rich', 'matplotlib', 'scipy'} & set(sys.modules)) or None)"
        )
        result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
        assert result.returncode == 0, result.stderr

    def test_demo(self) -> None:
        result = process("demo", "--people", "50000")
        assert result.returncode == 0, result.stderr
        assert not result.stderr
        for part in ("ε = 1.1", "42 minutes sends", "truth", "95% interval", "100% ┤", "└┬"):
            assert part in result.stdout

    def test_demo_on_a_terminal_without_unicode(self) -> None:
        result = process("demo", "--people", "1000", env={**os.environ, "PYTHONIOENCODING": "ascii"})
        assert result.returncode == 0, result.stderr
        assert result.stdout.isascii()

    def test_an_error_is_one_line(self, here: Path) -> None:
        result = process("query", "gone.agg")
        assert result.returncode == 2
        assert not result.stdout
        assert result.stderr == "error: gone.agg cannot be read: No such file or directory\n"

    def test_standard_input(self, here: Path) -> None:
        process("plan", "--low", "0", "--high", "9", "--epsilon", "1", "-o", "p.json")
        result = process("encode", "p.json", "-", "-o", "x.reports", "--json", input="1\n2\n3\n")
        assert json.loads(result.stdout)["reports"] == 3

    def test_a_closed_pipe_is_quiet(self, survey: Path) -> None:
        command = [sys.executable, "-m", "ldprange", "query", "monday.agg", "--json", *["--histogram"]]
        reader, writer = os.pipe()
        os.close(reader)
        result = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
        os.close(writer)
        assert result.stderr == ""

    @pytest.mark.skipif(os.name == "nt", reason="signals")
    def test_an_interrupt_leaves_nothing(self, survey: Path) -> None:
        before = sorted(survey.iterdir())
        command = [sys.executable, "-m", "ldprange", "encode", "ages.plan.json", "-", "-o", "x.reports"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
            deadline = time.monotonic() + 30
            while not list(survey.glob("x.reports.*.partial")) and time.monotonic() < deadline:
                time.sleep(0.01)
            running.send_signal(signal.SIGINT)
            assert running.wait(timeout=30) == 130
            assert running.stderr is not None
            assert "Traceback" not in running.stderr.read()
        assert sorted(survey.iterdir()) == before


def test_an_aggregate_does_not_replace_a_report_file_in_a_directory(tmp_path: Path) -> None:
    plan = ldp.Plan(ldp.Domain.integers(0, 9), 1.0, ldp.Haar(), ldp.HRR())
    (tmp_path / "p.json").write_text(plan.to_json())
    (tmp_path / "d").mkdir()
    reports = tmp_path / "d" / "one.reports"
    write_reports(reports, plan, [ldp.encode_many(plan, [1, 2, 3], seed=1)])
    before = reports.read_bytes()
    arguments = ["aggregate", str(tmp_path / "p.json"), str(tmp_path / "d"), "-o", str(reports)]
    assert CliRunner().invoke(commands, arguments).exit_code == 2
    assert reports.read_bytes() == before
