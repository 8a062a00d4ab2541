"""Collectors on either database, and visitors of their pages in a real browser."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

from page_visitors import Visit, Visitor, made
from postgresql_server import emptied, postgresql
from running_collector import PEOPLE, Service, packed, serving

# first the one without windows, which nobody would see: they take a third of all time
_BROWSERS = (
    "chromium-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
_OPTIONS = [
    "--no-sandbox",  # it shows pages of this repository only
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="session")
def database() -> Iterator[str]:
    """Return the URL of a PostgreSQL server."""
    with postgresql() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return an empty place for a collector's store, on either database."""
    if request.param == "sqlite":
        return str(tmp_path / "data")
    return emptied(request.getfixturevalue("database"))


@pytest.fixture
def service(place: str) -> Iterator[Service]:
    """Return a collector that has a survey without answers."""
    with serving(place) as running:
        assert running.create().status == 201
        yield running


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Return a collector that has a survey with answers, for tests that change nothing."""
    with serving(tmp_path_factory.mktemp("asked")) as running:
        running.create()
        running.create("nobody")
        running.create("open-to-all", public=True)
        for name in ("ages", "open-to-all"):
            running.put(packed(PEOPLE, 1), name=name)
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Return a browser, or skip, and say so."""
    found = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if found is None:
        pytest.skip("THE PAGES ARE NOT TESTED: there is no Chromium on the path; install chromium")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=_OPTIONS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def collector(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Return a collector whose pages are visited; every test adds surveys of its own."""
    with serving(tmp_path_factory.mktemp("pages")) as running:
        yield running


@pytest.fixture
def visit(collector: Service, browser: Browser) -> Iterator[Visit]:
    """Return a function that makes a visitor of the collector's pages, with the browser's options given."""
    visitors: list[Visitor] = []

    def come(**options: Any) -> Visitor:
        visitors.append(Visitor(collector, browser.new_context(**{"reduced_motion": "reduce", **options})))
        return visitors[-1]

    yield come
    for visitor in visitors:
        visitor.context.close()


@pytest.fixture
def own_survey(collector: Service, request: pytest.FixtureRequest) -> str:
    """Return the name of a public survey that no other test asks."""
    return made(collector, re.sub("[^a-z0-9]+", "-", request.node.name.lower())[-60:].strip("-"))
