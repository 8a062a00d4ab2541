"""Taking away what the dashboard shows: a table, pictures, and paper."""

from __future__ import annotations

import csv
import datetime
import io
import re
import struct
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

import ldprange as ldp
from command_line_survey import done
from page_visitors import DOMAINS, Visit, made
from running_collector import Service, packed

COLUMNS = ["kind", "attribute", "among", "from", "to", "q", "value", "low", "high", "confidence", "note"]


def saved(page: Page, kind: str, folder: Path) -> tuple[str, bytes]:
    """Press a button; return the name that the browser proposes for the file, and what is in it."""
    with page.expect_download() as download:
        page.locator(f"#save-{kind}").click()
    download.value.save_as(folder / "saved")
    return download.value.suggested_filename, (folder / "saved").read_bytes()


def shown(visit: Visit, name: str, **options: object) -> Page:
    page = visit(accept_downloads=True, **options).open(f"/d/{name}")
    expect(page.locator("#range-share")).to_have_text(re.compile("%$"))
    return page


def drawing(text: bytes) -> ElementTree.Element:
    return ElementTree.fromstring(text)  # noqa: S314 (this repository's page made it)


def rows(text: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text.decode(), newline="")))


@pytest.mark.parametrize("kind", DOMAINS)
def test_the_table_has_all_that_is_drawn(visit: Visit, collector: Service, kind: str, tmp_path: Path) -> None:
    name = made(collector, f"saved-{kind}", DOMAINS[kind], people=3000, unit="")
    page = shown(visit, name)
    file, text = saved(page, "csv", tmp_path)
    assert file == f"{name}-{datetime.date.today().isoformat()}.csv"
    [header, chosen, *others] = rows(text)
    assert header == COLUMNS
    told = collector.get(f"/api/surveys/{name}/overview").json
    low, high = chosen[3:5]
    share = collector.get(f"/api/surveys/{name}/range?low={low}&high={high}").json["value"]
    assert (chosen[0], float(chosen[6])) == ("range", share)
    ends = [*told["quartiles"]["q"], *told["histogram"]["to"], *told["cdf"]["to"]]
    keys = ("quartiles", "histogram", "cdf")
    values = [value for key in keys for value in told[key]["value"]]
    lows = [value for key in keys for value in told[key]["low"]]
    columns = [5] * 3 + [4] * (len(ends) - 3)
    assert len(others) == len(ends)
    for row, column, *expected in zip(others, columns, ends, values, lows, strict=True):
        for found, wanted in zip((row[column], row[6], row[7]), expected, strict=True):
            assert (found if isinstance(wanted, str) else float(found)) == wanted


def test_the_columns_are_those_of_the_command(visit: Visit, collector: Service, tmp_path: Path) -> None:
    name = made(collector, "columns", people=3000)
    plan = ldp.Plan(ldp.Domain.integers(0, 9), 1.0, ldp.Flat(), ldp.GRR())
    ldp.Aggregate.of(plan, ldp.encode_many(plan, [1, 2, 3], seed=1)).save(tmp_path / "few.agg")
    header = done("query", str(tmp_path / "few.agg"), "--csv").splitlines()[0]
    assert rows(saved(shown(visit, name), "csv", tmp_path)[1])[0] == header.split(",")


def test_no_answer_has_the_row_that_the_command_gives_it(
    visit: Visit, collector: Service, tmp_path: Path
) -> None:
    region = ldp.Domain.categories(["north", "south"], no_answer=True)
    minutes = ldp.Domain.integers(0, 15, open_ends="high", no_answer=True)
    plan = ldp.choose_plan(ldp.Domain.product(region=region, minutes=minutes), epsilon=3, expected_users=6000)
    people: dict[str, list[object]] = {
        "region": ["north", "south", None] * 2000,
        "minutes": [2, 10, 99, None] * 1500,
    }
    reports = ldp.encode_many(plan, people, seed=1)
    assert collector.create("declined", plan, public=True, question="Where?").status == 201
    assert collector.put(ldp.wire.pack(reports), name="declined").status == 201
    ldp.Aggregate.of(plan, reports).save(tmp_path / "declined.agg")

    def by_command(*asked: str) -> list[list[str]]:
        printed = rows(done("query", str(tmp_path / "declined.agg"), *asked, "--csv").encode())
        return [row for row in printed if row[0] == "no answer"]

    for name in ("region", "minutes"):
        table = rows(saved(shown(visit, f"declined?attribute={name}"), "csv", tmp_path)[1])
        assert [row for row in table if row[0] == "no answer"] == by_command(
            "--attribute", name, "--histogram"
        )
        assert not [row for row in table if "no answer" in row[3:5]]
    table = rows(saved(shown(visit, "declined?attribute=region&attribute=minutes"), "csv", tmp_path)[1])
    [declined] = by_command("--within", "region", "north", "north", "--within", "minutes", "0", "9")
    assert [row for row in table if row[0] == "no answer"] == [["no answer", *[""] * 4, *declined[6:]]]


def test_labels_are_quoted(visit: Visit, collector: Service, tmp_path: Path) -> None:
    labels = ['Yes, "always"', "No", "Now and then"]
    name = made(collector, "quoted", ldp.Domain.ordered(labels), people=3000, unit="")
    table = rows(saved(shown(visit, name), "csv", tmp_path)[1])
    assert [row[4] for row in table if row[0] == "histogram"] == labels


