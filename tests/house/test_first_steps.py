"""What a newcomer types first works whatever is installed beside the library."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import ldprange as ldp
from command_line_survey import answered, done, run
from running_collector import serving

WITHOUT_SCIKIT_LEARN = """
import inspect, pydoc, sys

class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "sklearn":
            raise ModuleNotFoundError("No module named 'sklearn'", name=name)

sys.meta_path.insert(0, Missing())
import ldprange as ldp

assert "Aggregate" in pydoc.render_doc(ldp)
assert dict(inspect.getmembers(ldp))["Plan"] is ldp.Plan
assert not hasattr(ldp, "NaiveBayes")
assert getattr(ldp, "NaiveBayes", None) is None
assert "NaiveBayes" not in dir(ldp)
assert set(ldp.__all__) <= set(dir(ldp))
try:
    ldp.NaiveBayes()
except AttributeError as error:
    print(error)
"""


@pytest.mark.system
def test_the_library_can_be_looked_at_without_scikit_learn() -> None:
    command = [sys.executable, "-c", WITHOUT_SCIKIT_LEARN]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "NaiveBayes: models need scikit-learn" in done.stdout
    assert "install" in done.stdout


@pytest.mark.system
def test_models_are_listed_where_scikit_learn_is_there() -> None:
    script = "import ldprange, sys; assert 'sklearn' not in sys.modules; print(*dir(ldprange))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert {"NaiveBayes", "DecisionStump"} <= set(done.stdout.split())


PLAN = ("plan", "--low", "0", "--high", "9", "-o", "a.plan.json")


def test_a_plan_that_protects_hardly_anybody_is_made_with_a_warning(here: Path) -> None:
    weak, usual = run(*PLAN, "--epsilon", "50"), run(*PLAN, "--epsilon", "1")
    assert weak.exit_code == usual.exit_code == 0
    assert "ε = 50 protects hardly anybody" in weak.stderr
    assert "protects" not in usual.stderr


@pytest.mark.parametrize(
    ("typed", "labels"),
    [
        ('"Yes, always",No', ["Yes, always", "No"]),
        ('"Yes, always", "No ""never"""', ["Yes, always", 'No "never"']),
        ("XS, S ,M", ["XS", "S", "M"]),
        ("it's,not", ["it's", "not"]),
    ],
)
def test_labels_may_have_commas_in_quotes(here: Path, typed: str, labels: list[str]) -> None:
    done("plan", "--labels", typed, "--epsilon", "1", "-o", "a.plan.json")
    assert ldp.Plan.from_json(Path("a.plan.json").read_text()).domain.to_dict()["labels"] == labels
    done(
        "plan",
        "--attribute",
        "a",
        f"labels:{typed}",
        "--attribute",
        "b",
        "0..3",
        "--epsilon",
        "1",
        "-o",
        "b.json",
    )
    assert ldp.Plan.from_json(Path("b.json").read_text()).domain.to_dict()["axes"][0]["labels"] == labels


@pytest.mark.parametrize("typed", ['"Yes', '"a"b,c', "a,,b", ""])
def test_a_list_of_labels_that_cannot_be_read_is_refused(here: Path, typed: str) -> None:
    refused = run("plan", "--labels", typed, "--epsilon", "1", "-o", "a.plan.json")
    assert refused.exit_code == 2
    assert not list(here.iterdir())


def test_categories_have_no_prefixes(here: Path) -> None:
    plan = ldp.Plan(ldp.Domain.categories(["north", "south", "west"]), 1.0, ldp.Flat(), ldp.GRR())
    counted = ldp.Aggregate.of(plan, ldp.encode_many(plan, ["north"] * 50, seed=1))
    found = ldp.estimate(counted)
    for ask in found.prefix, lambda bound: found.prefixes([bound]):
        with pytest.raises(ldp.QueryError, match="categories have no order"):
            ask("south")
    counted.save("a.agg")
    assert run("query", "a.agg", "--prefix", "south").exit_code == 2
    assert answered("query", "a.agg", "--range", "north", "north", "--json")["ranges"]


@pytest.mark.system
def test_a_collector_refuses_a_prefix_of_a_category(tmp_path: Path) -> None:
    plan = ldp.Plan(ldp.Domain.categories(["north", "south", "west"]), 1.0, ldp.Flat(), ldp.GRR())
    with serving(tmp_path) as service:
        service.create("regions", plan)
        service.put(ldp.wire.pack(ldp.encode_many(plan, ["north"] * 500, seed=1)), name="regions")
        reply = service.get("/api/surveys/regions/prefix?value=south")
    assert reply.status == 400
    assert "categories have no order" in reply.json["error"]


@pytest.mark.parametrize("output", ["x.xlsx", "x.json", "x.TSV", "x.parquet.gz"])
def test_a_kind_of_file_that_is_not_written_is_refused_before_anything_is_made(
    here: Path, output: str
) -> None:
    done(*PLAN, "--epsilon", "1")
    refused = run("encode", "a.plan.json", "-", "-o", output, stdin="1\n2\n")
    assert refused.exit_code == 2
    assert ".parquet" in refused.stderr
    assert [path.name for path in here.iterdir()] == ["a.plan.json"]
