"""Takes the pictures of the pages: ``python docs/screenshots.py``. Needs Chromium."""

from __future__ import annotations

import itertools
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Browser, Page, sync_playwright

import ldprange as ldp
from ldprange.cli.demo_population import MAX_MINUTES, commutes
from ldprange.service.access import ADMINISTRATOR, digest
from ldprange.service.collector import Collector
from ldprange.service.server import listen, make_server
from ldprange.service.settings import Settings
from ldprange.service.store import OPEN, Kept, Store, Survey

PEOPLE = 40_000
MORE_PEOPLE = 200_000  # two attributes together take more than one
HOURS = 72  # over which they answer
SIZES = {"phone": (375, 760, 1.0), "desktop": (1120, 760, 1.0)}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
HERE = Path(__file__).with_name("service")


def answer_all(store: Store) -> None:
    """Open two surveys, and put everybody's reports into them."""
    minutes = ldp.Domain.integers(0, MAX_MINUTES)
    plan = ldp.choose_plan(minutes, epsilon=1.1, expected_users=PEOPLE)
    question = "How long is your commute?"
    commute = Survey(0, "commute", question, "minutes", True, OPEN, plan)
    _answer(store, commute, {"": commutes(PEOPLE)})
    people = ldp.Domain.product(
        **{
            "Age": ldp.Domain.integers(0, 95),
            "Income in €": ldp.Domain.real(0, 96_000, 48),
            "Home": ldp.Domain.ordered(["rented", "owned", "shared"]),
        }
    )
    plan = ldp.choose_plan(people, epsilon=2.0, expected_users=MORE_PEOPLE)
    _answer(store, Survey(0, "homes", "How do you live?", "", True, OPEN, plan), homes(MORE_PEOPLE))


def homes(people: int) -> dict[str, NDArray[Any]]:
    """Make up people whose income rises with their age, up to a point."""
    rng = np.random.default_rng(5)
    age = np.clip(rng.gamma(6, 7, people) + 10, 0, 95).astype(int)
    income = np.clip(900 * np.minimum(age, 55) * rng.lognormal(0, 0.35, people) + 10_000, 0, 96_000)
    home = np.clip((rng.normal(0, 1, people) + 2 * (age < 25) + 1).astype(int), 0, 2)
    return {"Age": age, "Income in €": income, "Home": np.array(["rented", "owned", "shared"])[home]}


def _answer(store: Store, new: Survey, columns: dict[str, NDArray[Any]]) -> None:
    """Open a survey, and put everybody's reports into it, as if they had come over some hours."""
    survey = store.add_survey(new)
    assert survey is not None  # noqa: S101 (the store is new)
    rng = np.random.default_rng(7)
    last = int(time.time()) // 3600 * 3600
    people = len(next(iter(columns.values())))
    # many at first, when the link is sent round, and ever fewer
    when = np.sort((HOURS * rng.beta(1.3, 3, people)).astype(int))
    for number, hour in enumerate(np.unique(when)):
        values = {name: column[when == hour] for name, column in columns.items()}
        body = ldp.wire.pack(ldp.encode_many(survey.plan, values.get("", values), seed=number))
        batch = Kept(survey.id, os.urandom(16), body, int(np.sum(when == hour)))
        store.keep([batch], last - 3600 * (HOURS - int(hour)))


@contextmanager
def collector(place: str) -> Iterator[str]:
    """Run a collector with both surveys on a free port; give its address."""
    store = Store(place, create=True)
    store.lock()
    store.keep_digests({ADMINISTRATOR: digest(ADMINISTRATOR)})
    answer_all(store)
    listening = listen("127.0.0.1", 0)
    running = Collector(store, Settings())
    running.load()
    server = make_server(running)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listening.close()


def take(browser: Browser, address: str, size: str, scheme: Literal["light", "dark"]) -> None:
    """Take the pictures of one size and scheme."""
    width, height, scale = SIZES[size]
    context = browser.new_context(
        viewport={"width": width, "height": height},
        device_scale_factor=scale,
        color_scheme=scheme,
        reduced_motion="reduce",
        locale="en-GB",
    )
    page = context.new_page()
    take_surveys(page, address, size, scheme)
    take_dashboards(page, address, size, scheme)
    if (size, scheme) == ("desktop", "light"):
        take_the_owners_page(page, address)
    context.close()


def take_surveys(page: Page, address: str, size: str, scheme: str) -> None:
    """Take the survey pages: on a phone while answering, on a desk what was sent."""
    # acknowledged here, so that the next picture's dashboard does not count it
    page.route("**/batches/*", lambda route: route.fulfill(status=201, json={"reports": 1}))
    page.goto(f"{address}/s/commute")
    page.locator("#answer").fill("25")
    if size == "desktop":
        page.locator("#answer-and-send").click()
        page.locator("#report-sent code").wait_for()
    page.evaluate("document.activeElement.blur()")
    page.mouse.move(0, 0)
    page.screenshot(path=HERE / f"survey-{size}-{scheme}.png", full_page=True)
    page.goto(f"{address}/s/homes")
    page.locator("#answer-1").fill("42")
    page.evaluate("document.activeElement.blur()")
    page.screenshot(path=HERE / f"several-attributes-{size}-{scheme}.png", full_page=True)


def take_dashboards(page: Page, address: str, size: str, scheme: str) -> None:
    """Take the dashboards, of one attribute and of two."""
    page.goto(f"{address}/d/commute")
    page.locator("#range-share").filter(has_text="%").wait_for()
    page.screenshot(path=HERE / f"dashboard-{size}-{scheme}.png", full_page=True)
    page.goto(f"{address}/d/homes")
    page.locator("#range-share").filter(has_text="%").wait_for()
    page.screenshot(path=HERE / f"two-attributes-{size}-{scheme}.png", full_page=True)


def take_the_owners_page(page: Page, address: str) -> None:
    """Take the page of all surveys, with a link to two of them and a new one half made."""
    page.goto(f"{address}/surveys#token={ADMINISTRATOR}")
    for box in page.locator("#together-choices input").all():
        box.check()
    page.locator("#new-question").fill("How many hours did you sleep last night?")
    page.locator("#new-kind").select_option("real")
    page.locator("#new-unit").fill("hours")
    page.locator("#new-high").fill("14")
    page.locator("#new-bins").fill("28")
    page.locator("#outlook-learnt").filter(has_text="typical").wait_for()
    page.locator("#new-make:enabled").wait_for()
    page.evaluate("document.activeElement.blur()")
    page.screenshot(path=HERE / "surveys-desktop-light.png", full_page=True)


def main() -> None:
    """Take all seventeen."""
    names = ("chromium", "chromium-browser", "google-chrome")
    found = next(filter(None, map(shutil.which, names)))
    HERE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as place, collector(place) as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        for size, scheme in itertools.product(SIZES, SCHEMES):
            take(browser, address, size, scheme)
        browser.close()


if __name__ == "__main__":
    main()
