"""The survey page, and what both pages promise, in a real browser on a real collector."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Route, expect

import ldprange as ldp
from ldprange.client.encoding import encode_with
from page_visitors import (
    DOMAINS,
    SCRIPTED_COINS,
    Visit,
    answer,
    assert_it_fits,
    made,
    plan_for,
    remembered,
    reports,
    scripted_words,
    send,
    shown_report,
    tab_to,
)
from running_collector import Service
from scripted_coins import ScriptedCoins

MANY = ldp.Domain.ordered([f"grade {number}" for number in range(1, 21)])
LARGE = ldp.Domain.integers(0, 99_999)


class TestAnswering:
    def test_a_person_answers_by_keyboard_and_the_dashboard_moves(
        self, visit: Visit, own_survey: str
    ) -> None:
        visitor = visit()
        dashboard = visitor.open(f"/d/{own_survey}")
        expect(dashboard.get_by_text("Nobody has answered yet")).to_be_visible()
        expect(dashboard.get_by_text("Only this machine can open this link")).to_be_visible()
        expect(dashboard.locator("#share")).to_have_value(re.compile(f"^http://.*/s/{own_survey}$"))
        page = visitor.open(f"/s/{own_survey}")
        expect(page.locator("#answer")).to_be_visible()
        expect(page.locator("#answer-and-send")).to_be_disabled()
        tab_to(page, "#answer")
        page.keyboard.type("42")
        expect(page.locator("#answer-and-send")).to_be_enabled()
        tab_to(page, "#answer-and-send")
        page.keyboard.press("Enter")
        expect(page.locator("#sent-heading")).to_be_focused()
        expect(dashboard.locator("#count")).to_have_text("1")
        expect(dashboard.locator("#median-interval")).to_have_text("too few answers yet")
        assert visitor.complaints == []

    @pytest.mark.parametrize("kind", [*DOMAINS, "list"])
    def test_every_kind_of_domain_can_be_answered(self, visit: Visit, collector: Service, kind: str) -> None:
        name = made(collector, f"kind-{kind}", MANY if kind == "list" else DOMAINS[kind], unit="")
        visitor = visit(viewport={"width": 320, "height": 640})
        page = visitor.open(f"/s/{name}")
        expect(page.locator("#asking")).to_be_visible()
        match kind:
            case "integers":
                page.locator("#answer").fill("119")
            case "real":
                page.locator("#answer").fill("7.25")
            case "logarithmic":
                page.get_by_role("slider").press("ArrowRight")
                assert 100 <= float(page.locator("#answer").input_value()) <= 110  # the middle, by ratios
            case "dates":
                page.locator("#answer").fill("2026-02-28")
            case "ordered":
                page.get_by_label("M", exact=True).check()
            case "list":
                page.locator("#answer").select_option("grade 7")
        assert_it_fits(page)
        page.get_by_text("What can a report look like?").click()
        expect(page.locator("#example-reports code")).to_have_count(3)
        assert_it_fits(page)
        send(page)
        expect(page.get_by_role("heading", name="You have answered")).to_be_visible()
        assert_it_fits(page)
        assert reports(collector, name) == 1
        assert visitor.complaints == []

    def test_whoever_is_beyond_an_end_or_would_rather_not_say_can_answer(
        self, visit: Visit, collector: Service
    ) -> None:
        domain = ldp.Domain.integers(0, 119, open_ends="high", no_answer=True)
        name = made(collector, "beyond", domain, people=200)
        visitor = visit(viewport={"width": 320, "height": 640})
        page = visitor.open(f"/s/{name}")
        field, button = page.locator("#answer"), page.locator("#answer-and-send")
        more, rather_not = page.get_by_label("More than 119 minutes"), page.get_by_label("I’d rather not say")
        field.fill("42")
        rather_not.check()
        expect(field).to_have_value("")
        expect(button).to_be_enabled()
        field.fill("150")
        expect(rather_not).not_to_be_checked()
        expect(page.locator("#answer-message")).to_have_text("This counts as more than 119 minutes.")
        expect(field).to_have_attribute("aria-invalid", "false")
        field.fill("-1")
        expect(button).to_be_disabled()
        rather_not.check()
        page.keyboard.press("ArrowUp")
        expect(more).to_be_checked()
        assert_it_fits(page)
        send(page)
        expect(page.get_by_role("heading", name="You have answered")).to_be_visible()
        dashboard = visitor.open(f"/d/{name}")
        expect(dashboard.locator("#count")).to_have_text("201")
        assert visitor.complaints == []

    def test_what_is_not_of_the_domain_gets_a_friendly_word(self, visit: Visit, own_survey: str) -> None:
        page = visit().open(f"/s/{own_survey}")
        field, message, button = (
            page.locator(f"#{name}") for name in ("answer", "answer-message", "answer-and-send")
        )
        for value in ("120", "-1", "1.5", "1e9"):
            field.fill(value)
            expect(message).to_have_text("Please enter a whole number from 0 to 119 minutes.")
            expect(field).to_have_attribute("aria-invalid", "true")
            expect(button).to_be_disabled()
            field.fill("12")
            expect(message).to_be_empty()
            expect(button).to_be_enabled()
        field.fill("")
        expect(button).to_be_disabled()

    def test_a_decimal_comma_is_a_decimal_point(self, visit: Visit, collector: Service) -> None:
        """A browser's own field of numbers may drop the comma of 7,5, and hold 75."""
        name = made(collector, "comma", ldp.Domain.real(0, 100, 1000), unit="")
        page = visit().open(f"/s/{name}")
        field, message, slider = (
            page.locator("#answer"),
            page.locator("#answer-message"),
            page.get_by_role("slider"),
        )
        for typed, place in {"7,5": 75, "8.5": 85, " 7 ": 70, ",5": 5, "1e0": 10}.items():
            field.fill("")
            field.press_sequentially(typed)
            expect(slider).to_have_value(str(place))
            expect(message).to_be_empty()
        for typed in ("1,000", "7.5.", "7 h", "7,5,1", "0x10"):
            field.fill(typed)
            expect(message).to_have_text("Please enter a number from 0 to 100.")
            expect(page.locator("#answer-and-send")).to_be_disabled()

    @pytest.mark.parametrize(
        ("domain", "hint"),
        [
            (
                ldp.Domain.real(0, 8000, 64),
                "A number from 0 to 8000 €. Answers are grouped in steps of 125 €.",
            ),
            (
                ldp.Domain.logarithmic(1, 1000, 30),
                "A number from 1 to 1000 €. Answers are grouped in steps of about 26%.",
            ),
            (ldp.Domain.integers(0, 9), "A whole number from 0 to 9 €."),
        ],
    )
    def test_people_are_told_which_answers_count_as_one(
        self, visit: Visit, collector: Service, domain: ldp.Domain, hint: str
    ) -> None:
        name = made(collector, f"steps-of-{type(domain).__name__}".lower(), domain, unit="€")
        expect(visit().open(f"/s/{name}").locator("#answer-hint")).to_have_text(hint)

    def test_number_and_slider_move_together(self, visit: Visit, own_survey: str) -> None:
        page = visit().open(f"/s/{own_survey}")
        slider = page.get_by_role("slider")
        expect(slider).to_have_attribute("aria-valuetext", "nothing chosen yet")
        page.locator("#answer").fill("30")
        expect(slider).to_have_value("30")
        slider.press("ArrowLeft")
        expect(page.locator("#answer")).to_have_value("29")
        expect(slider).to_have_attribute("aria-valuetext", "29 minutes")
        slider.press("End")
        expect(page.locator("#answer")).to_have_value("119")


