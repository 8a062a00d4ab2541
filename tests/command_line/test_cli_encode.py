"""``ldprange encode``: the reports of ``encode_many``, made on all cores."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ldprange as ldp
from command_line_survey import done, run
from ldprange import simulation
from ldprange.files import read_reports
from ldprange.files.values import CHUNK
from ldprange.support.parallel import in_threads

PLAN = ldp.Plan(ldp.Domain.integers(0, 119), 1.1, ldp.Haar(), ldp.HRR())
SEVERAL_CHUNKS = CHUNK + 1000


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("p.json").write_text(PLAN.to_json(), encoding="utf-8")
    return tmp_path


def _write(name: str, values: Iterable[Any]) -> None:
    Path(name).write_text("age\n" + "".join(f"{value}\n" for value in values), encoding="utf-8")


@pytest.mark.parametrize("people", [1000, SEVERAL_CHUNKS])
def test_it_writes_what_encode_many_sends(people: int) -> None:
    values = np.arange(people) % 120
    _write("people.csv", values)
    done("encode", "p.json", "people.csv", "-o", "r.reports", "--seed", "7")
    sent = ldp.Aggregate.of(PLAN, ldp.encode_many(PLAN, values, seed=7))
    assert ldp.Aggregate.of(PLAN, read_reports("r.reports", PLAN)) == sent


def test_all_chunks_of_a_file_are_handed_to_the_threads_together(monkeypatch: pytest.MonkeyPatch) -> None:
    _write("people.csv", [105] * SEVERAL_CHUNKS)
    handed = []

    def watched(work: Callable[[Any], Any], blocks: Iterable[Any]) -> Iterator[Any]:
        here = list(blocks)
        handed.append(len(here))
        return in_threads(work, here)

    monkeypatch.setattr(simulation, "in_threads", watched)
    done("encode", "p.json", "people.csv", "-o", "r.reports")
    assert len(handed) == 1
    assert handed[0] > 1


@pytest.mark.parametrize(
    ("wrong", "message"),
    [("x", "row 1049577 has 'x'"), (120, "between 0 and 119, got 120")],
    ids=["text", "old"],
)
def test_a_wrong_value_far_down_names_the_file_once_and_leaves_nothing(wrong: Any, message: str) -> None:
    _write("people.csv", [*[105] * SEVERAL_CHUNKS, wrong])
    failed = run("encode", "p.json", "people.csv", "-o", "r.reports")
    assert failed.exit_code == 2
    assert failed.stderr.count("people.csv: ") == 1
    assert message in failed.stderr
    assert sorted(path.name for path in Path().iterdir()) == ["p.json", "people.csv"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--max-epsilon", "1"], "the plan's ε must be at most 1.0, "),
        (["--max-epsilon", "nan"], "max_epsilon must be a finite number above 0"),
        (["--fingerprint", "0" * 16], "the plan's fingerprint must be 0000000000000000, "),
    ],
)
def test_a_plan_that_is_not_accepted_leaves_nothing(options: list[str], message: str) -> None:
    _write("people.csv", [42])
    failed = run("encode", "p.json", "people.csv", "-o", "r.reports", *options)
    assert failed.exit_code == 2
    assert message in failed.stderr
    assert sorted(path.name for path in Path().iterdir()) == ["p.json", "people.csv"]
    accepted = ["--max-epsilon", "1.1", "--fingerprint", PLAN.fingerprint]
    done("encode", "p.json", "people.csv", "-o", "r.reports", *accepted)


def test_rows_without_a_value_are_left_out_if_that_is_asked_for(tmp_path: Path) -> None:
    plan, people, there = (str(tmp_path / name) for name in ("plan.json", "people.csv", "there.csv"))
    ldp.Plan(ldp.Domain.integers(0, 9), 1.0, ldp.Flat(), ldp.GRR()).save(plan)
    Path(people).write_text("who,age\na,3\nb,\nc,5\nd,\ne,7\n")
    Path(there).write_text("who,age\na,3\nc,5\ne,7\n")
    outputs = [str(tmp_path / name) for name in ("some.reports", "all.reports", "none.reports")]
    skipping = ("--column", "age", "--seed", "1", "--missing", "skip")

    refused = run("encode", plan, people, "--column", "age", "-o", outputs[2])
    assert refused.exit_code == 2
    assert "row 2 has none; leave such people out (--missing skip)" in refused.stderr
    assert not Path(outputs[2]).exists()

    some = run("encode", plan, people, *skipping, "-o", outputs[0])
    assert "left out 2 rows without a value" in some.stderr
    assert "left out" not in run("encode", plan, there, *skipping, "-o", outputs[1]).stderr
    assert Path(outputs[0]).read_bytes() == Path(outputs[1]).read_bytes()

    asked = [
        run("simulate", plan, file, *skipping, "--repetitions", "2", "--json") for file in (people, there)
    ]
    first, second = (json.loads(each.stdout) for each in asked)
    assert (first.pop("left_out"), second.pop("left_out")) == (2, 0)
    assert first == second
    assert "left out 2 rows" in asked[0].stderr
