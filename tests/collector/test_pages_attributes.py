"""The survey page of several attributes, in a real browser on a real collector."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

import ldprange as ldp
from ldprange.client.encoding import encode_with
from page_visitors import DOMAINS, SCRIPTED_COINS, Visit, assert_it_fits, remembered, scripted_words, tab_to
from running_collector import Service
from scripted_coins import ScriptedCoins

PEOPLE = ldp.Domain.product(
    **{
        "Age": ldp.Domain.integers(0, 99_999),
        "City": ldp.Domain.ordered(["Aarhus", "Ghent", "Porto"]),
        "Day of the last move": ldp.Domain.dates("2026-01-01", "2026-03-04"),
        "Hours": ldp.Domain.real(0, 1000, 8),
    }
)
PLAN = ldp.Plan(PEOPLE, 1.1, ldp.Grids.pairs(PEOPLE, 24), ldp.HRR())
ONE = {"Age": 73_123, "City": "Ghent", "Day of the last move": "2026-02-17", "Hours": 987.25}
OTHER = {"Age": 20_487, "City": "Porto", "Day of the last move": "2026-01-29", "Hours": 312.75}


def fill(page: Page, value: dict[str, Any]) -> None:
    page.get_by_label("Age", exact=True).fill(str(value["Age"]))
    page.get_by_role("group", name="City").get_by_label(value["City"]).check()
    page.get_by_label("Day of the last move").fill(value["Day of the last move"])
    page.get_by_label("Hours", exact=True).fill(str(value["Hours"]))


def made(collector: Service, name: str, plan: ldp.Plan = PLAN) -> str:
    assert collector.create(name, plan, public=True, question="Where and how do you live?").status == 201
    return name


def test_a_person_answers_for_each_attribute_by_keyboard(visit: Visit, collector: Service) -> None:
    name = made(collector, "keyboard")
    visitor = visit(viewport={"width": 320, "height": 640})
    page = visitor.open(f"/s/{name}")
    expect(page.get_by_role("group", name="Where and how do you live?")).to_be_visible()
    button = page.locator("#answer-and-send")
    tab_to(page, "#answer-1")
    page.keyboard.type("73123")
    tab_to(page, "[name=answer-2]")
    page.keyboard.press("Space")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_label("Ghent")).to_be_checked()
    tab_to(page, "#answer-3")
    page.locator("#answer-3").fill("2026-02-17")  # how a day is typed depends on the language
    expect(button).to_be_disabled()
    tab_to(page, "#answer-4")
    page.keyboard.type("1001")
    expect(page.locator("#answer-4-message")).to_have_text("Please enter a number from 0 to 1000.")
    expect(page.locator("#answer-4")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("#answer-1-message")).to_be_empty()
    expect(page.locator("#answer-1")).to_have_attribute("aria-invalid", "false")
    expect(button).to_be_disabled()
    page.keyboard.press("Backspace")
    expect(page.locator("#answer-4-message")).to_be_empty()
    expect(button).to_be_enabled()
    assert_it_fits(page)
    tab_to(page, "#answer-and-send")
    page.keyboard.press("Enter")
    expect(page.locator("#sent-heading")).to_be_focused()
    assert_it_fits(page)
    assert len(visitor.sent()) == 1
    (listed,) = (each for each in collector.get("/api/surveys").json["surveys"] if each["name"] == name)
    assert listed["reports"] == 1
    assert visitor.complaints == []


def test_every_kind_of_attribute_has_its_field(visit: Visit, collector: Service) -> None:
    many = ldp.Domain.ordered([f"grade {number}" for number in range(1, 21)])
    people = ldp.Domain.product(**DOMAINS, list=many)
    name = made(collector, "kinds", ldp.Plan(people, 1.1, ldp.Grids.pairs(people, 60), ldp.HRR()))
    visitor = visit()
    page = visitor.open(f"/s/{name}")
    page.get_by_label("integers", exact=True).fill("119")
    page.get_by_label("real, as a slider").press("ArrowRight")
    page.get_by_label("logarithmic, as a slider").press("ArrowRight")
    page.get_by_label("dates", exact=True).fill("2026-02-28")
    page.get_by_label("XL", exact=True).check()
    expect(page.locator("#answer-and-send")).to_be_disabled()
    page.get_by_label("list", exact=True).select_option("grade 7")
    page.get_by_text("What can a report look like?").click()
    expect(page.locator("#example-reports code")).to_have_count(3)
    page.get_by_role("button", name="Scramble and send").click()
    expect(page.get_by_role("heading", name="You have answered")).to_be_visible()
    assert visitor.complaints == []


def test_nothing_but_the_report_depends_on_the_answers(visit: Visit, collector: Service) -> None:
    name, client = made(collector, "traffic"), ldp.Client(PLAN)

    def report(value: dict[str, Any]) -> bytes:
        coins = ScriptedCoins(scripted_words(64))
        return ldp.wire.pack(encode_with(client, PEOPLE.index_one(value), coins))

    # whatever of the two the coins ask about, they differ there
    other = next(
        each for age in range(20_000, 40_000) if report(each := {**OTHER, "Age": age}) != report(ONE)
    )
    traces, stores = [], []
    for value in (ONE, other):
        visitor = visit()
        visitor.context.add_init_script(SCRIPTED_COINS)
        visitor.context.route("**/batches/*", lambda route: route.fulfill(status=201, json={"reports": 1}))
        page = visitor.open(f"/s/{name}")
        before = remembered(page)
        fill(page, value)
        assert remembered(page) == before
        page.get_by_role("button", name="Scramble and send").click()
        expect(page.get_by_role("heading", name="You have answered")).to_be_visible()
        assert page.locator("#field *").count() == 0
        shown, kept = bytes.fromhex(page.locator("#report-sent code").inner_text()), remembered(page)
        [(_, body)] = visitor.sent()
        assert body == shown == report(value)
        requests = sorted((each.method, each.url, sorted(each.headers.items())) for each in visitor.requests)
        for truth in map(str, value.values()):
            assert truth not in str([body, kept, page.url, page.title(), page.content(), requests])
        [record] = kept["local"].values()
        assert kept["session"] == {}
        assert visitor.context.cookies() == []
        traces.append(requests)
        stores.append(record.replace(shown.hex(), "report"))
    assert traces[0] == traces[1]
    assert stores[0] == stores[1]


def test_the_report_says_which_attributes_it_is_about(visit: Visit, collector: Service) -> None:
    people = ldp.Domain.product(
        age=ldp.Domain.integers(0, 15),
        city=ldp.Domain.ordered(["Aarhus", "Ghent", "Porto"]),
        pets=ldp.Domain.integers(0, 3),
    )
    plan = ldp.Plan(people, 1.0, ldp.Grids([(4, 4), (3,), (4,)], [(1, 1, 0)]), ldp.GRR())
    page = visit().open(f"/s/{made(collector, 'told', plan)}")
    expect(page.locator("#promise")).to_contain_text("only the scrambled report is sent")
    page.get_by_label("age", exact=True).fill("7")
    page.get_by_label("Ghent").check()
    page.get_by_label("pets", exact=True).fill("2")
    page.get_by_role("button", name="Scramble and send").click()
    expect(page.locator("#report-sent p")).to_have_text(
        "1 of the 12 combinations of “age” (4 parts) and “city” (3 parts) fits this report better than the "
        "others; yours may or may not be this one."
    )
    page.get_by_text("Details", exact=True).click()
    expect(page.locator("#report-sent ul")).to_contain_text(
        "In it “age” is cut into 4 parts and “city” is cut into 3 parts; “pets” is not asked about."
    )


def test_several_attributes_have_no_unit_in_common(collector: Service) -> None:
    refused = collector.create("units", PLAN, unit="minutes")
    assert refused.status == 400
    assert "must have no unit" in refused.json["error"]


@pytest.mark.parametrize("kind", ["haar", "windows"])
def test_a_plan_that_is_none_is_refused(collector: Service, kind: str) -> None:
    plan = {**PLAN.to_dict(), "decomposition": {"kind": kind}}
    said = {"name": "bad", "question": "?", "plan": plan}
    assert collector.describe(said).status == 400