class TestPrivacy:
    def test_nothing_but_the_report_depends_on_the_answer(self, visit: Visit, collector: Service) -> None:
        name, client = made(collector, "income", LARGE, unit="€"), ldp.Client(plan_for(LARGE))

        def report(value: int) -> bytes:
            return ldp.wire.pack(encode_with(client, value, ScriptedCoins(scripted_words(64))))

        other = next(value for value in range(20_480, 30_000) if report(value) != report(73_123))
        traces, stores = [], []
        for value in (73_123, other):
            visitor = visit()
            visitor.context.add_init_script(SCRIPTED_COINS)
            # not let through: the same id with other bytes would be refused
            visitor.context.route(
                "**/batches/*", lambda route: route.fulfill(status=201, json={"reports": 1})
            )
            page = visitor.open(f"/s/{name}")
            before = remembered(page)
            page.locator("#answer").fill(str(value))
            assert remembered(page) == before
            send(page)
            assert page.locator("#answer").count() == 0
            shown, kept = shown_report(page), remembered(page)
            [(_, body)] = visitor.sent()
            assert body == shown == report(value)
            assert str(value) not in str([body, kept, page.url, page.title(), page.content()])
            requests = sorted(
                (each.method, each.url, sorted(each.headers.items())) for each in visitor.requests
            )
            assert str(value) not in str(requests)
            [(key, record)] = kept["local"].items()
            assert key == f"ldprange:answered:{name}:{client.plan.fingerprint}"
            assert kept["session"] == {}
            assert visitor.context.cookies() == []
            traces.append(requests)
            stores.append(record.replace(shown.hex(), "report"))
        assert traces[0] == traces[1]
        assert stores[0] == stores[1]

    def test_nobody_sees_their_report_before_it_is_sent(
        self, visit: Visit, collector: Service, own_survey: str
    ) -> None:
        visitor = visit()
        words: list[str] = []
        shown: list[int] = []

        def look(route: Route) -> None:
            # until the collector has it, nothing that can be read tells one report from another
            words.append(page.locator("main").inner_text())
            words.append(page.locator("main").text_content() or "")
            shown.append(page.locator(".report").count())
            route.continue_()

        page = visitor.open(f"/s/{own_survey}")
        visitor.context.route("**/batches/*", look)
        page.locator("#answer").fill("42")
        expect(page.locator("button:visible")).to_have_count(1)  # one step, and no way back
        send(page)
        report = shown_report(page)
        assert shown == [0]
        spaced = report.hex(" ")
        assert not [text for text in words if spaced in text or "fit this report" in text]
        expect(page.get_by_text("This, and nothing else, was sent")).to_be_visible()
        expect(page.locator("#report-sent code")).to_be_visible()

    def test_what_a_report_can_look_like_has_nothing_to_do_with_the_answer(
        self, visit: Visit, collector: Service
    ) -> None:
        # at this ε a report is the answer, so that examples of it would all be alike
        collector.create("examples", ldp.Plan(MANY, 40.0, ldp.Flat(), ldp.GRR()))
        visitor = visit()
        page = visitor.open("/s/examples")
        page.locator("#answer").select_option("grade 7")
        said = []
        for _ in range(7):
            page.get_by_text("What can a report look like?").click()
            examples = page.locator("#example-reports code")
            expect(examples).to_have_count(3)  # drawn once the page has seen the click
            said += examples.all_inner_texts()
            page.get_by_text("What can a report look like?").click()
        assert len(said) == 21
        # 19 in 20 are of other answers; false alarm below 1e-10
        assert sum(text.endswith(" 06") for text in said) < 12
        expect(page.get_by_text("You’ll see your own once it’s sent.")).to_be_attached()
        assert visitor.sent() == []
        assert remembered(page) == {"local": {}, "session": {}}