def test_two_attributes_are_saved_cell_by_cell(visit: Visit, collector: Service, tmp_path: Path) -> None:
    domain = ldp.Domain.product(age=ldp.Domain.integers(0, 15), home=ldp.Domain.categories(["own", "rent"]))
    plan = ldp.choose_plan(domain, epsilon=3.0, expected_users=5000)
    assert collector.create("homes", plan, public=True, question="How do you live?").status == 201
    people = {"age": [person % 16 for person in range(5000)], "home": ["own", "rent"] * 2500}
    assert collector.put(packed(people, 1, plan), name="homes").status == 201  # type: ignore[arg-type]
    page = shown(visit, "homes?attribute=age&attribute=home", viewport={"width": 320, "height": 640})
    [header, *table] = rows(saved(page, "csv", tmp_path)[1])
    assert header[1:5] == ["age from", "age to", "home from", "home to"]
    told = collector.get("/api/surveys/homes/overview?attribute=age&attribute=home").json
    cells = [row for row in table[1:] if row[0] == "within"]
    assert [float(row[5]) for row in cells] == [
        share for column in told["table"]["value"] for share in column
    ]
    assert [row[3] for row in cells[:2]] == ["own", "rent"]
    drawn = drawing(saved(page, "svg", tmp_path)[1])
    words = [each.text for each in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert {"How do you live?", "age", "home", "own", "rent"} <= set(words)
    assert drawn.get("width") == "760"  # however narrow the window is


def test_pictures_stand_alone_on_white_paper(visit: Visit, collector: Service, tmp_path: Path) -> None:
    name = made(collector, "pictured", people=3000)
    page = shown(visit, name, color_scheme="dark")
    file, text = saved(page, "svg", tmp_path)
    assert file.startswith("pictured-20")
    drawn = drawing(text)
    sheet = drawn[0]
    assert (sheet.get("class"), sheet.get("fill")) == ("sheet", "rgb(255, 255, 255)")
    words = " ".join(each.text or "" for each in drawn.iter("{http://www.w3.org/2000/svg}text"))
    for part in ("How long is your commute?", "3,000 answers", "minutes", "95% interval", "quartiles"):
        assert part in words
    bars = collector.get(f"/api/surveys/{name}/overview").json["histogram"]["value"]
    assert text.count(b'class="bar-of"') == len(bars)
    assert b"var(" not in text
    assert re.findall(rb"(?:href|src|url)\W", text) == []
    file, pixels = saved(page, "png", tmp_path)
    assert file.endswith(".png")
    assert pixels.startswith(b"\x89PNG")
    width, height = struct.unpack(">II", pixels[16:24])
    assert [width, height] == [2 * int(drawn.get(side, "0")) for side in ("width", "height")]


def test_inside_a_bin_the_band_reaches_from_its_lower_end_to_its_upper(
    visit: Visit, collector: Service, tmp_path: Path
) -> None:
    name = made(collector, "wide", ldp.Domain.real(0, 120, 4), people=3000)
    _, text = saved(shown(visit, name), "svg", tmp_path)
    (band,) = (each for each in drawing(text).iter() if each.get("class") == "band")
    points = [tuple(map(float, point.split())) for point in (band.get("d") or "")[1:-1].split("L")]
    assert len(points) == 18  # nine corners below and nine above, of four bins
    below, above = points[:9], points[:8:-1]
    assert all(each[1] == after[1] for each, after in zip(below[::2], below[1::2], strict=False))
    assert all(each[1] == after[1] for each, after in zip(above[1::2], above[2::2], strict=False))
    assert [x for x, _ in below[2::2]] == [x for x, _ in above[2::2]]


def test_pictures_have_long_labels_and_what_is_not_on_the_axis(
    visit: Visit, collector: Service, tmp_path: Path
) -> None:
    minutes = ldp.Domain.integers(5, 64, open_ends=True, no_answer=True)
    ways = ldp.Domain.categories(["On foot", "By bicycle, or on a scooter", "By car"], no_answer=True)
    for name, domain, unit in (("open", minutes, "minutes"), ("ways", ways, "")):
        made(collector, f"saved-{name}", domain, people=6000, unit=unit)
        drawn = drawing(saved(shown(visit, f"saved-{name}"), "svg", tmp_path)[1])
        words = [each.text for each in drawn.iter("{http://www.w3.org/2000/svg}text")]
        beside = collector.get(f"/api/surveys/saved-{name}/overview").json["beside"]
        shares = [f"{100 * share:.1f}%".replace("-", "−") for share in beside["value"]]
        for share in shares:
            assert any(text and text.startswith(f"{share} [") for text in words)
        assert "rather not say (of all people)" in words
        labels = ["less than 5 minutes", "more than 64 minutes"] if unit else list(ways.answered.labels)  # type: ignore[attr-defined]
        assert set(labels) <= set(words)


def test_on_paper_there_is_nothing_to_press(visit: Visit, collector: Service) -> None:
    name = made(collector, "printed", people=3000)
    page = shown(visit, name, color_scheme="dark")
    expect(page.locator("#on-paper")).to_be_hidden()
    assert page.pdf().startswith(b"%PDF")
    page.emulate_media(media="print")
    expect(page.get_by_role("heading", name="How long is your commute?")).to_be_visible()
    expect(page.locator("#on-paper svg")).to_be_visible()
    assert page.locator("button:visible, input:visible, select:visible, canvas:visible").count() == 0
    paint = "getComputedStyle(document.querySelector('.tiles .card')).backgroundColor"
    assert page.evaluate(paint) == "rgb(255, 255, 255)"
