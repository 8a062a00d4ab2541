"""Figures: every kind of domain, bands from end to end, and what cannot be drawn."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.path import Path as MatplotlibPath
from numpy.typing import NDArray

import ldprange as ldp
from ldprange.plotting.figures import ends_of
from ldprange.plotting.ticks import _days

DOMAINS = {
    "integers": (ldp.Domain.integers(0, 119), ["0", "20", "40", "60", "80", "100"]),
    "few integers": (ldp.Domain.integers(1, 5), ["1", "2", "3", "4", "5"]),
    "one integer": (ldp.Domain.integers(7, 7), ["7"]),
    "real": (ldp.Domain.real(0, 1, 5), ["0", "0.2", "0.4", "0.6", "0.8", "1"]),
    "real far from 0": (ldp.Domain.real(1.7e9, 1.7e9 + 4, 8), None),
    "logarithmic": (ldp.Domain.logarithmic(0.1, 60_000, 60), ["0.1", "1", "10", "100", "1000", "10000"]),
    "two decades": (ldp.Domain.logarithmic(1, 100, 20), ["1", "2", "5", "10", "20", "50", "100"]),
    "a part of a decade": (ldp.Domain.logarithmic(3, 4, 20), ["3", "3.2", "3.4", "3.6", "3.8", "4"]),
    "every magnitude": (ldp.Domain.logarithmic(1e-100, 1e100, 20), None),
    "dates": (
        ldp.Domain.dates("2026-01-01", "2026-01-31"),
        [f"2026-01-{day:02}" for day in (5, 12, 19, 26)],
    ),
    "many labels": (ldp.Domain.ordered([f"grade {grade}" for grade in range(50)]), None),
}
every_domain = pytest.mark.parametrize(("domain", "labels"), DOMAINS.values(), ids=DOMAINS.keys())


def vertices(path: MatplotlibPath) -> NDArray[np.float64]:
    return np.asarray(path.vertices, np.float64)


def estimated(domain: ldp.Domain) -> tuple[ldp.Estimate, Any]:
    counts = 1000 * np.arange(1, domain.bins + 1)
    plan = ldp.Plan(domain, 1.1, ldp.Haar(), ldp.HRR())
    return ldp.estimate(ldp.simulate(plan, counts, seed=1)), counts


@every_domain
def test_round_values_are_named(domain: ldp.Domain, labels: list[str] | None, tmp_path: Path) -> None:
    estimate, counts = estimated(domain)
    figure = estimate.plot(counts=counts, title="A title")
    assert isinstance(figure, Figure)
    figure.savefig(tmp_path / "figure.png")
    shown = [label.get_text() for label in figure.axes[1].get_xticklabels()]
    assert 1 <= len(shown) <= 9
    assert len(set(shown)) == len(shown)
    if labels:
        assert shown == labels


@every_domain
def test_bands_reach_from_end_to_end(domain: ldp.Domain, labels: list[str] | None) -> None:
    estimate, _ = estimated(domain)
    figure = estimate.plot()
    upper, lower = figure.axes
    (cdf_band,), (band, steps) = upper.collections, lower.patches
    for path in (cdf_band.get_paths()[0], band.get_path(), steps.get_path()):
        across = vertices(path)[:, 0]
        assert (across.min(), across.max()) == (0, domain.bins)
    assert lower.get_xlim() == (0, domain.bins)


def test_a_bins_band_is_its_interval() -> None:
    estimate, _ = estimated(ldp.Domain.integers(1, 5))
    histogram = estimate.histogram()
    band = vertices(estimate.plot().axes[1].patches[0].get_path())
    for index in range(5):
        assert histogram.low is not None
        assert histogram.high is not None
        for end in (histogram.low[index], histogram.high[index]):
            level = band[np.isclose(band[:, 1], end), 0]
            assert {index, index + 1} <= set(level.tolist())


def test_the_truth_is_drawn_as_shares() -> None:
    estimate, counts = estimated(ldp.Domain.integers(1, 5))
    upper, lower = estimate.plot(counts=counts).axes
    np.testing.assert_allclose(
        np.asarray(upper.lines[1].get_ydata(), float), np.append(0, np.cumsum(counts)) / counts.sum()
    )
    np.testing.assert_allclose(lower.patches[-1].get_data().values, counts / counts.sum())  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "counts",
    [
        [1, 2, 3, 4],
        [[1, 2, 3, 4, 5]],
        7,
        [0, 0, 0, 0, 0],
        [1, 2, 3, 4, -1],
        [1, 2, 3, 4, float("nan")],
        [1, 2, 3, 4, float("inf")],
        ["a", "b", "c", "d", "e"],
        [[1], [2, 3]],
    ],
    ids=str,
)
def test_counts_that_are_none(counts: Any) -> None:
    estimate, _ = estimated(ldp.Domain.integers(1, 5))
    with pytest.raises(ldp.DomainError, match=r"counts must be 5 numbers .* got .*; make them with"):
        estimate.plot(counts=counts)


def test_without_matplotlib_what_to_install_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    estimate, _ = estimated(ldp.Domain.integers(1, 5))
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ldp.LdprangeError, match=r"needs matplotlib.*pip install 'ldprange\[plot\]'"):
        estimate.plot()


def test_two_attributes_are_drawn_together() -> None:
    domain = ldp.Domain.product(
        age=ldp.Domain.integers(0, 95),
        income=ldp.Domain.integers(0, 95),
        home=ldp.Domain.categories(["a", "b"]),
    )
    rng = np.random.default_rng(1)
    age = rng.integers(18, 80, 100_000)
    income = np.clip(age + rng.normal(0, 8, age.size), 0, 95).astype(int)
    people = {"age": age, "income": income, "home": ["a", "b"] * 50_000}
    found = ldp.estimate(
        ldp.simulate_values(ldp.choose_plan(domain, epsilon=3.0, expected_users=age.size), people, seed=1)
    )
    figure = found.plot("age", "income", title="Age and income")
    middle = figure.axes[2]
    assert (middle.get_xlabel(), middle.get_ylabel()) == ("age", "income")
    cells = np.asarray(middle.collections[0].get_array()).reshape(12, 12)
    share = found.range(age=(40, 47), income=(32, 39), confidence=None).value
    assert cells[4, 5] == pytest.approx(max(0.0, share))  # rows go up
    found.plot("home", "age")
    assert found.plot("age").axes[1].get_xlabel() == "age"
    for names in ([], ["age", "age"], ["age", "income", "home"]):
        with pytest.raises(ldp.QueryError, match=r"one or two attributes .* as in plot\('age', 'income'\)"):
            found.plot(*names)


def test_a_figure_shows_itself_in_a_notebook() -> None:
    plan = ldp.Plan(ldp.Domain.integers(0, 9), 1.0, ldp.Haar(), ldp.HRR())
    figure = ldp.estimate(ldp.simulate(plan, np.full(10, 100), seed=1)).plot()
    assert figure._repr_png_().startswith(b"\x89PNG")  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("first", "last", "marked"),
    [
        ("2026-03-03", "2026-03-06", ["2026-03-03", "2026-03-04", "2026-03-05", "2026-03-06"]),
        ("2026-01-10", "2026-06-20", ["2026-02-01", "2026-03-01", "2026-04-01", "2026-05-01", "2026-06-01"]),
        ("2025-08-01", "2026-08-31", ["2025-10-01", "2026-01-01", "2026-04-01", "2026-07-01"]),
        ("1950-05-05", "2026-01-01", [f"{year}-01-01" for year in range(1960, 2021, 10)]),
        ("2026-01-07", "2026-01-07", ["2026-01-07"]),
    ],
)
def test_days_are_marked_where_people_look_for_them(first: str, last: str, marked: list[str]) -> None:
    days = np.arange(np.datetime64(first), np.datetime64(last) + 1)
    assert [str(day) for day in _days(days)] == marked


WAYS = [
    "I walk",
    "By bicycle, also if I take it on a train or a bus for a part of the way",
    "By car: $5 to $10",
]


def rows_of(axes: Any) -> list[str]:
    return [" ".join(label.get_text().split()) for label in axes.get_yticklabels()]


def lengths_of(axes: Any) -> list[float]:
    return [bar.get_width() for bar in axes.patches]


def truth_in(axes: Any) -> Any:
    return next(line for line in axes.lines if line.get_label() == "true").get_xdata()


@pytest.mark.parametrize(
    "domain", [ldp.Domain.ordered(WAYS), ldp.Domain.categories(WAYS)], ids=["ordered", "not"]
)
def test_labels_have_bars_that_lie_and_can_be_read(domain: ldp.Domain, tmp_path: Path) -> None:
    estimate, counts = estimated(domain)
    figure: Any = estimate.plot(counts=counts)
    figure.savefig(tmp_path / "figure.png")
    bars, *cdf = figure.axes
    assert not any(label.get_parse_math() for label in bars.get_yticklabels())  # between two $ is no formula
    assert rows_of(bars) == WAYS
    histogram = estimate.histogram()
    np.testing.assert_allclose(lengths_of(bars), histogram.value)
    np.testing.assert_allclose(truth_in(bars), counts / counts.sum())
    if domain.unordered:
        assert cdf == []
    else:
        np.testing.assert_allclose(cdf[0].lines[0].get_xdata(), estimate.cdf().value)
        np.testing.assert_allclose(cdf[0].lines[-1].get_xdata(), np.cumsum(counts) / counts.sum())


def test_of_very_many_categories_the_largest_are_drawn() -> None:
    estimate, _ = estimated(ldp.Domain.categories([f"town {town}" for town in range(60)]))
    figure: Any = estimate.plot()
    (bars,) = figure.axes
    shares = lengths_of(bars)
    np.testing.assert_allclose(shares, np.sort(estimate.histogram().value)[::-1][:40])
    assert "40 largest estimates of 60" in bars.get_xlabel()


@pytest.mark.parametrize("sides", ["both", "low", "high"])
def test_what_has_no_place_on_the_axis_is_below_it(sides: Any) -> None:
    minutes = ldp.Domain.integers(0, 9, open_ends=sides, no_answer=True)
    plan = ldp.Plan(minutes, 3.0, ldp.Flat(), ldp.OUE())
    counts = 1000 * np.arange(1, minutes.bins + 1)
    estimate = ldp.estimate(ldp.simulate(plan, counts, seed=1))
    figure: Any = estimate.plot(counts=counts)
    upper, lower, beside = figure.axes
    assert lower.get_xlim() == (0, 10)
    ends = [
        name for name, side in (("less than 0", "low"), ("more than 9", "high")) if sides in ("both", side)
    ]
    assert rows_of(beside) == [*ends, "no answer (of all people)"]
    answers = [*(estimate.range(name, name) for name in ends), estimate.no_answer()]
    np.testing.assert_allclose(lengths_of(beside), [each.value for each in answers])
    answered = counts[:-1] / counts[:-1].sum()
    first = int("less than 0" in ends)
    truth = [
        *([answered[0]] if first else []),
        *([answered[-1]] if "more than 9" in ends else []),
        counts[-1] / counts.sum(),
    ]
    np.testing.assert_allclose(truth_in(beside), truth)
    np.testing.assert_allclose(
        lower.patches[1].get_data().values, estimate.histogram().value[first : first + 10]
    )
    np.testing.assert_allclose(
        upper.lines[0].get_ydata(), np.append(0, estimate.cdf().value)[first : first + 11]
    )
    np.testing.assert_allclose(
        upper.lines[1].get_ydata(), np.append(0, answered.cumsum())[first : first + 11]
    )


def test_inside_a_bin_the_band_holds_wherever_its_people_are() -> None:
    """Half of the people are at 0 exactly, in a bin of 30 minutes: the curve is at a half right there."""
    plan = ldp.Plan(ldp.Domain.real(0, 120, 4), 2.0, ldp.Flat(), ldp.GRR())
    found = ldp.estimate(ldp.simulate(plan, [2000, 400, 300, 300], seed=1))
    band = found.plot().axes[0].collections[0].get_paths()[0]
    _, low, high = ends_of(found.cdf(band="simultaneous").map(lambda cdf: np.append(0, cdf)))
    for edge in range(4):
        for place in (edge + 0.01, edge + 0.99):
            assert band.contains_points([[place, low[edge] + 1e-6], [place, high[edge + 1] - 1e-6]]).all()


def test_of_very_many_bins_as_many_cells_are_drawn_as_can_be_seen() -> None:
    plan = ldp.Plan(ldp.Domain.integers(0, 4999), 2.0, ldp.Tree(8), ldp.HadamardHashing())
    people = np.arange(5000)
    estimate = ldp.estimate(ldp.simulate(plan, people, seed=1))
    upper, lower = estimate.plot(counts=people).axes
    drawn: Any = lower.patches[0]
    cells, edges, _ = drawn.get_data()
    assert cells.size == 2000
    assert (edges[0], edges[-1]) == (0, 5000)
    assert cells @ np.diff(edges) == pytest.approx(1)
    at = edges.astype(int)
    curve, truth = (np.asarray(line.get_ydata()) for line in upper.lines)
    np.testing.assert_allclose(curve, np.append(0, estimate.cdf(confidence=None).value)[at])
    np.testing.assert_allclose(truth, np.append(0, people.cumsum() / people.sum())[at])