class TestWords:
    """What people read before they send: plain, and true for the survey's own setting."""

    @pytest.mark.parametrize(
        ("epsilon", "chance", "said", "among"),
        [
            (0.5, "about 62", "It tells little about you.", "may or may not be"),
            (0.9, "about 71", "It tells little about you.", "may or may not be"),
            (1.5, "about 82", "It gives a hint of what you answered.", "may well be"),
            (3.0, "about 95", "the report can give your answer away", "is very likely"),
            (5.5, "more than 99", "the report can give your answer away", "is very likely"),
            (50.0, "more than 99", "the report can give your answer away", "is very likely"),
        ],
    )
    def test_the_promise_is_what_holds(
        self, visit: Visit, collector: Service, epsilon: float, chance: str, said: str, among: str
    ) -> None:
        name = f"epsilon-{epsilon:g}".replace(".", "-")
        collector.create(name, ldp.Plan(DOMAINS["integers"], epsilon, ldp.Haar(), ldp.HRR()))
        page = visit().open(f"/s/{name}")
        promise = page.locator("#promise")
        expect(promise).to_contain_text(said)
        expect(promise).to_contain_text(f"lets them guess right {chance} times in 100; without it, 50 times.")
        expect(promise.locator("p").nth(1)).to_be_visible()  # in the open
        warned = epsilon >= 3
        assert ("tells-much" in (promise.get_attribute("class") or "")) == warned
        assert ("only if you’d be happy to tell your answer openly." in promise.inner_text()) == warned
        told = promise.inner_text() + (page.locator("#how").text_content() or "")
        assert not re.search("nobody|be sure|never leaves", told)
        assert not re.search(r"\d,\d{3},\d{3}", told)  # a factor that nobody can grasp
        answer(page)
        expect(page.locator("#report-sent p")).to_contain_text(f"; yours {among} among them.")

    def test_the_report_is_told_plainly_and_whole(self, visit: Visit, collector: Service) -> None:
        plan = ldp.Plan(DOMAINS["ordered"], 1.0, ldp.Flat(), ldp.GRR())
        collector.create("sizes", plan)
        page = visit().open("/s/sizes")
        page.get_by_label("M", exact=True).check()
        send(page)
        summary, details = page.locator("#report-sent p"), page.locator("#report-sent ul")
        size = list(DOMAINS["ordered"].labels)[shown_report(page)[-1]]  # type: ignore[attr-defined]
        expect(summary).to_have_text(
            f"Of the 5 possible answers, “{size}” fits this report better than the others; "
            "yours may or may not be this one."
        )
        expect(page.locator("#report-sent code")).to_be_visible()
        expect(details).to_be_hidden()
        page.get_by_text("Details", exact=True).click()
        expect(details).to_contain_text("The first 9 bytes are the same for everybody")


