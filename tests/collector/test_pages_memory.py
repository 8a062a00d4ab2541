"""What the survey page remembers: a person has one report, whatever they or a collector do."""

from __future__ import annotations

import secrets

from playwright.sync_api import Route, expect

import ldprange as ldp
from page_visitors import DOMAINS, Visit, answer, kept_report, reports, send, shown_report
from running_collector import Service


def test_a_second_visit_sends_nothing(visit: Visit, collector: Service, own_survey: str) -> None:
    visitor = visit()
    answer(visitor.open(f"/s/{own_survey}"))
    assert len(visitor.sent()) == 1
    again = visitor.open(f"/s/{own_survey}")
    expect(again.get_by_role("heading", name="You have answered")).to_be_visible()
    expect(again.locator("#asking")).to_be_hidden()
    assert len(visitor.sent()) == 1
    assert reports(collector, own_survey) == 1


def test_an_answer_is_randomised_once_whatever_one_does(visit: Visit, own_survey: str) -> None:
    visitor = visit()
    page, late = visitor.open(f"/s/{own_survey}"), visitor.open(f"/s/{own_survey}")
    late.locator("#answer").fill("42")
    page.locator("#answer").fill("42")
    visitor.context.route("**/batches/*", lambda route: route.fulfill(status=400, json={"error": "no"}))
    send(page)
    expect(page.get_by_role("button", name="Try again")).to_be_visible()
    report = kept_report(page)
    page.reload()
    expect(page.get_by_role("button", name="Send it now")).to_be_visible()
    expect(page.locator("#asking")).to_be_hidden()
    expect(late.locator("#waiting")).to_be_visible()  # the other tab has heard of it
    assert late.locator("#answer").count() == 0  # what was typed there is gone
    visitor.context.unroute("**/batches/*")
    late.get_by_role("button", name="Send it now").click()
    assert shown_report(page) == shown_report(late) == report
    assert {body for _, body in visitor.sent()} == {report}
    assert len({url for url, _ in visitor.sent()}) == 1


def test_a_collector_that_states_another_fingerprint_each_time_is_never_answered(
    visit: Visit, own_survey: str
) -> None:
    visitor = visit()

    def lie(route: Route) -> None:
        reply = route.fetch()
        survey = reply.json()
        survey["plan"]["fingerprint"] = secrets.token_hex(8)
        survey["name"] = secrets.token_hex(8)
        route.fulfill(response=reply, json=survey)

    visitor.context.route(f"**/api/surveys/{own_survey}", lie)
    for _ in range(3):
        page = visitor.open(f"/s/{own_survey}")
        expect(page.get_by_role("heading", name="This survey can’t be shown")).to_be_visible()
        expect(page.locator("#trouble")).to_contain_text("the plan's fingerprint must be")
        page.close()
    assert visitor.sent() == []


def test_a_collector_that_states_another_name_each_time_is_answered_once(
    visit: Visit, own_survey: str
) -> None:
    visitor = visit()

    def lie(route: Route) -> None:
        reply = route.fetch()
        route.fulfill(response=reply, json={**reply.json(), "name": secrets.token_hex(8)})

    visitor.context.route(f"**/api/surveys/{own_survey}", lie)
    answer(visitor.open(f"/s/{own_survey}"))
    for path in (f"/s/{own_survey}", f"/s/%{ord(own_survey[0]):x}{own_survey[1:]}"):
        page = visitor.open(path)
        expect(page.get_by_role("heading", name="You have answered")).to_be_visible()
    assert len(visitor.sent()) == 1


def test_a_survey_that_is_asked_differently_says_so(visit: Visit, own_survey: str) -> None:
    visitor = visit()
    warning = "You have answered this survey before, when it was asked differently"
    page = visitor.open(f"/s/{own_survey}")
    expect(page.locator("#asking")).to_be_visible()
    expect(page.get_by_text(warning)).to_be_hidden()
    answer(page)
    other = ldp.Plan(DOMAINS["integers"], 1.2, ldp.Haar(), ldp.HRR())

    def ask_differently(route: Route) -> None:
        reply = route.fetch()
        route.fulfill(response=reply, json={**reply.json(), "plan": other.to_dict()})

    visitor.context.route(f"**/api/surveys/{own_survey}", ask_differently)
    page = visitor.open(f"/s/{own_survey}")
    expect(page.get_by_text(warning)).to_be_visible()
    expect(page.get_by_text("Answering again tells more about you.")).to_be_visible()
    expect(page.locator("#answer")).to_be_visible()


def test_without_storage_it_works_for_this_visit_and_says_so(visit: Visit, own_survey: str) -> None:
    visitor = visit()
    visitor.context.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no'); } });"
    )
    page = visitor.open(f"/s/{own_survey}")
    expect(page.get_by_text("doesn’t let the page remember")).to_be_visible()
    answer(page)
    assert len(visitor.sent()) == 1


def test_collectors_under_other_paths_of_a_host_are_other_surveys(
    visit: Visit, collector: Service, own_survey: str
) -> None:
    visitor = visit()

    def forward(route: Route) -> None:
        """Do what a proxy does that has a collector under /other."""
        route.fulfill(response=route.fetch(url=route.request.url.replace("/other/", "/")))

    visitor.context.route("**/other/**", forward)
    answer(visitor.open(f"/s/{own_survey}"))
    page = visitor.open(f"/other/s/{own_survey}")
    expect(page.locator("#answer")).to_be_visible()
    expect(page.locator("#answered-before")).to_be_hidden()
    answer(page)
    assert reports(collector, own_survey) == 2
