"""The dashboard, in a real browser on a real collector."""

from __future__ import annotations

import math
import re

import pytest
from playwright.sync_api import Page, expect

import ldprange as ldp
from page_visitors import DOMAINS, Visit, assert_it_fits, made, plan_for, remembered
from running_collector import ANALYST, Service, copies, packed


def percent(share: float) -> str:
    return f"{100 * share:.1f}%".replace("-", "−")


def assert_range_is_told(page: Page, collector: Service, name: str, **more: str) -> tuple[str, str]:
    """Compare what the page says of the range that its fields hold with what the collector says."""
    ends = [page.locator(f"#range-{end}").input_value() for end in ("from", "to")]
    asked = "&".join(f"{key}={value}" for key, value in {"low": ends[0], "high": ends[1], **more}.items())
    told = collector.get(f"/api/surveys/{name}/range?{asked}").json
    interval = f"[{percent(told['low'])}, {percent(told['high'])}] at {100 * told['confidence']:.0f}%"
    expect(page.locator("#range-words")).to_contain_text(f"between {ends[0]} and {ends[1]} minutes")
    expect(page.locator("#range-interval")).to_have_text(interval)
    expect(page.locator("#range-share")).to_have_text(percent(told["value"]))
    return ends[0], ends[1]


def test_it_takes_the_token_from_the_fragment(visit: Visit, collector: Service) -> None:
    name = made(collector, "fragment", people=2000, public=False)
    visitor = visit()
    page = visitor.open(f"/d/{name}#token={ANALYST}")
    expect(page.locator("#count")).to_have_text("2,000")
    assert page.url == f"http://127.0.0.1:{collector.port}/d/{name}"
    page.reload()  # the tab remembers
    expect(page.locator("#count")).to_have_text("2,000")
    addresses = [each.url.partition("#")[0] for each in visitor.requests]
    assert not [address for address in addresses if ANALYST in address]
    assert remembered(page)["local"] == {}
    assert visitor.complaints == []


def test_it_asks_for_a_token_where_it_needs_one(visit: Visit, collector: Service) -> None:
    name = made(collector, "secret", people=2000, public=False)
    page = visit().open(f"/d/{name}")
    field = page.get_by_label("Token")
    expect(field).to_be_focused()
    expect(page.locator("#figures")).to_be_hidden()
    page.keyboard.type("wrong")
    page.keyboard.press("Enter")
    expect(page.get_by_text("This isn’t one of this collector’s tokens.")).to_be_visible()
    assert remembered(page)["session"] == {}
    field.fill(ANALYST)
    page.keyboard.press("Enter")
    expect(page.locator("#count")).to_have_text("2,000")
    expect(field).to_be_hidden()


def test_a_range_is_chosen_by_mouse_and_by_keyboard(visit: Visit, collector: Service) -> None:
    name = made(collector, "brushed", people=5000)
    visitor = visit(viewport={"width": 1000, "height": 900})
    page = visitor.open(f"/d/{name}")
    first = assert_range_is_told(page, collector, name)
    for chart, begin in (("#histogram", 0.1), ("#cdf", 0.2)):
        over = page.locator(f"{chart} .u-over")
        over.scroll_into_view_if_needed()
        box = over.bounding_box()
        assert box is not None
        y = box["y"] + box["height"] / 2
        page.mouse.move(box["x"] + begin * box["width"], y)
        page.mouse.down()
        page.mouse.move(box["x"] + 0.7 * box["width"], y, steps=10)
        dragged = assert_range_is_told(page, collector, name)  # while the button is still down
        page.mouse.move(box["x"] + 0.4 * box["width"], y, steps=5)
        page.mouse.up()
        left = assert_range_is_told(page, collector, name)
        assert first != dragged == (left[0], dragged[1])
        assert abs(int(left[0]) - 120 * begin) <= 1
        assert abs(int(left[1]) - 48) <= 1
    page.locator("#range-from").focus()
    page.keyboard.press("ArrowUp")
    start, stop = assert_range_is_told(page, collector, name)
    assert (int(start), stop) == (int(left[0]) + 1, left[1])
    expect(page.locator("#range-announced")).to_contain_text(f"between {start} and {stop} minutes")
    page.locator("#range-from").fill("90")
    expect(page.locator("#range-message")).to_have_text("The range can’t end before it begins.")
    page.locator("#range-to").fill("100")
    page.locator("#range-from").fill("90")
    page.locator("#confidence").select_option("99%")
    page.locator("#denoise").check()
    assert_range_is_told(page, collector, name, confidence="0.99", denoise="true")
    assert visitor.complaints == []


