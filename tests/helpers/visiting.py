"""Fixtures of the tests of pages: a plugin of theirs, so that only they have them."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

from page_visitors import Visit, Visitor, made
from running_collector import Service, serving

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_OPTIONS = [
    "--no-sandbox",  # it shows pages of this repository only
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Start a browser, or skip, and say so."""
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        pytest.skip("THE PAGES ARE NOT TESTED: there is no Chromium on the path; install chromium")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=found, args=_OPTIONS)
        yield started
        started.close()


@pytest.fixture(scope="module")
def collector(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("pages")) as running:
        yield running


@pytest.fixture
def visit(collector: Service, browser: Browser) -> Iterator[Visit]:
    """Return how visitors come, each with options of their own."""
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
