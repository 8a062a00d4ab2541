"""Visitors of the collector's pages: a real browser, and a record of all that it sent and complained of."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Page, Request, expect

import ldprange as ldp
from running_collector import Service, packed

_PATIENCE = 30_000  # milliseconds, on a machine that has much else to do
expect.set_options(timeout=_PATIENCE)

_REPORT_VIOLATIONS = """
addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
"""


@dataclass
class Visitor:
    """Someone with a browser of their own: storage, cookies, tabs."""

    service: Service
    context: BrowserContext
    requests: list[Request] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.context.set_default_timeout(_PATIENCE)
        self.context.add_init_script(_REPORT_VIOLATIONS)
        self.context.on("request", lambda request: self.requests.append(request))
        self.context.on("console", self._console)
        self.context.on("weberror", lambda error: self.complaints.append(str(error.error)))

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def open(self, path: str) -> Page:
        """Open a page in a new tab."""
        page = self.context.new_page()
        page.goto(f"http://127.0.0.1:{self.service.port}{path}")
        return page

    def sent(self) -> list[tuple[str, bytes | None]]:
        """Return the address and the body of every report that was sent."""
        return [(each.url, each.post_data_buffer) for each in self.requests if each.method == "PUT"]

    def hosts(self) -> set[str]:
        return {urlsplit(each.url).netloc for each in self.requests}


def remembered(page: Page) -> dict[str, Any]:
    """Return all that a page has stored on the device, by where and under which key."""
    found: dict[str, Any] = json.loads(
        page.evaluate("JSON.stringify({ local: { ...localStorage }, session: { ...sessionStorage } })")
    )
    return found


def tab_to(page: Page, selector: str) -> None:
    """Press the tabulator until something has the focus."""
    for _ in range(30):
        if page.evaluate("(selector) => document.activeElement?.matches(selector) ?? false", selector):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"{selector} must be reachable with the tabulator")


def assert_it_fits(page: Page) -> None:
    """Nothing is wider than the window."""
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


# Every browser with these draws the same coins. So all that may differ between two people who give
# different answers is the report; and that must be the one that the Python client makes with these coins.
SCRIPTED_COINS = """
let word = 1;
crypto.getRandomValues = (array) => {
  for (let at = 0; at < array.length; at += 1) {
    word = (Math.imul(word, 1664525) + 1013904223) >>> 0;
    array[at] = word;
  }
  return array;
};
"""


def scripted_words(count: int) -> list[int]:
    words = [1]
    for _ in range(count):
        words.append((words[-1] * 1664525 + 1013904223) % 2**32)
    return words[1:]


Visit = Callable[..., Visitor]


DOMAINS = {
    "integers": ldp.Domain.integers(0, 119),
    "real": ldp.Domain.real(0, 14, 56),
    "logarithmic": ldp.Domain.logarithmic(1, 10_000, 80),
    "dates": ldp.Domain.dates("2025-01-01", "2026-11-30"),
    "ordered": ldp.Domain.ordered(["XS", "S", "M", "L", "XL"]),
}


def plan_for(domain: ldp.Domain) -> ldp.Plan:
    return ldp.Plan(domain, 1.1, ldp.Haar(), ldp.HRR())


def made(
    collector: Service, name: str, domain: ldp.Domain | None = None, people: int = 0, **more: Any
) -> str:
    """Make a survey, with some made-up answers."""
    plan = plan_for(domain or DOMAINS["integers"])
    more = {"public": True, "question": "How long is your commute?", "unit": "minutes", **more}
    assert collector.create(name, plan, **more).status == 201
    if people:
        values = [plan.domain.lower((7 * person) % plan.domain.bins) for person in range(people)]
        assert collector.put(packed(values, 1, plan), name=name).status == 201
    return name


def reports(collector: Service, name: str) -> int:
    count: int = collector.get(f"/api/surveys/{name}/overview").json["reports"]
    return count


def shown_report(page: Page) -> bytes:
    expect(page.get_by_role("heading", name="You have answered")).to_be_visible()
    return bytes.fromhex(page.locator("#report-sent code").inner_text())


def kept_report(page: Page) -> bytes:
    [record] = remembered(page)["local"].values()
    return bytes.fromhex(json.loads(record)["report"])


def send(page: Page) -> None:
    page.get_by_role("button", name="Scramble and send").click()


def answer(page: Page, value: str = "42") -> None:
    page.locator("#answer").fill(value)
    send(page)
    expect(page.get_by_role("heading", name="You have answered")).to_be_visible()
