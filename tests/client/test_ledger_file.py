"""The ledger's file: through races, crashes and damage, what was returned is found again, or an error."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

import ldprange as ldp
from example_plans import PLANS

PLAN = PLANS["HRR"]  # over 0 … 999, ε = 1.1
SURVEY = "https://example.org/s/commute"
START = f"""
import itertools, secrets, sys
from pathlib import Path
import ldprange as ldp
from example_plans import PLANS
SURVEY = {SURVEY!r}
"""


def _python(code: str, *arguments: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", START + code, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[1] / "helpers",
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "answers.ledger"


@pytest.mark.skipif(os.name != "posix", reason="owners and groups are POSIX's")
def test_only_the_owner_can_read_it(path: Path) -> None:
    before = os.umask(0)
    try:
        ldp.Client(PLAN, ledger=ldp.Ledger(path), survey=SURVEY).encode(42)
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert list(path.parent.iterdir()) == [path]  # and nothing is left beside it


def test_the_true_value_is_nowhere_in_the_file(path: Path) -> None:
    labels = [f"label-{'abcdefghijklmnop'[number]}" for number in range(16)]
    plan = ldp.Plan(ldp.Domain.ordered(labels), 1.0, ldp.Flat(), ldp.GRR())
    client = ldp.Client(plan, ledger=ldp.Ledger(path), survey=SURVEY)
    for person in range(50):
        client.encode("label-k", person=str(person))
    assert b"label" not in path.read_bytes()
    with closing(sqlite3.connect(path)) as connection:
        names = [row[1] for row in connection.execute("PRAGMA table_info(reports)")]
    assert names == ["person", "survey", "fingerprint", "epsilon", "report", "batch_id", "acknowledged"]


def test_a_folder_that_is_not_there_is_told_by_its_own_name(path: Path) -> None:
    ldp.Ledger(path)
    for folder in (path.parent / "gone", path):
        with pytest.raises(ldp.FileError, match="must be in a folder that is there, got ") as told:
            ldp.Ledger(folder / "answers.ledger")
        assert f" got {folder}; " in str(told.value)
    with pytest.raises(ldp.FileError, match=r"a folder that can be written to, but: File name too long$"):
        ldp.Ledger(path.with_name("n" * 250))


def _two_bytes(path: Path) -> None:
    path.write_bytes(b"ab")


def _other_database(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE reports (person TEXT)")


def _later_version(path: Path) -> None:
    ldp.Ledger(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 3")


def _cut_short(path: Path) -> None:
    _fill(path)
    path.write_bytes(path.read_bytes()[:-5000])


def _overwritten(path: Path) -> None:
    _fill(path)
    data = path.read_bytes()
    path.write_bytes(data[:-6000] + b"\xff" * 6000)  # where only a look at everything finds it


def _without_budget(path: Path) -> None:
    ldp.Ledger(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DELETE FROM ledger")
        connection.commit()


def _fill(path: Path) -> None:
    client = ldp.Client(PLAN, ledger=ldp.Ledger(path), survey=SURVEY)
    for person in range(60):
        client.encode(42, person=f"{person}" * 100)


FOREIGN: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "two bytes": _two_bytes,
    "a picture": lambda path: path.write_bytes(b"\x89PNG" + bytes(5000)),
    "a plan": lambda path: path.write_text(PLAN.to_json(), encoding="utf-8"),
    "a directory": Path.mkdir,
    "another database": _other_database,
    "a later version": _later_version,
    "cut short": _cut_short,
    "overwritten": _overwritten,
    "without a budget": _without_budget,
}


@pytest.mark.parametrize("kind", FOREIGN)
def test_a_damaged_or_foreign_file_is_refused_and_left_as_it_is(path: Path, kind: str) -> None:
    FOREIGN[kind](path)
    before = path.read_bytes() if path.is_file() else None
    for budget in (2.0, None):
        with pytest.raises(ldp.FileError, match=r"answers\.ledger must .*"):
            ldp.Ledger(path, budget=budget)
    assert (path.read_bytes() if path.is_file() else None) == before
    assert list(path.parent.iterdir()) == [path]


def test_a_file_that_is_damaged_while_it_is_used_is_an_error_in_words(path: Path) -> None:
    ledger = ldp.Ledger(path)
    client = ldp.Client(PLAN, ledger=ledger, survey=SURVEY)
    client.encode(42)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE reports SET report = x'01'")
        connection.commit()
    with pytest.raises(ldp.FileError, match="must hold reports of plan"):
        client.encode(42)
    path.write_bytes(b"x" * 9000)
    for ask in (client.encode, lambda _: ledger.spent(), lambda _: ledger.pending()):
        with pytest.raises(ldp.FileError, match="must be a ledger"):
            ask(42)
    path.unlink()
    with pytest.raises(ldp.FileError, match="must be a ledger"):
        client.encode(42)
    assert not path.exists()  # never a new one in the middle of things


def test_a_ledger_that_is_not_there_is_made_only_with_a_budget_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(ldp.FileError, match="must be a ledger"):
        ldp.Ledger(tmp_path / "none.ledger", budget=None)
    with pytest.raises(ldp.FileError, match="must be in a folder"):
        ldp.Ledger(tmp_path / "none" / "a.ledger")
    for name in ("a\0b", "x" * 5000):
        for budget in (2.0, None):
            with pytest.raises(ldp.FileError):
                ldp.Ledger(tmp_path / name, budget)
    assert list(tmp_path.iterdir()) == []


def test_names_with_odd_letters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    ledger = ldp.Ledger("what? 100% #1 é.ledger")
    report = ldp.Client(PLAN, ledger=ledger, survey=SURVEY).encode(42)
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert ldp.Client(PLAN, ledger=ledger, survey=SURVEY).encode(7) == report
    assert [file.name for file in tmp_path.glob("*.ledger")] == ["what? 100% #1 é.ledger"]


def test_threads_that_ask_at_once_get_one_report(path: Path) -> None:
    ledger = ldp.Ledger(path)
    client = ldp.Client(PLAN, ledger=ledger, survey=SURVEY)
    with ThreadPoolExecutor(8) as pool:
        for person in "abcde":
            values = range(0, 1000, 125)
            assert len(set(pool.map(lambda value, who=person: client.encode(value, person=who), values))) == 1
    assert len(ledger.pending()) == 5


def test_nobody_draws_while_another_draws(path: Path) -> None:
    ledger = ldp.Ledger(path)
    second_draws = threading.Event()

    def draw() -> ldp.Report:
        second_draws.set()
        return ldp.Client(PLAN).encode(7)

    with ThreadPoolExecutor(1) as pool:
        waiting = []

        def draw_first() -> ldp.Report:
            waiting.append(pool.submit(ledger.once, SURVEY, PLAN, "", draw))
            second_draws.wait(0.3)  # it never does: it waits for us
            return ldp.Client(PLAN).encode(42)

        first = ledger.once(SURVEY, PLAN, "", draw_first)
        assert waiting[0].result() == first
    assert not second_draws.is_set()


RACE = """
print("ready", flush=True)
sys.stdin.readline()
client = ldp.Client(PLANS["HRR"], ledger=ldp.Ledger(sys.argv[1]), survey=SURVEY)
for person in range(20):
    print(ldp.wire.pack(client.encode(secrets.randbelow(1000), person=str(person))).hex(), flush=True)
