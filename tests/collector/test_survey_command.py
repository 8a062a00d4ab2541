"""``ldprange survey``: as one types it, to a collector that runs."""

from __future__ import annotations

from pathlib import Path

import pytest

import ldprange as ldp
from command_line_survey import COMMUTE, answered, done, run
from ldprange.service.access import ADMINISTRATOR, ANALYST
from running_collector import serving

SURVEY = (*COMMUTE, "--users", "5000")
AGE = ("--question", "How old?", "--low", "0", "--high", "99")


def test_make_list_close_and_open(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving("data") as service:
        server = ("--server", f"http://127.0.0.1:{service.port}")
        monkeypatch.setenv("LDPRANGE_TOKEN", ADMINISTRATOR)
        made = answered("survey", "create", *SURVEY, *server, "--json")
        assert made["survey"].endswith("/s/minutes-to-work")
        assert done("survey", "close", "minutes-to-work", *server) == "minutes-to-work is closed\n"
        listed = done("survey", "list", *server)
        assert "closed" in listed
        assert "Minutes to work?" in listed
        assert done("survey", "open", "minutes-to-work", *server) == "minutes-to-work is open\n"
        both = run("survey", "create", *SURVEY, *AGE, "--epsilon", "1", *server)
        assert (both.exit_code, "one survey at a time" in both.stderr) == (2, True)
        again = run("survey", "create", *SURVEY, *server)
        assert again.exit_code == 2
        assert "named minutes-to-work exists already; give this one another --name" in " ".join(
            again.stderr.split()
        )
        assert run("survey", "close", "../x", *server).exit_code == 2
        monkeypatch.setenv("LDPRANGE_TOKEN", ANALYST)
        refused = run("survey", "close", "minutes-to-work", *server)
        assert (refused.exit_code, "403" in refused.stderr) == (2, True)


@pytest.mark.parametrize("attributes", [3, 4])
def test_where_the_plan_depends_on_the_number_of_people_it_is_asked_for(attributes: int) -> None:
    asked = [option for name in "abcd"[:attributes] for option in ("--attribute", name, "0..31")]
    nobody = ("--server", "http://127.0.0.1:1")
    for users in ((), ("--users", "1000000")):
        told = run("survey", "create", "--question", "All?", *asked, "--epsilon", "1", *users, *nobody)
        assert ("add --users: how fine" in told.stderr) == (attributes == 4 and not users)


def test_a_survey_for_denoised_answers(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    domain = ldp.Domain.integers(0, 120)
    chosen = ldp.choose_plan(domain, epsilon=2.0, expected_users=5000, answers="denoised")
    monkeypatch.setenv("LDPRANGE_TOKEN", ADMINISTRATOR)
    asked = ("--question", "How old?", "--low", "0", "--high", "120", "--epsilon", "2")
    with serving("data") as service:
        server = ("--server", f"http://127.0.0.1:{service.port}")
        unknown = run("survey", "create", *asked, "--answers", "denoised", *server)
        assert (unknown.exit_code, "needs --users" in unknown.stderr) == (2, True)
        told = run("survey", "create", *asked, "--answers", "denoised", "--users", "5000", *server)
        assert "denoised answers usually have less error" in told.stderr
        kept = service.get("/api/surveys/how-old", token=ADMINISTRATOR).json["plan"]
    assert ldp.Plan.from_dict(kept) == chosen
    chosen.save("p.json")
    both = run("survey", "create", "--question", "x", "--plan", "p.json", "--answers", "denoised")
    assert (both.exit_code, "--plan already says" in both.stderr) == (2, True)


def test_nobody_there_is_told_at_once() -> None:
    refused = run("survey", "list", "--server", "http://127.0.0.1:1")
    assert refused.exit_code == 2
    assert "no collector answers" in refused.stderr


@pytest.mark.parametrize("server", ["http://127.0.0.1:99999", "http://[::1", "127.0.0.1", "http://a/b"])
def test_what_is_no_collector(server: str) -> None:
    refused = run("survey", "list", "--server", server)
    assert refused.exit_code == 2
    assert "must" in refused.stderr


@pytest.mark.parametrize("token", ["SECRET\n", "SECRETε", "SEC\rRET"])
def test_a_token_is_shown_to_nobody(here: Path, monkeypatch: pytest.MonkeyPatch, token: str) -> None:
    monkeypatch.setenv("LDPRANGE_TOKEN", token)
    with serving("data") as service:
        refused = run("survey", "close", "x", "--server", f"http://127.0.0.1:{service.port}")
    assert refused.exit_code == 2
    assert "SEC" not in refused.output


def test_a_token_is_not_asked_of_a_script(here: Path) -> None:
    with serving("data") as service:
        refused = run("survey", "list", "--server", f"http://127.0.0.1:{service.port}")
    assert refused.exit_code == 2
    assert "LDPRANGE_TOKEN" in refused.stderr


def test_a_token_does_not_travel_in_the_clear(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LDPRANGE_TOKEN", ADMINISTRATOR)
    refused = run("survey", "list", "--server", "http://survey.example.org")
    assert refused.exit_code == 2
    assert "https" in refused.stderr