def test_a_range_may_be_typed_with_a_decimal_comma(visit: Visit, collector: Service) -> None:
    name = made(collector, "typed", ldp.Domain.real(0, 100, 1000), people=5000, unit="")
    page = visit().open(f"/d/{name}")
    for typed, read in {"7,5": "7.5", "8.5": "8.5"}.items():
        page.locator("#range-from").fill("")
        page.locator("#range-from").press_sequentially(typed)
        expect(page.locator("#range-message")).to_be_empty()
        expect(page.locator("#range-announced")).to_contain_text(f"between {read} and")
    page.locator("#range-from").press("ArrowDown")
    expect(page.locator("#range-from")).to_have_value("8.4")  # the edge of a bin
    for typed in ("1,000", "nothing"):
        page.locator("#range-from").fill(typed)
        expect(page.locator("#range-message")).to_have_text("Each end must be from 0 to 100.")


@pytest.mark.parametrize("kind", DOMAINS)
def test_every_kind_of_domain_is_drawn_and_fits_a_phone(visit: Visit, collector: Service, kind: str) -> None:
    name = made(collector, f"drawn-{kind}", DOMAINS[kind], people=3000, unit="")
    visitor = visit(viewport={"width": 320, "height": 640}, color_scheme="dark")
    page = visitor.open(f"/d/{name}")
    expect(page.locator("#range-share")).to_have_text(re.compile("%$"))
    for chart, words in (
        ("histogram", "Share of people per"),
        ("cdf", "half up to"),
        ("arrivals", "3,000 from"),
    ):
        expect(page.locator(f"#{chart}")).to_have_attribute("aria-label", re.compile(words))
    expect(page.locator("#precision")).to_have_text(re.compile(r"±\s[\d.]+ percentage points"))
    page.get_by_text("The same as a table").click()
    bars = collector.get(f"/api/surveys/{name}/overview").json["histogram"]["value"]
    expect(page.locator("#table tbody tr")).to_have_count(len(bars))
    assert_it_fits(page)
    assert visitor.complaints == []
    assert visitor.hosts() == {f"127.0.0.1:{collector.port}"}


def test_what_is_chance_is_not_shown_as_if_it_were_more(visit: Visit, collector: Service) -> None:
    name = made(collector, "few", people=60)
    page = visit().open(f"/d/{name}")
    expect(page.locator("#precision")).to_contain_text("Very few answers so far: they tell hardly anything.")
    for tile in ("median", "lower", "upper"):
        expect(page.locator(f"#{tile}-interval")).to_have_text("too few answers yet")
    expect(page.get_by_text("Too few answers yet: a picture would")).to_be_visible()
    for hidden in ("#histogram", "#cdf", "#range-share", "#table-details"):
        expect(page.locator(hidden)).to_be_hidden()
    expect(page.locator("#arrivals canvas")).to_be_visible()
    assert collector.put(packed(list(range(120)) * 10, 2), name=name).status == 201
    expect(page.locator("#histogram canvas")).to_be_visible()  # of itself, when there are more
    expect(page.locator("#median-interval")).to_have_text(re.compile("minutes$"))
    expect(page.get_by_text("There are still few answers")).to_be_visible()
    expect(page.locator("#range-share")).to_have_text(re.compile("%$"))


def test_three_hundred_answers_show_a_few_wide_bars(visit: Visit, collector: Service) -> None:
    """What can be known of a small survey is shown, with its intervals; what cannot is not."""
    commute = ldp.choose_plan(ldp.Domain.integers(0, 120), epsilon=1.0, expected_users=300)
    assert collector.create("small", commute, question="How long is your commute?", public=True).status == 201
    assert collector.put(packed([20] * 240 + [70] * 60, 1, commute), name="small").status == 201
    page = visit().open("/d/small")
    expect(page.locator("#histogram canvas")).to_be_visible()
    expect(page.locator("#median-interval")).to_have_text("too few answers yet")
    page.get_by_text("The same as a table").click()
    expect(page.locator("#table tbody tr")).to_have_count(2)


def test_the_histogram_says_what_its_bars_are(visit: Visit, collector: Service) -> None:
    domain = ldp.Domain.integers(0, 120)
    name = made(collector, "captions", domain, people=3000)
    bars = collector.get(f"/api/surveys/{name}/overview").json["histogram"]
    assert (bars["from"][-1], bars["to"][-1]) == (50, 120)
    page = visit().open(f"/d/{name}")
    note = page.locator("#histogram-note")
    expect(note).to_contain_text(
        "per 50 minutes; each line is a 95% interval; the last bar is 50 to 120 minutes"
    )
    assert ("bars below 0 are chance" in note.inner_text()) == (min(bars["value"]) < 0)


