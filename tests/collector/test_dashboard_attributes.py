"""The dashboard of several attributes, in a real browser on a real collector."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import ldprange as ldp
from page_visitors import Visit, assert_it_fits, tab_to
from running_collector import ANALYST, Service

PEOPLE = ldp.Domain.product(
    **{
        "Age": ldp.Domain.integers(0, 95),
        "Rent in €": ldp.Domain.real(0, 3200, 32),
        "Home": ldp.Domain.ordered(["rented", "owned", "shared"]),
        "Moved": ldp.Domain.dates("2026-01-01", "2026-03-05"),
    }
)
PLAN = ldp.Plan(PEOPLE, 3.0, ldp.Grids.pairs(PEOPLE, 30), ldp.HadamardHashing())
N = 20_000


def answered(collector: Service, name: str, plan: ldp.Plan = PLAN, people: int = N, **more: object) -> str:
    created = collector.create(name, plan, question="How do you live?", **{"public": True, **more})
    assert created.status == 201
    rng = np.random.default_rng(4)
    age = rng.integers(0, 96, people)
    days = np.datetime64("2026-01-01") + rng.integers(0, 64, people)
    columns = {
        "Age": age,
        "Rent in €": np.clip(30.0 * age + rng.normal(0, 100, people), 0, 3200),
        "Home": np.array(["rented", "owned", "shared"])[rng.integers(0, 3, people)],
        "Moved": days,
        "a": rng.integers(0, 1024, people),
        "b": rng.integers(0, 1024, people),
    }
    values: Any = {each: columns[each] for each in plan.domain.names}  # type: ignore[attr-defined]
    assert collector.put(ldp.wire.pack(ldp.encode_many(plan, values, seed=1)), name=name).status == 201
    return name


@pytest.fixture(scope="module")
def homes(collector: Service) -> str:
    return answered(collector, "homes")


def percent(share: float) -> str:
    return f"{100 * share:.1f}%".replace("-", "−")


def ends_of(page: Page) -> list[str]:
    return [page.locator(f"#range-{at}-{end}").input_value() for at in (1, 2) for end in ("from", "to")]


def assert_share_is_told(page: Page, collector: Service, survey: str, *more: tuple[str, str]) -> list[str]:
    """Compare what the page says of the rectangle that its fields hold with what the collector says."""
    ends = ends_of(page)
    asked = [("attribute", "Age"), ("low", ends[0]), ("high", ends[1])]
    asked += [("attribute", "Rent in €"), ("low", ends[2]), ("high", ends[3]), *more]
    told = collector.get(f"/api/surveys/{survey}/range?{urlencode(asked)}").json
    expect(page.locator("#range-words")).to_contain_text(f"have Age {ends[0]} to {ends[1]} and Rent in €")
    expect(page.locator("#range-interval")).to_have_text(
        f"[{percent(told['low'])}, {percent(told['high'])}] at 95%"
    )
    expect(page.locator("#range-share")).to_have_text(percent(told["value"]))
    return ends


def test_a_rectangle_is_dragged(visit: Visit, collector: Service, homes: str) -> None:
    visitor = visit(viewport={"width": 1000, "height": 900})
    page = visitor.open(f"/d/{homes}")
    first = assert_share_is_told(page, collector, homes)
    frame = page.locator("#heat .frame")
    frame.scroll_into_view_if_needed()
    box = frame.bounding_box()
    assert box is not None

    def go(across: float, upwards: float) -> None:
        page.mouse.move(box["x"] + across * box["width"], box["y"] + (1 - upwards) * box["height"], steps=4)

    cells = [
        len(each)
        for each in collector.get(
            f"/api/surveys/{homes}/overview?{urlencode([('attribute', 'Age'), ('attribute', 'Rent in €')])}"
        ).json["table"]["from"]
    ]
    assert min(cells) >= 4
    go(0.3, 0.3)
    page.mouse.down()
    go(0.9, 0.55)
    dragged = assert_share_is_told(page, collector, homes)  # while the button is still down
    page.mouse.up()
    assert first != dragged
    across = [int(np.floor(0.3 * cells[0])) * 96 // cells[0], (int(0.9 * cells[0]) + 1) * 96 // cells[0] - 1]
    upwards = [int(0.3 * cells[1]) * 3200 / cells[1], (int(0.55 * cells[1]) + 1) * 3200 / cells[1]]
    assert [float(end) for end in dragged] == [*across, *upwards]
    # a corner can be taken hold of: the lower left one, down to where the axes begin
    go((across[0] + 0.1) / 96, (upwards[0] + 1) / 3200)
    page.mouse.down()
    go(0.01, 0.01)
    page.mouse.up()
    stretched = assert_share_is_told(page, collector, homes)
    assert [float(end) for end in stretched] == [0, across[1], 0, upwards[1]]
    assert visitor.complaints == []


def test_a_cell_tells_its_interval_to_pointers_and_keys(visit: Visit, collector: Service, homes: str) -> None:
    visitor = visit(viewport={"width": 1000, "height": 900})
    page = visitor.open(f"/d/{homes}")
    expect(page.locator("#range-share")).to_have_text(re.compile("%$"))
    pairs = [("attribute", "Age"), ("attribute", "Rent in €")]
    table = collector.get(f"/api/surveys/{homes}/overview?{urlencode(pairs)}").json["table"]
    note = page.locator("#heat-note")

    def told(across: int, upwards: int) -> str:
        age, rent = (
            f"{table['from'][at][cell]:g} to {table['to'][at][cell]:g}"
            for at, cell in ((0, across), (1, upwards))
        )
        share, low, high = (percent(table[name][across][upwards]) for name in ("value", "low", "high"))
        return f"Age {age}, Rent in € {rent}: {share} ({low} to {high})"

    cells = page.locator("#heat .cell")
    expect(cells).to_have_count(len(table["from"][0]) * len(table["from"][1]))
    expect(note).to_contain_text("the fullest cell holds")
    cells.nth(1).hover(force=True)
    expect(note).to_have_text(told(0, 1))
    page.mouse.move(0, 0)
    expect(note).to_contain_text("the fullest cell holds")
    tab_to(page, "#heat svg")
    expect(note).to_have_text(told(0, 0))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    expect(note).to_have_text(told(1, 1))
    expect(page.locator("#heat-announced")).to_have_text(told(1, 1))
    page.keyboard.down("Shift")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowUp")
    page.keyboard.up("Shift")
    ends = assert_share_is_told(page, collector, homes)
    assert [float(end) for end in ends] == [
        table["from"][0][1],
        table["to"][0][2],
        table["from"][1][1],
        table["to"][1][2],
    ]
    expect(page.locator("#range-announced")).to_contain_text("; the interval is ")
    page.locator("#range-1-from").fill("95")
    expect(page.locator("#range-1-message")).to_have_text("The range can’t end before it begins.")
    expect(page.locator("#range-2-message")).to_be_empty()
    page.locator("#range-1-to").fill("95")
    page.locator("#range-2-to").fill("3000")
    page.locator("#range-1-from").fill("20")
    assert assert_share_is_told(page, collector, homes)[:2] == ["20", "95"]
    assert visitor.complaints == []


def test_menus_choose_what_is_shown_and_the_address_keeps_it(
    visit: Visit, collector: Service, homes: str
) -> None:
    visitor = visit(viewport={"width": 1000, "height": 900})
    page = visitor.open(f"/d/{homes}")
    expect(page.locator("#pair-pictures")).to_be_visible()
    expect(page.locator("#median")).to_be_hidden()
    page.get_by_label("with").select_option("– alone –")
    expect(page.locator("#histogram canvas")).to_be_visible()
    expect(page.locator("#pair-pictures")).to_be_hidden()
    assert page.url.endswith(f"/d/{homes}?attribute=Age")
    quartiles = collector.get(f"/api/surveys/{homes}/quantiles?attribute=Age&q=0.5").json
    expect(page.locator("#median")).to_have_text(str(quartiles["value"][0]))
    told = collector.get(f"/api/surveys/{homes}/range?attribute=Age&low=24&high=47").json
    expect(page.locator("#range-share")).to_have_text(percent(told["value"]))
    page.get_by_label("Attribute").select_option("Home")
    expect(page.locator("#range-words")).to_have_text("answer rented")
    page.get_by_label("with").select_option("Moved")
    expect(page.locator("#heat svg")).to_have_attribute("aria-label", re.compile("by Home and Moved"))
    page.get_by_label("Attribute").select_option("Moved")
    expect(page.get_by_label("with")).to_have_value("")  # not with itself
    assert visitor.complaints == []


def test_two_attributes_are_denoised(visit: Visit, collector: Service, homes: str) -> None:
    visitor = visit(viewport={"width": 1000, "height": 900})
    page = visitor.open(f"/d/{homes}")
    page.locator("#denoise").check()
    assert_share_is_told(page, collector, homes, ("denoise", "true"))
    page.get_by_text("The same as a table").click()
    expect(page.locator("#table")).to_be_visible()
    assert "−" not in page.locator("#table").inner_text()
    assert visitor.complaints == []


@pytest.mark.parametrize("several", [False, True])
def test_what_has_no_order_is_drawn_without(visit: Visit, collector: Service, several: bool) -> None:
    regions = ldp.Domain.categories(["north", "east", "south"])
    domain = ldp.Domain.product(Region=regions, Age=ldp.Domain.integers(0, 95)) if several else regions
    plan = ldp.choose_plan(domain, epsilon=3.0, expected_users=1000)
    name, column = f"regions-{several}".lower(), ["north", "south"] * 500
    assert collector.create(name, plan, public=True).status == 201
    values: Any = {"Region": column, "Age": [30] * 1000} if several else column
    assert collector.put(ldp.wire.pack(ldp.encode_many(plan, values, seed=1)), name=name).status == 201
    visitor = visit(viewport={"width": 1000, "height": 900})
    page = visitor.open(f"/d/{name}" + "?attribute=Region" * several)
    expect(page.locator("#histogram canvas")).to_be_visible()
    expect(page.locator("#cdf-figure")).to_be_hidden()
    expect(page.locator("#median")).to_be_hidden()
    page.get_by_text("The same as a table").click()
    expect(page.locator("#table th")).to_have_text(["Values", "Share", "Interval"])
    told = collector.get(f"/api/surveys/{name}/overview" + "?attribute=Region" * several).json
    assert told["quartiles"] is None
    expect(page.locator("#table tbody tr").first).to_contain_text(percent(told["histogram"]["value"][0]))
    if several:
        page.get_by_label("with").select_option("Age")
        region = page.get_by_role("group", name="Region")
        region.get_by_label("From").select_option("north")
        region.get_by_label("To").select_option("east")
        expect(page.locator("#range-words")).to_have_text(re.compile("^have Region north or east and Age "))
    assert visitor.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("pair", [("Age", "Rent in €"), ("Home", "Moved"), ("Moved", "Home")])
def test_every_kind_is_drawn_and_fits_a_phone(
    visit: Visit, homes: str, pair: tuple[str, str], scheme: str
) -> None:
    visitor = visit(viewport={"width": 320, "height": 640}, color_scheme=scheme)
    page = visitor.open(f"/d/{homes}?{urlencode([('attribute', name) for name in pair])}")
    expect(page.locator("#range-share")).to_have_text(re.compile("%$"))
    assert_it_fits(page)
    page.get_by_text("The same as a table").click()
    cells = page.locator("#heat .cell").count()
    rows = page.locator("#table tbody tr")
    columns = page.locator("#table thead th")
    expect(rows.first.locator("td").first).to_have_text(re.compile(r"−?[\d.]+%−?[\d.]+% to −?[\d.]+%"))
    assert (rows.count() - 1) * (columns.count() - 2) == cells
    assert_it_fits(page)
    fill = page.locator("#heat .cell").first.evaluate("(cell) => getComputedStyle(cell).fill")
    assert fill == {"light": "rgb(11, 100, 112)", "dark": "rgb(92, 196, 210)"}[scheme]
    assert visitor.complaints == []


def test_a_token_and_an_address_go_together(visit: Visit, collector: Service) -> None:
    name = answered(collector, "private", public=False)
    visitor = visit()
    page = visitor.open(f"/d/{name}?attribute=Home#token={ANALYST}")
    expect(page.locator("#median")).to_have_text("owned")
    assert page.url.endswith(f"/d/{name}?attribute=Home")
    page.get_by_label("with").select_option("Age")  # the tab still knows the token
    expect(page.locator("#heat svg")).to_be_visible()


def test_nobody_few_and_too_many_bins(visit: Visit, collector: Service) -> None:
    assert collector.create("nobody", PLAN, public=True).status == 201
    page = visit().open("/d/nobody")
    expect(page.get_by_text("Nobody has answered yet")).to_be_visible()
    page = visit().open(f"/d/{answered(collector, 'a-few', people=20)}")
    expect(page.get_by_text("Too few answers yet: a picture would")).to_be_visible()
    expect(page.locator("#heat")).to_be_hidden()
    large = ldp.Domain.product(a=ldp.Domain.integers(0, 1023), b=ldp.Domain.integers(0, 1023))
    plan = ldp.Plan(large, 3.0, ldp.Grids.pairs(large, 20), ldp.HRR())
    page = visit().open(f"/d/{answered(collector, 'large', plan)}")
    expect(page.locator("#trouble")).to_contain_text("ask about each alone")
    page.get_by_role("link", name="Show “a” alone").click()
    expect(page.locator("#histogram canvas")).to_be_visible()


@pytest.fixture(scope="module")
def beyond(collector: Service) -> str:
    """Return the name of a survey of minutes and days, of which some are beyond open ends."""
    minutes = ldp.Domain.integers(0, 59, open_ends="high")
    days = ldp.Domain.dates("2026-01-01", "2026-01-28", open_ends=True)
    plan = ldp.choose_plan(ldp.Domain.product(minutes=minutes, day=days), epsilon=3.0, expected_users=N)
    rng = np.random.default_rng(1)
    people: Any = {
        "minutes": rng.integers(0, 80, N),
        "day": np.datetime64("2025-12-28") + rng.integers(0, 36, N),
    }
    assert collector.create("beyond", plan, question="How long?", public=True).status == 201
    assert collector.put(ldp.wire.pack(ldp.encode_many(plan, people, seed=1)), name="beyond").status == 201
    return "beyond"


BEYOND = "attribute=minutes&attribute=day"


def test_the_picture_of_two_has_a_cell_beyond_each_open_end(
    visit: Visit, collector: Service, beyond: str
) -> None:
    told = collector.get(f"/api/surveys/{beyond}/overview?{BEYOND}").json
    table = told["table"]
    assert (table["from"][0][0], table["to"][0][-2:]) == (0, [59, "more than 59"])
    ends = ["before 2026-01-01", "2026-01-28", "after 2026-01-28"]
    assert [table["to"][1][at] for at in (0, -2, -1)] == ends
    for shares in (*told["marginals"], {"value": [sum(column) for column in table["value"]]}):
        assert sum(shares["value"]) == pytest.approx(1)
    visitor = visit(viewport={"width": 1000, "height": 900})
    page = visitor.open(f"/d/{beyond}?{BEYOND}")
    rows, columns = len(table["to"][0]), len(table["to"][1])
    cells, note = page.locator("#heat .cell"), page.locator("#heat-note")
    expect(cells).to_have_count(rows * columns)
    cells.last.hover(force=True)
    expect(note).to_contain_text("minutes more than 59, day after 28 Jan 2026: ")
    expect(note).to_contain_text(percent(table["value"][-1][-1]))
    axis = page.locator("#heat text")
    assert {"more", "before", "after"} <= set(axis.all_text_contents())
    assert "less" not in axis.all_text_contents()
    page.get_by_text("The same as a table").click()
    expect(page.locator("#table tbody tr")).to_have_count(rows + 1)
    expect(page.locator("#table tbody th").nth(rows - 1)).to_have_text("more than 59")
    expect(page.locator("#table thead th").nth(1)).to_have_text("before 1 Jan 2026")
    narrow = visit(viewport={"width": 320, "height": 640})
    small = narrow.open(f"/d/{beyond}?{BEYOND}")
    expect(small.locator("#range-share")).to_have_text(re.compile("%$"))
    assert_it_fits(small)
    assert visitor.complaints == narrow.complaints == []


def test_a_rectangle_reaches_beyond_open_ends(visit: Visit, collector: Service, beyond: str) -> None:
    visitor = visit(viewport={"width": 1000, "height": 900})
    page = visitor.open(f"/d/{beyond}?{BEYOND}")
    words, share = page.locator("#range-words"), page.locator("#range-share")
    expect(share).to_have_text(re.compile("%$"))

    def assert_told(said: str, *ends: str) -> None:
        assert ends_of(page) == [*ends]
        low, high, first, last = ends
        asked = [("attribute", "minutes"), ("low", low), ("high", high)]
        asked += [("attribute", "day"), ("low", first), ("high", last)]
        told = collector.get(f"/api/surveys/{beyond}/range?{urlencode(asked)}").json
        expect(words).to_have_text(said)
        expect(share).to_have_text(percent(told["value"]))

    box = page.locator("#heat .frame").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] - 4, box["y"] + 4)
    page.mouse.down()
    page.mouse.up()
    after, more = "after 2026-01-28", "more than 59"
    assert_told("have minutes more than 59 and day after 28 Jan 2026", more, more, after, after)
    tab_to(page, "#heat svg")
    page.keyboard.down("Shift")
    page.keyboard.press("ArrowRight")  # from the first cell
    page.keyboard.up("Shift")
    before = "before 2026-01-01"
    to = page.locator("#range-1-to").input_value()
    assert_told(f"have minutes 0 to {to} and day before 1 Jan 2026", "0", to, before, before)
    page.locator("#range-1-to").fill(more)
    assert_told("have minutes 0 to more than 59 and day before 1 Jan 2026", "0", more, before, before)
    page.locator("#range-1-to").fill("60")
    problem = "Each end must be from 0 to 59, or “more than 59”."
    expect(page.locator("#range-1-message")).to_have_text(problem)
    page.locator("#range-1-to").fill(more)
    page.locator("#range-1-to").press("ArrowDown")
    assert_told("have minutes 0 to 59 and day before 1 Jan 2026", "0", "59", before, before)
    page.locator("#range-2-to").fill("2026-01-09")
    assert_told(
        "have minutes 0 to 59 and day before 1 Jan 2026 to 9 Jan 2026", "0", "59", before, "2026-01-09"
    )
    assert visitor.complaints == []
