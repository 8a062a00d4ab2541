"""Counting report files on all cores: the same aggregate, however it is cut, interrupted and resumed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import ldprange as ldp
from command_line_survey import done, run
from example_plans import PLANS, every_plan
from ldprange.errors import LdprangeError
from ldprange.files import checkpoint, counting, write_reports
from ldprange.files.counting import count_files, parts_of

PLAN = PLANS["HRR"]


def written(
    folder: Path, plan: ldp.Plan, files: int = 5, people: int = 300
) -> tuple[list[Path], ldp.Aggregate]:
    """Write reports of all kinds into a folder; return the files and what they come to."""
    names, total = [], ldp.Aggregate.empty(plan)
    for number in range(files):
        values = np.random.default_rng(number).integers(0, plan.domain.bins, people)
        batch = ldp.encode_many(plan, [plan.domain.lower(int(value)) for value in values], seed=number)
        suffix = (".parquet", ".reports", ".csv")[number % 3]
        names.append(folder / f"{number}{suffix}")
        write_reports(names[-1], plan, [batch, batch])
        total = total + ldp.Aggregate.of(plan, [batch, batch])
    return names, total


@every_plan
def test_it_is_the_aggregate_of_all(plan: ldp.Plan, tmp_path: Path) -> None:
    files, expected = written(tmp_path, plan)
    seen: list[tuple[int, int]] = []
    assert count_files(plan, files, progress=lambda size, reports: seen.append((size, reports))) == expected
    assert sum(reports for _, reports in seen) == expected.reports
    assert sum(size for size, _ in seen) == sum(file.stat().st_size for file in files)


def test_a_large_file_is_counted_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(counting, "_PART_ROWS", 500)
    batch = ldp.encode_many(PLAN, [5] * 300, seed=1)
    write_reports(tmp_path / "a.parquet", PLAN, [batch] * 9)
    parts = parts_of(tmp_path / "a.parquet")
    assert [(part.first, part.last) for part in parts] == [(0, 2), (2, 4), (4, 6), (6, 8), (8, 9)]
    assert count_files(PLAN, [tmp_path / "a.parquet"]) == ldp.Aggregate.of(PLAN, [batch] * 9)


def test_it_goes_on_where_it_was_interrupted(tmp_path: Path) -> None:
    files, expected = written(tmp_path, PLAN, files=12)
    resume, interruptions = tmp_path / "kept", 0

    def interrupt(size: int, reports: int) -> None:
        nonlocal interruptions
        if resume_left():
            interruptions += 1
            raise KeyboardInterrupt

    def resume_left() -> bool:
        return interruptions < 5

    while True:
        try:
            total = count_files(PLAN, files, resume=resume, progress=interrupt)
            break
        except KeyboardInterrupt:
            continue
    assert interruptions == 5
    assert total == expected


def test_a_checkpoint_is_of_the_very_files(tmp_path: Path) -> None:
    files, _ = written(tmp_path, PLAN)
    resume = tmp_path / "kept"
    checkpoint.save(resume, ldp.Aggregate.empty(PLAN), dict.fromkeys(parts_of(files[0]), 0))
    other = PLANS["OUE"]
    for wanted, given in ((PLAN, files[1:]), (other, files)):
        with pytest.raises(LdprangeError, match="remove it to begin anew"):
            count_files(wanted, given, resume=resume)
    os.utime(files[0], (1, 1))
    with pytest.raises(LdprangeError, match="was modified or is not among them"):
        count_files(PLAN, files, resume=resume)
    resume.write_bytes(b"something else")
    with pytest.raises(LdprangeError, match="must be a checkpoint"):
        count_files(PLAN, files, resume=resume)
    resume.write_bytes(b"LDPRCKP\x01\x02\x00\x00\x00[]nonsense")
    with pytest.raises(LdprangeError, match="kept"):
        count_files(PLAN, files, resume=resume)


def test_a_bad_file_is_named_and_leaves_nothing(here: Path) -> None:
    Path("in").mkdir()
    written(Path("in"), PLAN)
    bad = Path("in/0.parquet")
    bad.write_bytes(bad.read_bytes()[:-40])
    Path("plan.json").write_text(PLAN.to_json())
    refused = run("aggregate", "plan.json", "in", "-o", "out.agg")
    assert refused.exit_code == 2
    assert "0.parquet" in refused.stderr
    assert sorted(path.name for path in Path().iterdir()) == ["in", "plan.json"]


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.system
def test_the_command_goes_on_after_any_end(here: Path, end: signal.Signals) -> None:
    """It is ended again and again, and counts every report once."""
    Path("in").mkdir()
    batch = ldp.encode_many(PLAN, [5] * 1000, seed=1)
    for number in range(60):
        write_reports(Path("in") / f"{number}.parquet", PLAN, [batch])
    Path("plan.json").write_text(PLAN.to_json())
    slow = (
        "import time; from ldprange.files import counting\n"
        "counting._SECONDS = 0.05; counted = counting._counted\n"
        "counting._counted = lambda plan, part: (time.sleep(0.03), counted(plan, part))[1]\n"
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from ldprange.cli import main; main()"
    )
    command = [sys.executable, "-c", slow, "aggregate", "plan.json", "in", "-o", "out.agg"]
    ended = 0
    for _ in range(4):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(400):
            if Path("out.agg.checkpoint").exists() or process.poll() is not None:
                break
            time.sleep(0.01)
        time.sleep(0.15)
        process.send_signal(end)
        process.communicate()
        ended += process.returncode != 0
    assert ended
    done("aggregate", "plan.json", "in", "-o", "out.agg")
    assert ldp.Aggregate.load("out.agg") == ldp.Aggregate.of(PLAN, [batch] * 60)
    assert not Path("out.agg.checkpoint").exists()