def test_time_is_marked_in_whole_minutes(visit: Visit, own_survey: str) -> None:
    page = visit().open(f"/d/{own_survey}")
    steps = page.evaluate("import('../static/chart.js').then(({ timeAxis }) => timeAxis().incrs)")
    assert steps == sorted(steps)
    assert all(step % 60 == 0 for step in steps)


def test_it_rests_while_nobody_looks_and_is_calm_about_failures(visit: Visit, collector: Service) -> None:
    name = made(collector, "hidden", people=1000)
    visitor = visit()
    page = visitor.context.new_page()
    page.clock.install()
    page.goto(f"http://127.0.0.1:{collector.port}/d/{name}")
    expect(page.locator("#range-share")).to_have_text(re.compile("%$"))

    def looks() -> int:
        return sum("/overview" in each.url for each in visitor.requests)

    def hide(hidden: str) -> None:
        page.evaluate(f"Object.defineProperty(document, 'hidden', {{ value: {hidden}, configurable: true }})")
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")

    hide("true")
    before = looks()
    page.clock.run_for(20_000)
    assert looks() == before
    with page.expect_response("**/overview?*since=*") as news:
        hide("false")
    assert news.value.status == 204
    visitor.context.route("**/overview*", lambda route: route.abort())
    page.clock.run_for(2_100)
    expect(page.locator("#pulse")).to_have_text("No connection; trying again in 2 s")
    page.clock.run_for(2_100)
    expect(page.locator("#pulse")).to_have_text("No connection; trying again in 4 s")
    visitor.context.unroute("**/overview*")
    page.clock.run_for(4_100)
    expect(page.locator("#pulse")).to_have_text("Live")
    expect(page.locator("#count")).to_have_text("1,000")


def test_it_says_whether_reports_were_tampered_with(visit: Visit, collector: Service) -> None:
    name = made(collector, "honest", people=3000)
    page = visit().open(f"/d/{name}")
    expect(page.locator("#honest")).to_contain_text(
        "All 3,000 reports were checked for tampering, and none was found"
    )
    expect(page.locator("#suspicious")).to_be_hidden()
    name = made(collector, "tampered", people=3000)
    assert collector.put(copies(plan_for(DOMAINS["integers"]), 1500), name=name).status == 201
    page = visit().open(f"/d/{name}")
    expect(page.locator("#suspicious")).to_contain_text("aren’t what honest people send")
    expect(page.locator("#findings")).to_contain_text("reports, and should have")
    expect(page.locator("#honest")).to_be_hidden()


def test_what_has_no_place_on_an_axis_has_bars_of_its_own(visit: Visit, collector: Service) -> None:
    domain = ldp.Domain.real(0, 120, 24, open_ends=True, no_answer=True)
    plan = ldp.choose_plan(domain, epsilon=4.0, expected_users=20_000)
    assert collector.create("beside", plan, question="How long?", unit="minutes", public=True).status == 201
    values = [-5.0] * 3000 + [20.0] * 6000 + [70.0] * 5000 + [500.0] * 2000 + [math.nan] * 4000
    reports = ldp.encode_many(plan, values, seed=1)
    assert collector.put(ldp.wire.pack(reports), name="beside").status == 201
    found = ldp.estimate(ldp.Aggregate.of(plan, reports))
    drawn = collector.get("/api/surveys/beside/overview").json
    assert drawn["beside"]["name"] == ["less than 0", "more than 120", "no answer"]
    assert drawn["beside"]["value"] == pytest.approx(
        [
            *(found.range(name, name).value for name in ("less than 0", "more than 120")),
            found.no_answer().value,
        ]
    )
    visitor = visit(viewport={"width": 320, "height": 640})
    page = visitor.open("/d/beside")
    rows = page.locator("#beside li")
    expect(rows).to_have_count(3)
    expect(rows.nth(0)).to_contain_text("less than 0 minutes")
    expect(rows.nth(1)).to_contain_text("more than 120 minutes")
    expect(rows.nth(2)).to_contain_text("rather not say (of all people)")
    assert_it_fits(page)
    assert visitor.complaints == []


def test_a_range_can_be_typed_that_reaches_beyond_an_open_end(visit: Visit, collector: Service) -> None:
    name = made(collector, "typed-beyond", ldp.Domain.integers(5, 64, open_ends="high"), people=3000)
    visitor = visit()
    page = visitor.open(f"/d/{name}")
    words, shade = page.locator("#range-words"), page.locator("#histogram .brush")
    expect(words).to_have_text("lie between 20 and 34 minutes")
    page.locator("#range-to").fill("more than 64")
    expect(words).to_have_text("answer 20 to more than 64 minutes")
    told = collector.get(f"/api/surveys/{name}/range?low=20&high=more than 64".replace(" ", "%20")).json
    expect(page.locator("#range-share")).to_have_text(f"{100 * told['value']:.1f}%")
    plot, chosen = page.locator("#histogram .u-over").bounding_box(), shade.bounding_box()
    assert plot is not None
    assert chosen is not None
    assert chosen["x"] + chosen["width"] == pytest.approx(plot["x"] + plot["width"], abs=1)
    page.locator("#range-from").fill("more than 64")
    expect(words).to_have_text("answer more than 64 minutes")
    page.locator("#range-to").fill("64")
    expect(page.locator("#range-message")).to_have_text("The range can’t end before it begins.")
    page.locator("#range-to").fill("65")
    problem = "Each end must be from 5 to 64 minutes, or “more than 64”."
    expect(page.locator("#range-message")).to_have_text(problem)
    assert visitor.complaints == []


