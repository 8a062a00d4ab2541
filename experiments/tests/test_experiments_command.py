"""``python -m experiments`` as a researcher runs it: whole, stopped, with bad input."""

from __future__ import annotations

import csv
import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from evaluation_commands import HOME, Resumed, at_once, command, killed_and_resumed, wait_for_runs
from experiments import page
from experiments.__main__ import main
from experiments.catalogue import EXPERIMENTS
from experiments.tables import number, read_table

QUICK = ("--quick", "--bins", "64")  # one of its four domains: the others take long
SMALL = ("--quick", "--bins", "64", "--users", "4096", "--workers", "1", "--repetitions", "2")


@pytest.fixture(scope="module")
def resumed(tmp_path_factory: pytest.TempPathFactory) -> Resumed:
    return killed_and_resumed("experiments", tmp_path_factory.mktemp("quick"), *QUICK)


@pytest.fixture
def quick(resumed: Resumed) -> Path:
    return resumed.folder


def test_a_stopped_command_goes_on_where_it_was(resumed: Resumed) -> None:
    assert " runs are there already" in resumed.ended.stderr
    assert (resumed.folder / "runs.csv").read_text().startswith(resumed.kept[: resumed.kept.rindex("\n")])


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("small")
    ran = at_once(main, *SMALL, "--results", folder, "ranges")
    assert ran.exit_code == 0, ran.stderr
    return folder


@pytest.fixture
def results(small: Path, tmp_path: Path) -> Path:
    """Return a folder with the results of a small experiment, to be damaged."""
    return shutil.copytree(small, tmp_path / "results")


def test_quick_leaves_every_table_and_figure(quick: Path) -> None:
    for name in EXPERIMENTS:
        table = read_table(quick / f"{name}.csv")
        assert table
        for figure in EXPERIMENTS[name].draw(table):
            assert (quick / f"{figure}.svg").read_text().rstrip().endswith("</svg>")
            assert (quick / f"{figure}.png").read_bytes().startswith(b"\x89PNG")


def test_measured_errors_are_near_the_exact_ones(quick: Path) -> None:
    """Three repetitions tell an error to within a third; a mistake in scale shows."""
    for name in ("ranges", "prefixes", "centres"):
        for row in read_table(quick / f"{name}.csv"):
            assert 0.4 < number(row, "measured") / number(row, "exact") < 2.2, row


def test_a_second_command_has_nothing_to_do(quick: Path, tmp_path: Path) -> None:
    runs = Path(shutil.copy(quick / "runs.csv", tmp_path))
    again = at_once(main, *QUICK, "--results", tmp_path, "centralised", "ranges")
    assert again.exit_code == 0
    assert "0 are to do" in again.stderr
    assert runs.read_bytes() == (quick / "runs.csv").read_bytes()


def test_one_experiment_alone(tmp_path: Path) -> None:
    ran = at_once(main, *SMALL, "--results", tmp_path, "prefixes")
    assert ran.exit_code == 0, ran.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "prefixes.csv",
        "prefixes.png",
        "prefixes.svg",
        "runs.csv",
    ]


def test_a_half_written_file_loses_nothing_but_its_last_line(results: Path) -> None:
    runs, table = results / "runs.csv", (results / "ranges.csv").read_bytes()
    whole = runs.read_text()
    runs.write_text(whole[:-20])
    again = at_once(main, *SMALL, "--results", results, "ranges")
    assert again.exit_code == 0
    assert "ended in the middle of a line" in again.stderr
    assert "1 are to do" in again.stderr
    assert sorted(runs.read_text().splitlines()) == sorted(whole.splitlines())
    assert (results / "ranges.csv").read_bytes() == table


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("64,0.4,4096", "fields"),
        (",".join(["64", "0.4", "x"] + ["1"] * 50), "fields"),
        ("nonsense", "fields"),
    ],
)
def test_a_line_that_is_no_result_is_named_and_left(results: Path, line: str, said: str) -> None:
    runs = results / "runs.csv"
    lines = runs.read_text().splitlines()
    damaged = "\n".join([*lines[:3], line, *lines[3:]]) + "\n"
    runs.write_text(damaged)
    again = at_once(main, *SMALL, "--results", results, "ranges")
    assert again.exit_code == 2
    assert "line 4" in again.stderr
    assert said in again.stderr
    assert runs.read_text() == damaged


@pytest.mark.parametrize("column", ["bins", "epsilon", "how", "ranges"])
def test_a_damaged_field_is_named_and_left(results: Path, column: str) -> None:
    runs = results / "runs.csv"
    rows = list(csv.reader(runs.read_text().splitlines()))
    rows[2][rows[0].index(column)] = "??"
    damaged = "".join(",".join(row) + "\n" for row in rows)
    runs.write_text(damaged)
    again = at_once(main, *SMALL, "--results", results, "ranges")
    assert (again.exit_code, "line 3" in again.stderr) == (2, True)
    assert runs.read_text() == damaged


