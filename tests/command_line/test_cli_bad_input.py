"""The command line: every bad input is told in one line and changes nothing."""

from __future__ import annotations

import contextlib
import re
import shutil
import zipfile
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from click.testing import CliRunner

import ldprange as ldp
from command_line_survey import ages, answered, done, make_survey, run
from ldprange.cli.group import commands
from ldprange.files import write_reports

ENCODE = ("encode", "ages.plan.json")
PLAN = ("plan", "--low", "0", "--high", "9")
COMPARE = ("compare", "--low", "0", "--high", "9")
NEED = ("need", "--low", "0", "--high", "9")
FOUR = r"ask one of: what can be learnt\? .*; how many people\? .*; which ε\? .*; how many bins\? .*; got "
BAD = {
    "values outside the domain": ((*ENCODE, "outside.txt"), "between 0 and 119, got 120"),
    "NaN": ((*ENCODE, "nan.txt"), "row 2 has none; .*--missing skip"),
    "a missing value": ((*ENCODE, "missing.csv", "--column", "age"), "row 2 has none"),
    "strings where numbers belong": ((*ENCODE, "people.csv", "--column", "name"), "row 1 has 'p0'"),
    "halves where whole numbers belong": ((*ENCODE, "halves.txt"), "got 1.5"),
    "no such column": ((*ENCODE, "people.csv", "--column", "agee"), "its columns are: name, age"),
    "no column chosen": ((*ENCODE, "people.csv"), "choose one with --column: name, age"),
    "no such file": ((*ENCODE, "gone.csv"), "gone.csv: it cannot be read: No such file"),
    "an empty file": ((*ENCODE, "empty.csv"), "empty"),
    "an empty column": ((*ENCODE, "empty.txt"), "empty"),
    "a truncated table": ((*ENCODE, "cut.parquet", "--column", "age"), "truncated"),
    "the output over the input": (
        (*ENCODE, "people.csv", "--column", "age", "-o", "people.csv"),
        "replace an input",
    ),
    "reports over an aggregate": (
        (*ENCODE, "people.csv", "--column", "age", "-o", "monday.agg"),
        "monday.agg holds an aggregate; choose another name",
    ),
    "a plan over an aggregate": (
        (*PLAN, "--epsilon", "1", "-o", "monday.agg"),
        "monday.agg holds an aggregate",
    ),
    "output nowhere": ((*ENCODE, "people.csv", "--column", "age", "-o", "nowhere/x"), "no directory nowhere"),
    "simulating nonsense": (("simulate", "ages.plan.json", "nan.txt"), "row 2 has none"),
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
    "two domains": (
        (*PLAN, "--labels", "a,b", "--epsilon", "1"),
        "say which values .*got --low and --high and also --labels",
    ),
    "no domain": (("plan", "--epsilon", "1"), "say which values"),
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
    "denoised and raw": (("query", "monday.agg", "--denoise", "--raw"), "not both"),
    "labels and categories": (
        ("plan", "--labels", "a,b", "--categories", "a,b", "--epsilon", "1"),
        "say which values",
    ),
    "categories with open ends": (
        ("plan", "--categories", "a,b", "--open-ends", "--epsilon", "1"),
        "open ends",
    ),
    "labels twice": (("plan", "--labels", "S,M,S", "--epsilon", "1"), "must differ"),
    "nobody expected": (
        (*PLAN, "--epsilon", "1", "--users", "0"),
        "'--users': it must be a whole number from 1",
    ),
    "an oracle without a decomposition": (
        (*PLAN, "--epsilon", "1", "--oracle", "oue"),
        "--oracle oue .*; add --decomposition, one of: flat, tree, haar, windows",
    ),
    "even levels without a decomposition": (
        (*PLAN, "--epsilon", "1", "--levels", "even"),
        "--levels even .*; add --decomposition, one of: flat, tree, haar, windows",
    ),
    "even levels for a workload": (
        (*PLAN, "--epsilon", "1", "--decomposition", "haar", "--levels", "even", "--workload", "both"),
        "--workload goes with --levels best only, got even",
    ),
    "an unknown workload": ((*PLAN, "--epsilon", "1", "--workload", "medians"), "'medians' is not one of"),
    "comparing without ε": ((*COMPARE, "--users", "9"), "Missing option '--epsilon'"),
    "comparing for nobody in particular": ((*COMPARE, "--epsilon", "1"), "Missing option '--users'"),
    "comparing for nobody": ((*COMPARE, "--epsilon", "1", "--users", "0"), "whole number from 1"),
    "comparing nothing": (("compare", "--epsilon", "1", "--users", "9"), "say which values"),
    "comparing without privacy": (
        (*COMPARE, "--epsilon", "nan", "--users", "9"),
        "ε must be a finite number above 0, got nan",
    ),
    "no question": (("need",), f"{FOUR}none"),
    "a question with its answer": (
        (*NEED, "--epsilon", "1", "--users", "9", "--error", "1%"),
        f"{FOUR}a domain, --epsilon, --users, --error",
    ),
    "an error of what?": ((*NEED, "--error", "1%"), f"{FOUR}a domain, --error"),
    "people for what error?": ((*NEED, "--epsilon", "1"), f"{FOUR}a domain, --epsilon"),
    "an outlook for a workload": (
        (*NEED, "--epsilon", "1", "--users", "9", "--workload", "both"),
        "--workload goes with --error only, got both",
    ),
    "bins for an error": (
        ("need", "--epsilon", "1", "--users", "9", "--error", "0.1"),
        f"{FOUR}--epsilon, --users, --error",
    ),
    "bins for a workload": (
        ("need", "--epsilon", "1", "--users", "900", "--workload", "both"),
        "--workload goes with --error only, got both",
    ),
    "half a domain to ask about": (
        ("need", "--low", "0", "--epsilon", "1", "--error", "1%"),
        "--high is missing",
    ),
    "bins of nothing": (("need", "--bins", "8", "--epsilon", "1", "--users", "9"), "say which values"),
    "an error that is a word": (
        (*NEED, "--epsilon", "1", "--error", "small"),
        "a share such as 0.01 or 1%, got 'small'",
    ),
    "an error of everything": ((*NEED, "--epsilon", "1", "--error", "1"), "a share between 0 and 1"),
    "an error of 0": ((*NEED, "--epsilon", "1", "--error", "0%"), "a share between 0 and 1"),
    "an error that is no number": ((*NEED, "--users", "9", "--error", "nan"), "a share between 0 and 1"),
    "an error that no ε brings": ((*NEED, "--users", "9", "--error", "1e-9"), "cannot be had .*ask more"),
    "people for infinite ε": ((*NEED, "--epsilon", "inf", "--error", "1%"), "ε must be .* got inf"),
    "too few people for two bins": (("need", "--epsilon", "1", "--users", "1"), "told apart .*ask more"),
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
    "a labelled plan for a plan": (
        ("aggregate", "labelled.json", "reports.parquet"),
        r"labelled\.json: the file must be a plan, but it is a labelled plan; use .* Python \(LabelledPlan\)",
    ),
    "a survey of a labelled plan": (
        ("serve", "--question", "How old?", "--plan", "labelled.json"),
        "but it is a labelled plan; use it from Python",
    ),
    "a labelled plan for values": (
        (*ENCODE, "labelled.json"),
        "people's values .*, but it is a labelled plan",
    ),
    "querying a labelled aggregate": (
        ("query", "labelled.agg"),
        r"an aggregate, but it is a labelled aggregate; use it from Python \(LabelledAggregate\)",
    ),
    "adding a labelled aggregate": (
        ("merge", "monday.agg", "labelled.agg"),
        "labelled.agg: .* a labelled agg",
    ),
    "checking a labelled aggregate": (("check", "labelled.agg"), "but it is a labelled aggregate"),
    "a plan over a labelled one": (
        (*PLAN, "--epsilon", "1", "-o", "labelled.json"),
        "labelled.json holds a labelled plan; choose another name",
    ),
    "a sum over a labelled aggregate": (
        ("merge", "monday.agg", "-o", "labelled.agg"),
        "labelled.agg holds a labelled aggregate",
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
    "reports and their copy": (
        ("aggregate", "ages.plan.json", "reports.parquet", "whole.reports", "copy.parquet"),
        "must be given once, got reports.parquet and its copy copy.parquet; it would be counted twice",
    ),
    "an aggregate and its copy": (
        ("merge", "monday.agg", "nobody.agg", "copy.agg"),
        "must be given once, got monday.agg and its copy copy.agg; it would be counted twice",
    ),
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
    "a population of nobody": (
        ("query", "monday.agg", "--population", "0"),
        "'--population': population must be .* a whole number of people from 1 to 10.15, such as .* got '0'",
    ),
    "half a person": (("query", "monday.agg", "--population", "2e4.5"), "population must be"),
    "a confidence that is no number": (
        ("query", "monday.agg", "--confidence", "most"),
        "--confidence.* must be a share such as 0.01 or 1%, got 'most'",
    ),
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
    shutil.copy("reports.parquet", "copy.parquet")
    shutil.copy("monday.agg", "copy.agg")
    ages_plan = ldp.Plan.load("ages.plan.json")
    labelled = ldp.LabelledPlan(("first age", "last age"), (ages_plan, ages_plan), ("stays", "leaves"), "one")
    labelled.save("labelled.json")
    ldp.LabelledAggregate.empty(labelled).save("labelled.agg")
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


def test_what_may_be_the_same_by_chance_is_counted(here: Path) -> None:
    """Of one person, of yes or no, and of nobody."""
    plan = ldp.Plan(ldp.Domain.categories(["yes", "no"]), 1.0, ldp.Flat(), ldp.GRR())
    plan.save("yes.json")
    write_reports("one.reports", plan, [ldp.encode_many(plan, ["yes"], seed=1)])
    ldp.Aggregate.of(plan, ldp.encode_many(plan, ["yes", "no"] * 500, seed=1)).save("some.agg")
    ldp.Aggregate.empty(plan).save("none.agg")
    for name in ("one.reports", "some.agg", "none.agg"):
        shutil.copy(name, f"again-{name}")
    assert (
        answered("aggregate", "yes.json", "one.reports", "again-one.reports", "-o", "two.agg")["reports"] == 2
    )
    given = ("some.agg", "again-some.agg", "none.agg", "again-none.agg")
    assert answered("merge", *given, "-o", "all.agg")["reports"] == 2000


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