def test_whoever_has_no_survey_s_link_gets_a_page_too(visit: Visit, collector: Service) -> None:
    visitor = visit(viewport={"width": 320, "height": 640})
    for path, status, heading in (
        ("/", 200, "Surveys with scrambled answers"),
        ("/s/nope", 404, "There is no survey here"),
        ("/d/nope", 404, "There is no survey here"),
    ):
        page = visitor.context.new_page()
        response = page.goto(f"http://127.0.0.1:{collector.port}{path}")
        assert response is not None
        assert response.status == status
        expect(page.get_by_role("heading", name=heading)).to_be_visible()
        assert page.evaluate("getComputedStyle(document.querySelector('.card')).borderRadius") == "12px"
        assert_it_fits(page)
    assert not [each for each in visitor.complaints if "404" not in each]


def test_the_pages_stay_within_their_policy(visit: Visit, collector: Service) -> None:
    name = made(collector, "policy", people=3000)
    visitor = visit()
    for path in (f"/s/{name}", f"/d/{name}"):
        response = visitor.context.new_page().goto(f"http://127.0.0.1:{collector.port}{path}")
        assert response is not None
        policy = response.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        html = response.text()
        assert not re.search(r"\son\w+=|\sstyle=|<style|<script(?![^>]*\ssrc=)|https?://", html)
    answer(visitor.context.pages[0])
    expect(visitor.context.pages[1].locator("#count")).to_have_text("3,001")
    assert visitor.complaints == []
    assert visitor.hosts() == {f"127.0.0.1:{collector.port}"}