@pytest.mark.parametrize("content", [b"who,what\n1,2\n", b"\xff\xfe\x00\x01\n"])
def test_another_file_in_its_place_is_left(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "runs.csv").write_bytes(content)
    ran = at_once(main, *SMALL, "--results", tmp_path, "ranges")
    assert ran.exit_code == 2
    assert (tmp_path / "runs.csv").read_bytes() == content


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nonsense"], "there is no experiment 'nonsense'; there are branching, ranges"),
        (["--bins", "1000"], "powers of two from 16 to 16777216, got 1000; try 512"),
        (["--bins", "-8"], "powers of two"),
        (["--bins", "8"], "try 16"),
        (["--bins", str(1 << 60)], "try 16777216"),
        (["--users", "10"], "1000"),
        (["--users", str(1 << 70)], "4294967296"),
        (["--repetitions", "0"], "1"),
        (["--workers", "0"], "1"),
        (["--results", str(Path(__file__))], "must be a folder for results"),
        (["--results", ""], "must name a folder"),
    ],
)
def test_bad_input(arguments: list[str], said: str, tmp_path: Path) -> None:
    folder = [] if "--results" in arguments else ["--results", str(tmp_path)]
    ran = at_once(main, "--quick", "ranges", *folder, *arguments)
    assert ran.exit_code == 2
    assert said in ran.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("column", "entry"), [("ranges", "-1"), ("ranges", ""), ("bins", "6_4"), ("method", "X")]
)
def test_impossible_content_is_named_and_left(results: Path, column: str, entry: str) -> None:
    runs = results / "runs.csv"
    rows = list(csv.reader(runs.read_text().splitlines()))
    rows[2][rows[0].index(column)] = entry
    damaged = "".join(",".join(row) + "\n" for row in rows)
    runs.write_text(damaged)
    again = at_once(main, *SMALL, "--results", results, "ranges")
    assert (again.exit_code, "line 3" in again.stderr) == (2, True)
    assert runs.read_text() == damaged


def test_one_command_at_a_time_works_in_a_folder(results: Path) -> None:
    folder = os.open(results, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        ran = at_once(main, *SMALL, "--results", results, "ranges")
    finally:
        os.close(folder)
    assert (ran.exit_code, "another command is at work" in ran.stderr) == (2, True)


def test_fewer_repetitions_are_what_the_table_tells_of(results: Path) -> None:
    """Whatever else is in the folder."""
    fewer = (*SMALL[:-1], "1")
    assert at_once(main, *fewer, "--results", results, "ranges").exit_code == 0
    table = read_table(results / "ranges.csv")
    assert {row["repetitions"] for row in table} == {1}
    assert {row["deviation"] for row in table} == {None}


def test_workers_end_with_their_command(tmp_path: Path) -> None:
    arguments = [sys.executable, "-m", "experiments", "--quick", "--results", str(tmp_path), "centres"]
    with subprocess.Popen(arguments, cwd=HOME, stderr=subprocess.PIPE) as process:
        while not (tmp_path / "runs.csv").exists() or not _children(process.pid):
            assert process.poll() is None
            time.sleep(0.05)
        workers = _children(process.pid)
        process.kill()
    deadline = time.monotonic() + 60
    while any(Path(f"/proc/{worker}/stat").exists() for worker in workers):
        assert time.monotonic() < deadline, "workers are still there"
        time.sleep(0.1)


def _children(parent: int) -> list[str]:
    return Path(f"/proc/{parent}/task/{parent}/children").read_text().split()


def test_ctrl_c_stops_at_once_and_keeps_what_was_done(tmp_path: Path) -> None:
    # so many that they have not ended by themselves, however slow this machine is
    often = ("--quick", "--repetitions", "200", "--results", str(tmp_path))
    arguments = [sys.executable, "-m", "experiments", *often, "centres"]
    with subprocess.Popen(
        arguments, cwd=HOME, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        wait_for_runs(process, tmp_path / "runs.csv")
        os.killpg(process.pid, signal.SIGINT)
        said = process.communicate()[1]
    assert process.returncode == 130
    assert "what was done is kept" in said
    assert "Traceback" not in said


def test_the_published_page_is_written_from_the_published_results() -> None:
    assert page.HOME.with_suffix(".md").read_text() == page.page(page.published())


def test_published_errors_are_within_five_per_cent_of_the_exact_ones() -> None:
    for name, domains in (("ranges", [256]), ("prefixes", [256, 65536])):
        cells = [row for row in page.published()[name] if row["bins"] in domains]
        assert len(cells) == 32 * len(domains)
        for row in cells:
            assert abs(number(row, "measured") / number(row, "exact") - 1) < 0.05, row


def test_the_page_says_what_is_missing(tmp_path: Path) -> None:
    ran = command("experiments.page", "--results", tmp_path / "nowhere")
    assert (ran.returncode, "Traceback" in ran.stderr) == (2, False)
    assert "does not exist" in ran.stderr
    assert not (tmp_path / "nowhere").exists()
    refused = at_once(page.main, "--results", tmp_path)
    assert refused.exit_code == 2
    assert "are missing; nothing was published" in refused.stderr


def test_only_results_of_full_size_are_published(quick: Path) -> None:
    before = page.HOME.with_suffix(".md").read_bytes()
    ran = at_once(page.main, "--results", quick)
    assert ran.exit_code == 2
    assert "are missing; nothing was published" in ran.stderr
    assert page.HOME.with_suffix(".md").read_bytes() == before


def test_without_what_it_needs_it_says_what_to_install() -> None:
    without = "import sys; sys.modules['click'] = None; import experiments.__main__"
    ended = subprocess.run([sys.executable, "-c", without], cwd=HOME, capture_output=True, text=True)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("the experiments need click, which is not installed; ")
    assert "pip install '.[cli,plot]'" in ended.stderr
