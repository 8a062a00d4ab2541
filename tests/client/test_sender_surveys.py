"""A report goes to the survey for which it was made, and to no other; older ledgers lose nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

import ldprange as ldp
from example_plans import PLANS
from faulty_collector import PLAN, Collector, running

SURVEY = "https://example.org/s/commute"
# as version 1 made it
OLDER = """
PRAGMA application_id = 1818521676;
PRAGMA user_version = 1;
CREATE TABLE ledger (budget REAL NOT NULL);
CREATE TABLE reports (
    person TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    epsilon REAL NOT NULL,
    report BLOB NOT NULL,
    batch_id TEXT NOT NULL UNIQUE,
    acknowledged INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (person, fingerprint)
) WITHOUT ROWID;
INSERT INTO ledger VALUES (2.5);
"""
Row = tuple[str, str, float, bytes, str, int]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "answers.ledger"


@pytest.fixture
def other() -> Iterator[Collector]:
    """Return a collector of another survey, whose plan is the same."""
    with running(PLAN) as collector:
        yield collector


def older_rows() -> list[Row]:
    """Return what three people answered: the first two under one plan, and not everything arrived."""
    plans = [PLAN, PLAN, PLANS["OUE"]]
    return [
        (person, plan.fingerprint, plan.epsilon, ldp.wire.pack(ldp.Client(plan).encode(42)), digit * 32, came)
        for person, plan, digit, came in zip("abc", plans, "123", (0, 1, 0), strict=True)
    ]


def make_older(path: Path) -> list[Row]:
    rows = older_rows()
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(OLDER)
        connection.executemany("INSERT INTO reports VALUES (?, ?, ?, ?, ?, ?)", rows)
        connection.commit()
    return rows


def test_surveys_under_one_plan_get_a_report_each(path: Path, collector: Collector, other: Collector) -> None:
    ledger = ldp.Ledger(path, budget=3.0)
    people = [str(number) for number in range(25)]
    surveys = (collector, other)
    made = {
        survey.url: [
            ldp.wire.pack(ldp.Client(PLAN, ledger=ledger, survey=survey.url).encode(42, person=person))
            for person in people
        ]
        for survey in surveys
    }
    assert made[collector.url] != made[other.url]  # drawn apart: equal with a chance far below 1e-9
    assert {ledger.spent(person) for person in people} == {2.2}
    for survey in surveys:
        assert ldp.Sender(survey.url).send_pending(ledger) == 25
        assert sorted(survey.batches.values()) == sorted(made[survey.url])
    with pytest.raises(ldp.BudgetError, match=r"2\.2 is spent and this survey asks for 1\.1"):
        ldp.Client(PLAN, ledger=ledger, survey=SURVEY).encode(42, person="0")


def test_a_sender_says_nothing_where_it_has_nothing_to_send(path: Path, collector: Collector) -> None:
    ledger = ldp.Ledger(path)
    ldp.Client(PLAN, ledger=ledger, survey=SURVEY).encode(42)
    assert ldp.Sender(collector.url).send_pending(ledger) == 0
    assert collector.requests == []
    assert [entry.survey for entry in ledger.pending()] == [SURVEY]


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://example.org/s/commute/", SURVEY),
        ("HTTPS://EXAMPLE.ORG/s/commute", SURVEY),
        ("https://example.org./s/commute", SURVEY),
        ("https://example.org:443/s/commute", SURVEY),
        ("https://example.org:/s/commute", SURVEY),
        ("https://example.org/api/surveys/commute", SURVEY),
        ("https://Example.org:443/api/surveys/commute/", SURVEY),
        ("https://BÜCHER.example/s/x", "https://xn--bcher-kva.example/s/x"),
        ("http://[0:0:0:0:0:0:0:1]:80/s/x", "http://[::1]/s/x"),
        ("http://[::ffff:127.0.0.1]/s/x", "http://127.0.0.1/s/x"),
        ("https://example.org:80/s/x", "https://example.org:80/s/x"),
        ("http://localhost:443/a/B/api/surveys/x/", "http://localhost:443/a/B/s/x"),
        ("https://example.org/s/s/s/s", "https://example.org/s/s/s/s"),
    ],
)
def test_spellings_of_one_address_are_one_survey(path: Path, url: str, address: str) -> None:
    ledger = ldp.Ledger(path)
    report = ldp.Client(PLAN, ledger=ledger, survey=address).encode(42)
    client = ldp.Client(PLAN, ledger=ledger, survey=url)
    assert client.survey == ldp.Sender(url).survey == ldp.Sender(address).survey == address
    assert client.encode(7) == report
    assert ledger.spent() == 1.1


def test_other_addresses_are_other_surveys(path: Path) -> None:
    others = [
        "http://example.org/s/commute",  # whoever is on the way may answer there
        "https://example.org:8443/s/commute",
        "https://www.example.org/s/commute",
        "https://example.org/a/s/commute",
        "https://example.org/A/s/commute",
        "https://example.org/s/commute-2",
    ]
    ledger = ldp.Ledger(path, budget=10.0)
    for survey in (SURVEY, *others):
        ldp.Client(PLAN, ledger=ledger, survey=survey).encode(42)
    assert ledger.spent() == 7.7
    assert {entry.survey for entry in ledger.pending()} == {SURVEY, *others}


def test_a_ledger_and_a_survey_come_together(path: Path) -> None:
    ledger = ldp.Ledger(path)
    with pytest.raises(
        ldp.LdprangeError, match=r"or neither, .*survey=None; use Client\(plan, ledger=ledger,"
    ):
        ldp.Client(PLAN, ledger=ledger)
    with pytest.raises(ldp.LdprangeError, match="or neither, got ledger=None and survey='https"):
        ldp.Client(PLAN, survey=SURVEY)
    with pytest.raises(ldp.LdprangeError, match="a survey's address must be like"):
        ldp.Client(PLAN, ledger=ledger, survey="commute")


def test_an_older_ledger_is_carried_over_whole(path: Path) -> None:
    rows = make_older(path)
    for _ in range(2):  # carried over, and opened as any other
        ledger = ldp.Ledger(path, budget=2.5)
        with closing(sqlite3.connect(path)) as connection:
            kept = connection.execute("SELECT * FROM reports ORDER BY batch_id").fetchall()
            tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        assert kept == [(person, "", *rest) for person, *rest in rows]
        assert sorted(tables) == [("ledger",), ("reports",)]
    assert [ledger.spent(person) for person in "abcd"] == [1.1, 1.1, 1.1, 0.0]
    assert [entry.batch_id for entry in ledger.pending()] == ["1" * 32, "3" * 32]


def test_reports_of_an_older_ledger_are_sent_only_where_somebody_says(
    path: Path, collector: Collector, other: Collector
) -> None:
    rows = make_older(path)
    ledger, sender = ldp.Ledger(path, budget=2.5), ldp.Sender(collector.url)
    with pytest.warns(UserWarning, match=r"not note for which survey: 2; .* ledger\.assign\(sender\.survey,"):
        assert sender.send_pending(ledger) == 0
    assert collector.requests == []
    client = ldp.Client(PLAN, ledger=ledger, survey=collector.url)
    for person in "ab":  # not a second report, for want of knowing about the first
        with pytest.raises(ldp.LdprangeError, match=r"call ledger\.assign\(survey, plan\)"):
            client.encode(7, person=person)
        assert ledger.spent(person) == 1.1
    assert ledger.assign(sender.survey, PLAN) == 2
    assert ledger.assign(other.url, PLAN) == 0  # they have a survey now
    with pytest.warns(UserWarning, match="for which survey: 1;"):
        assert sender.send_pending(ledger) == 1
    assert collector.batches == {"1" * 32: rows[0][3]}
    assert [ldp.wire.pack(client.encode(7, person=person)) for person in "ab"] == [rows[0][3], rows[1][3]]
    ledger.assign(SURVEY, PLANS["OUE"])
    assert ldp.Sender(other.url).send_pending(ledger) == 0  # and there is nothing left to warn of


def test_an_older_ledger_that_is_refused_stays_as_it_is(path: Path) -> None:
    make_older(path)
    before = path.read_bytes()
    with pytest.raises(ldp.BudgetError, match=r"its own budget, 2\.5"):
        ldp.Ledger(path, budget=2.0)
    assert path.read_bytes() == before


def test_many_may_carry_one_ledger_over(path: Path) -> None:
    rows = make_older(path)
    with ThreadPoolExecutor(8) as pool:
        ledgers = list(pool.map(lambda _: ldp.Ledger(path, budget=None), range(8)))
    assert {len(ledger.pending()) for ledger in ledgers} == {sum(not row[5] for row in rows)}


def test_carrying_over_that_is_cut_short_did_not_happen(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_older(path)
    before = path.read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr("ldprange.client.ledger_file._FROM_OLDER", ["DROP TABLE reports", "no SQL at all"])
        with pytest.raises(ldp.FileError, match="must be a ledger that can be read and written"):
            ldp.Ledger(path, budget=None)
    assert path.read_bytes() == before
    assert len(ldp.Ledger(path, budget=None).pending()) == 2