def test_where_all_values_are_on_the_axis_nothing_is_beside_it(visit: Visit, own_survey: str) -> None:
    page = visit().open(f"/d/{own_survey}")
    expect(page.locator("#beside")).to_be_hidden()


@pytest.mark.parametrize("kind", ["ordered", "categories"])
def test_long_labels_can_be_read_on_a_phone(visit: Visit, collector: Service, kind: str) -> None:
    labels = ["I walk", "By bicycle, also if I take it on a train or a bus for a part of the way", "By car"]
    domain = getattr(ldp.Domain, kind)(labels)
    name = made(collector, f"long-{kind}", domain, people=3000, unit="")
    visitor = visit(viewport={"width": 360, "height": 700})
    page = visitor.open(f"/d/{name}")
    rows = page.locator("#histogram li")
    expect(rows).to_have_count(3)
    told = collector.get(f"/api/surveys/{name}/overview").json["histogram"]
    for at, label in enumerate(labels):
        expect(rows.nth(at)).to_contain_text(label)
        expect(rows.nth(at)).to_contain_text(f"{100 * told['value'][at]:.1f}% [{100 * told['low'][at]:.1f}%")
    expect(page.locator("#drag-hint")).to_be_visible(visible=kind == "ordered")  # across the cdf
    assert_it_fits(page)
    assert visitor.complaints == []


def test_several_categories_are_named_one_by_one(visit: Visit, collector: Service) -> None:
    """They have no order, so nothing lies between two of them."""
    regions = ["north", "east", "south", "west", "centre", "islands", "abroad"]
    name = made(collector, "regions", ldp.Domain.categories(regions), people=3000, unit="")
    page = visit().open(f"/d/{name}")
    expect(page.locator("#precision")).to_contain_text("a typical category to ±")
    words = page.locator("#range-words")
    page.locator("#range-from").select_option("north")
    for last, said in (
        ("north", "answer north"),
        ("east", "answer north or east"),
        ("south", "answer north, east, or south"),
        ("abroad", "answer one of the 7 from north to abroad"),
    ):
        page.locator("#range-to").select_option(last)
        expect(words).to_have_text(said)


def test_no_answer_is_told_and_makes_the_typical_error_larger(collector: Service) -> None:
    plan = ldp.choose_plan(ldp.Domain.integers(0, 15, no_answer=True), epsilon=3.0, expected_users=4000)
    assert collector.create("unanswered", plan, question="How long?", public=True).status == 201
    reports = ldp.encode_many(plan, [*range(16)] * 100 + [None] * 2400, seed=1)
    assert collector.put(ldp.wire.pack(reports), name="unanswered").status == 201
    none = ldp.estimate(ldp.Aggregate.of(plan, reports)).no_answer(confidence=0.9)
    told = {"value": none.value, "low": none.low, "high": none.high}
    for question in ("range?low=3&high=4", "prefix?value=3", "quantiles?q=0.5", "cdf?", "histogram?"):
        reply = collector.get(f"/api/surveys/unanswered/{question}&confidence=0.9").json
        assert reply["no_answer"] == pytest.approx(told)
        assert not reply["everyone"]
    of_all = "/api/surveys/unanswered/{}&everyone=true&confidence=0.9"
    reply = collector.get(of_all.format("range?low=no%20answer&high=no%20answer")).json
    assert {name: reply[name] for name in told} == pytest.approx(told)
    assert reply["everyone"]
    assert "no_answer" not in reply
    assert collector.get(of_all.format("histogram?")).json["to"][-1] == "no answer"
    refused = collector.get(of_all.format("quantiles?q=0.5"))
    assert refused.status == 400
    assert "no quantiles of everyone" in refused.json["error"]
    error = collector.get("/api/surveys/unanswered/overview").json["error"]["typical"]
    assert error == pytest.approx(plan.predict(4000).margin / (1 - none.value), rel=1e-3)
    plain = made(collector, "all-answered", people=100)
    assert "no_answer" not in collector.get(f"/api/surveys/{plain}/prefix?value=3").json
