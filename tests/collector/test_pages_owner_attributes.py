"""Making a survey of several attributes on the owner's page, and answering it, in a real browser."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

import ldprange as ldp
from page_visitors import Visit, assert_it_fits
from running_collector import ADMINISTRATOR, Service

PAY = ldp.Domain.real(0, 8000, 64, open_ends="high", no_answer=True)
HOMES = ldp.Domain.product(**{"Age": ldp.Domain.integers(0, 120), "Pay in €": PAY})


def owner(visit: Visit, width: int = 1280) -> Page:
    page = visit(viewport={"width": width, "height": 800}).open(f"/surveys#token={ADMINISTRATOR}")
    expect(page.locator("#owned")).to_be_visible()
    return page


def attribute(page: Page, place: int) -> Locator:
    return page.get_by_role("group", name=f"Attribute {place}", exact=True)


def describe(page: Page, question: str) -> None:
    """Type a question, and what HOMES says."""
    page.locator("#new-question").fill(question)
    page.get_by_role("button", name="Ask for another attribute").click()
    expect(attribute(page, 1).get_by_label("Name of this attribute")).to_be_focused()
    page.keyboard.type("Age")
    pay = attribute(page, 2)
    pay.get_by_label("Name of this attribute").fill("Pay in €")
    pay.get_by_label("People answer with").select_option("real")
    pay.get_by_label("To", exact=True).fill("8000")
    pay.get_by_label("Number of bins").fill("64")
    pay.get_by_label("What if the answer lies outside?").select_option("high")
    pay.get_by_label("I’d rather not say").check()


@pytest.mark.parametrize("width", [360, 1280])
def test_a_survey_of_several_attributes_is_made(visit: Visit, collector: Service, width: int) -> None:
    page, name = owner(visit, width), f"homes-{width}"
    describe(page, f"Homes {width}?")
    expect(page.locator("#outlook-learnt")).to_contain_text("With 10,000 answers")
    assert_it_fits(page)
    page.get_by_role("button", name="Make this survey").click()
    expect(page.locator("#done")).to_contain_text(f"/s/{name}")
    survey = collector.get(f"/api/surveys/{name}").json
    plan = ldp.choose_plan(HOMES, epsilon=1.0, expected_users=10_000)
    assert ldp.Plan.from_dict(survey["plan"]) == plan
    assert survey["unit"] == ""
    # the form is as it was at first: one attribute, without a name
    expect(page.get_by_role("group", name="Attribute 1")).to_have_count(0)
    expect(page.locator("#new-called")).to_be_hidden()
    expect(page.locator("#new-unit")).to_be_visible()


def test_an_attribute_is_removed_again(visit: Visit, collector: Service) -> None:
    page = owner(visit)
    describe(page, "Fewer?")
    expect(page.locator("#new-unit")).to_be_hidden()
    attribute(page, 1).get_by_role("button", name="Remove this attribute").click()
    expect(page.get_by_role("button", name="Ask for another attribute")).to_be_focused()
    page.locator("#new-2-unit").fill("€")
    page.get_by_role("button", name="Make this survey").click()
    expect(page.locator("#done")).to_contain_text("/s/fewer")
    survey = collector.get("/api/surveys/fewer").json
    assert (ldp.Plan.from_dict(survey["plan"]).domain, survey["unit"]) == (PAY, "€")


def test_attributes_need_names_of_their_own(visit: Visit) -> None:
    page = owner(visit)
    make = page.get_by_role("button", name="Make this survey")
    describe(page, "Names?")
    expect(make).to_be_enabled()
    attribute(page, 2).get_by_label("Name of this attribute").fill("Age")
    expect(page.locator("#outlook-learnt")).to_contain_text("attributes must have names of their own")
    expect(make).to_be_disabled()
    attribute(page, 2).get_by_label("Name of this attribute").fill("")
    expect(page.locator("#outlook-learnt")).to_contain_text("Fill in what people may answer")
    expect(make).to_be_disabled()


def test_what_is_too_large_to_be_planned_here_is_told(visit: Visit) -> None:
    page = owner(visit)
    describe(page, "Large?")
    attribute(page, 2).get_by_label("Number of bins").fill("4000")
    expect(page.locator("#outlook-learnt")).to_contain_text("two attributes together must have at most 65536")


def test_people_may_decline_one_of_several_attributes(visit: Visit, collector: Service) -> None:
    """On the survey page, and on the dashboard, which is then of those who answered."""
    plan = ldp.Plan(HOMES, 4.0, ldp.Tree(4), ldp.HadamardHashing())
    assert collector.create("decline", plan, public=True, question="Homes?").status == 201
    visitor = visit(viewport={"width": 360, "height": 800})
    page = visitor.open("/s/decline")
    button = page.locator("#answer-and-send")
    page.get_by_label("Age", exact=True).fill("40")
    expect(button).to_be_disabled()
    expect(page.get_by_label("I’d rather not say")).to_have_count(1)
    page.get_by_label("I’d rather not say").check()
    expect(button).to_be_enabled()
    assert_it_fits(page)
    button.click()
    expect(page.locator("#sent-heading")).to_be_focused()
    assert visitor.complaints == []

    values = {"Age": [30, 60] * 5000, "Pay in €": [1000.0, None] * 5000}
    assert collector.put(ldp.wire.pack(ldp.encode_many(plan, values, seed=1)), name="decline").status == 201
    page = visit().open("/d/decline?attribute=Age&attribute=Pay in €")
    expect(page.locator("#heat-note")).to_contain_text("of those who answered both; ")
    expect(page.locator("#heat-note")).to_contain_text("of all people (")
    page = visit().open("/d/decline?attribute=Pay in €")
    expect(page.get_by_text("no answer").or_(page.get_by_text("rather not say")).first).to_be_visible()
