"""What a notebook shows of each kind of result: HTML in which every text is escaped."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pytest

import ldprange as ldp

LABELS = ldp.Domain.categories(["<b>bus</b>", "car & co"])
AGES = ldp.Domain.integers(0, 9)
PLAN = ldp.Plan(AGES, 1.0, ldp.Tree(branching=4), ldp.OUE())
COUNTED = ldp.simulate(PLAN, np.full(10, 100), seed=1)
FOUND = ldp.estimate(COUNTED)
BOTH = ldp.Domain.product(age=AGES, way=LABELS)
BOTH_PLAN = ldp.choose_plan(BOTH, epsilon=2.0, expected_users=1000)
BOTH_FOUND = ldp.estimate(
    ldp.simulate_values(BOTH_PLAN, {"age": [1, 2] * 500, "way": ["<b>bus</b>", "car & co"] * 500}, seed=1)
)
SHOWN = {
    "plan": (PLAN, "whole numbers from 0 to 9"),
    "plan of labels": (ldp.choose_plan(LABELS, epsilon=1.0, expected_users=10), "bus"),
    "comparison": (ldp.compare_plans(AGES, epsilon=1.0, expected_users=300), "Haar"),
    "prediction": (PLAN.predict(1000), "percentage points"),
    "outlook": (ldp.outlook(AGES, epsilon=1.0, expected_users=300), "300 answers"),
    "influence": (PLAN.influence(0.01), "made up"),
    "aggregate": (COUNTED, "1,000"),
    "estimate": (FOUND, "50% up to"),
    "joint estimate": (BOTH_FOUND, "&lt;b&gt;bus"),
    "one answer": (FOUND.range(2, 5), "at 95%"),
    "many answers": (FOUND.ranges([0, 5], [4, 9]), "<th>from</th><th>to</th>"),
    "a quantile": (FOUND.median(), "value"),
    "a histogram": (FOUND.histogram(), "<th>value</th>"),
    "a share alone": (FOUND.range(2, 5, confidence=None), "value"),
    "check": (ldp.check(COUNTED), "Nothing was found"),
}


class Balanced(HTMLParser):
    """Notes which tags are open."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)
        self.seen.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", SHOWN)
def test_it_is_shown_as_html(name: str) -> None:
    what, words = SHOWN[name]
    html = what._repr_html_()  # type: ignore[attr-defined]
    assert words in html
    page = Balanced()
    page.feed(html)
    assert page.open == []
    assert page.seen <= {"table", "caption", "thead", "tbody", "tr", "th", "td", "pre"}  # no label's own tags


def test_of_many_answers_the_first_are_shown() -> None:
    many = ldp.Domain.integers(0, 99)
    plan = ldp.Plan(many, 1.0, ldp.Haar(), ldp.HRR())
    html = ldp.estimate(ldp.simulate(plan, np.full(100, 10), seed=1)).histogram()._repr_html_()
    assert html.count("<tr>") == 21
    assert "and 80 more rows" in html