"""


def _race(children: Sequence[subprocess.Popen[str]]) -> list[str]:
    for child in children:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    said = [child.communicate(timeout=120)[0] for child in children]
    assert [child.returncode for child in children] == [0] * len(children)
    return said


@pytest.mark.system
def test_processes_that_ask_at_once_get_one_report(path: Path) -> None:
    said = _race([_python(RACE, path) for _ in range(4)])  # the file is made in the race, too
    assert len(set(said)) == 1
    assert len(said[0].split()) == 20
    assert sorted(entry.report.hex() for entry in ldp.Ledger(path).pending()) == sorted(said[0].split())


ANSWER = """
client = ldp.Client(PLANS["HRR"], ledger=ldp.Ledger(sys.argv[1]), survey=SURVEY)
for person in itertools.count():
    report = client.encode(secrets.randbelow(1000), person=str(person))
    print(person, ldp.wire.pack(report).hex(), flush=True)
"""

MAKE = """
for number in itertools.count():
    ledger = ldp.Ledger(Path(sys.argv[1], f"{number}.ledger"))
    client = ldp.Client(PLANS["HRR"], ledger=ledger, survey=SURVEY)
    print(number, ldp.wire.pack(client.encode(5)).hex(), flush=True)
"""


def _killed(code: str, path: Path, lines: int) -> dict[str, str]:
    """Run a program until it has said some lines, and a random moment more; return all that it said."""
    with _python(code, path) as child:
        assert child.stdout is not None
        said = [child.stdout.readline() for _ in range(lines)]
        time.sleep(random.uniform(0, 0.02))  # noqa: S311 (no secret)
        child.send_signal(signal.SIGKILL)
        said += child.stdout.readlines()
    return dict(line.split() for line in said if line.endswith("\n"))


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
@pytest.mark.system
def test_what_was_returned_is_found_again_however_the_program_ends(path: Path) -> None:
    known: dict[str, str] = {}
    for round_number in range(6):
        said = _killed(ANSWER, path, len(known) + 1 + 3 * round_number)
        assert known.items() <= said.items()
        known = said
        client = ldp.Client(PLAN, ledger=ldp.Ledger(path), survey=SURVEY)
        for person, report in known.items():
            assert ldp.wire.pack(client.encode(0, person=person)).hex() == report
    assert len(known) > 15


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
@pytest.mark.system
def test_a_ledger_is_made_whole_or_not_at_all(tmp_path: Path) -> None:
    for round_number in range(3):
        folder = tmp_path / str(round_number)
        folder.mkdir()
        said = _killed(MAKE, folder, 3)
        for file in folder.glob("*.ledger"):
            ledger = ldp.Ledger(file)
            if file.stem in said:
                assert (
                    ldp.wire.pack(ldp.Client(PLAN, ledger=ledger, survey=SURVEY).encode(9)).hex()
                    == said[file.stem]
                )
        assert {f"{number}.ledger" for number in said} <= {file.name for file in folder.iterdir()}


def test_the_library_loads_no_database_and_no_http_before_they_are_needed() -> None:
    code = "import ldprange, sys; print({'sqlite3', 'http.client', 'ssl'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("damage", [-1.0, 0.0, "much", b"\x00\xff", float("inf")])
def test_an_epsilon_that_cannot_be_is_damage_and_gives_no_budget_back(tmp_path: Path, damage: object) -> None:
    path = tmp_path / "answers.ledger"
    ledger = ldp.Ledger(path)
    ldp.Client(PLAN, ledger=ledger, survey=SURVEY).encode(42)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE reports SET epsilon = ?", (damage,))
    for ask in (ledger.spent, ledger.remaining):
        with pytest.raises(ldp.errors.FileError, match="damaged"):
            ask()
    with pytest.raises(ldp.errors.FileError, match="damaged"):
        ldp.Client(PLAN, ledger=ledger, survey="https://example.org/s/another").encode(42)
