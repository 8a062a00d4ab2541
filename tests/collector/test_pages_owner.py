"""The owner's page, and several surveys on one page, in a real browser on a real collector."""

from __future__ import annotations

import re
import secrets
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, Route, expect

import ldprange as ldp
from ldprange.prediction import WANTED_MARGIN
from page_visitors import DOMAINS, Visit, assert_it_fits, made, remembered, reports, tab_to
from running_collector import ADMINISTRATOR, ANALYST, Service, packed

KINDS: dict[str, tuple[dict[str, str], ldp.Domain]] = {
    "integers": ({"low": "0", "high": "90"}, ldp.Domain.integers(0, 90)),
    "real": ({"low": "0", "high": "14", "bins": "28"}, ldp.Domain.real(0, 14, 28)),
    "logarithmic": ({"low": "1", "high": "1000", "bins": "30"}, ldp.Domain.logarithmic(1, 1000, 30)),
    "dates": ({"first": "2026-01-01", "last": "2026-03-31"}, ldp.Domain.dates("2026-01-01", "2026-03-31")),
    "ordered": ({"labels": "XS\n S \n\nM, wide"}, ldp.Domain.ordered(["XS", "S", "M, wide"])),
    "categories": ({"labels": "north\nsouth"}, ldp.Domain.categories(["north", "south"])),
}


def owner(visit: Visit, **options: Any) -> Page:
    page = visit(**options).open(f"/surveys#token={ADMINISTRATOR}")
    expect(page.locator("#owned")).to_be_visible()
    return page


def entry(page: Page, name: str) -> Locator:
    return page.locator(f'#list > li[data-name="{name}"]')


