"""The page of the audit says what the audit finds now."""

from __future__ import annotations

import re

import ldprange as ldp
from experiments.audit import EPSILONS, PAGE, exact_table, kinds, put, shown_rows
from ldprange.audit.artefacts import Rehearsal


def test_the_exact_table_is_what_is_calculated_now() -> None:
    assert exact_table() in PAGE.read_text(encoding="utf-8")
    assert "ABOVE" not in exact_table()


def test_every_kind_of_plan_is_there_and_in_order() -> None:
    rows = re.findall(
        r"^\| ((?:Flat|Tree|Haar|Windows), \w+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE
    )
    assert set(rows) == {name for name, _ in kinds(1.0)}
    assert len(EPSILONS) == 6


def test_bounds_shown_on_the_page_are_not_above_what_is_stated() -> None:
    _, _, rest = PAGE.read_text(encoding="utf-8").partition("<!-- shown:")
    bounds = [float(bound) for bound in re.findall(r"\b\d\.\d{3}\b", rest)]
    assert bounds
    assert max(bounds) <= 1.0


def test_a_row_has_the_exact_epsilon_and_a_bound_for_each_artefact() -> None:
    row = next(shown_rows([Rehearsal()], 2000))
    assert row[0] == "Flat, GRR"
    assert 0.99 < float(row[1]) <= 1.0
    assert 0 <= float(row[2]) <= 1.0
    assert put("<!-- a: made by python -m experiments.audit -->x<!-- end of a -->", "a", "y").count("y") >= 1
    assert isinstance(next(kinds(1.0))[1], ldp.Plan)
