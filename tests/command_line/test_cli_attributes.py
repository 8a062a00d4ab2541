"""The command line over several attributes: the whole way, and what cannot be asked."""

from __future__ import annotations

import csv
import io
import json
import shlex
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ldprange as ldp
from command_line_survey import answered, done, run

TOWN = ("--attribute", "age", "0..15", "--attribute", "region", "categories:N,S")


@pytest.fixture(scope="module")
def made_town(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with what ``town`` promises, to be copied."""
    folder = tmp_path_factory.mktemp("town")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        done("plan", *TOWN, "--epsilon", "3", "--users", "10000", "-o", "town.plan.json")
        rows = "3,N,x\n12,S,y\n" * 5_000
        (folder / "values.csv").write_text(f"age,region,more\n{rows}")
        done("encode", "town.plan.json", "values.csv", "-o", "town.reports", "--seed", "1")
        done("aggregate", "town.plan.json", "town.reports", "-o", "town.agg")
    return folder


@pytest.fixture
def town(here: Path, made_town: Path) -> Path:
    """Return where a plan of two attributes lies, a table of people, and the aggregate of their reports."""
    return shutil.copytree(made_town, here, dirs_exist_ok=True)


@pytest.mark.parametrize(
    ("values", "domain"),
    [
        ("0..119", ldp.Domain.integers(0, 119)),
        ("-5..-1", ldp.Domain.integers(-5, -1)),
        ("-40..60/100", ldp.Domain.real(-40, 60, 100)),
        ("0.1..6e4/64/log", ldp.Domain.logarithmic(0.1, 60_000, 64)),
        ("2026-01-01..2026-12-31", ldp.Domain.dates("2026-01-01", "2026-12-31")),
        ("0..119/open", ldp.Domain.integers(0, 119, open_ends=True)),
        ("0.1..6e4/64/log/open-low", ldp.Domain.logarithmic(0.1, 60_000, 64, open_ends="low")),
        ("2026-01-01..2026-01-09/open-high", ldp.Domain.dates("2026-01-01", "2026-01-09", open_ends="high")),
        ("labels:XS, S,M", ldp.Domain.ordered(["XS", "S", "M"])),
        ("categories:north,south", ldp.Domain.categories(["north", "south"])),
        (
            "labels:closed,half/half,opening/open hours",
            ldp.Domain.ordered(["closed", "half/half", "opening/open hours"]),
        ),
        ('labels:a,"b/open"', ldp.Domain.ordered(["a", "b/open"])),
        ('labels:"a/no-answer",b/NO-ANSWER', ldp.Domain.ordered(["a/no-answer", "b"], no_answer=True)),
    ],
)
def test_an_attribute_is_said_in_a_word(here: Path, values: str, domain: ldp.Domain) -> None:
    made = answered("plan", "--attribute", "it", values, "--attribute", "n", "0..1", "--epsilon", "1")
    plan = ldp.Plan.from_json(json.dumps(made["plan"]))
    assert plan.domain == ldp.Domain.product(it=domain, n=ldp.Domain.integers(0, 1))


@pytest.mark.parametrize(
    "ending",
    [
        "/no-answer/open",
        "/open/no-answer",
        "/no_answer",
        "/no-answer ",
        "/open-high",
        "/Open",
        "/no-answer,c",
    ],
)
def test_a_misplaced_ending_is_no_part_of_a_label(here: Path, ending: str) -> None:
    refused = run("plan", "--attribute", "it", f"categories:a,b{ending}", *TOWN, "--epsilon", "1")
    assert refused.exit_code == 2
    assert "it: after the labels there may be /no-answer, once and at the very end, got '/" in refused.stderr


def test_it_is_the_plan_that_is_made_in_python(town: Path) -> None:
    domain = ldp.Domain.product(age=ldp.Domain.integers(0, 15), region=ldp.Domain.categories(["N", "S"]))
    plan = ldp.Plan.from_json((town / "town.plan.json").read_text())
    assert plan == ldp.choose_plan(domain, epsilon=3.0, expected_users=10_000)
    assert "Tree 2" in done("compare", *TOWN, "--epsilon", "3", "--users", "10000")
    users = answered("need", *TOWN, "--epsilon", "3", "--error", "1%")["users"]
    assert users == ldp.users_needed(domain, epsilon=3.0, error=0.01)


def test_categories_have_a_tree_without_levels_in_between(here: Path) -> None:
    labels = [f"r{number}" for number in range(16)]
    asked = ("--attribute", "age", "0..31", "--attribute", "region", f"categories:{','.join(labels)}")
    options = ("--epsilon", "1", "--decomposition", "tree")
    even, best = (
        ldp.Plan.from_json(done("plan", *asked, *options, "--levels", levels)) for levels in ("even", "best")
    )
    assert even.levels == best.levels
    assert even.oracles == best.oracles
    assert set(even.probabilities) == {1 / len(even.levels)}


def test_a_plan_of_very_many_levels_is_told_in_a_few_lines(here: Path) -> None:
    said = run(
        "plan", "--attribute", "a", "0..255", "--attribute", "b", "0..255", "--epsilon", "1", "-o", "p.json"
    )
    assert len(said.stdout.splitlines()) < 15


@pytest.mark.parametrize("name", ["values.csv", "values.tsv", "values.parquet"])
def test_every_kind_of_table_gives_the_same_reports(town: Path, name: str) -> None:
    columns = {"region": ["N", "S"] * 5_000, "age": [3, 12] * 5_000}
    if name.endswith("parquet"):
        import pyarrow as pa
        import pyarrow.parquet

        pyarrow.parquet.write_table(pa.table(columns), town / name)
    else:
        mark = "\t" if name.endswith("tsv") else ","
        lines = [
            mark.join(["region", "age"]),
            *(f"{r}{mark}{a}" for r, a in zip(*columns.values(), strict=True)),
        ]
        (town / name).write_text("\n".join(lines))
    done("encode", "town.plan.json", name, "-o", "again.reports", "--seed", "1")
    assert (town / "again.reports").read_bytes() == (town / "town.reports").read_bytes()


@pytest.mark.slow
def test_simulate_measures_what_the_plan_predicts(town: Path) -> None:
    rng = np.random.default_rng(1)
    ages = rng.integers(0, 16, 4000)
    regions = np.where(rng.random(4000) < ages / 16, "N", "S")
    rows = "\n".join(f"{age},{region}" for age, region in zip(ages, regions, strict=True))
    (town / "people.csv").write_text(f"age,region\n{rows}\n")
    result = answered("simulate", "town.plan.json", "people.csv", "--seed", "2", "--repetitions", "100")
    assert result["users"] == 4000
    for kind in ("ranges", "prefixes"):
        found = result[kind]
        assert found["measured_rmse"] == pytest.approx(found["predicted_rmse"], rel=0.1)
        assert 0.92 < found["coverage"] < 0.98


def test_simulate_asks_pairs_of_many_attributes(here: Path) -> None:
    names = ("a", "b", "c", "d")
    said = [word for name in names for word in ("--attribute", name, "0..7")]
    done("plan", *said, "--epsilon", "2", "--users", "5000", "-o", "p.json")
    rows = np.random.default_rng(1).integers(0, 8, (5000, 4))
    (here / "v.csv").write_text("\n".join([",".join(names), *(",".join(map(str, row)) for row in rows)]))
    result = answered("simulate", "p.json", "v.csv", "--seed", "2", "--repetitions", "5")
    assert result["ranges"]["measured_rmse"] == pytest.approx(result["ranges"]["predicted_rmse"], rel=0.25)


def test_one_of_them_is_asked_by_name(town: Path) -> None:
    found = answered("query", "town.agg", "--attribute", "age", "--range", "0", "7")
    assert found["ranges"][0]["value"] == pytest.approx(0.5, abs=0.1)


def test_one_of_them_has_an_overview(town: Path) -> None:
    assert "age: 50% lie up to" in done("query", "town.agg", "--attribute", "age")
    said = done("query", "town.agg", "--attribute", "region")
    assert "lie up to" not in said  # there is no order
    assert [line.split()[0] for line in said.splitlines() if "%   " in line] == ["N", "S"]


def test_some_are_asked_about_at_once(town: Path) -> None:
    asked = ("--within", "age", "8", "15", "--within", "region", "S", "S")
    assert answered("query", "town.agg", *asked)["within"]["value"] == pytest.approx(0.5, abs=0.1)
    assert "age 8 to 15, region S " in done("query", "town.agg", *asked)


def test_one_is_asked_about_among_the_people_in_others(town: Path) -> None:
    found = ldp.estimate(ldp.Aggregate.load("town.agg"))
    among = found.marginal("age", given={"region": "S"})
    asked: tuple[Any, ...] = ("--attribute", "age", "--given", "region", "S", "S")
    told = answered("query", "town.agg", *asked, "--range", "8", "15", "--prefix", "7", "--quantile", "0.5")
    assert told["given"] == {"region": ["S", "S"]}
    assert told["ranges"][0]["value"] == among.range(8, 15).value
    assert told["prefixes"][0]["high"] == among.prefix(7).high
    assert told["quantiles"][0]["value"] == among.quantile(0.5).value == 12
    assert "age given region S: from 8 to 15" in done("query", "town.agg", *asked, "--range", "8", "15")


def test_a_name_in_advice_can_be_pasted(here: Path) -> None:
    wait, channel = ldp.Domain.integers(0, 3), ldp.Domain.categories(["web", "phone"])
    domain = ldp.Domain.product(
        {"Wait in minutes, as far as is known, from the first call": wait, "channel": channel}
    )
    plan = ldp.choose_plan(domain, epsilon=3, expected_users=100)
    ldp.simulate(plan, np.full(domain.shape, 100), seed=1).save("some.agg")
    (advice,) = (line for line in done("query", "some.agg").splitlines() if "For a picture of one" in line)
    pasted = shlex.split(advice)[-2:]
    assert "50% lie up to" in done("query", "some.agg", *pasted)


@pytest.fixture(scope="module")
def wide_plan() -> str:
    """Return a plan of five attributes with very many joint bins, as text."""
    return done(
        "plan", *(word for name in "abcde" for word in ("--attribute", name, "0..63")), "--epsilon", "1"
    )


def test_without_a_question_all_attributes_are_told(town: Path) -> None:
    age, region = (answered("query", "town.agg", "--attribute", name) for name in ("age", "region"))
    told = answered("query", "town.agg")["attributes"]
    assert [each["attribute"] for each in told] == ["age", "region"]
    assert (told[0]["quantiles"], told[1]["histogram"]) == (age["quantiles"], region["histogram"])
    said = done("query", "town.agg")
    for words in (
        "10,000",
        "age: 25% lie up to",
        "age: 75% lie up to",
        "histogram of region",
        "--attribute age",
    ):
        assert words in said


def test_a_spreadsheet_gets_a_row_for_each_answer(town: Path) -> None:
    def table(*asked: str) -> list[dict[str, str]]:
        return list(csv.DictReader(io.StringIO(done("query", "town.agg", *asked, "--csv"))))

    about = ("--attribute", "age", "--given", "region", "S", "S")
    asked = (*about, "--range", "8", "15", "--prefix", "7", "--quantile", "0.5", "--histogram", "--cdf")
    rows, told = table(*asked), answered("query", "town.agg", *asked)
    kinds = ["range", "prefix", "quantile", *["histogram"] * 16, *["cdf"] * 16]
    assert [row["kind"] for row in rows] == kinds
    keys = ("ranges", "prefixes", "quantiles", "histogram", "cdf")
    for row, each in zip(rows, [each for key in keys for each in told[key]], strict=True):
        assert (row["attribute"], row["among"], row["confidence"]) == ("age", "region S", "0.95")
        for column in ("from", "to", "q", "value", "low", "high", "note"):
            assert row[column] == str(each.get(column, ""))  # every digit
    [joint] = table("--within", "age", "8", "15", "--within", "region", "S", "S")
    assert (joint["kind"], joint["among"], joint["from"]) == ("within", "age 8 to 15, region S", "")
    assert table("--attribute", "age", "--cdf", "--band", "simultaneous")[0]["kind"] == "simultaneous cdf"
    assert {row["attribute"] for row in table()} == {"age", "region"}
    assert "not both" in run("query", "town.agg", "--csv", "--json").stderr


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        (["query", "town.agg", "--range", "0", "7"], "--attribute"),
        (["query", "town.agg", "--histogram"], "--attribute"),
        (["query", "town.agg", "--attribute", "dogs"], "the attributes are age, region"),
        (["query", "town.agg", "--attribute", "region", "--quantile", "0.5"], "no order"),
        (["query", "town.agg", "--within", "age", "9", "3"], "end after it begins"),
        (["query", "town.agg", "--within", "age", "1", "3", "--within", "age", "1", "3"], "once"),
        (["query", "town.agg", "--given", "age", "1", "3"], "--given goes with --attribute"),
        (["query", "town.agg", "--attribute", "age", "--within", "region", "N", "N", "--mean"], "--given"),
        (["query", "town.agg", "--attribute", "age", "--given", "age", "1", "3"], "not both"),
        (["query", "town.agg", "--attribute", "age", "--given", "region", "W", "W"], "got 'W'"),
        (
            ["encode", "town.plan.json", "values.csv", "--column", "age", "-o", "r.reports"],
            "leave out column",
        ),
        (["encode", "town.plan.json", "-", "-o", "r.reports"], "with the columns age, region"),
        (["encode", "town.plan.json", "ages.csv", "-o", "r.reports"], "no column 'region'"),
        (["encode", "town.plan.json", "bad.csv", "-o", "r.reports"], "number in age, and row 2 has 'x'"),
        (["encode", "town.plan.json", "gap.csv", "-o", "r.reports"], "a label in region, and row 1 has none"),
        (["encode", "town.plan.json", "old.csv", "-o", "r.reports"], "age: "),
        (["plan", "--attribute", "age", "0..9", "--epsilon", "1"], "two or more"),
        (["plan", "--attribute", "age", "0..9", "--attribute", "age", "0..9", "--epsilon", "1"], "age twice"),
        (
            ["plan", "--attribute", "age", "9", "--attribute", "b", "0..9", "--epsilon", "1"],
            "age: values must",
        ),
        (["plan", "--attribute", "age", "9..0", "--attribute", "b", "0..9", "--epsilon", "1"], "exceed"),
        (["plan", *TOWN, "--low", "0", "--high", "9", "--epsilon", "1"], "with one of"),
        (["plan", *TOWN, "--decomposition", "windows", "--epsilon", "1"], "windows are for one attribute"),
        (["simulate", "wide.json", "wide.csv"], "joint bins"),
    ],
)
def test_what_cannot_be_asked_is_said(town: Path, wide_plan: str, asked: list[str], says: str) -> None:
    (town / "ages.csv").write_text("age\n1\n")
    (town / "bad.csv").write_text("age,region\n1,N\nx,S\n")
    (town / "gap.csv").write_text("age,region\n1,\n")
    (town / "wide.csv").write_text("a,b,c,d,e\n1,2,3,4,5\n")
    (town / "old.csv").write_text("age,region\n99,N\n")
    (town / "wide.json").write_text(wide_plan)
    outcome = run(*asked)
    assert outcome.exit_code == 2
    assert says in outcome.stderr
    assert not (town / "r.reports").exists()


def test_a_spreadsheet_gets_the_note_on_a_bound_inside_a_bin(here: Path) -> None:
    plan = ldp.Plan(ldp.Domain.real(0.0, 4.0, bins=4), 1.0, ldp.Flat(), ldp.GRR())
    ldp.Aggregate.of(plan, ldp.encode_many(plan, [0.5, 1.5, 2.5] * 100, seed=1)).save(here / "some.agg")
    asked = ("query", "some.agg", "--range", "0.5", "2", "--range", "1", "2", "--csv")
    inside, whole = csv.DictReader(io.StringIO(done(*asked)))
    assert "inside a bin" in inside["note"]
    assert whole["note"] == ""
