"""``ldprange serve``, ``tokens`` and ``export``: as one types them."""

from __future__ import annotations

import os
import pty
import re
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import ldprange as ldp
from command_line_survey import COMMUTE, answered, done, run
from ldprange.service.access import ADMINISTRATOR, ANALYST, role_of
from ldprange.service.store import Store
from running_collector import PLAN, Service, packed, serving, wait_for

SURVEY = (*COMMUTE, "--users", "5000")


@contextmanager
def terminal(*arguments: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """Run the command on a terminal until it says how to stop it; give what it said."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "ldprange", *arguments], stdout=theirs, stderr=theirs, stdin=theirs
    )
    os.close(theirs)
    said = b""
    try:
        while b"Ctrl-C" not in said and process.poll() is None:
            if select.select([ours], [], [], 0.1)[0]:
                said += os.read(ours, 1 << 16)
        yield process, said.decode()
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def test_one_command_opens_a_survey_and_prints_its_links(here: Path) -> None:
    with terminal("serve", *SURVEY, "--port", "0") as (process, said):
        link = re.search(r"http://127\.0\.0\.1:(\d+)/s/minutes-to-work\s", said)
        board = re.search(r"/d/minutes-to-work#token=(\S+)", said)
        assert link, said
        assert board, said
        service = Service(int(link[1]))
        wait_for(service)
        assert service.get("/s/minutes-to-work", token=None).status == 200
        assert service.get("/api/surveys/minutes-to-work/overview", token=None).status == 401
        assert service.get("/api/surveys/minutes-to-work/overview", token=board[1]).status == 200
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0
    assert "± 8" in said or "± 9" in said  # how exact it will be
    assert "only this machine" in said
    digests = Store("ldprange-data").digests()
    tokens = dict(re.findall(r"(\w+)'s token\s+(\S+)", said))
    assert {role_of(token, digests) for token in tokens.values()} == {ADMINISTRATOR, ANALYST}
    assert oct(Path("ldprange-data").stat().st_mode)[-3:] == "700"
    # the same command goes on with the same survey, and shows no token again
    with terminal("serve", *SURVEY, "--port", "0") as (_, again):
        assert "/s/minutes-to-work" in again
        assert "stays as it is" not in again
        assert "token=" not in again
        assert len(Store("ldprange-data").surveys()) == 1
    # what else it says now is not done in silence, nor left undone
    more = ("--public", "--batches", "--port", "0")
    with terminal("serve", *SURVEY, *more) as (_, again):
        told = " ".join(again.split())
        assert "stays as it is: --public, --batches had no effect; change it with ldprange survey" in told


AGE = ("--question", "How old?", "--low", "0", "--high", "99")
MOOD = ("--question", "How do you feel?", "--labels", "bad,so-so,good")


def test_each_question_has_the_options_that_follow_it(here: Path) -> None:
    """Those before the first are for all questions; what is not about a survey may be anywhere."""
    asked = ("--epsilon", "1", "--public", *AGE, "--port", "0", *MOOD, "--epsilon", "0.5", "--name", "mood")
    with terminal("serve", *asked) as (_, said):
        link = re.search(r"http://127\.0\.0\.1:(\d+)/s/how-old\+mood\s", said)
        assert link, said
        assert "spend ε = 1 + 0.5 = 1.5 in total" in said
        service = Service(int(link[1]))
        wait_for(service)
        assert service.get("/s/how-old+mood", token=None).status == 200
        found = {each.name: each for each in Store("ldprange-data").surveys()}
    ages, mood = found["how-old"], found["mood"]
    assert (ages.plan.epsilon, ages.plan.domain, ages.public) == (1.0, ldp.Domain.integers(0, 99), True)
    assert (mood.plan.epsilon, mood.plan.domain, mood.public) == (
        0.5,
        ldp.Domain.ordered(["bad", "so-so", "good"]),
        True,
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((*AGE, *MOOD, "--epsilon", "1"), "the question 'How old?' needs --epsilon"),
        (("--epsilon", "1", *AGE, *AGE), "add a --name"),
        (("--epsilon", "1", *(part for each in range(6) for part in (*AGE, f"--name=q{each}"))), "at most 5"),
        (("--epsilon", "1", *AGE, *MOOD, "--low", "0"), "one of"),
        (("--epsilon", "1", *AGE, *MOOD, "--users", "0"), "--users"),
        (("--epsilon", "1", *MOOD, *AGE, "--name", "taken"), "choose another --name"),
        (("--batches",), "--batches describes a survey, and a survey needs a question"),
        (("--batches", "--epsilon", "1"), "--batches, --epsilon describe a survey"),
    ],
)
def test_of_several_questions_all_are_opened_or_none(
    here: Path, arguments: tuple[str, ...], said: str
) -> None:
    with serving("data") as service:
        service.create("taken")
    refused = run("serve", "--data", "data", "--port", "0", *arguments)
    assert refused.exit_code == 2
    assert said in refused.stderr
    assert [survey.name for survey in Store("data").surveys()] == ["taken"]


@pytest.mark.parametrize("proxy", ["*", "0.0.0.0/0", "::/0", "survey.example.org", "10.0.0.1/8", ""])
def test_a_proxy_must_be_named_by_its_address(here: Path, proxy: str) -> None:
    refused = run("serve", "--port", "0", "--behind-proxy", proxy)
    assert refused.exit_code == 2
    assert "must be one such as 127.0.0.1" in refused.stderr
    assert not Path("ldprange-data").exists()


def test_tokens_are_shown_on_a_terminal_only(here: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "ldprange", "serve", "--port", "0", "--data", "my surveys"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    first = process.stderr.readline()
    process.terminate()
    said, rest = process.communicate(timeout=60)  # if it does not end, that is told rather than waited for
    assert "ldprange tokens --data 'my surveys'" in first
    assert "token " not in said + rest
    assert Store("my surveys").digests() == {}


def test_an_epsilon_that_protects_nobody_is_told(here: Path) -> None:
    weak = ("--question", "How old?", "--low", "0", "--high", "9", "--epsilon", "9")
    with terminal("serve", *weak, "--port", "0") as (_, said):
        assert "protects hardly anybody" in said


def test_a_survey_takes_one_report_at_a_time_unless_told_otherwise(here: Path) -> None:
    """And the limits are those of the options."""
    limits = ("--reports-per-hour", "3", "--bytes-per-hour", "1000", "--least-free-disk", "1")
    for name, option, status in (("page", (), 400), ("program", ("--batches",), 201)):
        asked = ("--question", "How old?", "--plan", "ages.plan.json", "--name", name, "--data", name)
        Path("ages.plan.json").write_text(PLAN.to_json(), encoding="utf-8")
        with terminal("serve", *asked, *option, *limits, "--port", "0") as (_, said):
            link = re.search(r"http://127\.0\.0\.1:(\d+)/s/", said)
            assert link, said
            service = Service(int(link[1]))
            wait_for(service)
            assert service.put(packed([1, 2], 1), name=name).status == status
            assert [service.put(packed([1], seed), name=name).status for seed in range(4)].count(429) > 0
    full = ("--question", "How old?", "--plan", "ages.plan.json", "--least-free-disk", str(10**9))
    with terminal("serve", *full, "--port", "0") as (_, said):
        link = re.search(r"http://127\.0\.0\.1:(\d+)/s/", said)
        assert link, said
        service = Service(int(link[1]))
        wait_for(service, 503)
        assert service.put(packed([1], 1), name="how-old").status == 507


def test_two_collectors_do_not_share_a_store(place: str) -> None:
    option = "--database" if "://" in place else "--data"
    with serving(place):
        refused = run("serve", option, place, "--port", "0")
    assert refused.exit_code == 2
    assert "another" in refused.stderr


def test_a_plan_of_several_attributes_is_served(here: Path) -> None:
    domain = ldp.Domain.product(age=ldp.Domain.integers(0, 15), size=ldp.Domain.ordered(["S", "M", "L"]))
    plan = ldp.Plan(domain, 1.0, ldp.Tree(4), ldp.HRR())
    Path("people.plan.json").write_text(plan.to_json(), encoding="utf-8")
    asked = ("--question", "Who are you?", "--plan", "people.plan.json", "--batches")
    with terminal("serve", *asked, "--port", "0") as (_, said):
        link = re.search(r"http://127\.0\.0\.1:(\d+)/s/who-are-you\s", said)
        assert link, said
        assert "share of people in a typical range" in said
        service = Service(int(link[1]))
        wait_for(service)
        assert service.get("/api/surveys/who-are-you").json["plan"] == plan.to_dict()
        people: Any = {"age": [3, 4], "size": ["S", "L"]}
        batch = ldp.wire.pack(ldp.encode_many(plan, people, seed=1))
        assert service.put(batch, name="who-are-you").status == 201
    refused = run("serve", *asked, "--unit", "years", "--data", "elsewhere")
    assert refused.exit_code == 2
    assert "must have no unit" in refused.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--epsilon", "1"), "--question"),
        (("--question", "How old?"), "--low"),
        (("--question", "How old?", "--low", "0", "--high", "9"), "--epsilon"),
        (("--question", "How old?", "--low", "0", "--high", "9", "--epsilon", "1", "--name", "No!"), "name"),
        (("--question", "How old?", "--plan", "nowhere.json"), "nowhere.json"),
        (("--data", "a", "--database", "postgresql://b/c"), "not both"),
        (("--database", "mysql://a/b"), "PostgreSQL"),
        (("--database", "postgresql://nobody@/x?host=/nowhere"), "cannot"),
        (("--origin", "example.org"), "origin"),
        (("--origin", "https://[::1"), "origin"),
        (("--origin", "https://h:99999"), "origin"),
        (("--origin", "https://u:secret@h"), "origin"),
        (("--database", "postgresql//u:secret@h/d"), "--database"),
        (("--database", "postgresql://u:secret@[::1/d"), "URL"),
        (("--database", "postgresql://127.0.0.1:1/d?password=secret"), "cannot"),
        (("--host", "203.0.113.1"), "--port"),
        (("--host", "no such host"), "--port"),
        (("--data", "file"), "directory"),
    ],
)
def test_what_cannot_be_served(here: Path, arguments: tuple[str, ...], said: str) -> None:
    Path("file").write_text("x")
    refused = run("serve", "--port", "0", *arguments)
    assert refused.exit_code == 2
    assert "Traceback" not in refused.output
    assert "secret" not in refused.output
    if said != "cannot":
        assert said in refused.stderr
    assert not Path("ldprange-data").exists()


def test_a_name_is_not_given_to_another_survey(here: Path) -> None:
    with serving("data") as service:
        service.create("ages")
    refused = run(
        "serve",
        "--data",
        "data",
        "--name",
        "ages",
        *("--question", "Else?", "--low", "0", "--high", "9", "--epsilon", "1"),
    )
    assert refused.exit_code == 2
    told = " ".join(refused.stderr.split())
    assert (
        "named ages exists already, and differs in its question ('How old are you?', and not 'Else?')" in told
    )
    assert "its values (whole numbers from 0 to 119 (120 bins), and not whole numbers from 0 to 9" in told
    assert "choose another --name" in told


def test_a_store_of_something_else_is_left_alone(here: Path) -> None:
    Path("data").mkdir()
    file = Path("data/ldprange.sqlite")
    file.write_bytes(b"this is no database, but it is somebody's" * 100)
    refused = run("serve", "--data", "data", "--port", "0")
    assert refused.exit_code == 2
    assert "cannot" in refused.stderr or "must" in refused.stderr
    assert file.read_bytes() == b"this is no database, but it is somebody's" * 100


class TestTokens:
    def test_new_ones_take_the_place_of_the_old(self, here: Path) -> None:
        with serving("ldprange-data"):
            pass
        made = dict(re.findall(r"(\w+)'s token\s+(\S+)", done("tokens")))
        digests = Store("ldprange-data").digests()
        assert {role: role_of(token, digests) for role, token in made.items()} == {
            ADMINISTRATOR: ADMINISTRATOR,
            ANALYST: ANALYST,
        }
        assert role_of(ADMINISTRATOR, digests) is None

    def test_they_can_be_made_before_the_first_start(self, here: Path) -> None:
        made = dict(re.findall(r"(\w+)'s token\s+(\S+)", done("tokens", "--new", "--data", "new")))
        assert role_of(made[ANALYST], Store("new").digests()) == ANALYST

    def test_a_mistyped_directory_is_not_made(self, here: Path) -> None:
        refused = run("tokens", "--data", "typo")
        assert refused.exit_code == 2
        assert "no store" in refused.stderr
        assert "--new" in refused.stderr
        assert not Path("typo").exists()


class TestExport:
    def test_what_is_exported_aggregates_to_the_same(self, place: str, here: Path) -> None:
        option = "--database" if "://" in place else "--data"
        bodies = [packed([(person * 11) % 120 for person in range(37)], seed) for seed in range(60)]
        expected = ldp.Aggregate.of(PLAN, bodies)
        with serving(place) as service:
            service.create()
            service.create("other")
            for body in bodies:
                service.put(body)
                service.put(packed([5], 1), name="other")
            # while it runs
            exported = answered(
                "export", "ages", option, place, "-o", "out", "--reports-per-file", "500", "--json"
            )
        assert exported["reports"] == expected.reports == 60 * 37
        done("aggregate", "out/_plan.json", "out", "-o", "ages.agg")
        assert ldp.Aggregate.load("ages.agg") == expected
        again = run("export", "ages", option, place, "-o", "out")
        assert (again.exit_code, "must not be there yet" in again.stderr) == (2, True)

    def test_many_reports_make_many_files(self, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("ldprange.service.store._READ_BYTES", 1)  # each body by itself
        with serving("data") as service:
            service.create()
            for seed in range(20):
                service.put(packed([1] * 50, seed))
        done("export", "ages", "--data", "data", "-o", "out", "--reports-per-file", "200")
        assert len(list(Path("out").glob("part-*.parquet"))) == 5
        assert not Path("out.partial").exists()

    def test_a_survey_without_reports_has_an_empty_file(self, here: Path) -> None:
        with serving("data") as service:
            service.create()
        assert answered("export", "ages", "--data", "data", "-o", "out", "--json")["reports"] == 0
        done("aggregate", "out/_plan.json", "out", "-o", "ages.agg")

    def test_no_survey_of_that_name(self, here: Path) -> None:
        with serving("data") as service:
            service.create()
        refused = run("export", "nowhere", "--data", "data", "-o", "out")
        assert refused.exit_code == 2
        assert "ages" in refused.stderr
        assert not Path("out").exists()
