"""Sending from the survey page: a report that is lost, a collector that is closed, busy, or not itself."""

from __future__ import annotations

import pytest
from playwright.sync_api import Route, expect

from page_visitors import Visit, answer, reports, send
from running_collector import ADMINISTRATOR, Service


def test_a_report_that_cannot_be_sent_is_kept_and_sent_again(
    visit: Visit, collector: Service, own_survey: str
) -> None:
    visitor = visit()
    tries: list[str] = []

    def lost(route: Route) -> None:
        """Lose the first try's acknowledgement, and then whatever is sent."""
        tries.append(route.request.url)
        if len(tries) == 1:
            assert route.fetch().status == 201
        route.abort()

    visitor.context.route("**/batches/*", lost)
    page = visitor.context.new_page()
    page.clock.install()
    page.goto(f"http://127.0.0.1:{collector.port}/s/{own_survey}")
    page.locator("#answer").fill("42")
    send(page)
    for _ in range(2):  # it tries again by itself
        expect(page.locator("#sending")).to_have_text("No connection. Trying again…")
        page.clock.run_for(3_100)
    expect(page.get_by_role("button", name="Try again")).to_be_visible()
    expect(page.locator("#sending")).to_contain_text("couldn’t be sent")
    assert len(tries) == 3
    visitor.context.unroute("**/batches/*")
    page.reload()
    page.get_by_role("button", name="Send it now").click()
    expect(page.get_by_role("heading", name="You have answered")).to_be_visible()
    assert len(set(visitor.sent())) == 1  # one address, one body
    assert reports(collector, own_survey) == 1


@pytest.mark.parametrize("said", ["<h1>Welcome to the hotel</h1>", '{"reports": 0}'])
def test_whoever_answers_for_the_collector_is_not_believed(
    visit: Visit, collector: Service, own_survey: str, said: str
) -> None:
    visitor = visit()
    strangers = [said]

    def welcome(route: Route) -> None:
        if strangers:
            route.fulfill(status=200, body=strangers.pop())
        else:
            route.continue_()

    visitor.context.route("**/batches/*", welcome)
    answer(visitor.open(f"/s/{own_survey}"))
    assert len(visitor.sent()) == 2
    assert reports(collector, own_survey) == 1


def test_a_closed_survey_says_so(visit: Visit, collector: Service, own_survey: str) -> None:
    early = visit().open(f"/s/{own_survey}")
    early.locator("#answer").fill("42")
    closed = collector.ask("PATCH", f"/api/surveys/{own_survey}", {"state": "closed"}, token=ADMINISTRATOR)
    assert closed.status == 200
    send(early)
    expect(early.get_by_text("It closed before your report arrived")).to_be_visible()
    visitor = visit()
    late = visitor.open(f"/s/{own_survey}")
    expect(late.get_by_role("heading", name="This survey is closed")).to_be_visible()
    expect(late.locator("#asking")).to_be_hidden()
    assert visitor.sent() == []
    dashboard = visitor.open(f"/d/{own_survey}")
    expect(dashboard.get_by_text("This survey is closed.")).to_be_visible()
    expect(dashboard.locator("#pulse")).to_have_text("Closed")


def test_a_busy_collector_is_asked_again(visit: Visit, collector: Service, own_survey: str) -> None:
    visitor = visit()
    busy = [503]

    def refuse(route: Route) -> None:
        if busy:
            route.fulfill(status=busy.pop(), headers={"retry-after": "1"}, json={"error": "busy"})
        else:
            route.continue_()

    visitor.context.route("**/batches/*", refuse)
    answer(visitor.open(f"/s/{own_survey}"))
    assert len(visitor.sent()) == 2
    assert len(set(visitor.sent())) == 1
    assert reports(collector, own_survey) == 1