def test_it_asks_for_the_administrators_token(visit: Visit, collector: Service) -> None:
    name = made(collector, "listed", people=500)
    visitor = visit()
    page = visitor.open("/surveys")
    expect(page.locator("#owned")).to_be_hidden()
    page.get_by_label("Token").fill("wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_text("This isn’t one of this collector’s tokens.")).to_be_visible()
    page.get_by_label("Token").fill(ADMINISTRATOR)
    page.keyboard.press("Enter")
    expect(entry(page, name)).to_contain_text("500 answers")
    assert not [each.url for each in visitor.requests if ADMINISTRATOR in each.url]
    entry(page, name).get_by_role("link", name="Dashboard").click()
    expect(page.locator("#count")).to_have_text("500")
    page.go_back()
    entry(page, name).get_by_role("link", name="Survey page").click()
    expect(page.get_by_role("heading", name="How long is your commute?")).to_be_visible()


def test_an_analyst_sees_but_changes_nothing(visit: Visit, collector: Service) -> None:
    name = made(collector, "looked-at")
    page = visit().open(f"/surveys#token={ANALYST}")
    entry(page, name).get_by_role("button", name="Close").click()
    expect(page.locator("#trouble")).to_contain_text("this takes the administrator's token")
    assert collector.get(f"/api/surveys/{name}").json["state"] == "open"


@pytest.mark.parametrize("kind", KINDS)
def test_a_survey_of_every_kind_is_made(visit: Visit, collector: Service, kind: str) -> None:
    fields, domain = KINDS[kind]
    visitor = visit(viewport={"width": 320, "height": 640})
    page = visitor.open(f"/surveys#token={ADMINISTRATOR}")
    page.get_by_label("Question").last.fill(f"  Größe {kind}? ")
    page.locator("#new-kind").select_option(kind)
    for field, text in fields.items():
        page.locator(f"#new-{field}").fill(text)
    page.locator("#new-epsilon").fill("1.5")
    page.locator("#new-users").fill("20000")
    plan = ldp.choose_plan(domain, epsilon=1.5, expected_users=20_000)
    points = 100 * 1.96 * plan.predict(20_000).range_rmse
    learnt = page.locator("#outlook-learnt")
    asked = "category" if kind == "categories" else "range"
    expect(learnt).to_have_text(
        re.compile(rf"^With 20,000 answers, .* a typical {asked} to ±\s[\d.]+ percentage points")
    )
    told = re.search(r"±\s([\d.]+)", learnt.inner_text())
    assert told is not None
    assert float(told[1]) == pytest.approx(points, rel=0.06)  # two digits
    assert_it_fits(page)
    page.get_by_role("button", name="Make this survey").click()
    name = f"grosse-{kind}"
    expect(page.locator("#done")).to_contain_text(f"/s/{name}")
    expect(entry(page, name)).to_contain_text("0 answers")
    survey = collector.get(f"/api/surveys/{name}").json
    assert (survey["question"], survey["unit"], survey["public"]) == (f"Größe {kind}?", "", False)
    assert ldp.Plan.from_dict(survey["plan"]) == plan
    assert visitor.complaints == []


def test_a_survey_may_have_open_ends_and_take_no_answer(visit: Visit, collector: Service) -> None:
    page = owner(visit)
    page.locator("#new-question").fill("Beyond?")
    page.get_by_label("What if the answer lies outside?").select_option("high")
    page.get_by_label("I’d rather not say").check()
    page.get_by_role("button", name="Make this survey").click()
    expect(entry(page, "beyond")).to_be_visible()
    made = ldp.Plan.from_dict(collector.get("/api/surveys/beyond").json["plan"])
    assert made.domain == ldp.Domain.integers(0, 120, open_ends="high", no_answer=True)
    # what has no ends cannot be beyond them, whatever was chosen before
    page.locator("#new-question").fill("Without ends?")
    page.get_by_label("What if the answer lies outside?").select_option("both")
    page.locator("#new-kind").select_option("ordered")
    expect(page.locator("#new-open")).to_be_hidden()
    page.locator("#new-labels").fill("S\nM")
    page.get_by_role("button", name="Make this survey").click()
    expect(entry(page, "without-ends")).to_be_visible()
    made = ldp.Plan.from_dict(collector.get("/api/surveys/without-ends").json["plan"])
    assert made.domain == ldp.Domain.ordered(["S", "M"])


def test_the_page_wants_the_margin_that_the_command_line_wants(visit: Visit) -> None:
    page = owner(visit)
    page.locator("#new-users").fill("500")
    expect(page.locator("#outlook-learnt")).to_contain_text(
        re.compile(rf"would make that ±\s{100 * WANTED_MARGIN:.0f} percentage points")
    )


def test_what_cannot_be_asked_is_told_before_it_is_made(visit: Visit, collector: Service) -> None:
    taken = made(collector, "taken")
    page = owner(visit)
    page.locator("#new-question").fill("Taken?")
    page.locator("#new-low").fill("5")
    page.locator("#new-high").fill("1")
    expect(page.locator("#outlook-learnt")).to_contain_text("You can’t ask this:")
    make = page.get_by_role("button", name="Make this survey")
    expect(make).to_be_disabled()
    page.locator("#new-high").fill("9")
    expect(make).to_be_enabled()
    page.locator("#new-users").fill("10")
    expect(page.locator("#outlook-learnt")).to_contain_text("too few to learn anything")
    expect(page.locator("#new-name")).to_have_value(taken)
    make.click()
    expect(page.locator("#new-message")).to_contain_text("exists already")
    expect(page.locator("#new-question")).to_have_value("Taken?")  # nothing that was typed is lost


def test_the_plan_is_of_what_the_form_says_last(visit: Visit, collector: Service) -> None:
    held: list[Route] = []

    def hold_the_first(route: Route) -> None:
        if held:
            route.continue_()
        held.append(route)

    visitor = visit()
    page = visitor.open(f"/surveys#token={ADMINISTRATOR}")
    make = page.get_by_role("button", name="Make this survey")
    page.locator("#new-question").fill("Last?")
    expect(make).to_be_enabled()
    visitor.context.route("**/api/plans", hold_the_first)
    page.locator("#new-high").fill("50")
    while not held:
        page.wait_for_timeout(10)
    page.locator("#new-high").fill("60")
    held[0].continue_()  # the plan for 50 comes while 60 is typed
    expect(make).to_be_enabled()
    make.click()
    expect(entry(page, "last")).to_be_visible()
    assert collector.get("/api/surveys/last").json["plan"]["domain"]["high"] == 60


def test_a_typo_is_corrected_before_the_first_answer(visit: Visit, collector: Service) -> None:
    name = made(collector, "typo", question="How lod?", unit="yaers")
    page = owner(visit)
    entry(page, name).get_by_role("button", name="Correct the text").click()
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type("How old?")
    entry(page, name).get_by_label("Unit").fill("years")
    page.keyboard.press("Enter")
    expect(entry(page, name).get_by_role("heading")).to_have_text("How old?")
    expect(page.locator("#done")).to_have_text("Corrected.")
    assert collector.get(f"/api/surveys/{name}").json["unit"] == "years"
    collector.put(
        packed([7], 1, ldp.Plan.from_dict(collector.get(f"/api/surveys/{name}").json["plan"])), name=name
    )
    entry(page, name).get_by_role("button", name="Correct the text").click()
    entry(page, name).get_by_role("button", name="Save").click()
    expect(page.locator("#trouble")).to_contain_text("must stay as people answered them")
    page.reload()
    expect(entry(page, name)).to_contain_text("1 answer")
    expect(entry(page, name).get_by_role("button", name="Correct the text")).to_have_count(0)


def test_it_is_closed_and_opened_again(visit: Visit, collector: Service) -> None:
    name = made(collector, "closing")
    page = owner(visit)
    for button, state in (("Close", "closed"), ("Open again", "open")):
        entry(page, name).get_by_role("button", name=button).click()
        expect(entry(page, name).locator(".facts").first).to_contain_text(state)
        assert collector.get(f"/api/surveys/{name}").json["state"] == state


def test_it_is_deleted_only_when_that_is_confirmed(visit: Visit, collector: Service) -> None:
    name = made(collector, "doomed", people=300)
    page = owner(visit)
    button = entry(page, name).get_by_role("button", name="Delete…")
    button.click()
    expect(page.get_by_role("dialog")).to_contain_text("300 answers")
    expect(page.get_by_role("button", name="Keep it")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_hidden()
    button.click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert collector.get(f"/api/surveys/{name}").status == 200
    button.click()
    tab_to(page, "#delete-yes")
    page.keyboard.press("Enter")
    expect(entry(page, name)).to_have_count(0)
    expect(page.locator("#done")).to_contain_text("is deleted")
    assert collector.get(f"/api/surveys/{name}").status == 404


def pair(collector: Service) -> tuple[str, str]:
    """Make two surveys that nobody has answered."""
    mark = secrets.token_hex(3)
    first = made(collector, f"first-{mark}")
    second = made(collector, f"second-{mark}", DOMAINS["ordered"], question="Which size?", unit="")
    return first, second


def test_two_questions_are_answered_on_one_page(visit: Visit, collector: Service) -> None:
    first, second = pair(collector)
    visitor = visit(viewport={"width": 320, "height": 640})
    page = visitor.open(f"/s/{first}+{second}")
    expect(page.get_by_role("heading", name="Two questions")).to_be_visible()
    expect(page.locator("#promise")).to_contain_text("ε = 1.1 + 1.1 = 2.2")
    expect(page.locator("#promise")).to_contain_text("guess right about 90 times in 100")
    frames = [page.frame_locator(f'iframe[src="{name}"]') for name in (first, second)]
    frames[0].locator("#answer").fill("42")
    frames[0].get_by_role("button", name="Scramble and send").click()
    expect(frames[0].get_by_role("heading", name="You have answered")).to_be_visible()
    assert (reports(collector, first), reports(collector, second)) == (1, 0)  # the other may be left
    frames[1].get_by_label("M", exact=True).check()
    frames[1].get_by_role("button", name="Scramble and send").click()
    expect(frames[1].get_by_role("heading", name="You have answered")).to_be_visible()
    assert (reports(collector, first), reports(collector, second)) == (1, 1)
    assert sorted(key.split(":")[2] for key in remembered(page)["local"]) == sorted([first, second])
    assert_it_fits(page)
    for frame in page.locator("iframe").all():
        inside = frame.content_frame.locator("body").evaluate("body => body.scrollHeight")
        assert abs(frame.evaluate("frame => frame.clientHeight") - inside) <= 1  # nothing scrolls within
    alone = visitor.open(f"/s/{first}")  # the ledger is the survey's, on whichever page it is answered
    expect(alone.get_by_role("heading", name="You have answered")).to_be_visible()
    assert visitor.complaints == []
    assert visitor.hosts() == {f"127.0.0.1:{collector.port}"}


def test_the_owner_gets_the_link_to_several(visit: Visit, collector: Service) -> None:
    first, second = pair(collector)
    page = owner(visit)
    for question in ("How long is your commute? (ε = 1.1)", "Which size? (ε = 1.1)"):
        page.locator("#together-choices").get_by_label(question).last.check()
    link = page.locator("#together-link")
    expect(link).to_contain_text("(ε = 2.2 in all)")
    link.get_by_role("link").click()
    expect(page.locator("iframe")).to_have_count(2)
    assert page.url.endswith(f"/s/{first}+{second}")


def test_only_pages_of_its_own_frame_a_survey(collector: Service) -> None:
    first, second = pair(collector)

    def policy(path: str) -> str:
        return collector.get(path, token=None).headers["content-security-policy"]

    assert "frame-ancestors 'self'" in policy(f"/s/{first}")
    for path in (f"/d/{first}", "/surveys", "/", f"/s/{first}+{second}"):
        assert "frame-ancestors 'none'" in policy(path)
    assert "frame-src 'self'" in policy(f"/s/{first}+{second}")


def test_an_address_that_nobody_gave_out_is_told_so(collector: Service) -> None:
    first, second = pair(collector)
    for names in (
        f"{first}+",
        f"{first}+nobody-made-this",
        f"{first}+{first}",
        "+",
        "+".join([first, second] * 3),
    ):
        assert collector.get(f"/s/{names}", token=None).status == 404
